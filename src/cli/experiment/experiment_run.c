/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `spanloom experiment run`: makes the runs that are planned and have not been made, in their order, and writes each
 * into the log when it is over.  What is killed goes on where it was.
 */
#include "base/clock.h"
#include "cli/experiment/experiment_plan.h"
#include "cli/experiment/experiment_session.h"
#include "cli/experiment/subcommands.h"
#include "design/command.h"
#include "design/plan/find_programs.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* So many runs fail at first, and none has ever worked: something is wrong with all of them. */
enum { HOPELESS = 5 };

/* ---- before ---- */

static bool ours(const struct cli_experiment_session *s, size_t i)
{
    return !s->done[i] && (!s->block || !strcmp(s->schedule.v.v[i].block, s->block));
}

static int load(struct cli_experiment_session *s, struct sl_err *err)
{
    char *path = sl_schedule_path(&s->plan);
    bool known = false;
    int rc = sl_schedule_read(&s->schedule, &s->plan, path, false, err);

    if (!rc && !s->schedule.v.n)
        rc = sl_err(err, SL_ENOTFOUND,
                    "no run is planned (%s); plan some, such as with: spanloom experiment design full", path);
    free(path);
    if (!rc)
        rc = sl_run_log_read(&s->records, &s->plan, err);
    if (rc)
        return rc;
    s->done = sl_schedule_done(&s->schedule, &s->records);
    for (size_t i = 0; i < s->schedule.v.n; i++) {
        s->left += ours(s, i);
        known |= !s->block || !strcmp(s->schedule.v.v[i].block, s->block);
    }
    for (size_t i = 0; i < s->records.v.n; i++) {
        s->worked += !isnan(s->records.v.v[i].score);
        s->spent_s += isnan(s->records.v.v[i].wall_s) ? 0 : s->records.v.v[i].wall_s;
    }
    return known ? 0 : sl_err(err, SL_EUSAGE, "no block of the planned runs is called %s", s->block);
}

/* Failed runs once more, under new ids, behind all others. */
static int plan_again(struct cli_experiment_session *s, struct sl_err *err)
{
    struct sl_settings again = {.factors = s->plan.factor.n};
    char *path = sl_schedule_path(&s->plan);
    int rc = sl_schedule_read(&s->schedule, &s->plan, path, false, err);

    if (!rc)
        rc = sl_run_log_read(&s->records, &s->plan, err);
    if (!rc) {
        for (size_t i = 0; i < s->schedule.v.n; i++)
            for (size_t k = 0; k < s->records.v.n; k++)
                if (isnan(s->records.v.v[k].score) && !s->schedule.v.v[i].text &&
                    !strcmp(s->records.v.v[k].run, s->schedule.v.v[i].run) &&
                    !strstr(s->schedule.v.v[i].design, "; again"))
                    sl_settings_add(&again, s->schedule.v.v[i].setting);
        if (!sl_settings_n(&again)) {
            rc = sl_err(err, SL_EUSAGE, "no run has failed that was not made again already");
        } else {
            struct sl_buf name = {0};
            sl_buf_addf(&name, "failed; again");
            sl_schedule_add(&s->schedule, &again, 1, name.s, s->plan.seed);
            rc = sl_schedule_write(&s->schedule, &s->plan, path, err);
            sl_buf_free(&name);
        }
    }
    sl_settings_free(&again);
    sl_run_records_free(&s->records);
    sl_schedule_free(&s->schedule);
    s->schedule = (struct sl_schedule){0};
    s->records = (struct sl_run_records){0};
    free(path);
    return rc;
}

static int make_traces(struct cli_experiment_session *s, struct sl_err *err)
{
    struct sl_buf b = {0};

    if (!s->plan.trace)
        return 0;
    sl_buf_addf(&b, "%s/%s.traces", s->plan.folder, s->plan.name);
    s->traces = b.s;
    return mkdir(s->traces, 0777) && errno != EEXIST
               ? sl_err(err, SL_EIO, "cannot make %s: %s", s->traces, strerror(errno))
               : 0;
}

/* ---- while it runs ---- */

static void say_time(char to[32], double s_from_now)
{
    time_t t = (time_t)(sl_clock_now_ns() / 1000000000 + (int64_t)s_from_now);
    struct tm tm;

    localtime_r(&t, &tm);
    strftime(to, 32, "%Y-%m-%d %H:%M", &tm);
}

/* "12 of 96, 1 failed; 3.2 s each, ends about 2026-11-23 04:12 (in 1 h 02 min)" */
static void progress(const struct cli_experiment_session *s, const char *now)
{
    double each = (double)(sl_clock_now_ns() - s->began_ns) * 1e-9 / (s->made ? (double)s->made : 1),
           left = each * (double)(s->left - s->made);
    char when[32], in[SL_SECONDS_TEXT], one[SL_SECONDS_TEXT];
    struct sl_buf b = {0};

    if (!s->terminal)
        return;
    sl_buf_addf(&b, "run %zu of %zu", s->made + 1 < s->left ? s->made + 1 : s->left, s->left);
    if (s->failed)
        sl_buf_addf(&b, ", %zu failed", s->failed);
    if (s->made) {
        say_time(when, left);
        sl_buf_addf(&b, "; %s each, ends about %s (in %s)", sl_seconds_text(each, one), when + 5,
                    sl_seconds_text(left, in));
    }
    sl_buf_addf(&b, "  %s", now);
    fprintf(stderr, "\r%.*s\033[K", 78, b.s);
    sl_buf_free(&b);
}

static void say_failure(const struct cli_experiment_session *s, const struct sl_planned *run, const struct sl_trial *t)
{
    struct sl_buf name = {0};

    sl_trial_name(&name, &s->plan, t->setting);
    fprintf(stderr, "%sspanloom: run %s (%s): %s\n", s->terminal ? "\r\033[K" : "", run->run, name.s, t->why);
    sl_buf_free(&name);
}

static int one_run(struct cli_experiment_session *s, const struct sl_planned *run, struct sl_err *err)
{
    struct sl_trial t = {.setting = run->setting};
    struct sl_buf traces = {0}, name = {0};
    int rc;

    sl_trial_name(&name, &s->plan, run->setting);
    progress(s, name.s);
    sl_buf_free(&name);
    if (s->traces) {
        sl_buf_addf(&traces, "%s/%s", s->traces, run->run);
        t.traces = traces.s;
    }
    rc = sl_trial_run(&s->trials, &t, err);
    s->signal = !rc && t.outcome == SL_TRIAL_INTERRUPTED ? t.signal : 0;
    if (!rc && !s->signal) {
        const char *columns[] = {"design", run->design, NULL};
        rc = sl_run_log_add(s->log, &s->trials, run->run, run->block, &t, *run->design ? columns : NULL, err);
    }
    if (!rc && !s->signal) {
        s->made++;
        s->failed += t.outcome != SL_TRIAL_DONE;
        s->worked += t.outcome == SL_TRIAL_DONE;
        s->spent_s += isnan(t.wall_s) ? 0 : t.wall_s;
        if (t.outcome != SL_TRIAL_DONE)
            say_failure(s, run, &t);
    }
    sl_buf_free(&traces);
    return rc;
}

static int all_runs(struct cli_experiment_session *s, uint64_t most, struct sl_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < s->schedule.v.n && !rc && !s->signal && s->made < most; i++) {
        if (!ours(s, i))
            continue;
        if (s->spent_s >= s->plan.budget_s || s->records.v.n + s->made >= s->plan.budget_runs) {
            s->over_budget = true;
            break;
        }
        rc = one_run(s, &s->schedule.v.v[i], err);
        if (!rc && !s->worked && s->failed >= HOPELESS)
            rc = sl_err(err, SL_EFORMAT,
                        "the first %zu runs have all failed, and none has worked yet: put that right, then go on; "
                        "failed runs are made again with --again",
                        s->failed);
    }
    return rc;
}

/* ---- behind it ---- */

static void say_end(const struct cli_experiment_session *s)
{
    size_t left = s->left - s->made;

    if (s->terminal)
        fputs("\r\033[K", stderr);
    printf("%s: %zu run%s made, %zu failed", s->plan.name, s->made, s->made == 1 ? "" : "s", s->failed);
    if (left)
        printf("; %zu left%s", left, s->block ? " of this block" : "");
    if (s->over_budget)
        printf(": the budget is used up");
    else if (left)
        printf(": go on with the same command");
    puts("");
    if (s->terminal && !left && s->worked && !cli_option(s->cli, "no-import"))
        fputs("what it says: spanloom experiment means, or model; all of it: report -o FILE.html\n", stderr);
}

/* The store is as the log is, also where nothing was run. */
static int into_store(struct cli_experiment_session *s, struct sl_err *err)
{
    struct sl_err wrong = {0};
    int rc = 0;

    if (cli_option(s->cli, "no-import"))
        return 0;
    rc = sl_run_log_import(&s->plan, s->cli->store_path, s->traces, &wrong);
    return rc ? sl_err(err, wrong.code, "%s; nothing is lost: spanloom import %s/%s.runs.jsonl", wrong.text,
                       s->plan.folder, s->plan.name)
              : 0;
}

/* Under the lock. */
static int make_runs(struct cli_experiment_session *s, const char *part, uint64_t most, struct sl_err *err)
{
    struct sl_err wrong = {0};
    char *path;
    int rc = cli_option(s->cli, "again") ? plan_again(s, err) : 0;

    if (!rc)
        rc = load(s, err);
    if (rc)
        return rc;
    if (!s->left) {
        printf("%s: all planned runs have been made\n", s->plan.name);
        return into_store(s, err);
    }
    if ((rc = make_traces(s, err)))
        return rc;
    path = sl_run_log_path(&s->plan, part);
    s->trials.several = part;
    s->log = sl_run_log_open(path, &s->trials, err);
    free(path);
    if (s->log < 0)
        return s->log;
    s->began_ns = sl_clock_now_ns();
    rc = all_runs(s, most, err);
    close(s->log);
    say_end(s);
    if (into_store(s, &wrong) && !rc)
        rc = sl_err(err, wrong.code, "%s", wrong.text);
    return rc;
}

static int submit(struct cli_experiment_session *s, struct sl_err *err)
{
    struct sl_err wrong = {0};
    int rc = cli_option(s->cli, "again") ? plan_again(s, err) : 0;

    if (!rc && sl_programs_check(&s->plan, &wrong)) /* nodes may have others */
        cli_say("here, at least: %s", wrong.text);
    if (!rc)
        rc = load(s, err);
    if (!rc && !s->left) {
        printf("%s: all planned runs have been made\n", s->plan.name);
        return into_store(s, err);
    }
    if (!rc)
        rc = make_traces(s, err);
    if (!rc)
        rc = cli_experiment_slurm(s, err);
    return rc ? rc : s->records.v.n || cli_option(s->cli, "wait") ? into_store(s, err) : 0;
}

static int session(struct cli_experiment_session *s, struct sl_err *err)
{
    const char *part = cli_option(s->cli, "part");
    struct sl_buf state = {0};
    uint64_t most = UINT64_MAX;
    int rc = cli_experiment_whole(s->cli, "runs", 1, &most);

    if (rc || cli_option(s->cli, "launcher"))
        return rc ? rc : submit(s, err);
    sl_buf_addf(&state, "%s%s%s", s->plan.name, part ? "." : "", part ? part : "");
    rc = cli_experiment_open(&s->trials, &s->plan, state.s, err);
    sl_buf_free(&state);
    if (!rc) {
        rc = make_runs(s, part, most, err);
        sl_trials_close(&s->trials);
    }
    return rc;
}

static bool is_part(const char *name)
{
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] &&
           strcmp(name, "compare") != 0 && strcmp(name, "tune") != 0;
}

int cli_experiment_run(const struct cli *cli, int argc, char **argv)
{
    struct cli_experiment_session s = {
        .cli = cli, .block = cli_option(cli, "block"), .log = -1, .terminal = isatty(STDERR_FILENO)};
    struct sl_err err = {0};
    int rc;

    if (argc)
        return cli_usage(cli, "experiment run takes no '%s': what is run stands in " CLI_EXPERIMENT_FILE, argv[0]);
    if (cli_option(cli, "launcher") && strcmp(cli_option(cli, "launcher"), "slurm") != 0)
        return cli_usage(cli, "runs are launched by slurm, or, without --launcher, here; not by '%s'",
                         cli_option(cli, "launcher"));
    if (!cli_option(cli, "launcher") && (cli_option(cli, "wait") || cli_option(cli, "sbatch")))
        return cli_usage(cli, "--wait and --sbatch are of --launcher slurm");
    if (cli_option(cli, "launcher") && (s.block || cli_option(cli, "part") || cli_option(cli, "runs")))
        return cli_usage(cli, "--launcher submits all blocks: leave --block, --part and --runs away");
    if (cli_option(cli, "part") && !s.block)
        return cli_usage(cli, "--part is of one block: several at once would make the same runs; say --block, too");
    if (cli_option(cli, "part") && !is_part(cli_option(cli, "part")))
        return cli_usage(cli,
                         "--part NAME names the log of this process, for one of several at once: letters, digits, _ "
                         "and - (and not compare or tune, which have logs of their own), not '%s'",
                         cli_option(cli, "part"));
    rc = cli_experiment_plan(cli, &s.plan, &err);
    if (!rc && cli_option(cli, "trace"))
        s.plan.trace = true;
    if (!rc)
        rc = session(&s, &err);
    free(s.done);
    free(s.traces);
    sl_run_records_free(&s.records);
    sl_schedule_free(&s.schedule);
    sl_plan_free(&s.plan);
    return rc < 0                         ? cli_fail(cli, &err)
           : rc                           ? rc
           : s.signal                     ? 128 + s.signal
           : s.made && s.failed == s.made ? EXIT_FAILED
                                          : EXIT_DONE;
}
