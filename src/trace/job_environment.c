/* SPDX-License-Identifier: Apache-2.0 */
/* For traced programs, and for spanloom where it traces others. */
#include "trace/job_environment.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *sl_job_environment_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID",
                                        "FLUX_TASK_RANK"};
    const char *value = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && !value; i++)
        value = secure_getenv(names[i]);
    return value;
}

/* Names of products, and no data: this runs inside of other people's programs, has libc only, and no recipe to read. */
bool sl_job_environment_names(const char *variable)
{
    static const char *const prefixes[] = {"PARSL_",
                                           "FLUX_JOB_ID=",
                                           "FLUX_TASK_RANK=",
                                           "FLUX_URI=",
                                           "LSB_JOBID=",
                                           "LSB_JOBINDEX=",
                                           "OMPI_COMM_WORLD_SIZE=",
                                           "PBS_JOBID=",
                                           "PMI_SIZE=",
                                           "SLURM_ARRAY_JOB_ID=",
                                           "SLURM_ARRAY_TASK_ID=",
                                           "SLURM_CLUSTER_NAME=",
                                           "SLURM_JOB_ID=",
                                           "SLURM_NODEID=",
                                           "SLURM_NTASKS=",
                                           "SLURM_PROCID=",
                                           "SLURM_STEP_ID=",
                                           "VINE_SANDBOX=",
                                           "VINE_TASK",
                                           "WORK_QUEUE_SANDBOX=",
                                           "WORK_QUEUE_TASK"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(variable, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

static int open_proc(pid_t pid, const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static ssize_t read_proc(pid_t pid, const char *name, char *to, size_t n)
{
    int fd = open_proc(pid, name);
    ssize_t got = fd >= 0 ? read(fd, to, n - 1) : -1;

    if (fd >= 0)
        close(fd);
    to[got > 0 ? got : 0] = 0;
    return got;
}

/* A hash of the variable _, which bash sets for each command; 0: cannot be read, 1: is not set. */
static uint64_t last_command(pid_t pid)
{
    char s[2048];
    int fd = open_proc(pid, "environ"), at = 0; /* at: how much of "_=" was met, from the beginning of a variable */
    uint64_t hash = 1;
    ssize_t got;

    if (fd < 0)
        return 0;
    while ((got = read(fd, s, sizeof s)) > 0)
        for (ssize_t i = 0; i < got; i++) {
            if (at == 2 && s[i])
                hash = (hash ^ (unsigned char)s[i]) * 1099511628211u;
            if (!s[i])
                at = 0;
            else if (at >= 0 && at < 2)
                at = s[i] == "_="[at] ? at + 1 : -1;
        }
    close(fd);
    return hash + !hash;
}

static bool by_bash(pid_t pid, pid_t parent)
{
    static const char command[] = "/bin/bash\0-c";
    char line[sizeof command + 1];
    uint64_t of, above;

    if (read_proc(pid, "cmdline", line, sizeof line) >= (ssize_t)sizeof command &&
        !memcmp(line, command, sizeof command))
        return true;
    of = last_command(pid);
    above = last_command(parent);
    return of && above && of != above; /* the last command of a -c replaces the shell */
}

void sl_job_environment_ancestors(pid_t pid, char *to, size_t n)
{
    struct timespec now, up;
    int64_t boot;
    size_t at = 0;

    *to = 0;
    if (!secure_getenv("PARSL_WORKER_POOL_ID"))
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    boot = ((int64_t)now.tv_sec - up.tv_sec) * 1000000000 + now.tv_nsec - up.tv_nsec;
    while (pid > 1) {
        char stat[1024], *rest;
        unsigned long long ticks;
        int parent, got;
        read_proc(pid, "stat", stat, sizeof stat);
        rest = strrchr(stat, ')'); /* the name may have any characters */
        if (!rest ||
            sscanf(rest + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                   &parent, &ticks) != 2)
            break;
        got = snprintf(to + at, n - at, "%s%d@%lld%s", at ? " " : "", (int)pid,
                       (long long)(boot + (int64_t)((__int128)ticks * 1000000000 / sysconf(_SC_CLK_TCK))),
                       by_bash(pid, parent) ? ",bash" : "");
        if (got < 0 || (size_t)got >= n - at) {
            to[at] = 0;
            break;
        }
        at += (size_t)got;
        pid = parent;
    }
}
