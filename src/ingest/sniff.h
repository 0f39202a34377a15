/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs with holds: claim a file only where this text is in it. */
#ifndef SL_INGEST_SNIFF_H
#define SL_INGEST_SNIFF_H

#include "ingest/find.h"

/* Takes out of l the claims whose files do not hold what the input asks for, or cannot be read.  Reads these files. */
void sl_sniff_check(struct sl_found_list *l);

#endif
