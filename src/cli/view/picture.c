/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view/picture.h"
#include "cli/lens_options.h"
#include "cli/question.h"
#include "cli/trace/profile_files.h"
#include "cli/view/install_paths.h"
#include "export/out.h"
#include "result/over_time/durations.h"
#include "result/spans/find_span.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- arguments ---- */

void cli_picture_usage(const struct sl_plot *p, struct sl_buf *b)
{
    for (size_t i = 0; i < p->argument.n; i++) {
        const struct sl_plot_argument *a = &p->argument.v[i];
        bool span = a->kind == SL_PLOT_SPAN || a->kind == SL_PLOT_WORKFLOW;
        sl_buf_adds(b, i ? " " : "");
        sl_buf_adds(b, a->optional ? "[" : "");
        for (const char *s = span ? "TYPE KEY" : a->name; *s; s++)
            sl_buf_addc(b, (char)toupper((unsigned char)*s));
        sl_buf_adds(b, a->optional ? "]" : "");
    }
}

/* Too few or too many. */
static int wrong_number(const struct cli *cli, const struct sl_plot *p, int argc, char **argv, size_t missing)
{
    struct sl_buf b = {0};
    int rc;

    cli_picture_usage(p, &b);
    if (missing < p->argument.n)
        rc = cli_usage(cli, "the plot %s takes %s; %s is missing%s%s", p->name, b.s, p->argument.v[missing].name,
                       *p->argument.v[missing].about ? ": " : "", p->argument.v[missing].about);
    else
        rc = cli_usage(cli, "the plot %s takes %s; '%s' is one too many", p->name, b.n ? b.s : "no arguments",
                       argv[argc - 1]);
    sl_buf_free(&b);
    return rc;
}

/* Two events are the ends of one stretch: both are given, or none. */
static bool is_second_event(const struct sl_plot *p, size_t i)
{
    return i && i < p->argument.n && p->argument.v[i].kind == SL_PLOT_EVENT &&
           p->argument.v[i - 1].kind == SL_PLOT_EVENT;
}

static int check_number(const struct cli *cli, const struct sl_plot *p, int argc, char **argv)
{
    size_t n = p->argument.n;
    bool rest = n && (p->argument.v[n - 1].kind == SL_PLOT_SPAN || p->argument.v[n - 1].kind == SL_PLOT_WORKFLOW);

    if (cli_option(cli, "sql"))
        return argc ? cli_usage(cli, "the plot %s takes arguments or --sql, not both", p->name) : EXIT_DONE;
    for (size_t i = (size_t)argc; i < n; i++)
        if (!p->argument.v[i].optional)
            return wrong_number(cli, p, argc, argv, i);
    if (p->result && !strcmp(p->result, "calls") && argc == 1)
        return cli_usage(cli, "the plot %s compares two runs: name both, or none for the last two of the store",
                         p->name);
    if (is_second_event(p, (size_t)argc))
        return cli_usage(cli, "from %s to which event? Say both; what there is: spanloom types --events",
                         argv[argc - 1]);
    return (size_t)argc > n && !rest ? wrong_number(cli, p, argc, argv, n) : EXIT_DONE;
}

/* The workflow that is meant where none is named. */
static int only_workflow(const struct cli *cli, struct sl_store *st, const struct sl_plot *p, int64_t *workflow,
                         struct sl_err *err)
{
    const char *spec = cli_option(cli, "spec"), *command = cli->command->name;
    struct sl_buf words = {0};
    int rc;

    sl_buf_adds(&words, command);
    if (!strcmp(command, "plot"))
        sl_buf_addf(&words, " %s%s", spec ? "--spec " : "", spec ? spec : p->name);
    rc = cli_find_workflow(cli, st, words.s, workflow, err);
    sl_buf_free(&words);
    return rc;
}

/* A value of one kind, from the first of words[0..n), or all of them; n 0: it is not given. */
static int value(const struct cli *cli, const struct asking *over, const struct sl_plot *p,
                 const struct sl_plot_argument *a, int n, char **words, struct sl_plot_value *v, struct sl_err *err)
{
    char type[SL_TYPE_BYTES], *end;
    int rc = 0;

    *v = (struct sl_plot_value){.type = SQLITE_NULL};
    switch (a->kind) {
    case SL_PLOT_WORKER_TYPE:
        if (!n)
            return 0;
        /* fall through */
    case SL_PLOT_TYPE:
        rc = cli_type(over->st, n ? words[0] : NULL, over->within, type, sizeof type, err);
        if (!rc)
            *v = (struct sl_plot_value){.type = SQLITE_TEXT, .s = sl_strdup(type)};
        return rc;
    case SL_PLOT_SPAN:
    case SL_PLOT_WORKFLOW:
        if (n == 1 && a->kind == SL_PLOT_WORKFLOW)
            rc = sl_find_run(over->st, words[0], &v->i, err);
        else if (n)
            rc = sl_find_span(over->st, n, words, cli_option(cli, "run"), &v->i, err);
        else if (a->kind == SL_PLOT_WORKFLOW)
            rc = only_workflow(cli, over->st, p, &v->i, err);
        else
            return 0;
        v->type = SQLITE_INTEGER;
        return rc;
    case SL_PLOT_RUN:
        if (!n)
            return 0;
        v->type = SQLITE_INTEGER;
        return sl_find_run(over->st, words[0], &v->i, err);
    case SL_PLOT_NUMBER:
        if (!n)
            return 0;
        v->type = SQLITE_FLOAT;
        v->d = strtod(words[0], &end);
        if (!*words[0] || *end || v->d - v->d != 0)
            return sl_err(err, SL_EUSAGE, "%s must be a number, not '%s'", a->name, words[0]);
        return 0;
    default:
        if (n)
            *v = (struct sl_plot_value){.type = SQLITE_TEXT, .s = sl_strdup(words[0])};
        return 0;
    }
}

/* What an option changes is in the SQL, or it is said that it is not. */
static int check_options(const struct cli *cli, const struct sl_plot *p)
{
    static const char *const of_lens[] = {"ignore", "rename", "merge", "lens"};
    static const char *const looks[] = {"occupancy", "two_events", "event_sequences", "transitions", "lens_events"};
    const char *sql = cli_option(cli, "sql");
    bool has_span = false, lens = false;

    for (size_t i = 0; i < p->argument.n; i++)
        has_span |= p->argument.v[i].kind == SL_PLOT_SPAN || p->argument.v[i].kind == SL_PLOT_WORKFLOW;
    for (size_t i = 0; i < p->data.n; i++)
        for (size_t k = 0; k < sizeof looks / sizeof *looks; k++)
            lens |= strstr(i || !sql ? p->data.v[i].sql : sql, looks[k]) != NULL;
    for (size_t i = 0; i < sizeof of_lens / sizeof *of_lens && !lens; i++)
        if (cli_option(cli, of_lens[i]))
            return cli_usage(cli, "--%s does nothing here: the plot %s does not look through the lens", of_lens[i],
                             p->name);
    if (cli_option(cli, "bin") && !sl_plot_asks(p, sql, "bin"))
        return cli_usage(cli, "--bin does nothing here: the plot %s has no bins", p->name);
    if (cli_option(cli, "run") && !has_span && !sl_plot_asks(p, sql, "run"))
        return cli_usage(cli, "--run does nothing here: the plot %s is of all runs", p->name);
    return EXIT_DONE;
}

/* ---- files ---- */

int cli_picture_form(const char *path)
{
    const char *dot = strrchr(path, '.');

    for (int i = 0; dot && i < SL_PLOT_FORMS; i++)
        if (!strcasecmp(dot + 1, sl_plot_forms[i]))
            return i;
    return -1;
}

struct picture {
    const struct sl_buf *spec;
    enum sl_plot_form form;
    const struct sl_plot_parts *parts;
};

static int render(FILE *out, const void *what, struct sl_err *err)
{
    const struct picture *p = what;
    return sl_plot_render(out, p->spec->s, p->spec->n, p->form, p->parts, err);
}

/* What was said while p was drawn, a line each; the last, if it is why there is no picture, stays in err. */
static void tell(const struct sl_plot *p, int rc, struct sl_err *err)
{
    enum { MOST = 8 };
    const char *file = p->ours ? "" : p->path, *colon = p->ours ? "" : ": ";
    char *line = err->text, *end;

    for (int told = 0; *line && ((end = strchr(line, '\n')) || !rc); line = end + 1) {
        int n = end ? (int)(end - line) : (int)strlen(line);
        if (told++ < MOST)
            cli_say("%s%s%.*s", file, colon, n, line);
        if (!end)
            return;
    }
    if (rc) {
        memmove(err->text, line, strlen(line) + 1);
        if (!p->ours && rc == SL_EFORMAT)
            sl_err_wrap(err, "%s", file);
    }
}

static int put(const struct sl_plot *p, const struct sl_buf *spec, enum sl_plot_form form,
               const struct sl_plot_parts *parts, const char *path, struct sl_err *err)
{
    const struct picture what = {spec, form, parts};
    int rc = sl_out_save(path, render, &what, err);

    tell(p, rc, err);
    return rc;
}

/* ---- all of it ---- */

/* Where the rows are: in the store, in what two runs differ, or in trace files. */
struct source {
    struct asking over;
    struct sl_call_sums sums;
    bool files;
};

/* As cli_asking_open(). */
static int open_source(struct source *s, const struct cli *cli, const struct sl_plot *p, int argc, char **argv)
{
    const char *sql = cli_option(cli, "sql");
    struct sl_err err = {0};
    int rc = 0;

    s->files = !sql && argc && sl_plot_asks(p, NULL, "calls") && profile_is_files(cli, argc, argv);
    s->over.cli = cli;
    s->over.before = SAY_LOST;
    if (s->files && cli_option(cli, "run"))
        return cli_usage(cli, "--run is of a store, not of files");
    if (s->files)
        rc = profile_read_files(cli, argc, argv, &s->over.st, &s->sums, &err);
    else if (p->result && !sql && !strcmp(p->result, "calls"))
        rc = cli_call_tables(cli, argc, argv, &s->over.st, &err);
    else if (p->result && !sql && argc >= 2)
        rc = cli_diff_tables(cli, argc, argv, &s->over.st, &err);
    else
        return cli_asking_open(&s->over, cli, ASK_GROUPS | SAY_LOST);
    return !rc ? EXIT_DONE : err.code ? cli_fail(cli, &err) : EXIT_FAILED;
}

static bool compares_stories(const struct sl_plot *p)
{
    for (size_t i = 0; i < p->data.n; i++)
        if (strstr(p->data.v[i].sql, "event_sequences") || strstr(p->data.v[i].sql, "transitions"))
            return true;
    return false;
}

/* Durations are all that the rows must have: what `durations --sql` takes for them will do. */
static bool wants_durations(const struct sl_plot *p)
{
    bool wants = false;

    for (size_t i = 0; i < p->data.v[0].column.n; i++) {
        const struct sl_plot_column *c = &p->data.v[0].column.v[i];
        if (!c->optional && strcmp(c->name, "duration_s") != 0)
            return false;
        wants |= !c->optional;
    }
    return wants;
}

static int fill(const struct cli *cli, const struct sl_plot *p, const struct source *source, int argc, char **argv,
                struct sl_buf *spec, struct sl_err *err)
{
    const struct asking *over = &source->over;
    struct sl_plot_value *v = sl_alloc((p->argument.n + 1) * sizeof *v);
    struct sl_plot_question q = {.st = over->st,
                                 .argument = over->sql ? NULL : v,
                                 .run = over->within,
                                 .bin_s = over->bin_s,
                                 .sql = over->sql,
                                 .calls = source->files ? &source->sums : NULL,
                                 .title = cli_option(cli, "title")};
    uint64_t rows = 0;
    char *durations = NULL;
    bool seen;
    int rc = cli_states(cli, over->st, err);

    if (!rc)
        rc = cli_lens(cli, over->st, &seen, err);
    if (!rc && over->sql && wants_durations(p))
        rc = sl_durations_query(&durations, over->st, over->sql, err);
    q.sql = durations ? durations : q.sql;
    for (size_t i = 0; i < p->argument.n && !rc && !over->sql; i++) {
        int left = argc > (int)i && !source->files ? argc - (int)i : 0;
        rc = value(cli, over, p, &p->argument.v[i], left, argv + i, &v[i], err);
        if (!rc && p->argument.v[i].kind == SL_PLOT_TYPE && compares_stories(p))
            rc = cli_lens_of_recipes(cli, &(struct sl_store *){over->st}, &over->within, 1, v[i].s, &seen, err);
    }
    if (!rc)
        rc = sl_plot_fill(spec, p, &q, &rows, err);
    if (!rc && !over->sql && sl_plot_asks(p, NULL, "run"))
        cli_say_mixed(cli, over->st);
    if (!rc && rows > SL_PLOT_MANY_ROWS) {
        char n[32];
        cli_say("the picture has %s rows, and will be large and slow to draw; reduce them in SQL, such as by "
                "bins or quantiles",
                sl_show_count(rows, n));
    }
    for (size_t i = 0; i < p->argument.n; i++)
        free((char *)(uintptr_t)v[i].s);
    free(v);
    sqlite3_free(durations);
    return rc;
}

int cli_picture_of(const struct cli *cli, const struct sl_plot *p, int argc, char **argv, const char *path,
                   enum sl_plot_form form)
{
    struct sl_buf spec = {0};
    struct sl_err err = {0};
    struct source source = {0};
    struct sl_plot_parts parts;
    int rc;

    if (place_find_plot(&parts, form, !p->ours, &err))
        return cli_fail(cli, &err);
    if ((rc = check_number(cli, p, argc, argv)) || (rc = check_options(cli, p)) ||
        (rc = open_source(&source, cli, p, argc, argv)))
        return rc;
    rc = fill(cli, p, &source, argc, argv, &spec, &err);
    if (!rc)
        rc = put(p, &spec, form, &parts, path, &err);
    sl_buf_free(&spec);
    rc = cli_asking_close(&source.over, rc, &err);
    sl_call_sums_free(&source.sums);
    return rc;
}

int cli_picture_begin(const struct cli *cli, const char *name, struct sl_plot **p, enum sl_plot_form *form)
{
    const char *path = cli_option(cli, "output");
    struct sl_err err = {0};
    int by_end = cli_picture_form(path);

    if (cli->format_given)
        return cli_usage(cli, "-o writes a picture, --format is of tables: which of them?");
    if (!strcmp(path, "-"))
        return cli_usage(cli, "-o - has no ending that says the form; say: spanloom plot %s -o - --format svg", name);
    if (by_end < 0)
        return cli_usage(cli, "-o %s: the name must end in .html, .svg, .png, .pdf or .json", path);
    *form = (enum sl_plot_form)by_end;
    return sl_plot_find(p, name, &err) ? cli_fail(cli, &err) : EXIT_DONE;
}

int cli_picture(const struct cli *cli, const char *name, int argc, char **argv)
{
    static const char *const known[] = {"output", "run",   "bin",  "sql",    "ignore",      "type",
                                        "rename", "merge", "lens", "within", "correct-skew"};
    struct sl_plot *p = NULL;
    enum sl_plot_form form;
    int rc;

    for (int i = 0; i < cli->ngiven; i++) {
        bool ours = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            ours |= !strcmp(cli->given[i].spec->name, known[k]);
        if (!ours)
            return cli_usage(cli, "--%s does nothing to a picture: leave it or -o away", cli->given[i].spec->name);
    }
    if ((rc = cli_picture_begin(cli, name, &p, &form)))
        return rc;
    rc = cli_picture_of(cli, p, argc, argv, cli_option(cli, "output"), form);
    sl_plot_free(p);
    return rc;
}
