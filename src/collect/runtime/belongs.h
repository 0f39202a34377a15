/* SPDX-License-Identifier: Apache-2.0 */
/* What the environment says of whose work a process is. */
#ifndef SL_COLLECT_RUNTIME_BELONGS_H
#define SL_COLLECT_RUNTIME_BELONGS_H

#include <stdbool.h>

/* The rank: the first that is set of what MPI and batch systems call it; NULL: none.  Borrowed from the environment. */
const char *sl_belongs_rank(void);
/* Whether "NAME=value" says which batch job, or which task of a worker, it is. */
bool sl_belongs_tells(const char *variable);

#endif
