/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler PROCESSES: microseconds of CPU time of a reading of the node, of the control group, and of a tree of so many
 * processes that sleep, by detail.  The least of some rounds, since others are on the machine.
 */
#include "collect/sampler/sampler.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct sl_sampler *node;
static struct sl_cgroup *group;
static struct sl_tree *tree;

static void read_node(void)
{
    struct sl_node_report r;
    sl_sampler_read(node, &r);
}

static void read_group(void)
{
    struct sl_cgroup_report r;
    sl_cgroup_read(group, &r);
}

static void read_tree(void)
{
    struct sl_tree_report r;
    sl_tree_read(tree, &r);
}

static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void tell(const char *what, void (*reading)(void), int times)
{
    double least = 1e12;

    for (int round = 0; round < 7; round++) {
        double before = cpu_us(), us;
        for (int i = 0; i < times; i++)
            reading();
        us = (cpu_us() - before) / times;
        least = us < least ? us : least;
    }
    printf("%s %.1f\n", what, least);
}

int main(int argc, char **argv)
{
    static const char *const details[] = {"tree-cpu", "tree-io", "tree-pss"};
    int n = argc > 1 ? atoi(argv[1]) : 0;
    struct sl_err err;
    pid_t *children = calloc((size_t)n + 1, sizeof *children);

    if (!(node = sl_sampler_new(NULL, &err)))
        return puts(err.text), 1;
    tell("node", read_node, 1000);
    if ((group = sl_cgroup_new(NULL, getpid(), NULL)))
        tell("cgroup", read_group, 1000);
    for (int i = 0; i < n; i++)
        if (!(children[i] = fork())) {
            pause();
            _exit(0);
        }
    for (int detail = SL_DETAIL_CPU; n && detail <= SL_DETAIL_PSS; detail++) {
        struct sl_tree_options o = {.root = getpid(), .detail = (enum sl_detail)detail, .top = 20, .files = 900};
        if (!(tree = sl_tree_new(&o, &err)))
            return puts(err.text), 1;
        tell(details[detail], read_tree, 5);
        sl_tree_free(tree);
    }
    for (int i = 0; i < n; i++)
        kill(children[i], SIGKILL);
    while (wait(NULL) > 0)
        ;
    sl_cgroup_free(group);
    sl_sampler_free(node);
    free(children);
    return 0;
}
