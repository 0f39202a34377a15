/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about how much is explained, how sure that is, and what lies beside the model. */
#include "experiment/answers_internal.h"
#include "experiment/variance.h"

typedef union sl_answer_cell cell;

const struct sl_answer_column sl_variance_columns[SL_VARIANCE_COLUMNS] = {
    {"factor", 's', NULL},    {"df", 'i', NULL},        {"share", 'd', NULL}, {"lower", 'd', NULL},
    {"upper", 'd', NULL},     {"alone", 'd', NULL},     {"last", 'd', NULL},  {"f", 'd', NULL},
    {"p", 'd', NULL},         {"p_holm", 'd', NULL},    {"p_bh", 'd', NULL},  {"runs", 'i', "runs"},
    {"r_squared", 'd', NULL}, {"by_chance", 'd', NULL}, {"exact", 'i', NULL}};

int sl_answer_variance(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    struct sl_variance s;
    int rc = sl_variance_make(&s, out->runs, &a->q, err);

    if (rc)
        return rc;
    for (size_t g = 0; g < s.n; g++) {
        const struct sl_variance_share *x = &s.share[g];
        cell *c = sl_answer_add(out);
        c[SL_VARIANCE_FACTOR].s = x->name;
        c[SL_VARIANCE_DF].i = (int64_t)x->df;
        c[SL_VARIANCE_SHARE].d = x->share;
        c[SL_VARIANCE_LOWER].d = x->low;
        c[SL_VARIANCE_UPPER].d = x->high;
        c[SL_VARIANCE_ALONE].d = x->alone;
        c[SL_VARIANCE_LAST].d = x->last;
        c[SL_VARIANCE_F].d = x->f;
        c[SL_VARIANCE_P].d = x->p;
        c[SL_VARIANCE_P_HOLM].d = x->p_holm;
        c[SL_VARIANCE_P_BH].d = x->p_bh;
        c[SL_VARIANCE_RUNS].i = (int64_t)s.runs;
        c[SL_VARIANCE_R_SQUARED].d = s.r_squared;
        c[SL_VARIANCE_BY_CHANCE].d = s.chance;
        c[SL_VARIANCE_EXACT].i = s.exact;
    }
    sl_variance_free(&s);
    return 0;
}
