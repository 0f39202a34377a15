/* SPDX-License-Identifier: Apache-2.0 */
/* `spanloom experiment design`: which settings to run, and in which order. */
#include "cli/experiment/experiment_plan.h"
#include "cli/experiment/subcommands.h"
#include "design/plan/find_programs.h"
#include "design/settings/schedule.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { FULL_MOST = 65536, TELL = 16 };

struct asked {
    const struct cli *cli;
    struct sl_plan plan;
    struct sl_schedule schedule;
    bool *vary;
    int32_t *high;
    struct sl_design_of of;
    uint64_t seed;
    uint32_t repeats;
    struct sl_settings settings;
    struct sl_fraction fraction;
    struct sl_buf name; /* of the design: "2^(7-4) III" */
    size_t left_out;
    double logdet;
    int off_single, off_pair;
};

/* ---- which factors ---- */

static int choose_factors(struct asked *a, struct sl_err *err)
{
    size_t n = a->plan.factor.n;

    a->vary = sl_alloc(n * sizeof *a->vary);
    a->high = sl_alloc(n * sizeof *a->high);
    a->of = (struct sl_design_of){&a->plan, a->vary, a->high};
    a->settings.factors = n;
    return cli_experiment_vary(a->cli, &a->plan, a->vary, a->high, err);
}

/* Of these factors: the plan has seen to it for all of them. */
static int check_constraints(struct asked *a, struct sl_err *err)
{
    uint64_t *levels = sl_alloc((a->plan.factor.n + 1) * sizeof *levels);
    struct sl_buf b = {0};
    int line = 1, rc = 0;

    for (size_t f = 0; f < a->plan.factor.n; f++)
        levels[f] = a->vary[f] ? UINT64_MAX >> (64 - a->plan.factor.v[f].level.n) : 1;
    if (sl_plan_conflict(&b, &a->plan, levels, &line))
        rc = sl_err(err, SL_EUSAGE,
                    "%s:%d: with --factors, all others at their base, no setting is left by the constraints: %s",
                    a->plan.path, line, b.s);
    free(levels);
    sl_buf_free(&b);
    return rc;
}

/* ---- designs ---- */

static int count_of(const struct cli *cli, int argc, char **argv, size_t *n)
{
    int given = argc > 1 ? cli_number(argv[1], 1) : -1;

    if (given < 0)
        return cli_usage(cli, "how many runs? Such as: spanloom experiment design %s 32", argv[0]);
    *n = (size_t)given;
    return 0;
}

static int make_fraction(struct asked *a, struct sl_err *err)
{
    const char *resolution = cli_option(a->cli, "resolution"), *runs = cli_option(a->cli, "runs");
    int factors = 0, bits = 0, wanted = 3, n = runs ? cli_number(runs, 2) : 0, rc;

    for (size_t f = 0; f < a->plan.factor.n; f++) {
        factors += a->vary[f];
        if (a->vary[f] && a->plan.factor.v[f].level.n > 2 && !cli_option(a->cli, "factors"))
            return sl_err(err, SL_EUSAGE,
                          "a fraction has two levels of each factor, and %s has %zu: say which is high, of all that "
                          "vary: --factors %s=%s,...",
                          a->plan.factor.v[f].name, a->plan.factor.v[f].level.n, a->plan.factor.v[f].name,
                          a->plan.factor.v[f].level.v[1].name);
    }
    if (runs && resolution)
        return sl_err(err, SL_EUSAGE, "--runs and --resolution exclude each other");
    for (int k = 3; resolution && k <= 10; k++)
        wanted = !strcasecmp(resolution, sl_fraction_roman(k)) || atoi(resolution) == k ? -k : wanted;
    if (resolution && wanted > 0)
        return sl_err(err, SL_EUSAGE, "a resolution is III, IV, V, ..., not '%s'", resolution);
    while (n > 1 << bits && bits < 30)
        bits++;
    if (runs && n != 1 << bits)
        return sl_err(err, SL_EUSAGE, "a fraction has a power of 2 runs, such as %d, not %s", 1 << bits, runs);
    if (!runs && !resolution)
        wanted = 4; /* effects of factors are told apart from those of pairs */
    rc = runs ? sl_fraction_of_runs(&a->fraction, factors, bits, err)
              : sl_fraction_of_resolution(&a->fraction, factors, abs(wanted), err);
    if (rc)
        return rc;
    if (a->fraction.factors == a->fraction.bits)
        sl_buf_addf(&a->name, "2^%d full", factors);
    else
        sl_buf_addf(&a->name, "2^(%d-%d) %s", factors, factors - a->fraction.bits,
                    sl_fraction_roman(a->fraction.resolution));
    return sl_design_fraction(&a->settings, &a->of, &a->fraction, err);
}

/* What has run without failing, and what is planned. */
static int known_settings(struct asked *a, struct sl_settings *had, struct sl_err *err)
{
    struct sl_run_records r;
    int rc = sl_run_log_read(&r, &a->plan, err);
    bool *done = rc ? NULL : sl_schedule_done(&a->schedule, &r);

    had->factors = a->plan.factor.n;
    for (size_t i = 0; !rc && i < r.v.n; i++) {
        bool known = !isnan(r.v.v[i].score);
        for (size_t f = 0; f < had->factors; f++)
            known &= r.v.v[i].setting[f] >= 0;
        if (known)
            sl_settings_add(had, r.v.v[i].setting);
    }
    for (size_t i = 0; !rc && i < a->schedule.v.n; i++)
        if (!done[i])
            sl_settings_add(had, a->schedule.v.v[i].setting);
    free(done);
    sl_run_records_free(&r);
    return rc;
}

static int make_optimal(struct asked *a, size_t n, struct sl_err *err)
{
    struct sl_settings had = {0};
    int rc = known_settings(a, &had, err);

    if (!rc)
        rc = sl_design_optimal(&a->settings, &a->of, &had, n, cli_option(a->cli, "interactions"), a->seed, &a->logdet,
                               err);
    sl_buf_addf(&a->name, "optimal %zu beside %zu", n, sl_settings_n(&had));
    sl_settings_free(&had);
    return rc;
}

static int make_list(struct asked *a, const char *path, struct sl_err *err)
{
    struct sl_schedule list;
    int rc = sl_schedule_read(&list, &a->plan, path, true, err);

    for (size_t i = 0; !rc && i < list.v.n; i++)
        sl_settings_add(&a->settings, list.v.v[i].setting);
    sl_buf_addf(&a->name, "list");
    sl_schedule_free(&list);
    return rc;
}

static int make(struct asked *a, int argc, char **argv, struct sl_err *err)
{
    const char *kind = argv[0];
    size_t n = 0;

    if (!strcmp(kind, "full")) {
        sl_buf_adds(&a->name, "full");
        return sl_design_full(&a->settings, &a->of, FULL_MOST, &a->left_out, err);
    }
    if (!strcmp(kind, "fraction"))
        return make_fraction(a, err);
    if (!strcmp(kind, "one-at-a-time")) {
        const char *way = argc > 1 ? argv[1] : "both";
        if (strcmp(way, "up") != 0 && strcmp(way, "down") != 0 && strcmp(way, "both") != 0)
            return cli_usage(a->cli, "one-at-a-time is up (from the base), down (from all), or both, not '%s'", way);
        sl_buf_addf(&a->name, "one at a time %s", way);
        return sl_design_one_at_a_time(&a->settings, &a->of, strcmp(way, "down") != 0, strcmp(way, "up") != 0,
                                       &a->left_out, err);
    }
    if (!strcmp(kind, "list")) {
        if (argc < 2)
            return cli_usage(a->cli, "which list? Name a CSV file with a column a factor");
        return make_list(a, argv[1], err);
    }
    if (count_of(a->cli, argc, argv, &n))
        return EXIT_USAGE;
    if (!strcmp(kind, "optimal"))
        return make_optimal(a, n, err);
    sl_buf_addf(&a->name, "%s %zu", kind, n);
    return !strcmp(kind, "random")
               ? sl_design_random(&a->settings, &a->of, n, a->seed, err)
               : sl_design_balanced(&a->settings, &a->of, n, a->seed, &a->off_single, &a->off_pair, err);
}

/* ---- what is said of it ---- */

/* The factor of a column of a fraction. */
static const char *varied(const struct asked *a, int column)
{
    for (size_t f = 0; f < a->plan.factor.n; f++)
        if (a->vary[f] && !column--)
            return a->plan.factor.v[f].name;
    return "";
}

static void put_product(struct sl_buf *b, const struct asked *a, uint64_t factors)
{
    for (int i = 0, n = 0; i < a->fraction.factors; i++)
        if (factors >> i & 1)
            sl_buf_addf(b, "%s%s", n++ ? ":" : "", varied(a, i));
}

static void say_generators(const struct asked *a)
{
    const struct sl_fraction *f = &a->fraction;

    printf("generators%s:\n", f->best ? "" : " (not all that there are were compared)");
    for (int i = f->bits; i < f->factors; i++) {
        struct sl_buf b = {0};
        put_product(&b, a, f->column[i]); /* the first factors are the bits */
        printf("  %s = %s\n", varied(a, i), b.s);
        sl_buf_free(&b);
    }
    printf("words of the defining relation:");
    for (int j = 3, first = 1; j <= f->factors; j++)
        if (f->words[j] > 0) {
            printf("%s %.0f of length %d", first ? "" : ",", f->words[j], j);
            first = 0;
        }
    puts("");
}

/* Effects of one factor or two that have the same column. */
static void say_aliases(const struct asked *a)
{
    const struct sl_fraction *f = &a->fraction;
    uint32_t runs = UINT32_C(1) << f->bits;
    struct sl_buf *of = sl_alloc(runs * sizeof *of);
    int *n = sl_alloc(runs * sizeof *n), *first = sl_alloc(runs * sizeof *first), groups = 0, shown = 0;

    for (int i = 0; i < f->factors; i++) {
        put_product(&of[f->column[i]], a, UINT64_C(1) << i);
        n[f->column[i]]++;
        first[f->column[i]] = -1 - i;
    }
    for (int i = 0; i < f->factors; i++)
        for (int k = i + 1; k < f->factors; k++) {
            uint32_t c = f->column[i] ^ f->column[k];
            sl_buf_adds(&of[c], n[c]++ ? " = " : "");
            put_product(&of[c], a, UINT64_C(1) << i | UINT64_C(1) << k);
        }
    for (uint32_t c = 0; c < runs; c++)
        groups += n[c] > 1;
    puts(groups ? "aliases, which these runs cannot tell apart (of one factor or two):"
                : "no effect of a factor or of two is aliased with another one of these");
    for (int pass = 0; pass < 2; pass++) /* those of factors first */
        for (uint32_t c = 0; c < runs; c++)
            if (n[c] > 1 && (first[c] < 0) == !pass && shown++ < TELL)
                printf("  %s\n", of[c].s);
    if (shown > TELL)
        printf("  and %d more\n", shown - TELL);
    for (uint32_t c = 0; c < runs; c++)
        sl_buf_free(&of[c]);
    free(of);
    free(n);
    free(first);
}

static void say(const struct asked *a, const char *kind, size_t before, const char *path)
{
    size_t n = sl_settings_n(&a->settings), added = a->schedule.v.n - before;
    bool dry = cli_option(a->cli, "dry-run");

    printf("%s: %s%zu run%s (%s), ids %s to %s", path, dry ? "would get " : "", added, added == 1 ? "" : "s", a->name.s,
           a->schedule.v.v[before].run, a->schedule.v.v[a->schedule.v.n - 1].run);
    if (a->repeats > 1)
        printf(": %u blocks of %zu", a->repeats, n);
    if (before)
        printf(", beside %zu from before", before);
    puts("");
    if (!strcmp(kind, "fraction") && a->fraction.resolution) {
        say_generators(a);
        say_aliases(a);
    }
    if (a->left_out)
        printf("left out, since constraints forbid them: %zu setting%s\n", a->left_out, a->left_out == 1 ? "" : "s");
    if (!strcmp(kind, "optimal") && isfinite(a->logdet))
        printf("with what has run, or will: log det X'X = %.4g\n", a->logdet);
    else if (!strcmp(kind, "optimal"))
        puts("with what has run, or will, these are still too few runs to tell all effects apart");
    if (!strcmp(kind, "balanced") && !a->off_pair && !a->off_single)
        puts("each level is there as often as the others of its factor, and each pair of levels, too, as near as "
             "whole numbers are");
    else if (!strcmp(kind, "balanced"))
        printf("from even: levels by at most %d run%s, pairs of levels by at most %d\n", a->off_single,
               a->off_single == 1 ? "" : "s", a->off_pair);
}

/* What would be noticed late. */
static void say_before(const struct asked *a)
{
    struct sl_buf score = {0};
    struct sl_err wrong = {0};

    if (!a->plan.score.line) {
        cli_experiment_score(&score, &a->plan);
        printf("score: %s\n", score.s);
        sl_buf_free(&score);
    }
    if (sl_programs_check(&a->plan, &wrong))
        cli_say("before they can run: %s", wrong.text);
}

/* ---- all of it ---- */

static int design(struct asked *a, int argc, char **argv, struct sl_err *err)
{
    char *path;
    size_t before;
    int rc = cli_experiment_plan(a->cli, &a->plan, err);

    if (rc)
        return rc;
    path = sl_schedule_path(&a->plan);
    a->seed = a->plan.seed;
    a->repeats = (uint32_t)a->plan.repeats;
    if (cli_option(a->cli, "seed"))
        rc = cli_experiment_whole(a->cli, "seed", 0, &a->seed);
    if (!rc && cli_option(a->cli, "repeats")) {
        uint64_t repeats = 0;
        rc = cli_experiment_whole(a->cli, "repeats", 1, &repeats);
        a->repeats = (uint32_t)repeats;
    }
    if (!rc)
        rc = choose_factors(a, err);
    if (!rc)
        rc = check_constraints(a, err);
    if (!rc)
        rc = sl_schedule_read(&a->schedule, &a->plan, path, false, err);
    before = a->schedule.v.n;
    if (!rc)
        rc = make(a, argc, argv, err);
    if (!rc && !sl_settings_n(&a->settings))
        rc = sl_err(err, SL_EUSAGE, "this design has no run");
    if (!rc && !strcmp(argv[0], "list") && a->repeats == 1) { /* its order is its author's */
        struct sl_settings one = {.factors = a->settings.factors};
        for (size_t i = 0; i < sl_settings_n(&a->settings); i++) {
            sl_settings_add(&one, sl_setting(&a->settings, i));
            sl_schedule_add(&a->schedule, &one, 1, a->name.s, a->seed);
            a->schedule.v.v[a->schedule.v.n - 1].block = a->schedule.v.v[before].block;
            sl_vec_clear(&one.level);
        }
        sl_settings_free(&one);
    } else if (!rc) {
        sl_schedule_add(&a->schedule, &a->settings, a->repeats, a->name.s, a->seed);
    }
    if (!rc && !cli_option(a->cli, "dry-run"))
        rc = sl_schedule_write(&a->schedule, &a->plan, path, err);
    if (!rc) {
        say(a, argv[0], before, path);
        say_before(a);
    }
    free(path);
    return rc;
}

int cli_experiment_design(const struct cli *cli, int argc, char **argv)
{
    static const struct {
        const char *kind, *options;
        int most;
    } kinds[] = {{"full", "", 1},     {"fraction", " resolution runs ", 1}, {"one-at-a-time", "", 2}, {"random", "", 2},
                 {"balanced", "", 2}, {"optimal", " interactions ", 2},     {"list", "", 2}};
    struct asked a = {.cli = cli};
    struct sl_err err = {0};
    size_t k = 0;
    int rc;

    if (!argc)
        return cli_usage(cli, "which design? full, fraction, one-at-a-time, random N, balanced N, optimal N or list "
                              "FILE");
    while (k < sizeof kinds / sizeof *kinds && strcmp(kinds[k].kind, argv[0]) != 0)
        k++;
    if (k == sizeof kinds / sizeof *kinds)
        return cli_usage(cli,
                         "there is no design '%s'; there are full, fraction, one-at-a-time, random, balanced, "
                         "optimal, list",
                         argv[0]);
    if (argc > kinds[k].most)
        return cli_usage(cli, "design %s takes no '%s'", argv[0], argv[kinds[k].most]);
    for (int i = 0; i < cli->ngiven; i++) {
        char word[32];
        snprintf(word, sizeof word, " %s ", cli->given[i].spec->name);
        if (strstr(" resolution runs interactions ", word) && !strstr(kinds[k].options, word))
            return cli_usage(cli, "design %s has no option --%s", argv[0], cli->given[i].spec->name);
    }
    rc = design(&a, argc, argv, &err);
    free(a.vary);
    free(a.high);
    sl_buf_free(&a.name);
    sl_settings_free(&a.settings);
    sl_schedule_free(&a.schedule);
    sl_plan_free(&a.plan);
    return rc < 0 ? cli_fail(cli, &err) : rc;
}
