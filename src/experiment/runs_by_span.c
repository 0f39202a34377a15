/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/runs.h"

#include <stdlib.h>

static int by_span(const void *a, const void *b)
{
    const struct sl_run_at *x = a, *y = b;
    return x->span < y->span ? -1 : x->span > y->span;
}

struct sl_run_at *sl_runs_by_span(const struct sl_runs *r)
{
    struct sl_run_at *v = sl_alloc(r->n * sizeof *v + 1);

    for (size_t i = 0; i < r->n; i++)
        v[i] = (struct sl_run_at){r->span[i], i};
    qsort(v, r->n, sizeof *v, by_span);
    return v;
}

const struct sl_run_at *sl_run_of_span(const struct sl_run_at *v, size_t n, int64_t span)
{
    return bsearch(&(struct sl_run_at){span, 0}, v, n, sizeof *v, by_span);
}
