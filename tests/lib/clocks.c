/* SPDX-License-Identifier: Apache-2.0 */
/* In LD_PRELOAD: the file $CLOCKS has two numbers, seconds by which the clock was set, and of suspension. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
    double set = 0, slept = 0;
    const char *name = getenv("CLOCKS");
    FILE *f = name ? fopen(name, "r") : NULL;
    int rc = (int)syscall(SYS_clock_gettime, clock, t);

    if (f && fscanf(f, "%lf %lf", &set, &slept) != 2)
        set = slept = 0;
    if (f)
        fclose(f);
    if (clock == CLOCK_REALTIME)
        t->tv_sec += (time_t)(set + slept);
    if (clock == CLOCK_BOOTTIME)
        t->tv_sec += (time_t)slept;
    return rc;
}
