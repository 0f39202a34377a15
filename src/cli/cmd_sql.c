/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/analyse.h"
#include "base/buf.h"
#include "cli/workflow.h"
#include "cli_cmd_sql.sql.h"
#include "findings/failures.h"

#include <histedit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option_spec options[] = {
    {"write", NULL, "let the queries change the store", false},
    {"run", "RUN", "of this workflow, :run is the id and run, task, path, ... are tables (docs/findings.md)", false},
    SKEW_OPTION,
    {NULL, NULL, NULL, false},
};

#define WRITE_HINT "; to change the store or write files, add --write"

static int64_t of_run, start_ns; /* of --run; 0: it is not given */

/* Runs every statement of text.  Exit code. */
static int run_text(const struct cli *cli, struct sl_store *st, const char *text)
{
    struct sl_err err = {0};

    while (*text) {
        sqlite3_stmt *q = NULL;
        const char *tail;
        if (sqlite3_prepare_v2(st->db, text, -1, &q, &tail) != SQLITE_OK) {
            bool refused = sqlite3_errcode(st->db) == SQLITE_AUTH;
            sl_err(&err, SL_ESTORE, "%s%s", sqlite3_errmsg(st->db), refused ? WRITE_HINT : "");
            return cli_fail(cli, &err);
        }
        text = tail;
        if (!q)
            continue;
        if (of_run) {
            sqlite3_bind_int64(q, sqlite3_bind_parameter_index(q, ":run"), of_run);
            sqlite3_bind_int64(q, sqlite3_bind_parameter_index(q, ":start_ns"), start_ns);
        }
        if (sqlite3_column_count(q) == 0) {
            if (sqlite3_step(q) != SQLITE_DONE) {
                int rc = sqlite3_errcode(st->db) & 0xff;
                bool refused = rc == SQLITE_READONLY || rc == SQLITE_AUTH;
                sl_err(&err, SL_ESTORE, "%s%s", sqlite3_errmsg(st->db),
                       refused && !cli_option(cli, "write") ? WRITE_HINT : "");
                sqlite3_finalize(q);
                return cli_fail(cli, &err);
            }
            sqlite3_finalize(q);
        } else if (sl_show_query(stdout, q, cli->format, "query", &err) < 0) {
            return cli_fail(cli, &err);
        }
    }
    return EXIT_DONE;
}

static const char *prompt_now = "spanloom> ";

static char *prompt(EditLine *e)
{
    (void)e;
    return (char *)(uintptr_t)prompt_now;
}

/* $XDG_STATE_HOME/spanloom/history, or ~/.local/state/... */
static char *history_file(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct sl_buf b = {0};

    if (state && *state)
        sl_buf_adds(&b, state);
    else if (home && *home)
        sl_buf_addf(&b, "%s/.local/state", home);
    else
        return NULL;
    for (char *s = b.s + 1; *s; s++)
        if (*s == '/') {
            *s = 0;
            mkdir(b.s, 0700);
            *s = '/';
        }
    mkdir(b.s, 0700);
    sl_buf_adds(&b, "/spanloom");
    mkdir(b.s, 0700);
    sl_buf_adds(&b, "/history");
    return b.s;
}

static const char shell_help[] =
    "SQL, ended by a semicolon.  .tables lists what can be queried, .schema NAME its columns, .quit leaves.\n"
    "Beside tables there are functions, such as event_sequences(TYPE) and median(x): docs/sql.md has all.\n";

/* 1: leave */
static int dot(const struct cli *cli, struct sl_store *st, const char *line)
{
    char word[200];
    struct sl_buf sql = {0};

    if (!strcmp(line, ".quit") || !strcmp(line, ".exit"))
        return 1;
    if (!strcmp(line, ".tables"))
        run_text(cli, st, sql_dot);
    else if (sscanf(line, ".schema %199s", word) == 1) {
        char *s = sqlite3_mprintf("SELECT name, type FROM pragma_table_xinfo(%Q)", word);
        sl_buf_adds(&sql, s);
        sqlite3_free(s);
        run_text(cli, st, sql.s);
        sl_buf_free(&sql);
    } else {
        fputs(shell_help, stdout);
    }
    return 0;
}

static int shell(const struct cli *cli, struct sl_store *st)
{
    EditLine *e = el_init("spanloom", stdin, stdout, stderr);
    History *h = history_init();
    HistEvent ev;
    char *file = history_file();
    struct sl_buf text = {0};
    const char *line;
    int n;

    history(h, &ev, H_SETSIZE, 1000);
    if (file)
        history(h, &ev, H_LOAD, file);
    el_set(e, EL_PROMPT, prompt);
    el_set(e, EL_EDITOR, "emacs");
    el_set(e, EL_HIST, history, h);
    el_source(e, NULL);
    fputs(shell_help, stdout);
    while ((line = el_gets(e, &n)) && n > 0) {
        if (!text.n && line[0] == '.') {
            struct sl_buf b = {0};
            int leave;
            sl_buf_add(&b, line, strcspn(line, "\n"));
            leave = dot(cli, st, b.s);
            sl_buf_free(&b);
            if (leave)
                break;
            continue;
        }
        if (!text.n && (line[0] == '\n' || !line[0]))
            continue;
        sl_buf_adds(&text, line);
        if (sqlite3_complete(text.s)) {
            history(h, &ev, H_ENTER, text.s);
            if (file)
                history(h, &ev, H_SAVE, file);
            run_text(cli, st, text.s);
            sl_buf_clear(&text);
        }
        prompt_now = text.n ? "     ...> " : "spanloom> ";
        fflush(stdout);
    }
    history_end(h);
    el_end(e);
    free(file);
    sl_buf_free(&text);
    return EXIT_DONE;
}

/* Queries from a pipe or a file. */
static int script(const struct cli *cli, struct sl_store *st)
{
    struct sl_buf text = {0};
    char chunk[4096];
    size_t n;
    int rc;

    while ((n = fread(chunk, 1, sizeof chunk, stdin)) > 0)
        sl_buf_add(&text, chunk, n);
    rc = text.n ? run_text(cli, st, text.s) : EXIT_DONE;
    sl_buf_free(&text);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    struct sl_err err = {0};
    int rc;

    if (argc > 1)
        return cli_usage(cli, "sql takes one query; put it in quotes");
    if (!cli_option(cli, "write")) {
        if (!(st = cli_open(cli)))
            return EXIT_FAILED;
    } else {
        if (sl_store_open(&st, cli->store_path, SL_STORE_WRITE, &err))
            return cli_fail(cli, &err);
        sl_analyse_register(st->db);
    }
    if (cli_states(cli, st, &err) || cli_skew(cli, st, &err)) {
        rc = cli_fail(cli, &err);
    } else if (cli_option(cli, "run") &&
               (cli_find_workflow(cli, st, NULL, &of_run, &err) || sl_facts_make(st, of_run, &err))) {
        rc = cli_fail(cli, &err);
    } else {
        start_ns = of_run ? sl_store_int(st, "SELECT start_ns FROM temp.run", 0) : 0;
        if (!cli_option(cli, "write"))
            sl_store_only_read(st);
        rc = argc ? run_text(cli, st, argv[0]) : isatty(0) ? shell(cli, st) : script(cli, st);
    }
    sl_store_close(st);
    return rc;
}

const struct command cmd_sql = {
    .name = "sql",
    .args = "[QUERY]",
    .help = "ask your own question (without a query: a shell)",
    .options = options,
    .run = run,
};
