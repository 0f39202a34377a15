/* SPDX-License-Identifier: Apache-2.0 */
/* `spanloom experiment status`: how far an experiment is, what of, and where all of it lies. */
#include "base/buf.h"
#include "base/clock.h"
#include "cli/experiment.h"
#include "cli/experiment_plan.h"
#include "cli/experiment_session.h"
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

static void put_origins(const struct sl_run_records *records)
{
    SL_VEC(struct origin) all = {0};

    for (size_t i = 0; i < records->v.n; i++) {
        const struct sl_run_record *r = &records->v.v[i];
        size_t k = 0;
        while (k < all.n && strcmp(all.v[k].name, origin_of(r)) != 0)
            k++;
        if (k == all.n)
            *sl_vec_add(&all) = (struct origin){.name = origin_of(r)};
        all.v[k].runs++;
        all.v[k].failed += isnan(r->score);
        all.v[k].wall_s += isnan(r->wall_s) ? 0 : r->wall_s;
    }
    if (all.n)
        printf("\n%-*s %6s %7s  %s\n", ORIGIN, "made for (column design)", "runs", "failed", "took");
    for (size_t k = 0; k < all.n; k++) {
        char took[SL_SECONDS_TEXT];
        printf("%-*s %6zu %7zu  %s\n", ORIGIN, all.v[k].name, all.v[k].runs, all.v[k].failed,
               sl_seconds_text(all.v[k].wall_s, took));
    }
    if (all.n > 1)
        puts("all of them are runs of one experiment, and in its answers; some of them alone:\n"
             "  spanloom experiment means --where \"design <> 'compare'\"");
    sl_vec_free(&all);
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

static int status(const struct sl_plan *p, struct sl_err *err)
{
    struct sl_schedule schedule = {0};
    struct sl_run_records records = {0};
    struct sl_buf score = {0};
    char *path = sl_schedule_path(p), in[SL_SECONDS_TEXT];
    bool *done = NULL;
    size_t left = 0, failed = 0, timed = 0;
    double spent_s = 0;
    int rc = sl_schedule_read(&schedule, p, path, false, err);

    if (!rc)
        rc = sl_run_log_read(&records, p, err);
    if (!rc) {
        done = sl_schedule_done(&schedule, &records);
        for (size_t i = 0; i < schedule.v.n; i++)
            left += !done[i];
        for (size_t i = 0; i < records.v.n; i++) {
            failed += isnan(records.v.v[i].score);
            timed += !isnan(records.v.v[i].wall_s);
            spent_s += isnan(records.v.v[i].wall_s) ? 0 : records.v.v[i].wall_s;
        }
        printf("%s: %zu run%s planned, %zu left to make", p->name, schedule.v.n, schedule.v.n == 1 ? "" : "s", left);
        if (left && timed)
            printf(" (some %s)", sl_seconds_text(spent_s / (double)timed * (double)left * (1.0 + p->warmup), in));
        printf("; %zu made in all, %zu failed\n", records.v.n, failed);
        cli_experiment_score(&score, p);
        printf("score: %s\n", score.s);
        put_budget(p, &records, spent_s);
        put_origins(&records);
        put_afresh(p, schedule.v.n, &records);
    }
    free(done);
    free(path);
    sl_buf_free(&score);
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
        rc = status(&p, &err);
        if (!rc && open == SL_EBUSY)
            puts("\na process makes runs now");
        else if (!rc && open)
            rc = sl_err(&err, wrong.code, "before more can run: %s", wrong.text);
    }
    sl_plan_free(&p);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}
