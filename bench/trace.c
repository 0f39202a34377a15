/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tracing costs the traced thread, in CPU time, minimum of some repetitions: trace WHAT [PAIRS [REPETITIONS]].
 * With -DPEER the pair is an empty function, for tracers that find functions themselves.
 */
#ifndef PEER
#include <spanloom/trace.h>
#endif

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#define CLOCK() __builtin_ia32_rdtsc()
#else
#define CLOCK() (uint64_t) clock()
#endif

static long pairs = 1000000;
static int repetitions = 10;
static volatile uint64_t sink;

static double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void clocks(void)
{
    for (long i = 0; i < pairs; i++)
        sink = CLOCK() ^ CLOCK();
}

#ifdef PEER
__attribute__((noinline)) static void traced(void)
{
    __asm__ volatile("");
}

static void spans(void)
{
    for (long i = 0; i < pairs; i++)
        traced();
}
#else
static void spans(void)
{
    static struct sl_site site = SL_SITE("span", 0);

    for (long i = 0; i < pairs; i++) {
        sl_begin(&site);
        sl_end(&site);
    }
}

static void instants(void)
{
    for (long i = 0; i < pairs; i++)
        SPANLOOM_INSTANT("instant");
}

static void arguments(void)
{
    static struct sl_site site = SL_SITE("span", 0);

    for (long i = 0; i < pairs; i++) {
        sl_begin(&site);
        sl_arg_int("i", i);
        sl_end(&site);
    }
}

static void woven(void)
{
    for (long i = 0; i < pairs; i++) {
        perfflow_weave_before(0, "trace.c", "_ZN9SmokeTest3fooEv", "", "NA", "around");
        perfflow_weave_after(0, "trace.c", "_ZN9SmokeTest3fooEv", "", "NA", "around");
    }
}

/* Work of some 10 us: a span each: 100,000 in a second. */
static void work(int with)
{
    static struct sl_site site = SL_SITE("work", 0);

    for (long i = 0; i < pairs; i++) {
        if (with)
            sl_begin(&site);
        for (int k = 0; k < 30000; k++)
            __asm__ volatile("" ::: "memory");
        if (with)
            sl_end(&site);
    }
}

static void work_plain(void)
{
    work(0);
}

static void work_traced(void)
{
    work(1);
}
#endif

static const struct {
    const char *name;
    void (*run)(void);
} all[] = {
    {"clocks", clocks},     {"spans", spans},
#ifndef PEER
    {"instants", instants}, {"arguments", arguments}, {"woven", woven}, {"plain", work_plain}, {"traced", work_traced},
#endif
};

static void *measure(void *of)
{
    void (*run)(void) = NULL;
    double *least = malloc(sizeof *least);

    memcpy(&run, &of, sizeof run);
    *least = 1e18;
    for (int i = 0; i < repetitions; i++) {
        double t = cpu_ns();
        run();
        t = (cpu_ns() - t) / (double)pairs;
        if (t < *least)
            *least = t;
    }
    return least;
}

int main(int argc, char **argv)
{
    int threads = argc > 4 ? atoi(argv[4]) : 1;
    void (*run)(void) = NULL;

    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, argv[1]))
            run = all[i].run;
    if (!run) {
        fprintf(stderr, "usage: trace WHAT [PAIRS [REPETITIONS [THREADS]]]\n");
        return 2;
    }
    pairs = argc > 2 ? atol(argv[2]) : pairs;
    repetitions = argc > 3 ? atoi(argv[3]) : repetitions;
    pthread_t t[64];
    double worst = 0;
    void *of = NULL, *least;
    memcpy(&of, &run, sizeof run);
    for (int i = 0; i < threads && i < 64; i++)
        pthread_create(&t[i], NULL, measure, of);
    for (int i = 0; i < threads && i < 64; i++) {
        pthread_join(t[i], &least);
        worst = *(double *)least > worst ? *(double *)least : worst;
        free(least);
    }
    printf("%.3f\n", worst);
    return 0;
}
