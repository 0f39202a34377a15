/* SPDX-License-Identifier: Apache-2.0 */
/* `spanloom experiment status`: how far an experiment is, what of, and where all of it lies. */
#include "base/buf.h"
#include "base/clock.h"
#include "cli/experiment/experiment_plan.h"
#include "cli/experiment/experiment_session.h"
#include "cli/experiment/subcommands.h"
#include "result/table.h"
#include "show/show.h"

#include <math.h>
#include <stdlib.h>

enum { ORIGIN = 34 };

struct origin {
    const char *name;
    size_t runs, failed;
    double wall_s;
};

static const char *origin_of(const struct sl_run_record *r)
{
    return *r->design ? r->design : !strncmp(r->run, "compare-", strlen("compare-")) ? "compare" : "(not told)";
}

struct origins {
    SL_VEC(struct origin) v;
};

static struct origins origins(const struct sl_run_records *records)
{
    struct origins all = {0};

    for (size_t i = 0; i < records->v.n; i++) {
        const struct sl_run_record *r = &records->v.v[i];
        size_t k = 0;
        while (k < all.v.n && strcmp(all.v.v[k].name, origin_of(r)) != 0)
            k++;
        if (k == all.v.n)
            *sl_vec_add(&all.v) = (struct origin){.name = origin_of(r)};
        all.v.v[k].runs++;
        all.v.v[k].failed += isnan(r->score);
        all.v.v[k].wall_s += isnan(r->wall_s) ? 0 : r->wall_s;
    }
    return all;
}

static void put_origins(const struct origins *all)
{
    if (all->v.n)
        printf("\n%-*s %6s %7s  %s\n", ORIGIN, "made for (column design)", "runs", "failed", "took");
    for (size_t k = 0; k < all->v.n; k++) {
        const struct origin *o = &all->v.v[k];
        char took[SL_SECONDS_TEXT];
        printf("%-*s %6zu %7zu  %s\n", ORIGIN, o->name, o->runs, o->failed, sl_seconds_text(o->wall_s, took));
    }
    if (all->v.n > 1)
        puts("all of them are runs of one experiment, and in its answers; some of them alone:\n"
             "  spanloom experiment means --where \"design <> 'compare'\"");
}

/* As commands: nothing here takes away what may have taken months. */
static void put_afresh(const struct sl_plan *p, size_t planned, const struct sl_run_records *records)
{
    const char *q =
        p->name[strspn(p->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")] ? "'" : "";

    if (!records->v.n && !planned)
        return;
    puts("\nto start afresh, in the folder of the plan (or give the plan another name):");
    if (records->v.n)
        printf("  for f in %s%s%s.*runs.jsonl; do spanloom forget \"$f\"; rm \"$f\"; done\n", q, p->name, q);
    printf("  rm -rf %s%s%s.{design.csv,traces,slurm}\n", q, p->name, q);
}

static void put_budget(const struct sl_plan *p, const struct sl_run_records *records, double spent_s)
{
    char spent[SL_SECONDS_TEXT], of[SL_SECONDS_TEXT];

    if (isfinite(p->budget_s))
        printf("budget of run: %s of %s are used\n", sl_seconds_text(spent_s, spent), sl_seconds_text(p->budget_s, of));
    if (p->budget_runs != UINT64_MAX)
        printf("budget of run: %zu of %llu runs are used\n", records->v.n, (unsigned long long)p->budget_runs);
}

/* How far it is. */
struct progress {
    size_t planned, left, made, failed;
    double spent_s, left_s; /* left_s NaN: no run told how long one takes */
    bool running;
    struct sl_buf score;
    struct origins origins;
};

static void put_progress(const struct sl_plan *p, const struct progress *is, const struct sl_run_records *records)
{
    char in[SL_SECONDS_TEXT];

    printf("%s: %zu run%s planned, %zu left to make", p->name, is->planned, is->planned == 1 ? "" : "s", is->left);
    if (is->left && !isnan(is->left_s))
        printf(" (some %s)", sl_seconds_text(is->left_s, in));
    printf("; %zu made in all, %zu failed\n", is->made, is->failed);
    printf("score: %s\n", is->score.s);
    put_budget(p, records, is->spent_s);
    put_origins(&is->origins);
    put_afresh(p, is->planned, records);
    if (is->running)
        puts("\na process makes runs now");
}

/* Tables: status, one row; made, a row for what runs were made for.  JSON has both. */
static int show_progress(const struct sl_plan *p, const struct progress *is, enum sl_format format, struct sl_err *err)
{
    static const struct sl_column status[] = {{"experiment", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"planned", SL_COLUMN_INTEGER, "runs", NULL, 0},
                                              {"left", SL_COLUMN_INTEGER, "runs", NULL, 0},
                                              {"left_s", SL_COLUMN_REAL, "s", NULL, 0},
                                              {"made", SL_COLUMN_INTEGER, "runs", NULL, 0},
                                              {"failed", SL_COLUMN_INTEGER, "runs", NULL, 0},
                                              {"spent_s", SL_COLUMN_REAL, "s", NULL, 0},
                                              {"budget_s", SL_COLUMN_REAL, "s", NULL, 0},
                                              {"budget_runs", SL_COLUMN_INTEGER, "runs", NULL, 0},
                                              {"running", SL_COLUMN_INTEGER, NULL, NULL, 0},
                                              {"score", SL_COLUMN_TEXT, NULL, NULL, 0}};
    static const struct sl_column made[] = {{"design", SL_COLUMN_TEXT, NULL, NULL, 0},
                                            {"runs", SL_COLUMN_INTEGER, "runs", NULL, 0},
                                            {"failed", SL_COLUMN_INTEGER, "runs", NULL, 0},
                                            {"took_s", SL_COLUMN_REAL, "s", NULL, 0}};
    struct sl_result r = {.whole = true};
    struct sl_table *t = sl_result_table(&r, "status", status, SL_COLUMNS(status));
    int rc, k = 0;

    sl_table_add(t);
    sl_table_put_text(t, k++, p->name);
    sl_table_put_int(t, k++, (int64_t)is->planned);
    sl_table_put_int(t, k++, (int64_t)is->left);
    sl_table_put_real(t, k++, is->left ? is->left_s : 0);
    sl_table_put_int(t, k++, (int64_t)is->made);
    sl_table_put_int(t, k++, (int64_t)is->failed);
    sl_table_put_real(t, k++, is->spent_s);
    sl_table_put_real(t, k++, isfinite(p->budget_s) ? p->budget_s : NAN);
    if (p->budget_runs != UINT64_MAX)
        sl_table_put_int(t, k, (int64_t)p->budget_runs);
    sl_table_put_int(t, ++k, is->running);
    sl_table_put_text(t, ++k, is->score.s);
    t = sl_result_table(&r, "made", made, SL_COLUMNS(made));
    for (size_t i = 0; i < is->origins.v.n; i++) {
        const struct origin *o = &is->origins.v.v[i];
        sl_table_add(t);
        sl_table_put_text(t, 0, o->name);
        sl_table_put_int(t, 1, (int64_t)o->runs);
        sl_table_put_int(t, 2, (int64_t)o->failed);
        sl_table_put_real(t, 3, o->wall_s);
    }
    rc = sl_show_result(stdout, &r, format, err);
    sl_result_free(&r);
    return rc;
}

static int status(const struct sl_plan *p, enum sl_format format, bool running, struct sl_err *err)
{
    struct sl_schedule schedule = {0};
    struct sl_run_records records = {0};
    struct progress is = {.left_s = NAN, .running = running};
    char *path = sl_schedule_path(p);
    bool *done = NULL;
    size_t timed = 0;
    int rc = sl_schedule_read(&schedule, p, path, false, err);

    if (!rc)
        rc = sl_run_log_read(&records, p, err);
    if (!rc) {
        done = sl_schedule_done(&schedule, &records);
        is.planned = schedule.v.n;
        is.made = records.v.n;
        for (size_t i = 0; i < schedule.v.n; i++)
            is.left += !done[i];
        for (size_t i = 0; i < records.v.n; i++) {
            is.failed += isnan(records.v.v[i].score);
            timed += !isnan(records.v.v[i].wall_s);
            is.spent_s += isnan(records.v.v[i].wall_s) ? 0 : records.v.v[i].wall_s;
        }
        if (timed)
            is.left_s = is.spent_s / (double)timed * (double)is.left * (1.0 + (double)p->warmup);
        cli_experiment_score(&is.score, p);
        is.origins = origins(&records);
        if (format == SL_FORMAT_TABLE)
            put_progress(p, &is, &records);
        else
            rc = show_progress(p, &is, format, err);
    }
    free(done);
    free(path);
    sl_vec_free(&is.origins.v);
    sl_buf_free(&is.score);
    sl_run_records_free(&records);
    sl_schedule_free(&schedule);
    return rc;
}

int cli_experiment_status(const struct cli *cli, int argc, char **argv)
{
    struct sl_plan p;
    struct sl_trials s;
    struct sl_err err = {0}, wrong = {0};
    int rc;

    if (argc)
        return cli_usage(cli, "experiment status takes no '%s': it is of " CLI_EXPERIMENT_FILE, argv[0]);
    if (!(rc = cli_experiment_plan(cli, &p, &err))) {
        int open = cli_experiment_open(&s, &p, NULL, &wrong);
        if (!open)
            sl_trials_close(&s);
        rc = status(&p, cli->format, open == SL_EBUSY, &err);
        if (!rc && open && open != SL_EBUSY)
            rc = sl_err(&err, wrong.code, "before more can run: %s", wrong.text);
    }
    sl_plan_free(&p);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}
