/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about how much is explained, how sure that is, and what lies beside the model. */
#include "experiment/answers_internal.h"
#include "experiment/drift.h"
#include "experiment/failures.h"
#include "experiment/precision.h"
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

const struct sl_answer_column sl_drift_columns[SL_DRIFT_COLUMNS] = {
    {"stretch", 'i', NULL},      {"first_ns", 'i', "ns"},     {"last_ns", 'i', "ns"}, {"runs", 'i', "runs"},
    {"level", 'd', NULL},        {"lower", 'd', NULL},        {"upper", 'd', NULL},   {"change", 'd', NULL},
    {"change_lower", 'd', NULL}, {"change_upper", 'd', NULL}, {"trend", 'd', NULL},   {"trend_lower", 'd', NULL},
    {"trend_upper", 'd', NULL},  {"trend_p", 'd', NULL},      {"sigma", 'd', NULL},   {"together", 'd', NULL}};

int sl_answer_drift(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_drift d;
    int rc = sl_drift_make(&d, r, &a->q, err);

    if (rc)
        return rc;
    for (size_t k = 0; k < d.stretches; k++) {
        const struct sl_stretch *s = &d.stretch[k];
        cell *c = sl_answer_add(out);
        c[SL_DRIFT_STRETCH].i = (int64_t)k + 1;
        c[SL_DRIFT_FIRST_NS].i = r->time_ns[d.model.run[s->begin]];
        c[SL_DRIFT_LAST_NS].i = r->time_ns[d.model.run[s->end - 1]];
        c[SL_DRIFT_RUNS].i = (int64_t)(s->end - s->begin);
        c[SL_DRIFT_LEVEL].d = s->level;
        c[SL_DRIFT_LOWER].d = s->low;
        c[SL_DRIFT_UPPER].d = s->high;
        c[SL_DRIFT_CHANGE].d = s->change;
        c[SL_DRIFT_CHANGE_LOWER].d = s->change_low;
        c[SL_DRIFT_CHANGE_UPPER].d = s->change_high;
        c[SL_DRIFT_TREND].d = d.trend;
        c[SL_DRIFT_TREND_LOWER].d = d.trend_low;
        c[SL_DRIFT_TREND_UPPER].d = d.trend_high;
        c[SL_DRIFT_TREND_P].d = d.trend_p;
        c[SL_DRIFT_SIGMA].d = d.sigma;
        c[SL_DRIFT_TOGETHER].d = d.together;
    }
    sl_drift_free(&d);
    return 0;
}

const struct sl_answer_column sl_residual_columns[SL_RESIDUAL_COLUMNS] = {
    {"run", 'i', NULL},      {"time_ns", 'i', "ns"}, {"score", 'd', NULL},
    {"residual", 'd', NULL}, {"stretch", 'i', NULL}, {"level", 'd', NULL}};

int sl_answer_residuals(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_drift d;
    int rc = sl_drift_make(&d, r, &a->q, err);

    if (rc)
        return rc;
    for (size_t k = 0; k < d.stretches; k++)
        for (size_t i = d.stretch[k].begin; i < d.stretch[k].end; i++) {
            cell *c = sl_answer_add(out);
            c[0].i = r->span[d.model.run[i]];
            c[1].i = r->time_ns[d.model.run[i]];
            c[2].d = r->score[d.model.run[i]];
            c[3].d = d.left[i];
            c[4].i = (int64_t)k + 1;
            c[5].d = d.stretch[k].level;
        }
    sl_drift_free(&d);
    return 0;
}

const struct sl_answer_column sl_enough_columns[SL_ENOUGH_COLUMNS] = {
    {"term", 's', NULL},         {"estimate", 'd', NULL},
    {"half_width", 'd', NULL},   {"next_half_width", 'd', NULL},
    {"sure_since", 'i', "runs"}, {"sure_since_ns", 'i', "ns"},
    {"needed", 'd', "runs"},     {"runs", 'i', "runs"}};

int sl_answer_enough(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_precision p;
    int rc = sl_precision_make(&p, r, &a->q, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < p.terms; i++) {
        const struct sl_precision_term *t = &p.term[i];
        cell *c = sl_answer_add(out);
        c[SL_ENOUGH_TERM].s = sl_answer_keep(out, p.model.term[t->term].name);
        c[SL_ENOUGH_ESTIMATE].d = p.model.term[t->term].estimate;
        c[SL_ENOUGH_WIDTH].d = t->width;
        c[SL_ENOUGH_NEXT_WIDTH].d = t->next_width;
        c[SL_ENOUGH_SURE_SINCE].i = t->sure_since ? (int64_t)t->sure_since : INT64_MIN;
        c[SL_ENOUGH_SURE_SINCE_NS].i =
            t->sure_since && r->time_name ? r->time_ns[p.model.run[t->sure_since - 1]] : INT64_MIN;
        c[SL_ENOUGH_NEEDED].d = t->needed;
        c[SL_ENOUGH_RUNS].i = (int64_t)p.model.n;
    }
    sl_precision_free(&p);
    return 0;
}

const struct sl_answer_column sl_precision_columns[SL_PRECISION_COLUMNS] = {
    {"term", 's', NULL},     {"runs", 'i', "runs"}, {"time_ns", 'i', "ns"},
    {"estimate", 'd', NULL}, {"lower", 'd', NULL},  {"upper", 'd', NULL}};

int sl_answer_precision(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_precision p;
    int rc = sl_precision_make(&p, r, &a->q, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < p.terms; i++) {
        const char *name = sl_answer_keep(out, p.model.term[p.term[i].term].name);
        for (size_t k = 0; k < p.points; k++) {
            const struct sl_precision_point *x = &p.term[i].point[k];
            cell *c = sl_answer_add(out);
            c[0].s = name;
            c[1].i = (int64_t)p.runs[k];
            c[2].i = r->time_name ? r->time_ns[p.model.run[p.runs[k] - 1]] : INT64_MIN;
            c[3].d = x->estimate;
            c[4].d = x->lower;
            c[5].d = x->upper;
        }
    }
    sl_precision_free(&p);
    return 0;
}
