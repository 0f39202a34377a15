/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `spanloom experiment suggest` and `tune`: which run is best to make next, and all of these, to the best setting. What
 * has run is in the logs beside the plan, and nothing else is kept: what was killed goes on.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "cli/experiment/experiment_plan.h"
#include "cli/experiment/subcommands.h"
#include "design/settings/schedule.h"
#include "design/traces.h"
#include "experiment/search/tune.h"
#include "result/trials.h"
#include "show/experiment/print_trials.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    RUNS = 60,       /* of a search, where nobody says how many */
    SUGGESTIONS = 3, /* likewise */
    DRAWS = 100,     /* of what is possible, for chances */
    SHOWN = 5        /* of the best settings */
};

/* All runs of a plan. */
struct known {
    struct sl_plan plan;
    struct sl_run_records records;
    int32_t *levels, *settings;
    double *y; /* logarithms of costs; NaN: failed */
    struct sl_space space;
    size_t others, n, failed;
    char prefix[96]; /* of the ids of this search's own runs, which come last; "": there is none */
};

static bool allowed(const void *plan, const int32_t *setting)
{
    return !sl_plan_broken(plan, setting);
}

static double cost_of(const struct sl_plan *p, double score)
{
    return p->score.more ? -log(score) : log(score);
}

static double score_of(const struct sl_plan *p, double y)
{
    return p->score.more ? exp(-y) : exp(y);
}

static int add(struct known *k, const int32_t *setting, double score, struct sl_err *err)
{
    size_t f = k->plan.factor.n;

    if (score <= 0)
        return sl_err(err, SL_EUSAGE, "a run has the score %g, and effects are shares of scores: these must be above 0",
                      score);
    k->settings = sl_realloc(k->settings, (k->n + 1) * f * sizeof *k->settings + 1);
    k->y = sl_realloc(k->y, (k->n + 1) * sizeof *k->y);
    memcpy(k->settings + k->n * f, setting, f * sizeof *setting);
    k->y[k->n++] = isnan(score) ? NAN : cost_of(&k->plan, score);
    k->failed += isnan(score);
    return 0;
}

static bool is_own(const struct known *k, const struct sl_run_record *r)
{
    return *k->prefix && !strncmp(r->run, k->prefix, strlen(k->prefix));
}

/* Others' runs first.  What does not vary has one level, its base, and runs with another one are no part of it. */
static int load(struct known *k, const struct cli *cli, struct sl_err *err)
{
    size_t f = k->plan.factor.n;
    bool *vary = sl_alloc(f * sizeof *vary + 1);
    int rc;

    k->levels = sl_alloc(f * sizeof *k->levels + 1);
    if (!(rc = cli_experiment_vary(cli, &k->plan, vary, k->levels, err)))
        rc = sl_run_log_read(&k->records, &k->plan, err);
    for (size_t i = 0; i < f; i++)
        k->levels[i] = vary[i] ? (int32_t)k->plan.factor.v[i].level.n : 1;
    free(vary);
    k->space = (struct sl_space){f, k->levels, allowed, &k->plan};
    for (int own = 0; own < 2 && !rc; own++) {
        for (size_t i = 0; i < k->records.v.n && !rc; i++) {
            const struct sl_run_record *r = &k->records.v.v[i];
            bool whole = true;
            for (size_t j = 0; j < f; j++)
                whole &= r->setting[j] >= 0 && r->setting[j] < k->levels[j];
            if (whole && is_own(k, r) == own)
                rc = add(k, r->setting, r->score, err);
        }
        if (!own) {
            k->others = k->n;
            k->failed = *k->prefix ? 0 : k->failed;
        }
    }
    return rc;
}

static void release(struct known *k)
{
    sl_run_records_free(&k->records);
    sl_plan_free(&k->plan);
    free(k->levels);
    free(k->settings);
    free(k->y);
}

/* A row of the table of settings. */
static void put_setting(struct sl_result *r, const struct known *k, const struct sl_surrogate *s,
                        const int32_t *setting, struct sl_setting_row row)
{
    struct sl_belief is = sl_surrogate_believe(s, setting);
    double a = score_of(&k->plan, is.mean - 1.96 * is.stddev), b = score_of(&k->plan, is.mean + 1.96 * is.stddev);
    struct sl_buf name = {0};

    sl_trial_name(&name, &k->plan, setting);
    row.setting = name.s;
    row.unit = *k->plan.score.unit ? k->plan.score.unit : k->plan.score.name;
    row.score = score_of(&k->plan, is.mean);
    row.lower = fmin(a, b);
    row.upper = fmax(a, b);
    row.runs = (int64_t)sl_surrogate_runs(s, setting);
    sl_result_setting(r, &row);
    sl_buf_free(&name);
}

static int finish(const struct cli *cli, struct sl_result *r, void (*show)(FILE *, const struct sl_result *))
{
    struct sl_err err = {0};
    int rc = 0;

    if (cli->format == SL_FORMAT_TABLE)
        show(stdout, r);
    else
        rc = sl_show_result(stdout, r, cli->format, &err);
    sl_result_free(r);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

static bool fit(struct sl_surrogate *s, const struct known *k)
{
    return sl_surrogate_fit(s, &k->space, k->settings, k->y, k->n);
}

/* ---- suggest ---- */

/* Half of the interval of the effect of a level, as a share. */
static double half_width(const struct sl_surrogate *s, size_t factor, int32_t level)
{
    return expm1(1.96 * sl_surrogate_effect(s, factor, level).stddev);
}

/* The run that teaches most, and the effect that it narrows most.  now: without those that were found before. */
static bool teach(struct sl_result *r, const struct known *k, const struct sl_surrogate *now, struct sl_surrogate *s,
                  uint64_t *random, int32_t *setting)
{
    struct sl_setting_row row = {.for_what = "effects", .chance = NAN, .before = 1, .after = 1};
    struct sl_buf name = {0};
    double *before, most = -1;
    size_t n = 0;
    bool found;

    for (size_t f = 0; f < k->space.factors; f++)
        n += (size_t)k->levels[f];
    before = sl_alloc(n * sizeof *before + 1);
    n = 0;
    for (size_t f = 0; f < k->space.factors; f++)
        for (int32_t l = 0; l < k->levels[f]; l++)
            before[n++] = half_width(s, f, l);
    found = sl_surrogate_learn(s, random, setting);
    n = 0;
    for (size_t f = 0; f < k->space.factors && found; f++)
        for (int32_t l = 0; l < k->levels[f]; l++, n++) {
            double after = half_width(s, f, l), gain = l ? (before[n] - after) / before[n] : -1;
            if (gain <= most)
                continue;
            most = gain;
            row.before = before[n];
            row.after = after;
            name.n = 0;
            sl_buf_adds(&name, k->plan.factor.v[f].name);
            if (k->levels[f] > 2)
                sl_buf_addf(&name, "=%s", k->plan.factor.v[f].level.v[l].name);
        }
    row.narrows = name.s;
    if (found)
        put_setting(r, k, now, setting, row);
    sl_buf_free(&name);
    free(before);
    return found;
}

/* The setting that is the best of all in most draws. */
static bool likely_best(struct sl_result *r, const struct known *k, const struct sl_surrogate *s, uint64_t *random)
{
    size_t f = k->space.factors, n = 0, best = 0, *count = sl_alloc(DRAWS * sizeof *count);
    int32_t *drawn = sl_alloc(DRAWS * f * sizeof *drawn + 1);

    for (int i = 0; i < DRAWS; i++) {
        size_t at = 0;
        if (!sl_surrogate_draw(s, random, drawn + n * f))
            break;
        while (memcmp(drawn + at * f, drawn + n * f, f * sizeof *drawn) != 0)
            at++;
        count[at]++;
        n += at == n;
    }
    for (size_t i = 0; i < n; i++)
        best = count[i] > count[best] ? i : best;
    if (n)
        put_setting(r, k, s, drawn + best * f,
                    (struct sl_setting_row){
                        .for_what = "best", .chance = (double)count[best] / DRAWS, .before = NAN, .after = NAN});
    free(count);
    free(drawn);
    return n > 0;
}

/* Behind those that are planned, for `experiment run`. */
static int plan_them(const struct known *k, const struct sl_settings *next, struct sl_err *err)
{
    struct sl_schedule schedule = {0};
    char *path = sl_schedule_path(&k->plan);
    int rc = sl_schedule_read(&schedule, &k->plan, path, false, err);

    if (!rc) {
        sl_schedule_add(&schedule, next, 1, "suggested", k->plan.seed);
        rc = sl_schedule_write(&schedule, &k->plan, path, err);
    }
    sl_schedule_free(&schedule);
    free(path);
    return rc;
}

int cli_experiment_suggest(const struct cli *cli, int argc, char **argv)
{
    struct known k = {.n = 0};
    struct sl_err err = {0};
    struct sl_result r = {0};
    struct sl_surrogate s;
    struct sl_settings next = {0};
    uint64_t random, runs = SUGGESTIONS;
    int32_t *setting;
    int rc;

    if (argc)
        return cli_usage(cli, "experiment suggest takes no '%s': what can run stands in " CLI_EXPERIMENT_FILE, argv[0]);
    if ((rc = cli_experiment_whole(cli, "runs", 1, &runs)))
        return rc;
    if (!(rc = cli_experiment_plan(cli, &k.plan, &err)))
        rc = load(&k, cli, &err);
    random = k.plan.seed;
    if (!rc && (rc = cli_experiment_whole(cli, "seed", 0, &random))) {
        release(&k);
        return rc;
    }
    if (!rc && !fit(&s, &k))
        rc = sl_err(&err, SL_ENOTFOUND,
                    "no run of %s has a score yet; begin with: spanloom experiment design full (or another), run",
                    k.plan.name);
    if (rc) {
        release(&k);
        return cli_fail(cli, &err);
    }
    setting = sl_alloc(k.space.factors * sizeof *setting + 1);
    next.factors = k.space.factors;
    struct sl_surrogate plain;
    fit(&plain, &k);
    for (uint64_t i = 0; i < runs && teach(&r, &k, &plain, &s, &random, setting); i++)
        sl_settings_add(&next, setting);
    likely_best(&r, &k, &plain, &random);
    sl_surrogate_free(&plain);
    sl_surrogate_free(&s);
    if (!sl_settings_n(&next))
        rc = sl_err(&err, SL_EUSAGE, "%s allows no setting", k.plan.path);
    if (!rc && cli_option(cli, "add"))
        rc = plan_them(&k, &next, &err);
    free(setting);
    release(&k);
    if (rc) {
        sl_settings_free(&next);
        sl_result_free(&r);
        return cli_fail(cli, &err);
    }
    rc = finish(cli, &r, sl_show_suggested);
    if (!rc && cli_option(cli, "add"))
        cli_say("%zu run%s planned: spanloom experiment run", sl_settings_n(&next),
                sl_settings_n(&next) == 1 ? " is" : "s are");
    sl_settings_free(&next);
    return rc;
}

/* ---- tune ---- */

struct session {
    struct known k;
    struct sl_tune tune;
    struct sl_trials trials;
    int log;
    double budget_s;
    int signal;
};

static struct sl_tune tune_of(const struct session *s)
{
    struct sl_tune t = s->tune;

    t.space = &s->k.space;
    t.others = s->k.others;
    t.n = s->k.n;
    t.settings = s->k.settings;
    t.y = s->k.y;
    return t;
}

static int one_run(struct session *s, const int32_t *setting, enum sl_tune_next what, struct sl_err *err)
{
    static const char *const columns[] = {"design", "tune", NULL};
    struct sl_trial t = {.setting = setting};
    struct sl_buf traces = {0};
    char id[96];
    int rc;

    snprintf(id, sizeof id, "%s%zu", s->k.prefix, s->k.n - s->k.others + 1);
    if (isatty(STDERR_FILENO)) {
        struct sl_buf name = {0};
        sl_trial_name(&name, &s->k.plan, setting);
        fprintf(stderr, "\r\033[Krun %zu of %zu, to %s: %.40s", s->k.n - s->k.others + 1, s->tune.budget,
                what == SL_TUNE_SEARCH ? "search" : "confirm", name.s);
        sl_buf_free(&name);
    }
    if (s->k.plan.trace) {
        rc = sl_traces_folder(&traces, &s->k.plan, id, err);
        if (rc)
            return rc;
        t.traces = traces.s;
    }
    rc = sl_trial_run(&s->trials, &t, err);
    if (!rc && t.outcome == SL_TRIAL_INTERRUPTED)
        s->signal = t.signal;
    else if (!rc)
        rc = sl_run_log_add(s->log, &s->trials, id, "", &t, columns, err);
    if (!rc && !s->signal)
        rc = add(&s->k, setting, t.score, err);
    sl_buf_free(&traces);
    return rc;
}

static int search(struct session *s, struct sl_err *err)
{
    int32_t *setting = sl_alloc(s->k.space.factors * sizeof *setting + 1);
    int64_t began = sl_clock_mono_ns();
    int rc = 0;

    while (!rc && !s->signal && (double)(sl_clock_mono_ns() - began) / 1e9 < s->budget_s) {
        struct sl_tune t = tune_of(s);
        enum sl_tune_next what = sl_tune_next(&t, setting);
        if (what == SL_TUNE_END)
            break;
        rc = one_run(s, setting, what, err);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    free(setting);
    return rc;
}

static int by_mean(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The best that have run, the base among them. */
static void put_best(struct sl_result *r, const struct known *k, const struct sl_tuned *is)
{
    struct sl_surrogate s;
    double(*order)[2];
    size_t f = k->space.factors;
    bool base = false;

    fit(&s, k);
    order = sl_alloc(s.cells * sizeof *order + 1);
    for (size_t c = 0; c < s.cells; c++) {
        order[c][0] = sl_surrogate_believe(&s, s.setting + c * f).mean;
        order[c][1] = (double)c;
    }
    qsort(order, s.cells, sizeof *order, by_mean);
    for (size_t i = 0; i < s.cells && i < SHOWN; i++) {
        const int32_t *its = s.setting + (size_t)order[i][1] * f;
        bool is_base = !memcmp(its, is->base, f * sizeof *its);
        base |= is_base;
        put_setting(r, k, &s, its,
                    (struct sl_setting_row){.for_what = is_base                                   ? "base"
                                                        : !memcmp(its, is->best, f * sizeof *its) ? "best"
                                                                                                  : NULL,
                                            .chance = NAN,
                                            .before = NAN,
                                            .after = NAN});
    }
    if (!base)
        put_setting(r, k, &s, is->base,
                    (struct sl_setting_row){.for_what = "base", .chance = NAN, .before = NAN, .after = NAN});
    free(order);
    sl_surrogate_free(&s);
}

static int report(const struct cli *cli, const struct session *s)
{
    const struct known *k = &s->k;
    struct sl_tune t = tune_of(s);
    struct sl_tuned is;
    struct sl_result r = {.whole = true};
    struct sl_buf name = {0};
    struct sl_err err = {0};

    if (!sl_tune_result(&t, &is)) {
        sl_err(&err, SL_ENOTFOUND, "no run has worked: nothing can be said of %s", k->plan.name);
        return cli_fail(cli, &err);
    }
    sl_trial_name(&name, &k->plan, is.best);
    sl_result_tuned(&r,
                    &(struct sl_tuned_row){.best = name.s,
                                           .unit = k->plan.score.unit,
                                           .change = expm1(is.change),
                                           .lower = expm1(is.low),
                                           .upper = expm1(is.high),
                                           .pairs = (int64_t)is.pairs,
                                           .searched = (int64_t)is.searched,
                                           .failed = (int64_t)k->failed,
                                           .budget = (int64_t)s->tune.budget,
                                           .is_base = !memcmp(is.base, is.best, k->space.factors * sizeof *is.base)});
    put_best(&r, k, &is);
    free(is.base);
    free(is.best);
    sl_buf_free(&name);
    return finish(cli, &r, sl_show_tuned);
}

static int into_store(const struct cli *cli, const struct sl_plan *p, struct sl_err *err)
{
    struct sl_buf traces = {0};
    int rc;

    if (cli_option(cli, "no-import"))
        return 0;
    sl_buf_addf(&traces, "%s/%s.traces", p->folder, p->name);
    rc = sl_run_log_import(p, cli->store_path, p->trace ? traces.s : NULL, err);
    sl_buf_free(&traces);
    return rc;
}

int cli_experiment_tune(const struct cli *cli, int argc, char **argv)
{
    struct session s = {.log = -1};
    struct sl_err err = {0};
    uint64_t runs = RUNS, seed;
    char *path;
    int rc;

    if (argc)
        return cli_usage(cli, "experiment tune takes no '%s': what can run stands in " CLI_EXPERIMENT_FILE, argv[0]);
    if ((rc = cli_experiment_whole(cli, "runs", SL_TUNE_LEAST, &runs)))
        return rc;
    s.budget_s = cli_experiment_time(cli, "budget", INFINITY);
    if (isnan(s.budget_s))
        return EXIT_USAGE;
    rc = cli_experiment_plan(cli, &s.k.plan, &err);
    seed = s.k.plan.seed;
    if (!rc && (rc = cli_experiment_whole(cli, "seed", 0, &seed))) {
        sl_plan_free(&s.k.plan);
        return rc;
    }
    s.tune.budget = runs;
    s.tune.seed = seed;
    const char *factors = cli_option(cli, "factors"); /* another search, where these are others */
    snprintf(s.k.prefix, sizeof s.k.prefix, "tune-%llu-%llu-", (unsigned long long)runs, (unsigned long long)seed);
    if (factors)
        snprintf(s.k.prefix + strlen(s.k.prefix), sizeof s.k.prefix - strlen(s.k.prefix), "%08llx-",
                 (unsigned long long)sl_hash(factors, strlen(factors)) & 0xffffffff);
    if (!rc && !(rc = cli_experiment_open(&s.trials, &s.k.plan, NULL, &err))) {
        rc = load(&s.k, cli, &err); /* under the lock */
        if (!rc) {
            path = sl_run_log_path(&s.k.plan, "tune");
            s.log = rc = sl_run_log_open(path, &s.trials, &err);
            rc = rc < 0 ? rc : 0;
            free(path);
        }
        if (!rc)
            rc = search(&s, &err);
        if (s.log >= 0)
            close(s.log);
        sl_trials_close(&s.trials);
        if (!rc)
            rc = into_store(cli, &s.k.plan, &err);
    }
    rc = rc ? cli_fail(cli, &err) : report(cli, &s);
    release(&s.k);
    return s.signal ? 128 + s.signal : rc;
}
