/* SPDX-License-Identifier: Apache-2.0 */
#include "base/processors.h"

#include <sched.h>

int sl_processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set); /* of more than 1,024 it fails */
}
