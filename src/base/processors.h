/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_BASE_PROCESSORS_H
#define SL_BASE_PROCESSORS_H

/* How many this process may run on, at least 1: of a job, or below taskset, not all that there are. */
int sl_processors(void);

#endif
