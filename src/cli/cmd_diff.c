/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs, or stores, compared (analyse/diff.h), and the gate of --fail-on. */
#include "analyse/load/root_events.h"
#include "base/mem.h"
#include "cli/diff_show.h"
#include "cli/lens.h"
#include "cli_cmd_diff.sql.h"
#include "result/find_span.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

static const struct option_spec options[] = {
    {"type", "ROOT_TYPE", "the spans whose stories are compared (default: tasks)", false},
    {"all", NULL, "every transition and ordering, not only those that matter most", false},
    GATE_OPTION,
    LENS_OPTIONS,
    {NULL, NULL, NULL, false},
};

/* ---- what A and B are ---- */

static bool is_file(const char *path)
{
    struct stat s;
    return !stat(path, &s) && !S_ISDIR(s.st_mode);
}

/* A store; STORE:RUN, split at the last colon that leaves a store; else a run in the store of -d. */
static void split(const struct cli *cli, struct sl_diff_input *s)
{
    const char *at = s->text + strlen(s->text);

    if (is_file(s->text)) {
        s->path = sl_strdup(s->text);
        return;
    }
    while (at-- > s->text) {
        if (*at != ':')
            continue;
        s->path = sl_strndup(s->text, (size_t)(at - s->text));
        if (is_file(s->path)) {
            s->run = sl_strdup(at + 1);
            return;
        }
        free(s->path);
    }
    s->path = sl_strdup(cli->store_path);
    s->run = sl_strdup(s->text);
}

static const char *no_store(const struct sl_diff_input *s)
{
    struct stat st;
    return stat(s->text, &st) ? "is no file" : "is a folder, not a store";
}

static int find_workflow(struct sl_diff_input *s, struct sl_err *err)
{
    int64_t only = 0;
    int rc;

    s->workflow = s->within;
    if (s->within)
        return 0;
    if ((rc = cli_workflows(s->st, &only, &s->workflows, NULL, err)))
        return rc;
    s->workflow = s->workflows == 1 ? only : 0;
    return 0;
}

static int open_side(const struct cli *cli, struct sl_diff_input *s, struct sl_err *err)
{
    struct cli its = *cli;
    struct stat st;
    bool seen;
    int rc;

    split(cli, s);
    its.store_path = s->path;
    if (s->run && stat(s->path, &st))
        return sl_err(err, SL_ENOTFOUND, "%s %s, and there is no store %s in which a run could have that name", s->text,
                      no_store(s), s->path);
    if (s->run && !*s->run)
        return sl_err(err, SL_EUSAGE, "%s: the name of a run is missing behind the colon", s->text);
    if (!(s->st = cli_open(&its))) /* it is said why */
        return SL_EIO;
    rc = sl_find_run(s->st, s->run, &s->within, err);
    if (rc && s->run && !strcmp(s->run, s->text))
        sl_err_wrap(err, "%s %s; as a run in %s", s->text, no_store(s), s->path);
    if (!rc)
        rc = cli_states(cli, s->st, err);
    if (!rc)
        rc = cli_lens(cli, s->st, &seen, err);
    if (!rc)
        rc = find_workflow(s, err);
    return rc;
}

/* ---- the type of roots ---- */

static bool has_type(struct sl_diff_input *s, const char *type)
{
    char *sql = s->within ? sqlite3_mprintf(sql_has_type, (long long)s->within, type)
                          : sqlite3_mprintf("SELECT 1 FROM sl_span WHERE type = (SELECT id FROM sl_name WHERE name = "
                                            "%Q) LIMIT 1",
                                            type);
    bool has = sl_store_int(s->st, sql, 0);

    sqlite3_free(sql);
    return has;
}

/* Whether a run has tasks, and the type of those that both runs have; NULL: none. */
static char *common_tasks(struct sl_comparison *d, bool has[2])
{
    char *type, *both = NULL;

    for (int side = 0; side < 2; side++)
        for (int i = 0; (type = sl_task_type(d->side[side].st->db, i)); i++) {
            bool here = has_type(&d->side[side], type);
            has[side] |= here;
            if (here && !both && has_type(&d->side[!side], type))
                both = type;
            else
                free(type);
        }
    return both;
}

/* The type that both have. */
static int choose_type(struct sl_comparison *d, const char *given, char *type, size_t n, struct sl_err *err)
{
    bool has[2] = {false, false};
    char *tasks = NULL;
    int rc = 0;

    if (given && (rc = cli_type(d->side[0].st, given, type, n, err)))
        return sl_err_wrap(err, "A (%s)", d->side[0].text);
    if (!given && (tasks = common_tasks(d, has))) {
        snprintf(type, n, "%s", tasks);
        free(tasks);
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        struct sl_diff_input *s = &d->side[i];
        if (given ? !has_type(s, type) : !has[i])
            return sl_err(err, SL_ENOTFOUND,
                          "%s (%s) holds no %s%s; name a type that both have with --type, see: spanloom types -d %s",
                          i ? "B" : "A", s->text, given ? "spans of type " : "tasks", given ? type : "", s->path);
    }
    return given
               ? 0
               : sl_err(err, SL_ENOTFOUND,
                        "the tasks of %s and of %s are of different types, as of a database and a log; import the rest "
                        "of the other, or name a type that both have with --type",
                        d->side[0].text, d->side[1].text);
}

/* ---- the gate ---- */

char *diff_percent(double before, double now, char *buf)
{
    double p = (now - before) / before * 100, a = fabs(p);

    *buf = 0;
    if (before > 0 && a >= 0.005 && a < 1e9)
        snprintf(buf, 32, "%+.*f %%", a >= 9.95 ? 0 : a >= 0.995 ? 1 : 2, p);
    return buf;
}

static bool exceeded(const struct cli_gate *gate, const char *what, double before, double now)
{
    char from[32], to[32], percent[32];

    if (!cli_gate_exceeded(gate, before, now))
        return false;
    fprintf(stderr, "spanloom: --fail-on %s: %s went from %s to %s%s%s\n", gate->text, what,
            sl_show_seconds(before, from), sl_show_seconds(now, to), *diff_percent(before, now, percent) ? ", " : "",
            percent);
    return true;
}

static bool row_exceeded(const struct cli_gate *gate, const char *what, const struct sl_diff_row *r)
{
    return sl_shift_sure(&r->median) > 0 && exceeded(gate, what, r->median.a, r->median.b);
}

/* Of the median history, in A or in B. */
static bool matters(const struct sl_diff *d, const struct sl_diff_row *r)
{
    return r->median.a * (double)r->n[0] >= 0.01 * d->history.median.a * (double)d->t[0].roots ||
           r->median.b * (double)r->n[1] >= 0.01 * d->history.median.b * (double)d->t[1].roots;
}

static int gate_of(const struct cli_gate *gate, const struct sl_comparison *d)
{
    const struct sl_diff *x = &d->d;
    bool out;

    if (!gate->text)
        return EXIT_DONE;
    if (isnan(d->makespan[0]) || isnan(d->makespan[1]))
        fprintf(stderr, "spanloom: --fail-on %s does not see the makespan: %s\n", gate->text,
                *d->no_path ? d->no_path : "there are no events");
    out = exceeded(gate, "the makespan", d->makespan[0], d->makespan[1]);
    out |= row_exceeded(gate, "the median of the whole story", &x->history);
    for (size_t i = 0; i < x->transition.n; i++) {
        const struct sl_diff_row *r = &x->transition.v[i];
        const struct sl_diff_event *from = &x->event.v[r->from], *to = &x->event.v[r->to];
        char *what = sqlite3_mprintf("the median of %s/%s -> %s/%s", from->span_type, from->event_type, to->span_type,
                                     to->event_type);
        if (r->alike && matters(x, r))
            out |= row_exceeded(gate, what, r);
        sqlite3_free(what);
    }
    return out ? EXIT_GATE : EXIT_DONE;
}

/* ---- the command ---- */

static int show(const struct cli *cli, struct sl_comparison *d, struct sl_err *err)
{
    struct sl_result r = {0};
    int rc;

    if (cli->format == SL_FORMAT_TABLE) {
        diff_show(d, cli_option(cli, "all") != NULL);
        return 0;
    }
    if (*d->no_path)
        fprintf(stderr, "spanloom: the critical path is not compared: %s\n", d->no_path);
    sl_result_diff(&r, d);
    rc = sl_show_result(stdout, &r, cli->format, err);
    sl_result_free(&r);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_comparison d = {0};
    struct cli_gate gate;
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    int rc;

    if (argc != 2)
        return cli_usage(cli, "two runs are compared, such as: spanloom diff 000 001, or: before.db after.db");
    if ((rc = cli_gate(cli, &gate)))
        return rc;
    for (int i = 0; i < 2 && !rc; i++) {
        d.side[i].text = argv[i];
        rc = open_side(cli, &d.side[i], &err);
    }
    if (!rc)
        rc = choose_type(&d, cli_option(cli, "type"), type, sizeof type, &err);
    d.type = type;
    if (!rc)
        rc = sl_comparison_make(&d, &err);
    if (!rc)
        rc = show(cli, &d, &err);
    if (!rc)
        rc = gate_of(&gate, &d);
    else if (rc < 0)
        rc = err.code ? cli_fail(cli, &err) : EXIT_FAILED;
    sl_comparison_free(&d);
    for (int i = 0; i < 2; i++) {
        sl_store_close(d.side[i].st);
        free(d.side[i].path);
        free(d.side[i].run);
    }
    return rc;
}

const struct command cmd_diff = {.name = "diff",
                                 .args = "A B",
                                 .help = "what changed from one run to another, and where",
                                 .options = options,
                                 .run = run};
