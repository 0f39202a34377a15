/* SPDX-License-Identifier: Apache-2.0 */
/* Heat on a rod, in C: cc -O2 heat.c $(spanloom flags c) -lm -o heat && spanloom run -- ./heat */
#include <spanloom/trace.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 200000, STEPS = 200, EVERY = 50 };

static double *load(void)
{
    SPANLOOM_SPAN("load");
    double *u = malloc(CELLS * sizeof *u);

    for (int i = 0; u && i < CELLS; i++)
        u[i] = sin(i * 1e-3);
    return u;
}

static double step(const double *u, double *next)
{
    SPANLOOM_FUNCTION();
    double change = 0;

    next[0] = u[0];
    next[CELLS - 1] = u[CELLS - 1];
    for (int i = 1; i < CELLS - 1; i++) {
        next[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
        change = fmax(change, fabs(next[i] - u[i]));
    }
    return change;
}

static void report(int n, double change)
{
    SPANLOOM_SPAN("report");
    sl_arg_int("step", n);
    sl_arg_double("change", change);
    SPANLOOM_COUNTER("change", change);
    printf("step %3d: the largest change is %.3g\n", n, change);
}

int main(void)
{
    double *u = load(), *next = malloc(CELLS * sizeof *next);

    if (!u || !next)
        return 1;
    SPANLOOM_SPAN("solve");
    for (int n = 1; n <= STEPS; n++) {
        double change = step(u, next), *swap = u;
        u = next;
        next = swap;
        if (n % EVERY == 0)
            report(n, change);
    }
    free(u);
    free(next);
    return 0;
}
