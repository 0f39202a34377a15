/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `spanloom experiment history`: since which commit of a range is a command slower (experiment/search/history.h).
 * Commits are checked out beside each other in a temporary folder, each built once.  What has run is in NAME.runs.jsonl
 * of this folder, and nothing else is kept: what was killed goes on.
 */
#include "base/clock.h"
#include "base/files/folder.h"
#include "base/hash.h"
#include "cli/experiment/experiment_plan.h"
#include "cli/experiment/subcommands.h"
#include "design/command.h"
#include "design/run_log.h"
#include "experiment/search/history.h"
#include "result/trials.h"
#include "show/experiment/print_trials.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ROUNDS = 50, FIRST = 8, ID = 40 /* hexadecimal digits */ };

struct commit {
    char id[ID + 1];
    const char *subject;
    char *tree; /* where it is checked out and built; NULL: it is not */
    double sum; /* of logarithms of its costs */
    size_t runs;
};

struct session {
    const struct cli *cli;
    struct sl_plan plan, build; /* both: folder is where they run */
    bool builds;
    const char *here; /* the folder of the log */
    char temp[PATH_MAX];
    char *prefix; /* of this folder in the repository: "src/", or "" */
    struct sl_trials trials;
    int log;
    char key[20]; /* of the command, and how it is built: runs of another one are of another history */
    struct sl_history history;
    SL_VEC(struct commit) commit;
    size_t round, rounds, broken;
    double budget_s;
    uint64_t random;
    int signal;
    struct sl_arena arena;
};

/* ---- git ---- */

/* What git says into out, which may be NULL; argv ends with NULL. */
static int git(struct sl_buf *out, const char *folder, const char *const *argv, struct sl_err *err)
{
    struct sl_command c = {.argv = (char *const *)(uintptr_t)argv,
                           .environment = environ,
                           .folder = folder,
                           .timeout_s = INFINITY,
                           .output = memfd_create("git", MFD_CLOEXEC)};
    struct sl_buf said = {0};
    int rc = 0, error;

    if (c.output < 0)
        return sl_err(err, SL_EIO, "no memory for what git says: %s", strerror(errno));
    sl_command_run(&c);
    error = sl_command_output(&said, c.output, INT64_MAX);
    close(c.output);
    if (error)
        rc = sl_err(err, SL_EIO, "cannot read what git says: %s", strerror(error));
    else if (c.error)
        rc = sl_err(err, SL_EIO, "cannot run git: %s", strerror(c.error));
    else if (!WIFEXITED(c.status) || WEXITSTATUS(c.status))
        rc = sl_err(err, SL_EUSAGE, "git %s: %.600s", argv[1], said.n ? said.s : "failed");
    for (size_t i = strlen(err ? err->text : ""); rc && err && i > 0 && err->text[i - 1] == '\n'; i--)
        err->text[i - 1] = '\0';
    if (!rc && out)
        *out = said;
    else
        sl_buf_free(&said);
    return rc;
}

/* The range from its older end on, first parents alone, so that each commit is what a merge brought. */
static int find_commits(struct session *s, const char *range, struct sl_err *err)
{
    const char *dots = strstr(range, "..");
    char *from, *to;
    struct sl_buf out = {0}, base = {0};
    int rc;

    if (!dots || dots == range || dots[2] == '.')
        return sl_err(err, SL_EUSAGE, "'%s' is no range of commits such as v1.0..HEAD", range);
    from = sl_strndup(range, (size_t)(dots - range));
    to = sl_strdup(dots[2] ? dots + 2 : "HEAD");
    struct sl_buf spec = {0}, span = {0};
    sl_buf_addf(&spec, "%s^{commit}", from);
    sl_buf_addf(&span, "%s..%s", from, to);
    const char *one[] = {"git", "log", "-1", "--format=%H %s", spec.s, "--", NULL},
               *all[] = {"git", "log", "--first-parent", "--reverse", "--format=%H %s", span.s, "--", NULL};
    rc = git(&base, s->here, one, err);
    if (!rc)
        rc = git(&out, s->here, all, err);
    if (!rc) {
        sl_buf_add(&base, out.s ? out.s : "", out.n);
        for (const char *line = base.s; strlen(line) > ID && line[ID] == ' ';) {
            struct commit *c = sl_vec_add(&s->commit);
            size_t n = strcspn(line, "\n");
            memcpy(c->id, line, ID);
            c->subject = sl_arena_copy(&s->arena, line + ID + 1, n - ID - 1);
            line += n + (line[n] == '\n');
        }
        if (s->commit.n < 2)
            rc = sl_err(err, SL_EUSAGE, "%s has no commit", range);
    }
    sl_buf_free(&spec);
    sl_buf_free(&span);
    sl_buf_free(&base);
    sl_buf_free(&out);
    free(from);
    free(to);
    return rc;
}

static int find_prefix(struct session *s, struct sl_err *err)
{
    const char *argv[] = {"git", "rev-parse", "--show-prefix", NULL};
    struct sl_buf out = {0};
    int rc = git(&out, s->here, argv, err);

    if (rc)
        return rc;
    out.s[strcspn(out.s, "\n")] = '\0';
    s->prefix = out.s;
    return 0;
}

/* Whatever signals come; also one that is half made, which git has locked. */
static void remove_worktree(const struct session *s, const char *path)
{
    const char *argv[] = {"git", "worktree", "remove", "--force", "--force", path, NULL};

    sl_command_put_off(true);
    git(NULL, s->here, argv, NULL);
    sl_command_put_off(false);
}

static void remove_tree(struct session *s, struct commit *c)
{
    if (c->tree)
        remove_worktree(s, c->tree);
    free(c->tree);
    c->tree = NULL;
}

static void remove_folder(const struct session *s, const char *path)
{
    const char *argv[] = {"rm", "-rf", "--", path, NULL};

    sl_command_put_off(true);
    git(NULL, s->here, argv, NULL);
    sl_command_put_off(false);
}

/* Worktrees that a history left which was killed. */
static int clean_up_dead(const struct session *s, struct sl_err *err)
{
    const char *argv[] = {"git", "worktree", "list", "--porcelain", NULL};
    struct sl_buf out = {0};
    size_t removed = 0;
    int rc = git(&out, s->here, argv, err);

    for (char *line = out.s, *end; !rc && line && *line; line = end) {
        char *path = line + strlen("worktree "), *slash;
        end = line + strcspn(line, "\n");
        end += *end ? (*end = '\0', 1) : 0;
        if (strncmp(line, "worktree ", strlen("worktree ")) != 0 || !(slash = strrchr(path, '/')))
            continue;
        char *folder = sl_strndup(path, (size_t)(slash - path)), *name = strrchr(folder, '/');
        if (name && !strncmp(name + 1, CLI_EXPERIMENT_TEMP, strlen(CLI_EXPERIMENT_TEMP)) &&
            strcmp(folder, s->temp) != 0 && cli_experiment_temp_is_dead(folder)) {
            remove_worktree(s, path);
            remove_folder(s, path);
            removed++;
            rmdir(folder); /* behind the last of them */
        }
        free(folder);
    }
    if (removed)
        cli_say("%zu worktree%s removed, which a history had left that was killed", removed,
                removed == 1 ? " was" : "s were");
    sl_buf_free(&out);
    return rc;
}

/* ---- one commit ---- */

static void say(const struct session *s, const char *what, const struct commit *c)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kround %zu, %s %.10s %.40s", s->round + 1, what, c->id, c->subject);
}

/* Where a plan's command runs of this commit. */
static int set_folder(struct session *s, struct sl_plan *p, const struct commit *c)
{
    struct sl_buf b = {0};
    int rc;

    sl_buf_addf(&b, "%s/%s", c->tree, s->prefix);
    rc = access(b.s, X_OK);
    p->folder = sl_arena_copy(&s->arena, b.s, b.n);
    sl_buf_free(&b);
    return rc;
}

/* It is passed over from now on, also by the next process. */
static int give_up(struct session *s, size_t commit, const char *what, struct sl_trial *t, struct sl_err *err)
{
    struct commit *c = &s->commit.v[commit];
    const char *columns[] = {"commit", c->id, NULL};
    char id[96];

    s->history.broken[commit] = true;
    s->broken++;
    fprintf(stderr, "%sspanloom: %.10s is passed over: %s%s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", c->id, what,
            t->why);
    snprintf(id, sizeof id, "%s-broken-%s", s->key, c->id);
    return sl_run_log_add(s->log, &s->trials, id, "", t, columns, err);
}

/* 1: it cannot be built. */
static int check_out(struct session *s, size_t commit, struct sl_err *err)
{
    struct commit *c = &s->commit.v[commit];
    struct sl_buf tree = {0};
    struct sl_trial t = {.setting = (const int32_t[]){0}};
    int rc;

    if (c->tree)
        return 0;
    say(s, "building", c);
    sl_buf_addf(&tree, "%s/%.12s", s->temp, c->id);
    c->tree = tree.s;
    const char *argv[] = {"git", "worktree", "add", "--detach", "--quiet", c->tree, c->id, NULL};
    if ((rc = git(NULL, s->here, argv, err))) {
        s->signal = sl_command_interrupted();
        remove_tree(s, c);
        return s->signal ? 1 : rc;
    }
    if (set_folder(s, &s->build, c)) {
        snprintf(t.why, sizeof t.why, "it has no folder %s", s->prefix);
        t.outcome = SL_TRIAL_FAILED;
        t.score = t.wall_s = NAN;
        rc = give_up(s, commit, "", &t, err);
        return rc ? rc : 1;
    }
    if (!s->builds)
        return 0;
    s->trials.plan = &s->build;
    rc = sl_trial_run(&s->trials, &t, err);
    s->trials.plan = &s->plan;
    if (rc)
        return rc;
    if (t.outcome == SL_TRIAL_INTERRUPTED) {
        s->signal = t.signal;
        remove_tree(s, c);
        return 1;
    }
    if (t.outcome == SL_TRIAL_DONE)
        return 0;
    t.score = NAN;
    rc = give_up(s, commit, "build: ", &t, err);
    return rc ? rc : 1;
}

static void take(struct session *s, size_t commit, size_t round, double score)
{
    double cost = s->plan.score.more ? -log(score) : log(score);

    *sl_vec_add(&s->history.score) = (struct sl_history_score){commit, round, cost};
    s->commit.v[commit].sum += log(score);
    s->commit.v[commit].runs++;
}

/* 1: it cannot be run. */
static int run_once(struct session *s, size_t commit, struct sl_err *err)
{
    struct commit *c = &s->commit.v[commit];
    const char *columns[] = {"commit", c->id, NULL};
    struct sl_trial t = {.setting = (const int32_t[]){0}};
    char id[96], block[32];
    int rc = check_out(s, commit, err);

    if (rc)
        return rc;
    say(s, "running", c);
    set_folder(s, &s->plan, c);
    if (!c->runs) /* a warm-up */
        rc = sl_trial_run(&s->trials, &t, err);
    if (!rc && t.outcome == SL_TRIAL_DONE)
        rc = sl_trial_run(&s->trials, &t, err);
    if (rc)
        return rc;
    if (t.outcome == SL_TRIAL_INTERRUPTED) {
        s->signal = t.signal;
        return 1;
    }
    if (t.outcome != SL_TRIAL_DONE) {
        rc = give_up(s, commit, "", &t, err);
        return rc ? rc : 1;
    }
    if (t.score <= 0)
        return sl_err(err, SL_EUSAGE, "%.10s has the score %g, and changes are shares: it must be above 0", c->id,
                      t.score);
    snprintf(id, sizeof id, "%s-%zu-%s", s->key, s->round, c->id);
    snprintf(block, sizeof block, "%zu", s->round + 1);
    if ((rc = sl_run_log_add(s->log, &s->trials, id, block, &t, columns, err)))
        return rc;
    take(s, commit, s->round, t.score);
    return 0;
}

/* ---- all of them ---- */

static size_t find_commit(const struct session *s, const char *id)
{
    size_t c = 0;

    while (c < s->commit.n && strcmp(s->commit.v[c].id, id) != 0)
        c++;
    return c;
}

/* What has run.  Commits that are not in the range any more are passed over. */
static int load(struct session *s, struct sl_err *err)
{
    struct sl_run_records records;
    size_t key = strlen(s->key);
    int rc = sl_run_log_read(&records, &s->plan, err);

    for (size_t i = 0; i < records.v.n && !rc; i++) {
        const struct sl_run_record *r = &records.v.v[i];
        const char *id = strrchr(r->run, '-');
        size_t c = id ? find_commit(s, id + 1) : s->commit.n;
        if (strncmp(r->run, s->key, key) != 0 || r->run[key] != '-') {
            rc = sl_err(err, SL_EUSAGE,
                        "%s/%s.runs.jsonl has runs of another command, build or score: remove it, or call this history "
                        "otherwise (--name)",
                        s->here, s->plan.name);
        } else if (!strncmp(r->run + key, "-broken-", strlen("-broken-"))) {
            s->broken += c < s->commit.n && !s->history.broken[c];
            if (c < s->commit.n)
                s->history.broken[c] = true;
        } else {
            size_t round = strtoul(r->run + key + 1, NULL, 10);
            s->round = round >= s->round ? round + 1 : s->round;
            if (c < s->commit.n && r->score > 0)
                take(s, c, round, r->score);
        }
    }
    sl_run_records_free(&records);
    return rc;
}

static int measure(struct session *s, struct sl_err *err)
{
    size_t *commit = sl_alloc(s->commit.n * sizeof *commit), n, last = s->round + s->rounds;
    int64_t began = sl_clock_mono_ns();
    int rc = 0;

    for (; s->round < last && rc >= 0 && !s->signal; s->round++) {
        if (!(n = sl_history_round(&s->history, &s->random, commit)))
            break;
        for (size_t c = 0; c < s->commit.n; c++) { /* those that are settled need their place no longer */
            bool wanted = false;
            for (size_t i = 0; i < n; i++)
                wanted |= commit[i] == c;
            if (!wanted)
                remove_tree(s, &s->commit.v[c]);
        }
        rc = 0;
        for (size_t i = 0; i < n && !rc && (double)(sl_clock_mono_ns() - began) / 1e9 < s->budget_s; i++)
            rc = run_once(s, commit[i], err);
        if ((double)(sl_clock_mono_ns() - began) / 1e9 >= s->budget_s)
            break;
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    free(commit);
    return rc < 0 ? rc : 0;
}

static int report(const struct session *s)
{
    static const char *const verdicts[] = {"unknown", "same", "changed"};
    struct sl_history_step *step;
    struct sl_result r = {0};
    struct sl_err err = {0};
    size_t n = sl_history_steps(&s->history, &step);
    int rc = 0;

    for (size_t i = 0; i <= n && n; i++) {
        const struct sl_history_step *p = i ? &step[i - 1] : NULL;
        const struct commit *c = &s->commit.v[p ? p->new : step[0].old];
        char from[16] = "", to[16];
        if (p)
            snprintf(from, sizeof from, "%.10s", s->commit.v[p->old].id);
        snprintf(to, sizeof to, "%.10s", c->id);
        sl_result_history(
            &r, &(struct sl_history_row){.from = p ? from : NULL,
                                         .to = to,
                                         .subject = c->subject,
                                         .verdict = p ? verdicts[p->verdict] : NULL,
                                         .unit = *s->plan.score.unit ? s->plan.score.unit : s->plan.score.name,
                                         .commits = p ? (int64_t)(p->new - p->old) : 0,
                                         .rounds = p ? (int64_t)p->rounds : 0,
                                         .change = p ? p->change : NAN,
                                         .lower = p ? p->low : NAN,
                                         .upper = p ? p->high : NAN,
                                         .score = c->runs ? exp(c->sum / (double)c->runs) : NAN});
    }
    free(step);
    if (!n)
        rc = sl_err(&err, SL_ENOTFOUND, "fewer than two commits of the range can be built and run");
    else if (s->cli->format == SL_FORMAT_TABLE)
        sl_show_history(stdout, &r);
    else
        rc = sl_show_result(stdout, &r, s->cli->format, &err);
    sl_result_free(&r);
    return rc < 0 ? cli_fail(s->cli, &err) : EXIT_DONE;
}

static int make_plans(struct session *s, const char *command, struct sl_err *err)
{
    const char *build = cli_option(s->cli, "build"), *name = cli_option(s->cli, "name");
    struct sl_buf b = {0};
    uint64_t h;
    int rc;

    cli_experiment_plan_text(&b, s->cli, name ? name : "history", command);
    sl_buf_addc(&b, '}');
    rc = sl_plan_parse(&s->plan, "command line", b.s, b.n, err);
    s->here = s->plan.folder;
    s->builds = build && *build;
    sl_buf_addf(&b, "\n%s", build ? build : "");
    h = sl_hash(b.s, b.n);
    snprintf(s->key, sizeof s->key, "%016llx", (unsigned long long)h);
    s->build = s->plan;
    s->build.command = (sl_plan_words){0};
    *sl_vec_add(&s->build.command) = "/bin/sh";
    *sl_vec_add(&s->build.command) = "-c";
    *sl_vec_add(&s->build.command) = build ? build : "";
    s->build.score = (struct sl_plan_score){.name = "seconds", .unit = "s", .from = SL_SCORE_WALL, .ideal = NAN};
    s->build.timeout_s = INFINITY;
    sl_buf_free(&b);
    return rc;
}

static int history(struct session *s, const char *range, struct sl_err *err)
{
    char *path = sl_run_log_path(&s->plan, NULL);
    int rc;

    if ((rc = cli_experiment_temp(s->temp, err))) {
        free(path);
        return rc;
    }
    s->plan.folder = s->temp;
    rc = sl_trials_open(&s->trials, &s->plan, NULL, err);
    s->plan.folder = s->here;
    if (!rc) {
        rc = find_prefix(s, err);
        if (!rc)
            rc = clean_up_dead(s, err);
        if (!rc)
            rc = find_commits(s, range, err);
        s->history.commits = s->commit.n;
        s->history.broken = sl_alloc(s->commit.n * sizeof *s->history.broken + 1);
        if (!rc)
            rc = load(s, err);
        if (!rc) {
            s->log = rc = sl_run_log_open(path, &s->trials, err);
            rc = rc < 0 ? rc : 0;
        }
        if (!rc)
            rc = measure(s, err);
        for (size_t c = 0; c < s->commit.n; c++)
            remove_tree(s, &s->commit.v[c]);
        if (s->log >= 0)
            close(s->log);
        remove_folder(s, s->temp);
        s->signal = s->signal ? s->signal : sl_command_interrupted();
        sl_trials_close(&s->trials);
    }
    rmdir(s->temp);
    free(path);
    return rc;
}

int cli_experiment_history(const struct cli *cli, int argc, char **argv)
{
    struct session s = {.cli = cli, .log = -1, .history = {.first = FIRST, .alpha = 0.05}};
    struct sl_err err = {0};
    uint64_t first = FIRST, rounds = ROUNDS;
    int rc;

    if (argc != 2)
        return cli_usage(cli, "history of what? RANGE COMMAND, such as v1.0..HEAD ./benchmark");
    if (cli_option(cli, "rate") && !cli_option(cli, "score"))
        return cli_usage(cli, "--rate is of --score REGEX; the time of a command is no rate");
    if ((rc = cli_experiment_whole(cli, "first", 2, &first)) ||
        (rc = cli_experiment_whole(cli, "rounds", 1, &rounds)) || (rc = cli_experiment_seed(cli, &s.random)))
        return rc;
    s.history.first = first;
    s.rounds = rounds;
    s.history.within = cli_experiment_percent(cli, "within", 0.05);
    s.budget_s = cli_experiment_time(cli, "budget", INFINITY);
    if (isnan(s.history.within) || isnan(s.budget_s))
        return EXIT_USAGE;
    rc = make_plans(&s, argv[1], &err);
    if (!rc)
        rc = history(&s, argv[0], &err);
    rc = rc ? (s.signal ? rc : cli_fail(cli, &err)) : report(&s);
    sl_vec_free(&s.build.command);
    sl_plan_free(&s.plan);
    sl_vec_free(&s.commit);
    sl_vec_free(&s.history.score);
    free(s.history.broken);
    free(s.prefix);
    sl_arena_free(&s.arena);
    return s.signal ? 128 + s.signal : rc;
}
