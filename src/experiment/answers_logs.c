/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about the logs of the runs. */
#include "analyse/kernels/adjust.h"
#include "base/buf.h"
#include "experiment/answers_internal.h"
#include "experiment/parts.h"

#include <math.h>
#include <stdlib.h>

typedef union sl_answer_cell cell;

const struct sl_answer_column sl_logs_columns[SL_LOGS_COLUMNS] = {{"run", 'i', NULL},   {"named", 's', NULL},
                                                                  {"place", 's', NULL}, {"workflow", 'i', NULL},
                                                                  {"found", 'i', NULL}, {"why_not", 's', NULL}};

int sl_answer_logs(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_logs logs;
    int rc = sl_logs_find(&logs, r, a->db, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < r->n; i++) {
        const struct sl_run_logs *l = &logs.run[i];
        cell *c = sl_answer_add(out);
        c[SL_LOGS_RUN].i = r->span[i];
        c[SL_LOGS_NAMED].s = sl_answer_keep(out, l->named);
        c[SL_LOGS_PLACE].s = sl_answer_keep(out, l->place);
        c[SL_LOGS_WORKFLOW].i = l->workflow ? l->workflow : INT64_MIN;
        c[SL_LOGS_FOUND].i = l->found;
        c[SL_LOGS_WHY].s = l->workflow ? NULL
                           : l->shared ? "another run has the same logs"
                           : !l->named ? "nothing says where its logs are"
                           : l->found  ? "several workflows are there"
                                       : "nothing was imported from there";
    }
    sl_logs_free(&logs);
    return 0;
}

/* ---- parts ---- */

const struct sl_answer_column sl_parts_columns[SL_PARTS_COLUMNS] = {
    {"term", 's', NULL}, {"kind", 's', NULL},     {"part", 's', NULL},  {"estimate", 'd', "s"}, {"std_error", 'd', "s"},
    {"lower", 'd', "s"}, {"upper", 'd', "s"},     {"p", 'd', NULL},     {"p_holm", 'd', NULL},  {"share", 'd', NULL},
    {"mean", 'd', "s"},  {"occurs", 'i', "runs"}, {"runs", 'i', "runs"}};

/* What one treatment does to one part; by how much it does it. */
struct effect {
    const struct sl_part *part;
    const struct sl_term *term;
    bool others;
};

static int by_size(const void *a, const void *b)
{
    const struct effect *x = a, *y = b;
    double p = fabs(x->term->estimate), q = fabs(y->term->estimate);

    if (x->others != y->others)
        return x->others ? 1 : -1;
    return p > q ? -1 : p < q ? 1 : x->part < y->part ? -1 : x->part > y->part;
}

static void add_effect(struct sl_answer_rows *out, const struct effect *e, const struct effect *whole, size_t runs)
{
    cell *c = sl_answer_add(out);

    c[SL_PARTS_TERM].s = sl_answer_keep(out, e->term->name);
    c[SL_PARTS_KIND].s = sl_part_kinds[e->part->kind];
    c[SL_PARTS_PART].s = sl_answer_keep(out, e->part->name);
    c[SL_PARTS_ESTIMATE].d = e->term->estimate;
    c[SL_PARTS_ERROR].d = e->term->error;
    c[SL_PARTS_LOWER].d = e->term->lower;
    c[SL_PARTS_UPPER].d = e->term->upper;
    c[SL_PARTS_P].d = e->term->p;
    c[SL_PARTS_SHARE].d = e != whole && whole->term->estimate != 0 ? e->term->estimate / whole->term->estimate : NAN;
    c[SL_PARTS_MEAN].d = e->part->mean;
    c[SL_PARTS_IN].i = (int64_t)e->part->in;
    c[SL_PARTS_RUNS].i = (int64_t)runs;
}

/* Corrects p for all that were compared: wholes among wholes, parts among the parts of all treatments. */
static void correct(struct sl_answer_rows *out)
{
    double *p = sl_alloc(out->n * 2 * sizeof *p + 1), *holm = p + out->n;
    size_t *at = sl_alloc(out->n * sizeof *at + 1);

    for (int group = 0; group < 2 * SL_PART_KINDS; group++) {
        size_t n = 0;
        for (size_t i = 0; i < out->n; i++) {
            const cell *c = out->cell.v + i * out->columns;
            if (c[SL_PARTS_KIND].s == sl_part_kinds[group / 2] && (c[SL_PARTS_PART].s == NULL) == group % 2) {
                at[n] = i;
                p[n++] = c[SL_PARTS_P].d;
            }
        }
        sl_adjust_holm(holm, p, n);
        for (size_t k = 0; k < n; k++)
            out->cell.v[at[k] * out->columns + SL_PARTS_P_HOLM].d = holm[k];
    }
    free(p);
    free(at);
}

/* The rest of the row is empty. */
static void add_left_out(struct sl_answer_rows *out, const struct sl_left_out *l, size_t runs)
{
    struct sl_buf b = {0};
    cell *c = sl_answer_add(out);

    sl_buf_addf(&b, "%s/%s", l->span_type, l->event_type);
    c[SL_PARTS_TERM].s = sl_answer_keep(out, l->only);
    c[SL_PARTS_KIND].s = "left out";
    c[SL_PARTS_PART].s = sl_answer_keep(out, b.s);
    for (int i = SL_PARTS_ESTIMATE; i <= SL_PARTS_MEAN; i++)
        c[i].d = NAN;
    c[SL_PARTS_IN].i = (int64_t)l->in;
    c[SL_PARTS_RUNS].i = (int64_t)runs;
    sl_buf_free(&b);
}

int sl_answer_parts(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    struct sl_logs logs;
    struct sl_parts p;
    struct sl_linear_model *m;
    struct effect *e;
    size_t fitted = 0;
    int rc = sl_logs_find(&logs, out->runs, a->db, err);

    if (rc)
        return rc;
    rc = sl_parts_make(&p, out->runs, &logs, a->db, &a->q, err);
    sl_logs_free(&logs);
    if (rc)
        return rc;
    m = sl_alloc(p.part.n * sizeof *m + 1);
    e = sl_alloc(p.part.n * sizeof *e + 1);
    while (fitted < p.part.n && !(rc = sl_parts_fit(&m[fitted], &p, &p.part.v[fitted], &a->q, err)))
        fitted++;
    for (int kind = 0; kind < SL_PART_KINDS && !rc; kind++)
        for (size_t j = 1; j < m[0].terms; j++) {
            size_t n = 0;
            if (m[0].term[j].part[0] < 0) /* a time */
                continue;
            for (size_t i = 0; i < p.part.n; i++)
                if (p.part.v[i].kind == (enum sl_part_kind)kind)
                    e[n++] = (struct effect){&p.part.v[i], &m[i].term[j],
                                             p.part.v[i].name && !strcmp(p.part.v[i].name, "(others)")};
            if (n > 1) /* the whole comes first */
                qsort(e + 1, n - 1, sizeof *e, by_size);
            for (size_t i = 0; i < n; i++)
                add_effect(out, &e[i], &e[0], p.runs.n);
        }
    correct(out);
    for (size_t i = 0; i < p.left_out.n && !rc; i++)
        add_left_out(out, &p.left_out.v[i], p.runs.n);
    for (size_t i = 0; i < fitted; i++)
        sl_model_free(&m[i]);
    free(m);
    free(e);
    sl_parts_free(&p);
    return rc;
}
