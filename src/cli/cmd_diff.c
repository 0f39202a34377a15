/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs, or stores, compared (analyse/diff.h), and the gate of --fail-on. */
#include "base/mem.h"
#include "cli/diff.h"
#include "cli/lens.h"
#include "cli_cmd_diff.sql.h"
#include "result/find_span.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

static const struct option_spec options[] = {
    {"type", "ROOT_TYPE", "the spans whose stories are compared (default: Parsl's tasks)", false},
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
static void split(const struct cli *cli, struct diff_side *s)
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

static const char *no_store(const struct diff_side *s)
{
    struct stat st;
    return stat(s->text, &st) ? "is no file" : "is a folder, not a store";
}

static int find_workflow(struct diff_side *s, struct sl_err *err)
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

static int open_side(const struct cli *cli, struct diff_side *s, struct sl_err *err)
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

static bool has_type(struct diff_side *s, const char *type)
{
    char *sql = s->within ? sqlite3_mprintf(sql_has_type, (long long)s->within, type)
                          : sqlite3_mprintf("SELECT 1 FROM sl_span WHERE type = (SELECT id FROM sl_name WHERE name = "
                                            "%Q) LIMIT 1",
                                            type);
    bool has = sl_store_int(s->st, sql, 0);

    sqlite3_free(sql);
    return has;
}

/* The type that both have. */
static int choose_type(struct diff *d, const char *given, char *type, size_t n, struct sl_err *err)
{
    static const char *const tasks[] = {"parsl.monitoring.task", "parsl.rundir.task"};
    int rc = 0;

    for (int i = 0; i < 2 && !given; i++)
        if (has_type(&d->side[0], tasks[i]) && has_type(&d->side[1], tasks[i])) {
            snprintf(type, n, "%s", tasks[i]);
            return 0;
        }
    if (given && (rc = cli_type(d->side[0].st, given, type, n, err)))
        return sl_err_wrap(err, "A (%s)", d->side[0].text);
    for (int i = 0; i < 2; i++) {
        struct diff_side *s = &d->side[i];
        if (given ? !has_type(s, type) : !has_type(s, tasks[0]) && !has_type(s, tasks[1]))
            return sl_err(err, SL_ENOTFOUND,
                          "%s (%s) holds no %s%s; name a type that both have with --type, see: spanloom types -d %s",
                          i ? "B" : "A", s->text, given ? "spans of type " : "Parsl tasks", given ? type : "", s->path);
    }
    return given ? 0
                 : sl_err(err, SL_ENOTFOUND,
                          "of %s and %s only one has its tasks in a monitoring database; import the rest of the other, "
                          "or name a type that both have with --type",
                          d->side[0].text, d->side[1].text);
}

/* ---- the critical path and the makespan ---- */

static struct diff_path *find_path(struct diff *d, const char *component, const char *state)
{
    struct diff_path *p;

    for (size_t i = 0; i < d->path.n; i++)
        if (!strcmp(d->path.v[i].component, component) && !strcmp(d->path.v[i].state, state))
            return &d->path.v[i];
    p = sl_vec_add(&d->path);
    p->component = sl_strdup(component);
    p->state = sl_strdup(state);
    return p;
}

static int read_path(struct diff *d, int side, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(d->side[side].st, sql_read_path, err);
    int64_t first = INT64_MAX, last = INT64_MIN;
    int rc = q ? 0 : SL_ESTORE;

    if (q)
        sqlite3_bind_int64(q, 1, d->side[side].workflow);
    while (q && (rc = sl_store_step(d->side[side].st, q, err)) > 0) {
        const char *component = (const char *)sqlite3_column_text(q, 0),
                   *state = (const char *)sqlite3_column_text(q, 1);
        find_path(d, component ? component : "", state ? state : "")->s[side] = sqlite3_column_double(q, 2);
        first = sqlite3_column_int64(q, 3) < first ? sqlite3_column_int64(q, 3) : first;
        last = sqlite3_column_int64(q, 4) > last ? sqlite3_column_int64(q, 4) : last;
    }
    sqlite3_finalize(q);
    if (!rc && last < first)
        rc = sl_err(err, SL_ENOTFOUND, "its workflow has no events");
    if (!rc)
        d->makespan[side] = (double)((uint64_t)last - (uint64_t)first) / 1e9;
    return rc;
}

static void free_path(struct diff *d)
{
    for (size_t i = 0; i < d->path.n; i++) {
        free(d->path.v[i].component);
        free(d->path.v[i].state);
    }
    sl_vec_free(&d->path);
}

static int by_change(const void *a, const void *b)
{
    const struct diff_path *x = a, *y = b;
    double i = fabs(x->s[1] - x->s[0]), k = fabs(y->s[1] - y->s[0]);
    int order = strcmp(x->component, y->component);

    if (i != k)
        return i > k ? -1 : 1;
    if (x->s[0] != y->s[0])
        return x->s[0] > y->s[0] ? -1 : 1;
    return order ? order : strcmp(x->state, y->state);
}

/* Without workflows: from the first event of any root to the last. */
static void span_of_roots(struct diff *d)
{
    for (int i = 0; i < 2; i++)
        d->makespan[i] =
            d->d.t[i].histories ? (double)((uint64_t)d->d.t[i].last_ns - (uint64_t)d->d.t[i].first_ns) / 1e9 : NAN;
}

static void compare_paths(struct diff *d)
{
    struct sl_err err = {0};

    for (int i = 0; i < 2; i++)
        if (d->side[i].workflows > 1) {
            snprintf(d->no_path, sizeof d->no_path,
                     "%s (%s) holds %llu workflows; name one of them, see: spanloom info --runs -d %s", i ? "B" : "A",
                     d->side[i].text, (unsigned long long)d->side[i].workflows, d->side[i].path);
            d->makespan[0] = d->makespan[1] = NAN;
            return;
        }
    for (int i = 0; i < 2 && !*d->no_path; i++)
        if (!d->side[i].workflow)
            snprintf(d->no_path, sizeof d->no_path, "%s (%s) holds no workflow", i ? "B" : "A", d->side[i].text);
    for (int i = 0; i < 2 && !*d->no_path; i++)
        if (read_path(d, i, &err))
            snprintf(d->no_path, sizeof d->no_path, "%s (%s): %.400s", i ? "B" : "A", d->side[i].text, err.text);
    if (*d->no_path) {
        free_path(d);
        span_of_roots(d);
    } else if (d->path.n) {
        qsort(d->path.v, d->path.n, sizeof *d->path.v, by_change);
    }
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

static int gate_of(const struct cli_gate *gate, const struct diff *d)
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

static int compare(const struct cli *cli, struct diff *d, const char *type, struct sl_err *err)
{
    int rc = 0;

    for (int i = 0; i < 2 && !rc; i++) {
        rc = sl_transitions_make(&d->d.t[i], d->side[i].st->db, type, d->side[i].within, err);
        if (!rc && !d->d.t[i].roots)
            rc = sl_err(err, SL_ENOTFOUND, "%s (%s) has no spans of type %s", i ? "B" : "A", d->side[i].text, type);
    }
    if (rc)
        return rc;
    sl_diff_make(&d->d);
    compare_paths(d);
    if (cli->format != SL_FORMAT_TABLE) {
        if (*d->no_path)
            fprintf(stderr, "spanloom: the critical path is not compared: %s\n", d->no_path);
        return diff_rows(cli, d);
    }
    diff_show(d, cli_option(cli, "all") != NULL);
    return 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct diff d = {0};
    struct cli_gate gate;
    struct sl_err err = {0};
    char type[300];
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
        rc = compare(cli, &d, type, &err);
    if (!rc)
        rc = gate_of(&gate, &d);
    else if (rc < 0)
        rc = err.code ? cli_fail(cli, &err) : EXIT_FAILED;
    sl_diff_free(&d.d);
    free_path(&d);
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
