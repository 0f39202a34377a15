/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/sampler/sampler.h"

struct sl_decimator sl_decimator(size_t max_length)
{
    return (struct sl_decimator){.max_length = max_length + max_length % 2, .every = 1};
}

enum sl_decimation sl_decimator_add(struct sl_decimator *d)
{
    if (++d->count % d->every)
        return SL_DECIMATE_SKIP;
    if (!d->max_length || ++d->length <= d->max_length)
        return SL_DECIMATE_KEEP;
    d->length = d->max_length / 2;
    d->every *= 2;
    return SL_DECIMATE_HALVE;
}
