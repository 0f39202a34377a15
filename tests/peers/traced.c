/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does what a script says, one step at a time over all threads, and tells when: tests/lib/scenarios.py writes the
 * script and reads the times.  A line is THREAD OP WORD...; words are numbers, or texts in hexadecimal behind an x.
 */
#include <spanloom/trace.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 20000, THREADS = 16, WORDS = 6, TEXT = 8192, APART = 2000 /* ns: what all readers can tell apart */ };

struct step {
    int thread;
    char *word[WORDS];
    long long before, after;
};
static struct step steps[STEPS];
static size_t nsteps, turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static long tids[THREADS];

static long long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static const char *text(const char *hex, char *to)
{
    size_t n = 0;
    unsigned byte;

    for (hex++; n + 1 < TEXT && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        to[n++] = (char)byte;
    to[n] = 0;
    return to;
}

static uint64_t number(const char *word)
{
    return strtoull(word, NULL, 0);
}

static void argument(const char *op, const char *key, const char *value)
{
    char to[TEXT];

    if (op[1] == 'i')
        sl_arg_int(key, strtoll(value, NULL, 10));
    else if (op[1] == 'd')
        sl_arg_double(key, strtod(value, NULL));
    else
        sl_arg_string(key, text(value, to));
}

static void pause_us(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static void burst(struct sl_site *outer, struct sl_site *inner, long n)
{
    for (long i = 0; i < n; i++) {
        sl_begin(outer);
        sl_begin(inner);
        sl_end(inner);
        sl_end(outer);
    }
}

static void take(struct step *s)
{
    char a[TEXT] = "", b[TEXT] = "";
    char **w = s->word;
    const char *op = w[0], *first = w[1] && *w[1] == 'x' ? text(w[1], a) : NULL,
               *second = w[2] && *w[2] == 'x' ? text(w[2], b) : NULL;
    struct sl_site *site = first && second && *op != 'a' ? sl_site_of(first, second) : NULL;

    s->before = now();
    switch (*op) {
    case 'B': sl_begin(site); break;
    case 'E': sl_end(site); break;
    case 'i': sl_instant(site); break;
    case 'C': sl_counter(site, strtod(w[3], NULL)); break;
    case 'b': sl_async_begin(site, number(w[3])); break;
    case 'n': sl_async_instant(site, number(w[3])); break;
    case 'e': sl_async_end(site, number(w[3])); break;
    case 's': sl_flow(site, number(w[3]), SL_FLOW_OUT); break;
    case 't': sl_flow(site, number(w[3]), SL_FLOW_STEP); break;
    case 'f': sl_flow(site, number(w[3]), SL_FLOW_IN); break;
    case 'N': sl_thread_name(first); break;
    case 'a': argument(op, first, w[2]); break;
    case 'Z': pause_us(atol(w[1])); break;
    case 'R': burst(site, sl_site_of(text(w[3], a), second), atol(w[4])); break;
    default: fprintf(stderr, "no such step: %s\n", op), exit(2);
    }
    s->after = now();
    while (now() < s->after + APART)
        ;
}

static void *thread(void *which)
{
    int me = (int)(intptr_t)which;

    tids[me] = syscall(SYS_gettid);
    for (size_t i = 0; i < nsteps; i++) {
        if (steps[i].thread != me)
            continue;
        pthread_mutex_lock(&lock);
        while (turn != i)
            pthread_cond_wait(&moved, &lock);
        pthread_mutex_unlock(&lock);
        take(&steps[i]);
        pthread_mutex_lock(&lock);
        turn++;
        pthread_cond_broadcast(&moved);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static char line[4 * TEXT];
    pthread_t ids[THREADS];
    int n = 1;

    for (; nsteps < STEPS && fgets(line, sizeof line, stdin); nsteps++) {
        struct step *s = &steps[nsteps];
        char *rest = strdup(line), *p = strsep(&rest, " \n");
        s->thread = atoi(p);
        n = s->thread >= n ? s->thread + 1 : n;
        for (int i = 0; i < WORDS && (p = strsep(&rest, " \n")); i++)
            s->word[i] = *p ? p : NULL;
    }
    for (int i = 1; i < n; i++)
        pthread_create(&ids[i], NULL, thread, (void *)(intptr_t)i);
    thread(NULL);
    for (int i = 1; i < n; i++)
        pthread_join(ids[i], NULL);
    printf("pid %d\n", (int)getpid());
    for (int i = 0; i < n; i++)
        printf("thread %d %ld\n", i, tids[i]);
    for (size_t i = 0; i < nsteps; i++)
        printf("step %zu %lld %lld\n", i, steps[i].before, steps[i].after);
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "killed"))
        raise(SIGKILL);
    return 0; /* within what spans the main thread left open */
}
