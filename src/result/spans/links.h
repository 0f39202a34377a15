/* SPDX-License-Identifier: Apache-2.0 */
/* What rules have linked, and where they are in doubt. */
#ifndef SL_RESULT_SPANS_LINKS_H
#define SL_RESULT_SPANS_LINKS_H

#include "result/table.h"
#include "store/store.h"

#include <stdint.h>

enum sl_links {
    SL_LINKS_OVERVIEW,   /* by rule: how many, and between what; without rule */
    SL_LINKS_EACH,       /* the links of a rule */
    SL_LINKS_DOUBTFUL,   /* what it could have linked, had it known which: a row a candidate */
    SL_LINKS_UNRESOLVED, /* by rule: what it would link, where no record knows the other span */
};

/* Table: links.  rule NULL: of all rules; within: an end belongs to this span, 0: all. */
int sl_result_links(struct sl_result *r, struct sl_store *st, enum sl_links which, const char *rule, int64_t within,
                    struct sl_err *err);

#endif
