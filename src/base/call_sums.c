/* SPDX-License-Identifier: Apache-2.0 */
#include "base/call_sums.h"

#include <stdlib.h>

void sl_call_sums_clear(struct sl_call_sums *s)
{
    for (size_t i = 0; i < s->threads.n; i++) {
        sl_vec_free(&s->threads.v[i].paths);
        sl_vec_free(&s->threads.v[i].outermost);
    }
    sl_vec_free(&s->threads);
    sl_intern_free(&s->by_key);
    s->by_key = (struct sl_intern){0};
    s->unfit = false;
}

void sl_call_sums_free(struct sl_call_sums *s)
{
    sl_call_sums_clear(s);
    sl_vec_free(&s->processes);
    sl_intern_free(&s->texts);
}
