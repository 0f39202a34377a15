/* SPDX-License-Identifier: Apache-2.0 */
/* What no log does: a compressed file made to fill memories and disks ends here. */
#ifndef SL_UNPACK_EXPANDS_H
#define SL_UNPACK_EXPANDS_H

#include <stdbool.h>
#include <stdint.h>

#define SL_EXPANDS "it holds more than 256 MiB, and more than 1000 times what it takes here, as no log does"

static inline bool sl_expands_beyond(uint64_t out, uint64_t in)
{
    return out > (1ull << 28) && out / 1000 > in;
}

#endif
