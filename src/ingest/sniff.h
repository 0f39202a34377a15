/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs with holds: (or begins:) claim a file only where one of these texts is in it (in its beginning).  What is
 * compressed is looked at as what it is.
 */
#ifndef SL_INGEST_SNIFF_H
#define SL_INGEST_SNIFF_H

#include "recipe/recipe.h"
#include "unpack/bytes.h"

struct sl_sniff {
    const char *path;
    const struct sl_region *region; /* where its bytes lie; NULL: in the file of the path */
    const struct sl_input *input;
    bool holds;    /* what the input asks for */
    char *problem; /* why that is not known; NULL: it is.  The caller frees it. */
};

/* Reads these files, and fills in what they hold. */
void sl_sniff(struct sl_sniff *v, size_t n);

#endif
