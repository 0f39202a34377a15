/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about how much is explained, how sure that is, and what lies beside the model. */
#include "experiment/answers_internal.h"
#include "experiment/failures.h"
#include "experiment/variance.h"

#include <stdlib.h>

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

const struct sl_answer_column sl_failures_columns[SL_FAILURES_COLUMNS] = {
    {"treatment", 's', NULL},    {"runs_without", 'i', "runs"}, {"failed_without", 'i', "runs"},
    {"runs_with", 'i', "runs"},  {"failed_with", 'i', "runs"},  {"difference", 'd', NULL},
    {"lower", 'd', NULL},        {"upper", 'd', NULL},          {"p", 'd', NULL},
    {"p_holm", 'd', NULL},       {"p_bh", 'd', NULL},           {"better", 'd', NULL},
    {"better_lower", 'd', NULL}, {"better_upper", 'd', NULL}};

int sl_answer_failures(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_failures *f = sl_alloc(r->treatment.n * sizeof *f + 1);

    (void)a, (void)err;
    sl_failures_make(f, r);
    for (size_t t = 0; t < r->treatment.n; t++) {
        cell *c = sl_answer_add(out);
        c[SL_FAILURES_TREATMENT].s = r->treatment.v[t].name;
        c[SL_FAILURES_RUNS_WITHOUT].i = (int64_t)f[t].runs[0];
        c[SL_FAILURES_FAILED_WITHOUT].i = (int64_t)f[t].failed[0];
        c[SL_FAILURES_RUNS_WITH].i = (int64_t)f[t].runs[1];
        c[SL_FAILURES_FAILED_WITH].i = (int64_t)f[t].failed[1];
        c[SL_FAILURES_DIFFERENCE].d = f[t].difference;
        c[SL_FAILURES_LOWER].d = f[t].low;
        c[SL_FAILURES_UPPER].d = f[t].high;
        c[SL_FAILURES_P].d = f[t].p;
        c[SL_FAILURES_P_HOLM].d = f[t].p_holm;
        c[SL_FAILURES_P_BH].d = f[t].p_bh;
        c[SL_FAILURES_BETTER].d = f[t].better;
        c[SL_FAILURES_BETTER_LOWER].d = f[t].better_low;
        c[SL_FAILURES_BETTER_UPPER].d = f[t].better_high;
    }
    free(f);
    return 0;
}
