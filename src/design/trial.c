/* SPDX-License-Identifier: Apache-2.0 */
#include "design/trial.h"
#include "base/clock.h"
#include "base/files/temporary.h"
#include "design/apply_setting.h"
#include "design/command.h"
#include "design/score.h"
#include "design/traces.h"
#include "recipe/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    OUTPUT_MOST = 16 << 20, /* of output that a score is looked for in: its end */
    HOST = sizeof((struct sl_trials *)0)->host
};

/* ---- files for output ---- */

/* The last line with something in it. */
static void last_line(const struct sl_buf *b, char *to, size_t room)
{
    size_t end = b->n, begin;

    while (end && strchr(" \t\r\n", b->s[end - 1]))
        end--;
    for (begin = end; begin && b->s[begin - 1] != '\n'; begin--)
        ;
    snprintf(to, room, "%.*s", (int)(end - begin < 200 ? end - begin : 200), b->s ? b->s + begin : "");
    for (char *s = to; *s; s++) /* what terminals take as orders */
        if ((unsigned char)*s < ' ')
            *s = ' ';
}

/* ---- one command ---- */

static void began(void *to, pid_t pid)
{
    struct sl_trials *s = to;

    s->pid = pid;
    sl_undo_process(&s->undo, pid, NULL);
}

/* Says why `what` went wrong, if it did: false. */
static bool judge(struct sl_trial *t, const struct sl_command *c, const char *what, const char *said)
{
    const char *colon = *said ? ": " : "";

    if (c->signal) {
        t->outcome = SL_TRIAL_INTERRUPTED;
        t->signal = c->signal;
    } else if (c->error) {
        t->outcome = SL_TRIAL_FAILED;
        snprintf(t->why, sizeof t->why, "%scannot run %s: %s", what, c->argv[0], strerror(c->error));
    } else if (c->timed_out) {
        t->outcome = SL_TRIAL_TIMED_OUT;
        snprintf(t->why, sizeof t->why, "%stimed out after %g s%s%s", what, c->timeout_s, colon, said);
    } else if (WIFSIGNALED(c->status)) {
        t->outcome = SL_TRIAL_FAILED;
        snprintf(t->why, sizeof t->why, "%ssignal %d (%s)%s%s", what, WTERMSIG(c->status),
                 strsignal(WTERMSIG(c->status)), colon, said);
    } else if (WEXITSTATUS(c->status)) {
        t->outcome = SL_TRIAL_FAILED;
        snprintf(t->why, sizeof t->why, "%sexit status %d%s%s", what, WEXITSTATUS(c->status), colon, said);
    } else {
        return true;
    }
    return false;
}

/* True: it ended well.  output: NULL, or what it wrote. */
static bool run_command(struct sl_trials *s, struct sl_trial *t, struct sl_command *c, char *const *argv,
                        const struct sl_applied_setting *a, const char *what, struct sl_buf *output)
{
    struct sl_buf b = {0};
    char said[256];
    int error;
    bool well;

    *c = (struct sl_command){.argv = argv,
                             .environment = a->environment,
                             .folder = s->plan->folder,
                             .timeout_s = s->plan->timeout_s,
                             .began = began,
                             .to = s};
    if (sl_command_interrupted()) {
        t->outcome = SL_TRIAL_INTERRUPTED;
        t->signal = sl_command_interrupted();
        return false;
    }
    if ((c->output = sl_temporary_file(&t->broken)) < 0)
        return false;
    sl_command_run(c);
    sl_undo_process(&s->undo, 0, NULL);
    if ((error = sl_command_output(&b, c->output, OUTPUT_MOST)))
        sl_err(&t->broken, SL_EIO, "cannot read what %s wrote: %s", argv[0], strerror(error));
    else if (c->unable)
        sl_err(&t->broken, SL_EIO, "cannot run %s: %s", argv[0], strerror(c->error));
    close(c->output);
    last_line(&b, said, sizeof said);
    well = !t->broken.code && judge(t, c, what, said);
    if (output && well)
        *output = b;
    else
        sl_buf_free(&b);
    return well;
}

static bool run_shell(struct sl_trials *s, struct sl_trial *t, const char *text, const struct sl_applied_setting *a,
                      const char *what)
{
    char *argv[] = {"/bin/sh", "-c", (char *)(uintptr_t)text, NULL};
    struct sl_command c;

    return run_command(s, t, &c, argv, a, what, NULL);
}

/* ---- the score ---- */

static int read_score(struct sl_trials *s, struct sl_trial *t, const struct sl_buf *output, struct sl_err *err)
{
    const struct sl_plan_score *score = &s->plan->score;
    struct sl_buf file = {0};
    int rc;

    if (score->from == SL_SCORE_WALL) {
        t->measured = t->wall_s;
        return 0;
    }
    if (score->from == SL_SCORE_SQL)
        return sl_traces_score(&t->measured, t->traces, score->text, err);
    if (!score->file)
        return sl_score_of_text(&t->measured, score, output->s ? output->s : "", output->n, err);
    rc = sl_yaml_read(&file, score->file);
    rc = rc ? sl_err(err, rc == ENOENT ? SL_EFORMAT : SL_EIO, "no score: cannot read %s: %s", score->file, strerror(rc))
            : sl_score_of_text(&t->measured, score, file.s ? file.s : "", file.n, err);
    sl_buf_free(&file);
    return rc;
}

static void settle_score(struct sl_trials *s, struct sl_trial *t, const struct sl_buf *output)
{
    struct sl_err err = {0};

    if (read_score(s, t, output, &err)) {
        if (err.code == SL_EIO)
            t->broken = err;
        t->outcome = SL_TRIAL_FAILED;
        snprintf(t->why, sizeof t->why, "%.390s", err.text);
        t->measured = NAN;
        return;
    }
    t->score = t->measured;
    if (s->plan->score.overhead == SL_OVERHEAD_NONE)
        return;
    t->ideal = sl_plan_ideal(s->plan, t->setting);
    t->score = s->plan->score.overhead == SL_OVERHEAD_RATIO ? t->measured / t->ideal : t->measured - t->ideal;
    if (isnan(t->score)) {
        t->outcome = SL_TRIAL_FAILED;
        snprintf(t->why, sizeof t->why, "no overhead: no ideal is stated for this setting");
    }
}

/* ---- a run ---- */

static void run_it(struct sl_trials *s, struct sl_trial *t, const struct sl_applied_setting *a)
{
    struct sl_buf output = {0};
    struct sl_command c = {0};
    bool well = true;

    for (uint64_t i = 0; i < s->plan->warmup && well; i++)
        well = run_command(s, t, &c, a->argv, a, "warm-up: ", NULL);
    /* what an earlier run wrote is no score of this one */
    if (well && s->plan->score.file && unlink(s->plan->score.file) && errno != ENOENT) {
        t->outcome = SL_TRIAL_FAILED;
        snprintf(t->why, sizeof t->why, "cannot remove %.200s of another run: %s", s->plan->score.file,
                 strerror(errno));
        return;
    }
    if (!well || getloadavg(&t->load_1m, 1) != 1)
        t->load_1m = well ? NAN : t->load_1m;
    if (!well)
        return;
    well = run_command(s, t, &c, a->argv, a, "", &output);
    if (c.began_ns) {
        t->began_ns = c.began_ns;
        t->ended_ns = c.ended_ns;
        t->wall_s = c.wall_s;
        t->cpu_s = c.cpu_s;
        t->max_rss_mb = c.max_rss_mb;
        t->left = c.left;
        if (t->traces)
            sl_traces_process(t->process, sizeof t->process, t->traces, s->pid);
        t->exit_status = c.error ? -1 : WIFSIGNALED(c.status) ? 128 + WTERMSIG(c.status) : WEXITSTATUS(c.status);
    }
    if (well)
        settle_score(s, t, &output);
    sl_buf_free(&output);
}

static bool shell_all(struct sl_trials *s, struct sl_trial *t, const sl_plan_words *all,
                      const struct sl_applied_setting *a, const char *what)
{
    for (size_t i = 0; i < all->n; i++)
        if (!run_shell(s, t, all->v[i], a, what))
            return false;
    return true;
}

/* Whatever became of the run: it must not be seen by the next one. */
static void tear_down(struct sl_trials *s, struct sl_trial *t, const struct sl_applied_setting *a)
{
    struct sl_trial after = {0};

    if (t->outcome == SL_TRIAL_INTERRUPTED)
        sl_command_put_off(true); /* the signal has been heard; what is left to do is done */
    for (size_t i = 0; i < a->teardown.n; i++)
        if (!run_shell(s, &after, a->teardown.v[i], a, "teardown: ") && t->outcome == SL_TRIAL_DONE) {
            t->outcome = after.outcome;
            t->signal = after.signal;
            snprintf(t->why, sizeof t->why, "%s", after.why);
        }
    if (!t->broken.code)
        t->broken = after.broken;
    sl_command_put_off(false);
    sl_undo_keep_script(&s->undo, NULL, NULL);
}

/* For the next process, where this one is killed. */
static int keep_teardown(struct sl_trials *s, const struct sl_applied_setting *a, struct sl_err *err)
{
    struct sl_buf script = {0};
    int rc;

    sl_apply_teardown_script(&script, a);
    rc = script.n ? sl_undo_keep_script(&s->undo, script.s, err) : 0;
    sl_buf_free(&script);
    return rc;
}

int sl_trial_run(struct sl_trials *s, struct sl_trial *t, struct sl_err *err)
{
    struct sl_applied_setting a = {0};
    struct sl_err wrong = {0};
    int rc;

    t->outcome = SL_TRIAL_DONE;
    t->broken.code = 0;
    t->why[0] = t->process[0] = 0;
    t->signal = 0;
    t->exit_status = -1;
    t->began_ns = t->ended_ns = 0;
    t->wall_s = t->cpu_s = t->max_rss_mb = t->measured = t->ideal = t->score = t->load_1m = NAN;
    t->left = 0;
    rc = sl_apply_begin(&a, s->plan, t->setting, t->traces, err);
    if (!rc && sl_apply_files(&a, &s->undo, &wrong)) {
        t->outcome = SL_TRIAL_FAILED;
        snprintf(t->why, sizeof t->why, "%.390s", wrong.text);
    } else if (!rc && !(rc = keep_teardown(s, &a, err))) {
        if (shell_all(s, t, &a.setup, &a, "setup: "))
            run_it(s, t, &a);
        tear_down(s, t, &a);
    }
    if (!t->began_ns)
        t->began_ns = t->ended_ns = sl_clock_now_ns();
    if (t->outcome != SL_TRIAL_DONE)
        t->score = NAN;
    sl_apply_end(&a);
    if (!rc && t->broken.code)
        rc = sl_err(err, SL_EIO, "%s", t->broken.text);
    return sl_undo_all(&s->undo, err) ? SL_EIO : rc;
}

void sl_trial_name(struct sl_buf *b, const struct sl_plan *p, const int32_t *setting)
{
    size_t before = b->n;

    for (size_t f = 0; f < p->factor.n; f++) {
        const struct sl_plan_factor *factor = &p->factor.v[f];
        if (!setting[f])
            continue;
        sl_buf_addf(b, "%s%s", b->n > before ? " " : "", factor->name);
        if (factor->level.n > 2 || strcmp(factor->level.v[1].name, "1") != 0)
            sl_buf_addf(b, "=%s", factor->level.v[setting[f]].name);
    }
    if (b->n == before)
        sl_buf_adds(b, "base");
}

/* ---- all runs ---- */

static void ask_versions(struct sl_trials *s)
{
    for (size_t i = 0; i < s->plan->version.n; i++) {
        char *argv[] = {"/bin/sh", "-c", (char *)(uintptr_t)s->plan->version.v[i].value, NULL};
        struct sl_command c = {.argv = argv, .environment = environ, .folder = s->plan->folder, .timeout_s = 60};
        struct sl_buf b = {0};
        const char *value = "(cannot be told)";
        if ((c.output = sl_temporary_file(NULL)) >= 0) {
            sl_command_run(&c);
            sl_command_output(&b, c.output, OUTPUT_MOST);
            close(c.output);
            if (!c.error && WIFEXITED(c.status) && !WEXITSTATUS(c.status))
                value = sl_arena_copy(&s->arena, b.s, strcspn(b.s, "\r\n"));
        }
        *sl_vec_add(&s->version) = (struct sl_plan_pair){s->plan->version.v[i].name, value};
        sl_buf_free(&b);
    }
}

static void ask_host(char host[HOST])
{
    const char *node = getenv("SLURMD_NODENAME"); /* what Slurm calls it */
    struct utsname u;

    snprintf(host, HOST, "%s", node && *node ? node : !uname(&u) ? u.nodename : "");
}

static void ask_machine(struct sl_trials *s)
{
    struct utsname u;
    cpu_set_t cpus;

    ask_host(s->host);
    if (!uname(&u))
        snprintf(s->kernel, sizeof s->kernel, "%s %s", u.sysname, u.release);
    s->cpus = sched_getaffinity(0, sizeof cpus, &cpus) ? 0 : CPU_COUNT(&cpus);
}

static int take_lock(struct sl_trials *s, const char *path, struct sl_err *err)
{
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (s->lock < 0)
        return sl_err(err, SL_EIO, "cannot write %s: %s", path, strerror(errno));
    if (!flock(s->lock, LOCK_EX | LOCK_NB)) {
        if (!ftruncate(s->lock, 0))
            dprintf(s->lock, "%s", s->host);
        return 0;
    }
    close(s->lock);
    return sl_err(err, SL_EBUSY, "another process runs experiment %s; it can go on when that has ended", s->plan->name);
}

/* What a process left that was killed: its teardown, then its files. */
static int undo_left(struct sl_trials *s, const char *folder, struct sl_err *err)
{
    char path[PATH_MAX + 32], *argv[] = {"/bin/sh", path, NULL};
    int rc = sl_undo_open(&s->undo, folder, err);

    if (!rc && sl_undo_script(&s->undo, path)) {
        struct sl_trial t = {.outcome = SL_TRIAL_DONE};
        struct sl_applied_setting a = {.environment = environ};
        struct sl_command c;
        sl_command_put_off(true);
        s->torn_down = true;
        if (!run_command(s, &t, &c, argv, &a, "", NULL))
            snprintf(s->torn_why, sizeof s->torn_why, "%s", t.why);
        sl_command_put_off(false);
    }
    s->undone += s->undo.files;
    return rc ? rc : sl_undo_all(&s->undo, err);
}

int sl_trials_lock_of_dead(const char *path)
{
    char here[HOST], its[HOST];
    int lock = open(path, O_RDWR | O_CLOEXEC);
    ssize_t n = lock >= 0 ? pread(lock, its, sizeof its, 0) : 0;

    ask_host(here);
    if (lock >= 0 && n == (ssize_t)strlen(here) && !memcmp(its, here, (size_t)n) && !flock(lock, LOCK_EX | LOCK_NB))
        return lock;
    if (lock >= 0)
        close(lock);
    return -1;
}

/* What parts of the runs left, in .NAME.PART.undo. */
static int undo_parts(struct sl_trials *s, struct sl_err *err)
{
    const char *folder = s->plan->folder;
    size_t name = strlen(s->plan->name);
    DIR *d = opendir(folder);
    struct dirent *e;
    int rc = 0;

    while (d && (errno = 0, e = readdir(d)) && !rc) {
        size_t n = strlen(e->d_name);
        struct sl_buf path = {0};
        int lock;
        if (n < name + sizeof "..x.undo" - 1 || strncmp(e->d_name + 1, s->plan->name, name) != 0 ||
            e->d_name[0] != '.' || e->d_name[name + 1] != '.' || strcmp(e->d_name + n - 5, ".undo") != 0)
            continue;
        sl_buf_addf(&path, "%s/%.*s.lock", folder, (int)n - 5, e->d_name);
        if ((lock = sl_trials_lock_of_dead(path.s)) >= 0) {
            sl_buf_clear(&path);
            sl_buf_addf(&path, "%s/%s", folder, e->d_name);
            rc = undo_left(s, path.s, err);
            close(lock);
        }
        sl_buf_free(&path);
    }
    if (!rc && errno)
        rc = sl_err(err, SL_EIO, "cannot read %s: %s", folder, strerror(errno));
    if (d)
        closedir(d);
    return rc;
}

int sl_trials_open(struct sl_trials *s, const struct sl_plan *plan, const char *state, struct sl_err *err)
{
    struct sl_buf path = {0};
    int rc;

    *s = (struct sl_trials){.plan = plan};
    ask_machine(s);
    sl_buf_addf(&path, "%s/.%s.lock", plan->folder, state ? state : plan->name);
    rc = take_lock(s, path.s, err);
    if (!rc) {
        path.n -= strlen("lock");
        sl_buf_adds(&path, "undo");
        sl_command_hold();
        rc = state && strcmp(state, plan->name) != 0 ? 0 : undo_parts(s, err);
        if (!rc)
            rc = undo_left(s, path.s, err);
        if (!rc)
            rc = sl_apply_check(plan, err);
        if (rc) {
            sl_command_release();
            close(s->lock);
        }
    }
    sl_buf_free(&path);
    if (!rc)
        ask_versions(s);
    return rc;
}

void sl_trials_close(struct sl_trials *s)
{
    sl_command_release();
    close(s->lock);
    sl_vec_free(&s->version);
    sl_arena_free(&s->arena);
}
