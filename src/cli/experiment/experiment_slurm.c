/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `spanloom experiment run --launcher slurm`: an array job, of which each task runs one block, on one node, so that
 * what nodes differ in is no effect.  A task is `spanloom experiment run --block N --part block-N`, with a log of its
 * own in the folder that all nodes share.  Slurm requeues what a node takes with it, and the task goes on where it was;
 * what is left when the job is over, the next call submits.
 */
#include "cli/experiment/experiment_session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* As a shell takes it for one word. */
static void quote(struct sl_buf *b, const char *s)
{
    if (b->n)
        sl_buf_addc(b, ' ');
    sl_buf_add_quoted(b, s);
}

/* The first line that a command prints; negative: it failed, and what it printed is the reason. */
static int ask(const char *line, char *said, size_t room)
{
    FILE *f = popen(line, "re");
    char rest[512];
    int status;

    *said = 0;
    if (!f)
        return -1;
    if (fgets(said, (int)room, f))
        said[strcspn(said, "\n")] = 0;
    while (fgets(rest, sizeof rest, f)) /* it may wait for the job before it ends */
        ;
    status = pclose(f);
    return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}

/* Each node would see the files of another. */
static int check(const struct sl_plan *p, struct sl_err *err)
{
    bool changes = p->effects.edit.n + p->effects.patch.n;

    for (size_t f = 0; f < p->factor.n; f++)
        for (size_t i = 0; i < p->factor.v[f].level.n; i++)
            changes |= p->factor.v[f].level.v[i].effects.edit.n + p->factor.v[f].level.v[i].effects.patch.n > 0;
    return changes ? sl_err(err, SL_EUSAGE,
                            "%s has levels that edit or patch files, which runs on several nodes would share; let "
                            "setup make a copy for each, or run without --launcher",
                            p->path)
                   : 0;
}

/* "1,4,5": blocks of which runs are left. */
static int blocks_left(const struct cli_experiment_session *s, struct sl_buf *list, size_t *n, struct sl_err *err)
{
    for (size_t i = 0; i < s->schedule.v.n; i++) {
        const char *block = s->schedule.v.v[i].block;
        bool known = s->done[i];
        if (!known && (!*block || block[strspn(block, "0123456789")] || strlen(block) > 6))
            return sl_err(err, SL_EUSAGE, "a block is a task of an array job, and so must be a number; run %s has '%s'",
                          s->schedule.v.v[i].run, block);
        for (size_t k = 0; k < i && !known; k++)
            known = !s->done[k] && !strcmp(s->schedule.v.v[k].block, block);
        if (!known) {
            sl_buf_addf(list, "%s%s", list->n ? "," : "", block);
            ++*n;
        }
    }
    return 0;
}

static char *job_file(const struct sl_plan *p)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s/.%s.slurm", p->folder, p->name);
    return b.s;
}

/* Is the job that was submitted last in Slurm's queue?  Its id.  1, 0, or negative: it cannot be told. */
static int is_queued(const struct sl_plan *p, char id[64], struct sl_err *err)
{
    char *path = job_file(p), line[160], said[128];
    FILE *f = fopen(path, "re");
    int queued = 0;

    *id = 0;
    errno = f ? 0 : errno;
    if (f && fgets(id, 64, f)) {
        id[strspn(id, "0123456789")] = 0;
        snprintf(line, sizeof line, "squeue -h -o %%T -j %s 2>/dev/null", id);
        queued = *id && !ask(line, said, sizeof said) && *said;
    } else if (errno && errno != ENOENT) { /* submitted again, it would run twice */
        queued = sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(errno));
    }
    if (f)
        fclose(f);
    free(path);
    return queued;
}

static void make_line(struct sl_buf *line, const struct cli_experiment_session *s, const char *blocks, const char *self)
{
    const struct sl_plan *p = &s->plan;
    const char *more = cli_option(s->cli, "sbatch");
    char *plan = realpath(p->path, NULL);
    struct sl_buf job = {0}, word = {0};

    sl_buf_adds(&job, "exec");
    quote(&job, self);
    sl_buf_adds(&job, " experiment run --no-import --plan");
    quote(&job, plan ? plan : p->path);
    sl_buf_adds(&job, p->trace ? " --trace" : "");
    sl_buf_adds(&job, " --block \"$SLURM_ARRAY_TASK_ID\" --part \"block-$SLURM_ARRAY_TASK_ID\"");
    sl_buf_addf(line, "sbatch --parsable --requeue --open-mode=append --array=%s%s", blocks,
                cli_option(s->cli, "wait") ? " --wait" : "");
    sl_buf_addf(&word, "--job-name=%s", p->name);
    quote(line, word.s);
    sl_buf_clear(&word);
    sl_buf_addf(&word, "--chdir=%s", p->folder);
    quote(line, word.s);
    sl_buf_clear(&word);
    sl_buf_addf(&word, "--output=%s/%s.slurm/%%a.out", p->folder, p->name);
    quote(line, word.s);
    sl_buf_addf(line, "%s%s --wrap", more ? " " : "", more ? more : "");
    quote(line, job.s);
    sl_buf_adds(line, " 2>&1");
    sl_buf_free(&job);
    sl_buf_free(&word);
    free(plan);
}

static int submit(const struct cli_experiment_session *s, const char *blocks, size_t n, struct sl_err *err)
{
    char self[PATH_MAX], said[512], folder[PATH_MAX], *path = job_file(&s->plan);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    struct sl_buf line = {0};
    FILE *f;
    int rc = 0, status;

    self[length > 0 ? length : 0] = 0;
    snprintf(folder, sizeof folder, "%s/%s.slurm", s->plan.folder, s->plan.name);
    mkdir(folder, 0777);
    make_line(&line, s, blocks, self);
    status = ask(line.s, said, sizeof said);
    if (!said[0] || said[strspn(said, "0123456789;abcdefghijklmnopqrstuvwxyz_-")] || said[0] < '0' || said[0] > '9') {
        rc = sl_err(err, SL_EIO, "sbatch did not take the job: %s", said[0] ? said : "it says nothing; is it there?");
    } else {
        said[strcspn(said, ";")] = 0;
        if (!(f = fopen(path, "we")) || fprintf(f, "%s\n", said) < 0 || fclose(f))
            rc = sl_err(err, SL_EIO, "cannot write %s: %s; the job is %s", path, strerror(errno), said);
        else
            printf("%s: job %s %s %zu block%s of runs; what they print is in %s\n", s->plan.name, said,
                   cli_option(s->cli, "wait") ? (status ? "has ended, not well, with" : "has ended, with")
                                              : "was submitted, with",
                   n, n == 1 ? "" : "s", folder);
    }
    sl_buf_free(&line);
    free(path);
    return rc;
}

int cli_experiment_slurm(const struct cli_experiment_session *s, struct sl_err *err)
{
    struct sl_buf blocks = {0};
    size_t n = 0, left = 0;
    char id[64];
    int rc = check(&s->plan, err);

    for (size_t i = 0; i < s->schedule.v.n; i++)
        left += !s->done[i];
    if (!rc && (rc = is_queued(&s->plan, id, err)) > 0) {
        printf("%s: job %s is in Slurm's queue; %zu of %zu runs are made\n", s->plan.name, id, s->schedule.v.n - left,
               s->schedule.v.n);
        return 0;
    }
    if (!rc)
        rc = blocks_left(s, &blocks, &n, err);
    if (!rc && n)
        rc = submit(s, blocks.s, n, err);
    sl_buf_free(&blocks);
    return rc;
}
