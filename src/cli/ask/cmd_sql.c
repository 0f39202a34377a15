/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/analyse.h"
#include "ask_cmd_sql.sql.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/near.h"
#include "cli/workflow.h"
#include "findings/failures.h"

#include <dlfcn.h>
#include <histedit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option_spec options[] = {
    {"write", NULL, "let the queries change the store"},
    {"run", "RUN", "of this workflow, :run is the id and run, task, path, ... are tables (docs/findings.md)"},
    SKEW_OPTION,
    {NULL, NULL, NULL},
};

#define WRITE_HINT "; to change the store or write files, add --write"

static int64_t of_run, start_ns; /* of --run; 0: it is not given */

typedef SL_VEC(char *) texts;

static void add_texts(texts *v, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *q = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK)
        while (sqlite3_step(q) == SQLITE_ROW)
            *sl_vec_add(v) = sl_strdup((const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
}

static void free_texts(texts *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->v[i]);
    sl_vec_free(v);
}

static bool is_among(const texts *v, const char *text)
{
    size_t i = 0;

    while (i < v->n && strcmp(v->v[i], text) != 0)
        i++;
    return i < v->n;
}

/* Our table functions: those that a database of SQLite alone does not have. */
static void add_functions(texts *v, struct sl_store *st)
{
    texts all = {0}, plain = {0};
    sqlite3 *bare = NULL;

    if (sqlite3_open(":memory:", &bare) == SQLITE_OK)
        add_texts(&plain, bare, sql_modules);
    sqlite3_close(bare);
    add_texts(&all, st->db, sql_modules);
    for (size_t i = 0; i < all.n; i++)
        if (!is_among(&plain, all.v[i]))
            *sl_vec_add(v) = sl_strdup(all.v[i]);
    free_texts(&all);
    free_texts(&plain);
}

/* "; did you mean ...?" behind SQLite's "no such table: X", "column", "function"; of a column, which tables have it. */
static void near_name(struct sl_store *st, const char *message, struct sl_buf *b)
{
    static const char *const what[] = {"no such table: ", "no such column: ", "no such function: "},
                             *const from[] = {sql_names_of_tables, sql_names_of_columns, sql_names_of_functions};
    texts names = {0};

    for (int i = 0; i < 3; i++) {
        size_t n = strlen(what[i]);
        const char *name = message + n, *dot;
        if (strncmp(message, what[i], n) != 0)
            continue;
        if ((dot = strrchr(name, '.')))
            name = dot + 1;
        if (i == 1) {
            char *sql = sqlite3_mprintf(sql_tables_of_column, name);
            add_texts(&names, st->db, sql);
            sqlite3_free(sql);
            for (size_t k = 0; k < names.n; k++)
                sl_buf_addf(b, "%s%s", k ? ", " : "; it is a column of ", k < SL_NEAR ? names.v[k] : "...");
            if (names.n)
                break;
        }
        add_texts(&names, st->db, from[i]);
        if (!i)
            add_functions(&names, st);
        sl_near_add(b, (const char *const *)names.v, names.n, name);
        break;
    }
    free_texts(&names);
}

/* Runs every statement of text.  Exit code. */
static int run_text(const struct cli *cli, struct sl_store *st, const char *text)
{
    struct sl_err err = {0};

    while (*text) {
        sqlite3_stmt *q = NULL;
        const char *tail;
        if (sqlite3_prepare_v2(st->db, text, -1, &q, &tail) != SQLITE_OK) {
            bool refused = sqlite3_errcode(st->db) == SQLITE_AUTH;
            char *message = sl_strdup(sl_sqlite_words(st->db));
            struct sl_buf near = {0};
            near_name(st, message, &near);
            sl_err(&err, SL_ESTORE, "%s%s%s", message, refused ? WRITE_HINT : "", near.n ? near.s : "");
            sl_buf_free(&near);
            free(message);
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
                sl_err(&err, SL_ESTORE, "%s%s", sl_sqlite_words(st->db),
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

static const char shell_help[] = "SQL, ended by a semicolon.  .tables lists what can be queried, .schema its columns,\n"
                                 ".schema NAME those of one; .quit leaves.  docs/sql.md describes all of it.\n";

static bool has_columns(struct sl_store *st, const char *name)
{
    char *s = sqlite3_mprintf("SELECT count(*) FROM pragma_table_xinfo(%Q)", name);
    bool any = sl_store_int(st, s, 0) > 0;

    sqlite3_free(s);
    return any;
}

/* What can be queried, as "TITLE:", and below it the names that are of that kind; schema: each with its columns. */
static void list_kind(struct sl_store *st, const char *title, const texts *names, bool schema)
{
    enum { INDENT = 4 };
    struct sl_buf b = {0};

    printf("%s:\n", title);
    for (size_t i = 0; i < names->n; i++) {
        if (schema) {
            char *sql = sqlite3_mprintf(sql_columns, names->v[i]);
            texts columns = {0};
            sl_buf_clear(&b);
            add_texts(&columns, st->db, sql);
            sl_buf_addf(&b, "%s: ", names->v[i]);
            for (size_t k = 0; k < columns.n; k++)
                sl_buf_addf(&b, "%s%s", k ? ", " : "", columns.v[k]);
            fputs("  ", stdout);
            sl_show_wrapped(stdout, b.s, INDENT, cli_columns());
            free_texts(&columns);
            sqlite3_free(sql);
        } else {
            sl_buf_addf(&b, "%s%s", i ? " " : "", names->v[i]);
        }
    }
    if (!schema && b.n) {
        fputs("  ", stdout);
        sl_show_wrapped(stdout, b.s, 2, cli_columns());
    }
    sl_buf_free(&b);
}

static int list_tables(const struct cli *cli, struct sl_store *st, bool schema)
{
    static const struct sl_column column[] = {{"kind", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"table", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"column", SL_COLUMN_TEXT, NULL, NULL, 0}};
    static const struct {
        const char *kind, *title, *sql; /* NULL: our functions */
    } kinds[] = {{"view", "views", sql_views},
                 {"type", "spans of one type, with their events and attributes", sql_views_of_types},
                 {"run", "of --run", sql_tables_of_run},
                 {"function", "functions that yield tables", NULL}};
    struct sl_result r = {0};
    struct sl_table *t = sl_result_table(&r, "tables", column, schema ? 3 : 2);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        texts names = {0};
        if (kinds[i].sql)
            add_texts(&names, st->db, kinds[i].sql);
        else
            add_functions(&names, st);
        if (names.n && cli->format == SL_FORMAT_TABLE)
            list_kind(st, kinds[i].title, &names, schema);
        for (size_t k = 0; k < names.n && cli->format != SL_FORMAT_TABLE; k++) {
            char *sql = sqlite3_mprintf(sql_columns, names.v[k]);
            texts columns = {0};
            if (schema)
                add_texts(&columns, st->db, sql);
            for (size_t c = 0; c < (schema ? columns.n : 1); c++) {
                sl_table_add(t);
                sl_table_put_text(t, 0, kinds[i].kind);
                sl_table_put_text(t, 1, names.v[k]);
                if (schema)
                    sl_table_put_text(t, 2, columns.v[c]);
            }
            free_texts(&columns);
            sqlite3_free(sql);
        }
        free_texts(&names);
    }
    if (cli->format != SL_FORMAT_TABLE)
        return cli_end(cli, NULL, &r, 0, NULL);
    sl_result_free(&r);
    return EXIT_DONE;
}

/* A line that begins with a point; 1: leave.  *rc: an exit code. */
static int dot(const struct cli *cli, struct sl_store *st, const char *line, int *rc)
{
    char word[200], more[2];

    *rc = EXIT_DONE;
    if (!strcmp(line, ".quit") || !strcmp(line, ".exit"))
        return 1;
    if (!strcmp(line, ".help"))
        fputs(shell_help, stdout);
    else if (!strcmp(line, ".tables") || !strcmp(line, ".schema"))
        *rc = list_tables(cli, st, line[1] == 's');
    else if (sscanf(line, ".schema %199s %1s", word, more) == 1) {
        char *s = sqlite3_mprintf("SELECT name AS column, type FROM pragma_table_xinfo(%Q)", word);
        if (!has_columns(st, word)) {
            struct sl_buf message = {0}, near = {0};
            sl_buf_addf(&message, "no such table: %s", word);
            near_name(st, message.s, &near);
            cli_say("%s%s", message.s, near.n ? near.s : "; see: .tables");
            sl_buf_free(&message);
            sl_buf_free(&near);
            *rc = EXIT_FAILED;
        } else {
            *rc = run_text(cli, st, s);
        }
        sqlite3_free(s);
    } else {
        cli_say("%s is none of .tables, .schema, .schema NAME, .help, .quit", line);
        *rc = EXIT_USAGE;
    }
    return 0;
}

/* Loaded when somebody types: it and its libraries are a fifth of the time that a small command takes to begin. */
#define EDIT_FUNCTIONS(F)                                                                                              \
    F(el_init) F(el_set) F(el_source) F(el_gets) F(el_end) F(history_init) F(history) F(history_end)

struct editor {
#define MEMBER(name) __typeof__(name) *name;
    EDIT_FUNCTIONS(MEMBER)
#undef MEMBER
    EditLine *e; /* NULL: there is no libedit, and lines are read as they are */
    History *h;
    char *file;
    char *line; /* without libedit */
    size_t cap;
};

static void begin_editing(struct editor *ed)
{
    static const char *const names[] = {
#define NAME(name) #name,
        EDIT_FUNCTIONS(NAME)
#undef NAME
    };
    void *from = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL), **to = (void **)ed;
    HistEvent ev;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!from || !(to[i] = dlsym(from, names[i]))) {
            cli_say("lines cannot be edited: there is no libedit.so.2 on this machine (Debian has it in libedit2)");
            return;
        }
    ed->e = ed->el_init("spanloom", stdin, stdout, stderr);
    ed->h = ed->history_init();
    ed->file = history_file();
    ed->history(ed->h, &ev, H_SETSIZE, 1000);
    if (ed->file)
        ed->history(ed->h, &ev, H_LOAD, ed->file);
    ed->el_set(ed->e, EL_PROMPT, prompt);
    ed->el_set(ed->e, EL_EDITOR, "emacs");
    ed->el_set(ed->e, EL_HIST, ed->history, ed->h);
    ed->el_source(ed->e, NULL);
}

/* The next line with its end; NULL: no more. */
static const char *next_line(struct editor *ed)
{
    int n = 0;

    if (ed->e) {
        const char *line = ed->el_gets(ed->e, &n);
        return n > 0 ? line : NULL;
    }
    fputs(prompt_now, stdout);
    fflush(stdout);
    if (getline(&ed->line, &ed->cap, stdin) > 0)
        return ed->line;
    if (!feof(stdin)) {
        cli_say("cannot read the standard input: %s", strerror(errno));
        cli_not_all = true;
    }
    return NULL;
}

static void remember(struct editor *ed, const char *text)
{
    HistEvent ev;

    if (!ed->e)
        return;
    ed->history(ed->h, &ev, H_ENTER, text);
    if (ed->file)
        ed->history(ed->h, &ev, H_SAVE, ed->file);
}

static void end_editing(struct editor *ed)
{
    if (ed->e) {
        ed->history_end(ed->h);
        ed->el_end(ed->e);
    }
    free(ed->file);
    free(ed->line);
}

static int shell(const struct cli *cli, struct sl_store *st)
{
    struct editor ed = {0};
    struct sl_buf text = {0};
    const char *line;

    begin_editing(&ed);
    fputs(shell_help, stdout);
    while ((line = next_line(&ed))) {
        if (!text.n && line[0] == '.') {
            struct sl_buf b = {0};
            int leave, rc;
            sl_buf_add(&b, line, strcspn(line, "\n"));
            leave = dot(cli, st, b.s, &rc);
            sl_buf_free(&b);
            if (leave)
                break;
            continue;
        }
        if (!text.n && (line[0] == '\n' || !line[0]))
            continue;
        sl_buf_adds(&text, line);
        if (sqlite3_complete(text.s)) {
            remember(&ed, text.s);
            run_text(cli, st, text.s);
            sl_buf_clear(&text);
        }
        prompt_now = text.n ? "     ...> " : "spanloom> ";
        fflush(stdout);
    }
    end_editing(&ed);
    sl_buf_free(&text);
    return EXIT_DONE;
}

/* SQL, with lines that begin with a point between the statements. */
static int run_lines(const struct cli *cli, struct sl_store *st, char *text)
{
    int rc = EXIT_DONE, leave = 0;

    while (!rc && !leave && *(text += strspn(text, " \t\n"))) {
        char *end = strstr(text, "\n.");
        if (*text == '.') {
            end = text + strcspn(text, "\n");
            for (char *last = end; last > text && (last[-1] == ' ' || last[-1] == ';' || last[-1] == '\r');)
                *--last = 0;
        }
        end = end ? end : text + strlen(text);
        if (*text == '.') {
            bool more = *end != 0;
            *end = 0;
            leave = dot(cli, st, text, &rc);
            text = end + more;
        } else {
            char was = *end;
            *end = 0;
            rc = run_text(cli, st, text);
            *end = was;
            text = end;
        }
    }
    return rc;
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
    if (ferror(stdin)) { /* a part of a statement is another one */
        cli_say("cannot read the standard input: %s", strerror(errno));
        rc = EXIT_FAILED;
    } else {
        rc = text.n ? run_lines(cli, st, text.s) : EXIT_DONE;
    }
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
        rc = argc ? run_lines(cli, st, argv[0]) : isatty(0) ? shell(cli, st) : script(cli, st);
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
