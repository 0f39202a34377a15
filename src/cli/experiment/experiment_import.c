/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of an experiment from CSV: the header is read here, for the names of the columns; from these a recipe is made,
 * and the rest is an import like any other, with its sources, rejects, and files that have grown.
 */
#include "analyse/load/fast_rows.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/near.h"
#include "cli/experiment/subcommands.h"
#include "design/hyperfine.h"
#include "design/undo.h"
#include "experiment/logs.h"
#include "ingest/import.h"
#include "recipe/project.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

extern const struct command cmd_import;

struct table {
    char sep;
    SL_VEC(char *) column;
    struct sl_arena arena;
};

/* ---- the header ---- */

static int read_line(const char *path, char **line, size_t *n, int *number, struct sl_err *err)
{
    FILE *f = fopen(path, "r");
    size_t room = 0;
    ssize_t got = -1;

    *line = NULL;
    *number = 0;
    if (!f)
        return sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(errno));
    do {
        got = getline(line, &room, f);
        ++*number;
    } while (got == 1 || (got == 2 && (*line)[0] == '\r'));
    errno = got < 0 && !feof(f) ? errno : 0;
    fclose(f);
    if (got < 0 || errno) {
        int rc = errno ? sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(errno))
                       : sl_err(err, SL_EFORMAT, "%s is empty: it needs a row with the names of its columns", path);
        free(*line);
        return rc;
    }
    while (got > 0 && ((*line)[got - 1] == '\n' || (*line)[got - 1] == '\r'))
        got--;
    (*line)[got] = 0;
    *n = (size_t)got;
    return 0;
}

/* The separator that stands most often outside of quotes. */
static char separator(const char *line)
{
    static const char candidates[] = ";,\t";
    size_t count[3] = {0}, best = 0;
    bool quoted = false;

    for (const char *s = line; *s; s++) {
        const char *hit = strchr(candidates, *s);
        quoted ^= *s == '"';
        if (hit && !quoted)
            count[hit - candidates]++;
    }
    for (size_t i = 1; i < 3; i++)
        best = count[i] > count[best] ? i : best;
    return candidates[best];
}

static void split(struct table *t, const char *line)
{
    struct sl_buf cell = {0};
    bool quoted = false;

    if (!strncmp(line, "\xEF\xBB\xBF", 3))
        line += 3;
    for (const char *s = line;; s++) {
        if (quoted && *s == '"' && s[1] == '"') {
            sl_buf_addc(&cell, *s++);
        } else if (*s == '"') {
            quoted = !quoted;
        } else if (!*s || (*s == t->sep && !quoted)) {
            *sl_vec_add(&t->column) = sl_arena_copy(&t->arena, cell.n ? cell.s : "", cell.n);
            sl_buf_clear(&cell);
            if (!*s)
                break;
        } else {
            sl_buf_addc(&cell, *s);
        }
    }
    sl_buf_free(&cell);
}

static bool has(const struct table *t, const char *name, size_t n)
{
    for (size_t i = 0; i < t->column.n; i++)
        if (strlen(t->column.v[i]) == n && !strncmp(t->column.v[i], name, n))
            return true;
    return false;
}

static int check_header(const struct table *t, const char *path, int line, struct sl_err *err)
{
    for (size_t i = 0; i < t->column.n; i++) {
        if (!*t->column.v[i])
            return sl_err(err, SL_EFORMAT, "%s:%d: column %zu has no name", path, line, i + 1);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(t->column.v[i], t->column.v[k]))
                return sl_err(err, SL_EFORMAT, "%s:%d: two columns have the name %s", path, line, t->column.v[i]);
    }
    return 0;
}

static void add_columns(struct sl_buf *b, const struct table *t)
{
    for (size_t i = 0; i < t->column.n && i < 40; i++)
        sl_buf_addf(b, "%s%s", i ? ", " : "; there are: ", t->column.v[i]);
}

static int check_column(const struct table *t, const char *path, const char *option, const char *name, size_t n,
                        struct sl_err *err)
{
    struct sl_buf what = {0};
    size_t best[SL_NEAR];
    char *given;
    int near;

    if (memchr(name, '{', n) || memchr(name, '}', n))
        return sl_err(err, SL_EUSAGE, "%s: a column with braces in its name cannot be the %s: %.*s", path, option,
                      (int)n, name);
    if (has(t, name, n))
        return 0;
    given = sl_strndup(name, n);
    near = sl_near((const char *const *)t->column.v, t->column.n, given, best);
    if (!near)
        add_columns(&what, t);
    sl_err(err, SL_EUSAGE, "%s has no column '%s' (--%s)%s%s%s%s", path, given, option, near ? "; did you mean " : "",
           near ? t->column.v[best[0]] : "", near ? "?" : "", what.n ? what.s : "");
    sl_buf_free(&what);
    free(given);
    return SL_EUSAGE;
}

/* ---- the recipe ---- */

struct names {
    const char *experiment, *score, *time, *key, *logs;
};

static void add_quoted(struct sl_buf *b, const char *before, const char *s, const char *after)
{
    sl_buf_adds(b, before);
    sl_buf_add_json(b, s, strlen(s));
    sl_buf_adds(b, after);
}

/* "{a} {b}" for "a,b". */
static char *key_template(const char *list)
{
    struct sl_buf b = {0};

    for (const char *s = list; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        sl_buf_addf(&b, "%s{%.*s}", b.n ? " " : "", (int)strcspn(s, ","), s);
    return b.s;
}

static void make_recipe(struct sl_buf *b, const struct names *n, char sep)
{
    char *key = n->key ? key_template(n->key) : n->time ? key_template(n->time) : sl_strdup("{_line}");
    const char s[2] = {sep, 0};

    sl_buf_adds(b, "recipe: experiment\nabout: runs of an experiment\ncomponent: experiment\nspans:\n"
                   "  experiment: {type: experiment, key: ");
    add_quoted(b, "", n->experiment, "}\n");
    add_quoted(b, "  experiment_run: {type: experiment.run, in: experiment, key: ", key, "}\n");
    add_quoted(b,
               "inputs:\n  - files: [\"*\"]\n    reader: csv\n    named: true\n    whole: true\n    empty: [NA]\n"
               "    sep: ",
               s, "\n");
    if (n->time)
        add_quoted(b, "    times: {", n->time, ": [unix, iso]}\n");
    /* "1,5": a spreadsheet of another country */
    add_quoted(b, "records:\n  - when: {", n->score, ": '/^\\s*[-+]?\\d+,\\d+\\s*$/'}\n");
    sl_buf_adds(b, "    reject: ");
    {
        struct sl_buf why = {0};
        sl_buf_addf(&why, "%s='{%s}' is no number: it has a comma, and needs a point", n->score, n->score);
        add_quoted(b, "", why.s, "\n");
        sl_buf_free(&why);
    }
    /* a number, and nothing that is none: NaN, Inf, 1e400 */
    add_quoted(b, "  - when: {", n->score,
               ": '/^(?=.)(?!\\s*[-+]?(?:(?:\\d{1,300}\\.?\\d*|\\.\\d+)|"
               "(?:\\d{1,7}\\.?\\d*|\\.\\d+)[eE](?:\\+?(?:[12]?\\d{1,2}|300)|-\\d+))\\s*$)/'}\n");
    sl_buf_adds(b, "    reject: ");
    {
        struct sl_buf why = {0};
        sl_buf_addf(&why, "%s='{%s}' is no number; a failed run has an empty cell", n->score, n->score);
        add_quoted(b, "", why.s, "\n");
        sl_buf_free(&why);
    }
    /* what the columns are, once a file */
    sl_buf_adds(b, "  - {when: {_file: /./}, count: {_first: _file}, also: true}\n"
                   "  - when: {_first: \"1\"}\n    look: {_first: _file}\n    span: experiment\n    attrs: {");
    add_quoted(b, "score: ", n->score, "");
    if (n->time)
        add_quoted(b, ", time: ", n->time, "");
    if (n->key)
        add_quoted(b, ", run_key: ", n->key, "");
    if (n->logs)
        add_quoted(b, ", logs: ", n->logs, "");
    sl_buf_adds(b, "}\n    also: true\n");
    if (n->time) {
        add_quoted(b, "  - {when: {", n->time, ": /./}, span: experiment_run, event: began, attrs: \"*\"}\n");
        sl_buf_adds(b, "  - {when: {_file: /./}, reject: ");
        struct sl_buf why = {0};
        sl_buf_addf(&why, "no %s, so nothing says which run it is", n->time);
        add_quoted(b, "", why.s, "}\n");
        sl_buf_free(&why);
    } else {
        sl_buf_adds(b, "  - {when: {_file: /./}, span: experiment_run, attrs: \"*\"}\n");
    }
    free(key);
}

/* ---- the import ---- */

/* Files that other recipes know, too, are only runs here. */
static void only_ours(struct sl_found_list *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->v.n; i++) {
        if (l->v.v[i].recipe && !strcmp(l->v.v[i].recipe->name, "experiment")) {
            l->v.v[kept++] = l->v.v[i];
        } else {
            sl_found_forget(&l->v.v[i]);
        }
    }
    l->v.n = kept;
}

static void say(const struct cli *cli, const struct sl_import_result *r, const struct names *n, int64_t runs,
                int64_t failed, int64_t rejected)
{
    char a[32], b[32], c[32];

    printf("%s: experiment %s has %s run%s, of which %s failed (%s new spans)\n", cli->store_path, n->experiment,
           sl_show_count((unsigned long long)runs, a), runs == 1 ? "" : "s",
           sl_show_count((unsigned long long)failed, b), sl_show_count(r->spans, c));
    if (rejected)
        printf("%s row%s could not be used; see: spanloom rejects -d %s\n",
               sl_show_count((unsigned long long)rejected, a), rejected == 1 ? "" : "s", cli->store_path);
}

enum { REASON = 200 };

/* Of files without a run: what is wrong with their first row.  The row of SQL is a reason. */
static int first_reason(void *to, sqlite3_value **v)
{
    const char *reason = (const char *)sqlite3_value_text(v[0]);

    snprintf(to, REASON, "%s", reason ? reason : "");
    return 0;
}

static int no_runs(struct sl_store *st, const char *file, int64_t rejected, const char *store, struct sl_err *err)
{
    char reason[REASON] = "", n[32];
    int rc = rejected ? sl_query_each(st->db,
                                      "SELECT sl_query_each(?1, (SELECT r.reason FROM rejects r JOIN sl_source s ON "
                                      "s.id = r.source WHERE s.recipe = 'experiment' AND s.replaced_by IS NULL "
                                      "ORDER BY r.place LIMIT 1))",
                                      first_reason, reason, err)
                      : 0;

    if (rc)
        return rc;
    if (!rejected)
        return sl_err(err, SL_EFORMAT, "%s: no row follows the names of its columns", file);
    return sl_err(err, SL_EFORMAT, "%s: none of its %s row%s is a run, as %s; see: spanloom rejects -d %s", file,
                  sl_show_count((unsigned long long)rejected, n), rejected == 1 ? "" : "s", reason, store);
}

static int import(const struct cli *cli, struct sl_recipes *set, const struct sl_found_list *l, const struct names *n,
                  struct sl_err *err)
{
    struct sl_import_options o = {.jobs = 1, .zone_s = INT32_MIN, .warn = cli_warn, .project = cli->project};
    struct sl_import_result r = {0};
    struct sl_store *st = NULL;
    struct sl_question all = {.experiment = n->experiment, .failed = true};
    struct sl_runs runs;
    int64_t rejected;
    int rc = sl_store_open(&st, cli->store_path, SL_STORE_CREATE, err);

    if (!rc)
        rc = sl_import(&r, st, set, l, &o, err);
    rejected = rc ? 0
                  : sl_store_int(st,
                                 "SELECT sum(rejected) FROM sl_source WHERE recipe = 'experiment' AND "
                                 "replaced_by IS NULL",
                                 0);
    sl_store_close(st);
    st = NULL;
    if (!rc) {
        struct cli its = *cli;
        if (!(st = cli_open(&its)))
            rc = sl_err(err, SL_EIO, "cannot open %s", cli->store_path);
    }
    if (!rc) {
        rc = sl_runs_load(&runs, st->db, &all, err);
        if (!rc) {
            say(cli, &r, n, (int64_t)runs.n, (int64_t)runs.failed, rejected);
            sl_runs_free(&runs);
        } else if (rc == SL_ENOTFOUND && !r.spans) {
            rc = no_runs(st, l->v.v[0].path, rejected, cli->store_path, err);
        }
    }
    sl_store_close(st);
    sl_vec_free(&r.recipe);
    return rc ? rc : r.problems ? 1 : 0;
}

/* ---- the logs of the runs ---- */

/* The experiment's runs, those without a score, too, and what is known of their logs. */
static int find_logs(const struct cli *cli, const struct names *n, struct sl_runs *runs, struct sl_logs *logs,
                     struct sl_err *err)
{
    struct sl_question all = {.experiment = n->experiment, .failed = true};
    struct cli its = *cli;
    struct sl_store *st = cli_open(&its);
    int rc;

    if (!st)
        return sl_err(err, SL_EIO, "cannot open %s", cli->store_path);
    rc = sl_runs_load(runs, st->db, &all, err);
    if (!rc && (rc = sl_logs_find(logs, runs, st->db, err)))
        sl_runs_free(runs);
    sl_store_close(st);
    return rc;
}

static void say_logs(const struct sl_runs *runs, const struct sl_logs *l)
{
    static const char *const why[] = {"nothing was imported", "several workflows", "those of another run", "not named"};
    const size_t count[] = {l->absent, l->several, l->shared, l->unnamed};
    char a[32], b[32];

    printf("runs with logs: %s of %s", sl_show_count(l->with, a), sl_show_count(runs->n, b));
    for (int i = 0; i < 4; i++)
        if (count[i])
            printf("; %s: %s", why[i], sl_show_count(count[i], a));
    puts(l->with < runs->n ? "; see: spanloom experiment logs" : "");
}

/* Imports what the column names, as `spanloom import` does, and says which runs have logs then. */
static int import_logs(const struct cli *cli, const struct names *n, struct sl_err *err)
{
    struct cli its = *cli;
    struct sl_runs runs;
    struct sl_logs logs;
    SL_VEC(char *) path = {0};
    size_t gone = 0;
    const char *first = NULL;
    int rc = find_logs(cli, n, &runs, &logs, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < runs.n; i++) {
        const char *place = logs.run[i].place;
        if (place && !access(place, F_OK))
            *sl_vec_add(&path) = (char *)(uintptr_t)place;
        else if (place && !gone++)
            first = place;
    }
    if (gone)
        cli_say("%zu of %zu directories that %s names are not there, such as %s", gone, runs.n, n->logs, first);
    its.command = &cmd_import;
    rc = path.n ? cmd_import.run(&its, (int)path.n, path.v) : EXIT_DONE;
    sl_vec_free(&path);
    sl_logs_free(&logs);
    sl_runs_free(&runs);
    if (rc == EXIT_DONE && !(rc = find_logs(cli, n, &runs, &logs, err))) {
        say_logs(&runs, &logs);
        sl_logs_free(&logs);
        sl_runs_free(&runs);
    }
    return rc;
}

static char *stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return sl_strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static int check_files(const struct cli *cli, int files, char **file, const struct names *n, char *sep,
                       struct sl_err *err)
{
    int rc = 0;

    (void)cli;
    for (int i = 0; i < files && !rc; i++) {
        struct table t = {0};
        char *line;
        size_t length;
        int number;
        if ((rc = read_line(file[i], &line, &length, &number, err)))
            break;
        t.sep = separator(line);
        split(&t, line);
        rc = check_header(&t, file[i], number, err);
        if (!rc)
            rc = check_column(&t, file[i], "score", n->score, strlen(n->score), err);
        if (!rc && n->time)
            rc = check_column(&t, file[i], "time", n->time, strlen(n->time), err);
        if (!rc && n->logs)
            rc = check_column(&t, file[i], "logs", n->logs, strlen(n->logs), err);
        for (const char *s = n->key; s && !rc; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
            rc = check_column(&t, file[i], "key", s, strcspn(s, ","), err);
        if (!rc && i && t.sep != *sep)
            rc =
                sl_err(err, SL_EUSAGE, "%s and %s have other separators; import one after the other", file[0], file[i]);
        *sep = t.sep;
        sl_vec_free(&t.column);
        sl_arena_free(&t.arena);
        free(line);
    }
    return rc;
}

static int no_score(const struct cli *cli, const char *file)
{
    struct table t = {0};
    struct sl_buf columns = {0};
    struct sl_err err = {0};
    char *line;
    size_t length;
    int number, rc;

    if (read_line(file, &line, &length, &number, &err))
        return cli_fail(cli, &err);
    t.sep = separator(line);
    split(&t, line);
    add_columns(&columns, &t);
    rc = cli_usage(cli, "which column is the score? Say --score COLUMN%s", columns.n ? columns.s : "");
    sl_buf_free(&columns);
    sl_vec_free(&t.column);
    sl_arena_free(&t.arena);
    free(line);
    return rc;
}

/* ---- of hyperfine ---- */

static bool is_json(const char *path)
{
    FILE *f = fopen(path, "re");
    int c = f ? fgetc(f) : EOF;

    while (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        c = fgetc(f);
    if (f)
        fclose(f);
    return c == '{';
}

/* What hyperfine wrote becomes a log of runs beside it, which is imported. */
static int import_hyperfine(const struct cli *cli, char *path)
{
    const char *dot = strrchr(path, '.');
    char *name = cli_option(cli, "name") ? sl_strdup(cli_option(cli, "name")) : stem(path), *argv[1];
    struct sl_buf to = {0}, text = {0};
    struct sl_err err = {0};
    struct cli its = *cli;
    size_t n;
    int rc;

    sl_buf_addf(&to, "%.*s.runs.jsonl", dot && !strchr(dot, '/') ? (int)(dot - path) : (int)strlen(path), path);
    rc = sl_hyperfine_read(&text, path, name, &n, &err);
    if (!rc)
        rc = sl_undo_write(to.s, text.s, text.n, &err);
    argv[0] = to.s;
    its.command = &cmd_import;
    if (!rc) {
        printf("%s: %zu runs of %s, as a log of runs\n", to.s, n, path);
        rc = cmd_import.run(&its, 1, argv);
    }
    sl_buf_free(&to);
    sl_buf_free(&text);
    free(name);
    return rc < 0 ? cli_fail(cli, &err) : rc;
}

int cli_experiment_import(const struct cli *cli, int files, char **file)
{
    const struct sl_project_experiment *p = cli->project ? &cli->project->experiment : NULL;
    struct names n = {cli_option(cli, "name"), cli_option(cli, "score"), cli_option(cli, "time"),
                      cli_option(cli, "key"), cli_option(cli, "logs")};
    struct sl_found_list l = {0};
    struct sl_recipes *set;
    struct sl_buf recipe = {0};
    struct sl_err err = {0};
    char sep = 0, *name = NULL;
    int rc;

    n.score = n.score || !p ? n.score : p->score;
    n.time = n.time || !p ? n.time : p->time;
    n.key = n.key || !p ? n.key : p->key;
    n.logs = n.logs || !p ? n.logs : p->logs;
    n.experiment = n.experiment || !p ? n.experiment : p->name;
    if (!files)
        return cli_usage(cli, "import what? name a CSV file with a row a run");
    if (files == 1 && is_json(file[0]))
        return n.score || n.time || n.key || n.logs
                   ? cli_usage(cli, "hyperfine's file says itself what its score is: leave --score, --time, --key and "
                                    "--logs away")
                   : import_hyperfine(cli, file[0]);
    if (!n.score)
        return no_score(cli, file[0]);
    if ((rc = check_files(cli, files, file, &n, &sep, &err)))
        return cli_fail(cli, &err);
    if (!n.experiment)
        n.experiment = name = stem(file[0]);
    make_recipe(&recipe, &n, sep);
    set = sl_recipes_new();
    rc = sl_recipes_add_default(set, &err);
    if (!rc)
        rc = sl_recipes_add(set, "experiment", recipe.s, recipe.n, &err);
    if (!rc)
        rc = sl_recipes_compile(set, &err);
    if (!rc) {
        sl_find(&l, set, file, (size_t)files, false);
        only_ours(&l);
        for (size_t i = 0; i < l.problems.n; i++)
            cli_warn(NULL, l.problems.v[i]);
        rc = import(cli, set, &l, &n, &err);
        cli_not_all |= l.problems.n > 0;
    }
    if (!rc && n.logs)
        rc = import_logs(cli, &n, &err);
    sl_found_free(&l);
    sl_recipes_free(set);
    sl_buf_free(&recipe);
    free(name);
    return rc < 0 ? cli_fail(cli, &err) : rc ? EXIT_FAILED : EXIT_DONE;
}
