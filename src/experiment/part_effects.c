/* SPDX-License-Identifier: Apache-2.0 */
/* What each treatment does to each part of the runs. */
#include "analyse/kernels/regression/adjust.h"
#include "base/buf.h"
#include "experiment/parts.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdlib.h>

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

static void add_effect(struct sl_rows *out, const struct effect *e, const struct effect *whole, size_t runs)
{
    const struct sl_term *t = e->term;
    struct sl_part_row *x = sl_rows_add(out);

    x->term = sl_rows_text(out, t->name);
    x->kind = sl_part_kinds[e->part->kind];
    x->part = sl_rows_text(out, e->part->name);
    x->estimate = t->estimate;
    x->std_error = t->error;
    x->lower = t->lower;
    x->upper = t->upper;
    x->p = t->p;
    if (e != whole && whole->term->estimate != 0)
        x->share = t->estimate / whole->term->estimate;
    x->mean = e->part->mean;
    x->occurs = (int64_t)e->part->in;
    x->runs = (int64_t)runs;
}

/* Corrects p for all that were compared: wholes among wholes, parts among the parts of all treatments. */
static void correct_parts(struct sl_rows *out)
{
    double *p = sl_alloc(out->n * 2 * sizeof *p + 1), *holm = p + out->n;
    struct sl_part_row **of = sl_alloc(out->n * sizeof *of + 1);

    for (int group = 0; group < 2 * SL_PART_KINDS; group++) {
        size_t n = 0;
        for (size_t i = 0; i < out->n; i++) {
            struct sl_part_row *x = sl_rows_at(out, i);
            if (x->kind == sl_part_kinds[group / 2] && (x->part == NULL) == group % 2) {
                of[n] = x;
                p[n++] = x->p;
            }
        }
        sl_adjust_holm(holm, p, n);
        for (size_t k = 0; k < n; k++)
            of[k]->p_holm = holm[k];
    }
    free(p);
    free(of);
}

/* The rest of the row is empty. */
static void add_left_out(struct sl_rows *out, const struct sl_left_out *l, size_t runs)
{
    struct sl_buf b = {0};
    struct sl_part_row *x = sl_rows_add(out);

    sl_buf_addf(&b, "%s/%s", l->span_type, l->event_type);
    x->term = sl_rows_text(out, l->only);
    x->kind = "left out";
    x->part = sl_rows_text(out, b.s);
    x->occurs = (int64_t)l->in;
    x->runs = (int64_t)runs;
    sl_buf_free(&b);
}

static int fill_parts(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_logs logs;
    struct sl_parts p;
    struct sl_linear_model *m;
    struct effect *e;
    size_t fitted = 0;
    int rc = sl_logs_find(&logs, r, r->db, err);

    if (rc)
        return rc;
    rc = sl_parts_make(&p, r, &logs, r->db, q, err);
    sl_logs_free(&logs);
    if (rc)
        return rc;
    m = sl_alloc(p.part.n * sizeof *m + 1);
    e = sl_alloc(p.part.n * sizeof *e + 1);
    while (fitted < p.part.n && !(rc = sl_parts_fit(&m[fitted], &p, &p.part.v[fitted], q, err)))
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
    correct_parts(out);
    for (size_t i = 0; i < p.left_out.n && !rc; i++)
        add_left_out(out, &p.left_out.v[i], p.runs.n);
    for (size_t i = 0; i < fitted; i++)
        sl_model_free(&m[i]);
    free(m);
    free(e);
    sl_parts_free(&p);
    return rc;
}

const struct sl_experiment_fn sl_experiment_parts = {
    .name = "parts",
    .about = "what each treatment does to each part of the runs, by their logs",
    .row = &sl_part_row_columns,
    .fill = fill_parts,
};
