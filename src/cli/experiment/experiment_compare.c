/* SPDX-License-Identifier: Apache-2.0 */
/* `spanloom experiment compare`: two settings of a plan, or two commands, in turns until it is known. */
#include "base/buf.h"
#include "base/clock.h"
#include "cli/experiment/experiment_plan.h"
#include "cli/experiment/subcommands.h"
#include "design/comparison.h"
#include "design/plan/find_programs.h"
#include "design/setting.h"
#include "result/trials.h"
#include "show/experiment/print_trials.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS = 200 /* where nobody says how many */, YOUNG_S = 60 };

/* ---- options that several have ---- */

double cli_experiment_percent(const struct cli *cli, const char *name, double otherwise)
{
    const char *s = cli_option(cli, name);
    char *end;
    double v = s ? strtod(s, &end) : 0;

    if (!s)
        return otherwise;
    if (end == s || strcmp(end, "%") != 0 || !(v >= 0) || !isfinite(v)) {
        cli_usage(cli, "--%s takes percent, such as 5%%, not '%s'", name, s);
        return NAN;
    }
    return v / 100;
}

double cli_experiment_time(const struct cli *cli, const char *name, double otherwise)
{
    const char *s = cli_option(cli, name);
    double v = s ? sl_plan_seconds(s) : otherwise;

    if (isnan(v))
        cli_usage(cli, "--%s takes a time, such as 30s, 10min or 2h (a number alone is seconds), not '%s'", name, s);
    return v;
}

int cli_experiment_seed(const struct cli *cli, uint64_t *seed)
{
    if (getrandom(seed, sizeof *seed, 0) != (ssize_t)sizeof *seed)
        *seed = (uint64_t)sl_clock_now_ns();
    return cli_experiment_whole(cli, "seed", 0, seed);
}

/* ---- plans of commands ---- */

bool cli_experiment_temp_is_dead(const char *folder)
{
    bool alive = false;
    struct dirent *e;
    struct stat st;
    DIR *d;

    if (lstat(folder, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || !(d = opendir(folder)))
        return false; /* gone, or of another user or machine */
    while ((errno = 0, e = readdir(d)) && !alive) {
        size_t n = strlen(e->d_name);
        char path[PATH_MAX];
        struct sl_undo left;
        int lock;
        if (n < sizeof ".x.lock" - 1 || strcmp(e->d_name + n - 5, ".lock") != 0)
            continue;
        snprintf(path, sizeof path, "%.3000s/%.250s", folder, e->d_name);
        alive = (lock = sl_trials_lock_of_dead(path)) < 0;
        if (alive)
            continue;
        unlink(path);
        memcpy(path + strlen(path) - 4, "undo", 4);
        if (!sl_undo_open(&left, path, NULL))
            sl_undo_all(&left, NULL);
        close(lock);
    }
    alive |= !e && errno; /* who knows */
    closedir(d);
    return !alive;
}

/* One that is young and has no lock may be about to get it. */
static void sweep(const char *dir)
{
    struct dirent *e;
    DIR *d = opendir(dir);

    while (d && (e = readdir(d))) {
        char path[PATH_MAX];
        struct stat st;
        snprintf(path, sizeof path, "%.3000s/%.250s", dir, e->d_name);
        if (!strncmp(e->d_name, CLI_EXPERIMENT_TEMP, strlen(CLI_EXPERIMENT_TEMP)) && !lstat(path, &st) &&
            time(NULL) - st.st_mtime > YOUNG_S && cli_experiment_temp_is_dead(path))
            rmdir(path);
    }
    if (d)
        closedir(d);
}

int cli_experiment_temp(char path[PATH_MAX], struct sl_err *err)
{
    const char *dir = getenv("TMPDIR");

    dir = dir && *dir ? dir : "/tmp";
    sweep(dir);
    snprintf(path, PATH_MAX, "%.4000s/" CLI_EXPERIMENT_TEMP "XXXXXX", dir);
    return mkdtemp(path) ? 0 : sl_err(err, SL_EIO, "cannot make the folder %s: %s", path, strerror(errno));
}

void cli_experiment_temp_remove(const char *path, const struct sl_plan *p)
{
    struct sl_buf lock = {0};

    sl_buf_addf(&lock, "%s/.%s.lock", path, p->name);
    unlink(lock.s);
    rmdir(path);
    sl_buf_free(&lock);
}

void cli_experiment_plan_text(struct sl_buf *b, const struct cli *cli, const char *name, const char *command)
{
    const char *score = cli_option(cli, "score"), *timeout = cli_option(cli, "timeout");

    sl_buf_addf(b, "{\"experiment\": \"%s\", \"command\": ", name);
    sl_buf_add_json(b, command, strlen(command));
    if (score) {
        sl_buf_adds(b, ", \"score\": {\"regex\": ");
        sl_buf_add_json(b, score, strlen(score));
        sl_buf_addf(b, ", \"better\": \"%s\"}", cli_option(cli, "rate") ? "more" : "less");
    }
    if (timeout) {
        sl_buf_adds(b, ", \"timeout\": ");
        sl_buf_add_json(b, timeout, strlen(timeout));
    }
}

/* Two commands as the levels of one factor. */
static int plan_of_commands(struct sl_plan *p, const struct cli *cli, char **argv, struct sl_err *err)
{
    struct sl_buf b = {0};
    int rc;

    cli_experiment_plan_text(&b, cli, "compare", argv[0]);
    sl_buf_adds(&b, ", \"factors\": {\"new\": {\"levels\": {\"0\": {}, \"1\": {\"command\": ");
    sl_buf_add_json(&b, argv[1], strlen(argv[1]));
    sl_buf_adds(&b, "}}}}}");
    rc = sl_plan_parse(p, "command line", b.s, b.n, err);
    sl_buf_free(&b);
    return rc;
}

/* ---- a comparison ---- */

static void progress(void *to, const struct sl_comparison *c)
{
    const struct sl_compared *is = &c->is;

    (void)to;
    fprintf(stderr, "\r\033[Kpair %zu: %+.1f %%", is->pairs, 100 * is->worse);
    if (isfinite(is->low) && isfinite(is->high))
        fprintf(stderr, " (%+.1f to %+.1f %%)", 100 * is->low, 100 * is->high);
}

static int settings(const struct sl_plan *p, char **argv, bool commands, int32_t *setting, struct sl_err *err)
{
    size_t k = p->factor.n;
    int rc = 0;

    if (commands) {
        setting[1] = 1;
        return 0;
    }
    for (int side = 0; side < 2 && !rc; side++)
        rc = sl_setting_parse(p, argv[side], setting + (size_t)side * k, err);
    if (!rc && !memcmp(setting, setting + k, k * sizeof *setting) && strcmp(argv[0], argv[1]) != 0)
        rc = sl_err(err, SL_EUSAGE, "'%s' and '%s' are the same setting", argv[0], argv[1]);
    return rc;
}

static int exit_of(const struct sl_comparison *c)
{
    if (isnan(c->rule.fail_on))
        return EXIT_DONE;
    return c->is.verdict == SL_COMPARE_WORSE                                          ? EXIT_GATE
           : c->is.verdict == SL_COMPARE_UNKNOWN || c->is.verdict == SL_COMPARE_CLOSE ? EXIT_UNKNOWN
                                                                                      : EXIT_DONE;
}

static int show(const struct cli *cli, const struct sl_comparison *c, const struct sl_plan *p, char **argv,
                bool commands)
{
    struct sl_buf name[2] = {{0}};
    struct sl_result r = {0};
    struct sl_err err = {0};
    int rc = 0;

    for (int side = 0; side < 2; side++)
        if (commands)
            sl_buf_adds(&name[side], argv[side]);
        else
            sl_trial_name(&name[side], p, c->setting[side]);
    sl_result_comparison(
        &r, &(struct sl_comparison_row){.verdict = sl_compare_verdicts[c->is.verdict],
                                        .base = name[0].s,
                                        .new = name[1].s,
                                        .change = c->is.worse,
                                        .lower = c->is.low,
                                        .upper = c->is.high,
                                        .pairs = (int64_t)c->is.pairs,
                                        .more_pairs = c->is.verdict == SL_COMPARE_UNKNOWN ? c->is.more : NAN,
                                        .base_score = c->is.base,
                                        .new_score = c->is.new,
                                        .unit = p->score.unit,
                                        .base_failed = (int64_t)c->failed[0],
                                        .new_failed = (int64_t)c->failed[1],
                                        .fail_on = c->rule.fail_on,
                                        .elapsed_s = c->elapsed_s});
    if (cli->format == SL_FORMAT_TABLE)
        sl_show_comparison(stdout, &r);
    else
        rc = sl_show_result(stdout, &r, cli->format, &err);
    sl_result_free(&r);
    sl_buf_free(&name[0]);
    sl_buf_free(&name[1]);
    return rc < 0 ? cli_fail(cli, &err) : exit_of(c);
}

/* Runs it; where the plan is a file, its runs are kept beside those of `experiment run`. */
static int compare(const struct cli *cli, struct sl_plan *p, struct sl_comparison *c, char **argv, bool commands)
{
    char state[PATH_MAX], id[64];
    const char *folder = p->folder;
    struct sl_trials s;
    struct sl_err err = {0};
    int rc, code;

    if (commands) { /* what is kept for a run that is killed needs no place where people work */
        if (sl_programs_check(p, &err) || cli_experiment_temp(state, &err))
            return cli_fail(cli, &err);
        p->folder = state;
    }
    rc = commands ? sl_trials_open(&s, p, NULL, &err) : cli_experiment_open(&s, p, NULL, &err);
    p->folder = folder;
    if (!rc) {
        c->log = -1;
        snprintf(id, sizeof id, "compare-%lld", (long long)(sl_clock_now_ns() / 1000000));
        c->id = id;
        if (!commands) {
            char *path = sl_run_log_path(p, "compare");
            c->log = rc = sl_run_log_open(path, &s, &err);
            rc = rc < 0 ? rc : 0;
            free(path);
        }
        if (!rc)
            rc = sl_comparison_run(c, &s, &err);
        if (c->log >= 0)
            close(c->log);
        sl_trials_close(&s);
    }
    if (commands)
        cli_experiment_temp_remove(state, p);
    if (c->progress)
        fputs("\r\033[K", stderr);
    if (rc)
        return cli_fail(cli, &err);
    code = c->end == SL_COMPARISON_FAILED && !c->is.pairs ? EXIT_FAILED : show(cli, c, p, argv, commands);
    if (c->end == SL_COMPARISON_FAILED) {
        int side = *c->why[1] && (!*c->why[0] || c->failed[1] >= c->failed[0]);
        sl_err(&err, SL_EIO, "%s fails: %s", side ? "the new one" : "the base", c->why[side]);
        return cli_fail(cli, &err);
    }
    return c->end == SL_COMPARISON_INTERRUPTED ? 128 + c->signal : code;
}

int cli_experiment_compare(const struct cli *cli, int argc, char **argv)
{
    const char *file = cli_option(cli, "plan");
    bool commands = !file && access(CLI_EXPERIMENT_FILE, F_OK);
    struct sl_comparison c = {.warm_up = true, .rule = {.fail_on = NAN, .alpha = 0.05}};
    struct sl_plan p = {0};
    struct sl_err err = {0};
    uint64_t pairs = PAIRS;
    int32_t *setting;
    int rc;

    if (argc != 2)
        return cli_usage(cli,
                         "compare what? BASE and NEW: settings of " CLI_EXPERIMENT_FILE ", such as none and a,b=2, or, "
                         "where there is none, two commands");
    if ((rc = cli_experiment_whole(cli, "pairs", 1, &pairs)) || (rc = cli_experiment_seed(cli, &c.seed)))
        return rc;
    c.pairs = pairs;
    if (isnan(c.rule.fail_on = cli_experiment_percent(cli, "fail-on", NAN)) && cli_option(cli, "fail-on"))
        return EXIT_USAGE;
    c.rule.within = cli_experiment_percent(cli, "within", c.rule.fail_on > 0 ? c.rule.fail_on / 5 : 0.01);
    c.budget_s = cli_experiment_time(cli, "budget", INFINITY);
    if (isnan(c.rule.within) || isnan(c.budget_s))
        return EXIT_USAGE;
    if (!commands && (cli_option(cli, "score") || cli_option(cli, "timeout") || cli_option(cli, "rate")))
        return cli_usage(cli, "%s says what the score and the timeout are", file ? file : CLI_EXPERIMENT_FILE);
    if (cli_option(cli, "rate") && !cli_option(cli, "score"))
        return cli_usage(cli, "--rate is of --score REGEX; the time of a command is no rate");
    rc = commands ? plan_of_commands(&p, cli, argv, &err) : cli_experiment_plan(cli, &p, &err);
    setting = sl_alloc(2 * (p.factor.n + 1) * sizeof *setting);
    if (!rc)
        rc = settings(&p, argv, commands, setting, &err);
    if (rc) {
        rc = cli_fail(cli, &err);
    } else {
        c.setting[0] = setting;
        c.setting[1] = setting + p.factor.n;
        c.rule.rate = p.score.more;
        c.progress = isatty(2) ? progress : NULL;
        rc = compare(cli, &p, &c, argv, commands);
    }
    free(setting);
    sl_plan_free(&p);
    return rc;
}
