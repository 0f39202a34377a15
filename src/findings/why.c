/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/simulate.h"
#include "base/buf.h"
#include "findings/failures.h"
#include "findings/why_internal.h"
#include "findings_why.sql.h"
#include "result/spans/run_names.h"
#include "result/spans/span_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT SL_COLUMN_TEXT
#define INTEGER SL_COLUMN_INTEGER
#define REAL SL_COLUMN_REAL

static const struct sl_column finding_columns[] = {
    {"rank", INTEGER, NULL, NULL, 0}, {"finding", TEXT, NULL, NULL, 0},   {"seconds", REAL, "s", NULL, 0},
    {"share", REAL, NULL, NULL, 0},   {"without_s", REAL, "s", NULL, 0},  {"sure", TEXT, NULL, NULL, 0},
    {"text", TEXT, NULL, NULL, 0},    {"advice", TEXT, NULL, NULL, 0},    {"command", TEXT, NULL, NULL, 0},
    {"changes", TEXT, NULL, NULL, 0}, {"spans", TEXT, NULL, NULL, 0},     {"usual", INTEGER, NULL, NULL, 0},
    {"took_s", REAL, "s", NULL, 0},   {"same_as", INTEGER, NULL, NULL, 0}};
static const struct sl_column run_columns[] = {
    {"run", TEXT, NULL, NULL, 0},          {"script", TEXT, NULL, NULL, 0},
    {"workflow", INTEGER, NULL, NULL, 0},  {"start_ns", INTEGER, "ns", NULL, 0},
    {"end_ns", INTEGER, "ns", NULL, 0},    {"makespan_s", REAL, "s", NULL, 0},
    {"tasks", INTEGER, "tasks", NULL, 0},  {"workers", INTEGER, NULL, NULL, 0},
    {"busy", REAL, NULL, NULL, 0},         {"first_run_s", REAL, "s", NULL, 0},
    {"state", TEXT, NULL, NULL, 0},        {"places", INTEGER, NULL, NULL, 0},
    {"silent_ns", INTEGER, "ns", NULL, 0}, {"from_memo", INTEGER, "tasks", NULL, 0},
    {"unit", TEXT, NULL, NULL, 0}};
static const struct sl_column problem_columns[] = {{"finding", TEXT, NULL, NULL, 0}, {"problem", TEXT, NULL, NULL, 0}};
static const struct sl_column term_columns[] = {{"term", TEXT, NULL, NULL, 0}, {"meaning", TEXT, NULL, NULL, 0}};
static const struct sl_column more_columns[] = {{"what", TEXT, NULL, NULL, 0}, {"command", TEXT, NULL, NULL, 0}};
static const struct sl_column ended_columns[] = {{"ended", TEXT, NULL, NULL, 0}, {"tasks", INTEGER, "tasks", NULL, 0}};
static const struct sl_column app_columns[] = {{"app", TEXT, NULL, NULL, 0},     {"tasks", INTEGER, "tasks", NULL, 0},
                                               {"median_s", REAL, "s", NULL, 0}, {"max_s", REAL, "s", NULL, 0},
                                               {"run_s", REAL, "s", NULL, 0},    {"vain_s", REAL, "s", NULL, 0}};
static const struct sl_column went_columns[] = {{"what", TEXT, NULL, NULL, 0}, {"seconds", REAL, "s", NULL, 0}};
static const struct sl_column pool_columns[] = {
    {"executor", TEXT, NULL, NULL, 0}, {"workers", INTEGER, NULL, NULL, 0}, {"busy", REAL, NULL, NULL, 0}};
static const struct sl_column part_columns[] = {
    {"component", TEXT, NULL, NULL, 0}, {"state", TEXT, NULL, NULL, 0}, {"seconds", REAL, "s", NULL, 0}};

/* ---- one finding ---- */

static char *text_column(sqlite3_stmt *q, const char *name)
{
    int i = sl_why_column(q, name, strlen(name));
    const char *s = i >= 0 ? (const char *)sqlite3_column_text(q, i) : NULL;

    return s && *s ? sl_strndup(s, strlen(s)) : NULL;
}

static double real_column(sqlite3_stmt *q, const char *name)
{
    int i = sl_why_column(q, name, strlen(name));

    return i >= 0 && sqlite3_column_type(q, i) != SQLITE_NULL ? sqlite3_column_double(q, i) : NAN;
}

/* That the seconds of a row are some: SQL's infinity, text and NULL are none. */
static int check_seconds(const struct sl_finding *f, sqlite3_stmt *q, const char *changes, struct sl_err *err)
{
    int i = sl_why_column(q, "seconds", 7), type = i < 0 ? SQLITE_NULL : sqlite3_column_type(q, i);

    if ((type == SQLITE_NULL && (changes || f->note)) || type == SQLITE_INTEGER ||
        (type == SQLITE_FLOAT && isfinite(sqlite3_column_double(q, i))))
        return 0;
    if (type == SQLITE_NULL)
        return sl_err(err, SL_EFORMAT,
                      "%s: a row has no seconds (NULL)%s; where there is nothing to be told give no row, such as with "
                      "HAVING count(*) > 0",
                      f->path, sl_why_column(q, "changes", 7) < 0 ? "" : ", nor changes");
    return sl_err(err, SL_EFORMAT, "%s: seconds of a row are %s%.100s%s, which is no number of seconds", f->path,
                  type == SQLITE_FLOAT ? "" : "'", (const char *)sqlite3_column_text(q, i),
                  type == SQLITE_FLOAT ? "" : "'");
}

static void free_found(struct found *x)
{
    free(x->sure);
    free(x->text);
    free(x->advice);
    free(x->command);
    free(x->changes);
    free(x->spans);
    free(x->replays);
    free(x->cause);
}

static bool tells(const struct why *y, const struct found *x)
{
    return isnan(x->seconds) ||
           (x->seconds > 0 && x->seconds >= x->by->threshold * y->makespan_s && x->seconds >= x->by->at_least_s);
}

void sl_why_more(struct sl_result *r, struct why *y, const char *const (*more)[2], int n)
{
    struct sl_table *t = sl_result_table(r, "more", more_columns, SL_COLUMNS(more_columns));

    for (int i = 0; i < n && !y->alone; i++) {
        char *command = sl_strdup(more[i][1]);
        sl_why_name_run(y, &command);
        sl_table_add(t);
        sl_table_put_text(t, 0, more[i][0]);
        sl_table_put_text(t, 1, command);
        free(command);
    }
}

static int add_row(struct why *y, const struct sl_finding *f, sqlite3_stmt *q, struct sl_err *err)
{
    struct found x = {.by = f, .seconds = real_column(q, "seconds"), .without_s = NAN, .took_s = NAN};
    bool told;
    int rc;

    x.changes = text_column(q, "changes");
    if ((rc = check_seconds(f, q, x.changes, err))) {
        free_found(&x);
        return rc;
    }
    x.sure = text_column(q, "sure");
    x.spans = text_column(q, "spans");
    x.replays = text_column(q, "replays");
    x.cause = text_column(q, "cause");
    if (f->programs && y->task.key && !isnan(x.seconds))
        sl_why_of_task(y, &x);
    if (x.changes && isnan(x.seconds)) {
        x.without_s = sl_why_replay(y, x.changes, err);
        if (isnan(x.without_s))
            rc = sl_err_wrap(err, "%s", f->path);
        x.seconds = y->makespan_s - x.without_s;
    } else if (!isnan(x.seconds)) {
        x.without_s = fmax(0, y->makespan_s - x.seconds);
    } else {
        x.took_s = real_column(q, "took_s");
    }
    if (!x.sure && !isnan(x.seconds))
        x.sure = sl_strdup(x.changes ? "by replay" : "by estimate");
    if (!rc && x.sure && y->replayed && strstr(x.sure, "replay"))
        rc = sl_why_doubt(y, &x.sure, err);
    told = tells(y, &x);
    if (!rc && (told || (y->keep_untold && x.changes && f->repair))) {
        rc = sl_why_words(&x.text, y, f, f->text, q, err);
        rc = rc ? rc : sl_why_words(&x.advice, y, f, f->advice, q, err);
        rc = rc ? rc : sl_why_words(&x.command, y, f, f->command, q, err);
        if (y->spans && x.command && !strncmp(x.command, "spanloom profile", 16)) {
            free(x.command);
            x.command = NULL;
        }
        sl_why_name_run(y, &x.command);
        if (!rc && f->programs && y->task.key)
            sl_why_name_task(y, &x.text);
        if (!rc) {
            if (told)
                *sl_vec_add(&y->found) = x;
            else
                *sl_vec_add(&y->untold) = x;
            return 0;
        }
    }
    free_found(&x);
    return rc;
}

static int look(struct why *y, const struct sl_finding *f, struct sl_err *err)
{
    sqlite3_stmt *q = NULL;
    const char *rest = NULL;
    int rc = 0;

    y->replayed = false;
    if (sqlite3_prepare_v2(y->st->db, f->sql, -1, &q, &rest) != SQLITE_OK || !q ||
        (rest && strspn(rest, " \t\n;") != strlen(rest)))
        rc =
            sl_err(err, SL_EFORMAT, "%s: sql: %s", f->path, q ? "one statement is wanted" : sl_sqlite_words(y->st->db));
    else if (!sqlite3_stmt_readonly(q))
        rc = sl_err(err, SL_EFORMAT, "%s: sql: it may only read", f->path);
    else if (!f->note && sl_why_column(q, "seconds", 7) < 0 && sl_why_column(q, "changes", 7) < 0)
        rc = sl_err(err, SL_EFORMAT,
                    "%s: its SQL has neither a column seconds nor changes; with `note: yes` it needs none", f->path);
    while (!rc) {
        int step = sqlite3_step(q);
        if (step == SQLITE_DONE)
            break;
        rc = step == SQLITE_ROW ? add_row(y, f, q, err)
                                : sl_err(err, SL_ESTORE, "%s: sql: %s", f->path, sl_sqlite_words(y->st->db));
    }
    sqlite3_finalize(q);
    return rc;
}

/* ---- all of them ---- */

/* What it costs the run, or, where nobody can say, what it tells of took; -1: nothing says. */
static double weight(const struct found *x)
{
    double s = isnan(x->seconds) ? x->took_s : x->seconds;

    return isnan(s) ? -1 : s;
}

static int by_seconds(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    double s = weight(x), t = weight(y);

    if (s != t)
        return s > t ? -1 : 1;
    return strcmp(x->by->name, y->by->name);
}

static void put_found(struct sl_table *t, const struct why *y, const struct found *x, size_t i)
{
    sl_table_add(t);
    sl_table_put_int(t, SL_WHY_RANK, (int64_t)i + 1);
    sl_table_put_text(t, SL_WHY_FINDING, x->by->name);
    sl_table_put_real(t, SL_WHY_SECONDS, x->seconds);
    sl_table_put_real(t, SL_WHY_SHARE, weight(x) >= 0 && y->makespan_s > 0 ? weight(x) / y->makespan_s : NAN);
    sl_table_put_real(t, SL_WHY_WITHOUT_S, x->without_s);
    sl_table_put_text(t, SL_WHY_SURE, x->sure);
    sl_table_put_text(t, SL_WHY_TEXT, x->text);
    sl_table_put_text(t, SL_WHY_ADVICE, x->advice);
    sl_table_put_text(t, SL_WHY_COMMAND, x->command);
    sl_table_put_text(t, SL_WHY_CHANGES, x->changes);
    sl_table_put_text(t, SL_WHY_SPANS, x->spans);
    if (x->by->usual)
        sl_table_put_int(t, SL_WHY_USUAL, 1);
    sl_table_put_real(t, SL_WHY_TOOK_S, x->took_s);
    if (x->same_as)
        sl_table_put_int(t, SL_WHY_SAME_AS, (int64_t)x->same_as);
}

void sl_why_put_problem(struct sl_table *problems, const struct sl_finding *f, const char *text)
{
    sl_table_add(problems);
    sl_table_put_text(problems, 0, f->name);
    sl_table_put_text(problems, 1, text);
}

void sl_why_put_terms(struct sl_result *r, const char *text, bool jobs)
{
    struct sl_table *t = sl_result_find(r, "terms");

    t = t ? t : sl_result_table(r, "terms", term_columns, SL_COLUMNS(term_columns));
    if (t->rows || !text || !strstr(text, "by replay"))
        return;
    sl_table_add(t);
    sl_table_put_text(t, 0, "by replay");
    sl_table_put_text(
        t, 1, jobs ? "the run without it, its jobs scheduled anew" : "the run without it, its tasks scheduled anew");
}

/* Where a finding says that what logs tell of the run cannot be trusted it stands alone. */
static bool leave_alone(struct why *y)
{
    size_t kept = 0;

    while (kept < y->found.n && !y->found.v[kept].by->instead)
        kept++;
    if (kept == y->found.n)
        return false;
    for (size_t i = 0; i < y->found.n; i++)
        if (i != kept)
            free_found(&y->found.v[i]);
    y->found.v[0] = y->found.v[kept];
    y->found.n = 1;
    return true;
}

/* Of several that tell of one cause, the first, which cost most. */
static void leave_costliest(struct why *y)
{
    size_t kept = 0;

    for (size_t i = 0; i < y->found.n; i++) {
        struct found *x = &y->found.v[i];
        size_t k = 0;
        while (k < kept && (!x->cause || !y->found.v[k].cause || strcmp(x->cause, y->found.v[k].cause) != 0))
            k++;
        if (k < kept)
            free_found(x);
        else
            y->found.v[kept++] = *x;
    }
    y->found.n = kept;
}

void sl_why_begin(struct sl_result *r)
{
    r->whole = true;
    sl_result_table(r, "findings", finding_columns, SL_COLUMNS(finding_columns));
    sl_result_table(r, "problems", problem_columns, SL_COLUMNS(problem_columns));
}

/* Ranks go on where those of findings end. */
static void put_untold(struct sl_result *r, struct why *y)
{
    struct sl_table *t =
        y->keep_untold ? sl_result_table(r, "untold", finding_columns, SL_COLUMNS(finding_columns)) : NULL;

    for (size_t i = 0; i < y->untold.n; i++) {
        if (t)
            put_found(t, y, &y->untold.v[i], sl_result_find(r, "findings")->rows + i);
        free_found(&y->untold.v[i]);
    }
    sl_vec_free(&y->untold);
}

int sl_why_look(struct sl_result *r, struct why *y, const struct sl_findings *findings, bool programs,
                struct sl_err *err)
{
    struct sl_table *t = sl_result_find(r, "findings"), *problems = sl_result_find(r, "problems");
    int rc;

    sqlite3_create_function(y->st->db, "time_text", 1, SQLITE_UTF8, y, sl_why_time_text, NULL, NULL);
    for (size_t i = 0; i < findings->v.n; i++) {
        struct sl_err one = {0};
        if ((findings->v.v[i].programs == programs || (findings->v.v[i].tasks && y->task.key)) &&
            look(y, &findings->v.v[i], &one))
            sl_why_put_problem(problems, &findings->v.v[i], one.text);
    }
    sqlite3_create_function(y->st->db, "time_text", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL);
    if (y->found.n)
        qsort(y->found.v, y->found.n, sizeof *y->found.v, by_seconds);
    leave_costliest(y);
    y->alone = leave_alone(y);
    sl_why_find_same(y);
    sl_why_put_terms(r, NULL, y->jobs);
    for (size_t i = 0; i < y->found.n; i++) {
        put_found(t, y, &y->found.v[i], i);
        sl_why_put_terms(r, y->found.v[i].sure, y->jobs);
        sl_why_put_terms(r, y->found.v[i].text, y->jobs);
    }
    rc = sl_why_put_replays(r, y, problems, err);
    for (size_t i = 0; i < y->found.n; i++)
        free_found(&y->found.v[i]);
    sl_vec_free(&y->found);
    put_untold(r, y);
    return rc;
}

int sl_why_rows(struct sl_result *r, struct sl_store *st, const char *name, const struct sl_column *column, int columns,
                const char *sql, struct sl_err *err)
{
    struct sl_table *t = sl_result_table(r, name, column, columns);
    sqlite3_stmt *q = sql ? sl_store_prepare(st, sql, err) : NULL;
    int rc = q || !sql ? 0 : SL_ESTORE;

    while (q && !rc && (rc = sl_store_step(st, q, err)) > 0) {
        sl_table_add(t);
        for (int i = 0; i < columns; i++)
            if (sqlite3_column_type(q, i) == SQLITE_NULL)
                continue;
            else if (column[i].type == REAL)
                sl_table_put_real(t, i, sqlite3_column_double(q, i));
            else if (column[i].type == INTEGER)
                sl_table_put_int(t, i, sqlite3_column_int64(q, i));
            else
                sl_table_put_text(t, i, (const char *)sqlite3_column_text(q, i));
        rc = 0;
        if (t->rows > 100000)
            break;
    }
    sqlite3_finalize(q);
    return rc;
}

/* ---- all of it ---- */

/* Of such a run there is what it is called, and when it began. */
static void withhold(struct sl_table *run)
{
    if (!run->rows)
        return;
    for (int i = SL_WHY_RUN_END; i < run->columns; i++)
        sl_table_put_null(run, i);
    sl_table_put_text(run, SL_WHY_RUN_STATE, "in doubt");
}

static bool run_has(const struct sl_result *r, int column, const char *text)
{
    struct sl_table *run = sl_result_find(r, "run");
    bool is = false;

    if (run) {
        sl_table_rewind(run);
        is = sl_table_next(run, NULL) > 0 && !strcmp(sl_table_text_or_empty(run, column), text);
        sl_table_rewind(run);
    }
    return is;
}

bool sl_why_is_open(struct sl_result *r)
{
    return run_has(r, SL_WHY_RUN_STATE, "goes on");
}

bool sl_why_is_in_doubt(const struct sl_result *r)
{
    return run_has(r, SL_WHY_RUN_STATE, "in doubt");
}

static int find_worker_type(struct why *y, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(y->st, sql_worker_type, err);
    int rc = q ? sl_store_step(y->st, q, err) : SL_ESTORE;

    if (rc > 0)
        snprintf(y->workers, sizeof y->workers, "%s", (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return rc < 0 ? rc : 0;
}

int sl_why_of_facts(struct sl_result *r, struct sl_store *st, struct sl_workflow *w, const struct sl_findings *findings,
                    struct sl_err *err)
{
    static const char *const more[][2] = {{"where the time went", "spanloom critical-path"},
                                          {"what would help", "spanloom what-if"}};
    struct why y = {.st = st, .w = w, .makespan_s = (double)(w->last_ns - w->first_ns) / 1e9};
    int64_t workflow = sl_store_int(st, "SELECT workflow FROM temp.run", 0);
    struct sl_run_names names = {0};
    int rc = sl_replay_wait(w->replay, err);

    y.replay = w->replay;
    y.keep_untold = findings->untold;
    sl_why_begin(r);
    if (!rc && !(rc = sl_run_names_load(&names, st, err)))
        y.runs = names.v.n;
    for (size_t i = 0; i < names.v.n; i++)
        if (names.v.v[i].workflow == workflow)
            snprintf(y.name, sizeof y.name, "%s", names.v.v[i].name);
    sl_run_names_free(&names);
    if (!*y.name)
        sl_span_name(st, workflow, y.name, sizeof y.name);
    if (!rc)
        rc = find_worker_type(&y, err);
    if (!rc)
        rc = sl_why_rows(r, st, "run", run_columns, SL_COLUMNS(run_columns), sql_run, err);
    if (!rc && sl_result_find(r, "run")->rows)
        sl_table_put_text(sl_result_find(r, "run"), SL_WHY_RUN_NAME, y.name);
    if (!rc && sl_result_find(r, "run")->rows)
        y.jobs = run_has(r, SL_WHY_RUN_UNIT, "job");
    if (!rc)
        rc = sl_why_look_at_logs(sl_result_find(r, "run"), st, findings->followed, err);
    if (!rc)
        rc = sl_why_find_ranks(&y, err);
    if (!rc)
        sqlite3_create_function(st->db, "without_s", 1, SQLITE_UTF8, &y, sl_why_without_s, NULL, NULL);
    if (!rc)
        rc = sl_why_look(r, &y, findings, false, err);
    sqlite3_create_function(st->db, "without_s", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL);
    if (!rc && y.alone)
        withhold(sl_result_find(r, "run"));
    if (!rc)
        rc = sl_why_rows(r, st, "ended", ended_columns, SL_COLUMNS(ended_columns), y.alone ? NULL : sql_ended, err);
    if (!rc)
        rc = sl_why_rows(r, st, "apps", app_columns, SL_COLUMNS(app_columns), y.alone ? NULL : sql_apps, err);
    if (!rc)
        rc = sl_why_rows(r, st, "parts", part_columns, SL_COLUMNS(part_columns), y.alone ? NULL : sql_parts, err);
    if (!rc)
        rc = sl_why_rows(r, st, "went", went_columns, SL_COLUMNS(went_columns), y.alone ? NULL : sql_went, err);
    if (!rc)
        rc = sl_why_rows(r, st, "pools", pool_columns, SL_COLUMNS(pool_columns), y.alone ? NULL : sql_pools, err);
    sl_why_more(r, &y, more, 2);
    free(y.doubts);
    free(y.task.key);
    free(y.task.name);
    return rc;
}

int sl_why(struct sl_result *r, struct sl_store *st, int64_t workflow, const struct sl_findings *findings,
           struct sl_err *err)
{
    struct sl_workflow w = {0};
    int rc = sl_facts_open(&w, st, workflow, err);

    if (!rc) {
        rc = sl_why_of_facts(r, st, &w, findings, err);
        sl_facts_close(&w, st);
    }
    return rc;
}
