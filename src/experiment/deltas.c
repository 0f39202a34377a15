/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash of a run is a sum over its factors, so that the hash of all factors but one is a subtraction: whoever has
 * the levels of a run, but for one factor, is found without a pass over the others.
 */
#include "experiment/deltas.h"
#include "base/hash.h"
#include "base/map.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t part(size_t factor, int32_t level)
{
    return sl_hash_mix(factor + 1, (uint64_t)(uint32_t)level + 1);
}

static uint64_t hash_of(const struct sl_runs *r, const int32_t *level)
{
    uint64_t h = 0;

    for (size_t f = 0; f < r->factors; f++)
        h += part(f, level[f]);
    return h;
}

/* The levels of a cell are those of its first run. */
static const int32_t *levels(const struct sl_cells *c, const struct sl_runs *r, uint32_t cell)
{
    return sl_runs_levels(r, c->run[c->begin[cell]]);
}

static bool alike_but(const struct sl_runs *r, const int32_t *a, const int32_t *b, size_t factor)
{
    return !memcmp(a, b, factor * sizeof *a) &&
           (factor >= r->factors || !memcmp(a + factor + 1, b + factor + 1, (r->factors - factor - 1) * sizeof *a));
}

static void make_cells(struct sl_cells *c, const struct sl_runs *r)
{
    struct sl_map map = {0};
    uint32_t *first = sl_alloc(r->n * sizeof *first), *at;

    *c = (struct sl_cells){.of = sl_alloc(r->n * sizeof *c->of), .run = sl_alloc(r->n * sizeof *c->run)};
    for (size_t i = 0; i < r->n; i++) {
        const int32_t *mine = sl_runs_levels(r, i);
        uint64_t hash = hash_of(r, mine);
        size_t slot = hash;
        uint32_t cell;
        bool found = false;
        while (!found && sl_map_next(&map, hash, &slot, &cell))
            found = !memcmp(mine, sl_runs_levels(r, first[cell]), r->factors * sizeof *mine);
        if (!found) {
            cell = (uint32_t)c->n++;
            first[cell] = (uint32_t)i;
            sl_map_add(&map, hash, cell);
        }
        c->of[i] = cell;
    }
    c->begin = sl_alloc((c->n + 2) * sizeof *c->begin);
    for (size_t i = 0; i < r->n; i++)
        c->begin[c->of[i] + 1]++;
    for (size_t i = 0; i < c->n; i++)
        c->begin[i + 1] += c->begin[i];
    at = sl_alloc((c->n + 1) * sizeof *at);
    for (size_t i = 0; i < r->n; i++)
        c->run[c->begin[c->of[i]] + at[c->of[i]]++] = (uint32_t)i;
    free(at);
    free(first);
    sl_map_free(&map);
}

/* Pairs of one factor: cells with its base level are put into a map by all other levels, the others look there. */
static void pairs_of(struct sl_deltas *d, const struct sl_runs *r, const uint64_t *hash, size_t factor,
                     uint32_t first_treatment)
{
    const struct sl_cells *c = &d->cells;
    struct sl_map map = {0};

    for (uint32_t i = 0; i < c->n; i++)
        if (levels(c, r, i)[factor] == 0)
            sl_map_add(&map, hash[i] - part(factor, 0), i);
    for (uint32_t i = 0; i < c->n; i++) {
        const int32_t *mine = levels(c, r, i);
        uint64_t rest = hash[i] - part(factor, mine[factor]);
        size_t slot = rest;
        if (mine[factor] < 1)
            continue;
        for (uint32_t base; sl_map_next(&map, rest, &slot, &base);)
            if (alike_but(r, mine, levels(c, r, base), factor))
                *sl_vec_add(&d->pair) = (struct sl_cell_pair){first_treatment + (uint32_t)mine[factor] - 1, base, i};
    }
    sl_map_free(&map);
}

/* Cells are numbered by the time of their first run. */
static int by_treatment(const void *a, const void *b)
{
    const struct sl_cell_pair *x = a, *y = b;

    if (x->treatment != y->treatment)
        return x->treatment < y->treatment ? -1 : 1;
    if (x->without != y->without)
        return x->without < y->without ? -1 : 1;
    return x->with < y->with ? -1 : x->with > y->with;
}

void sl_deltas_make(struct sl_deltas *out, const struct sl_runs *r)
{
    uint64_t *hash;

    *out = (struct sl_deltas){0};
    make_cells(&out->cells, r);
    hash = sl_alloc(out->cells.n * sizeof *hash + 1);
    for (uint32_t i = 0; i < out->cells.n; i++)
        hash[i] = hash_of(r, levels(&out->cells, r, i));
    for (uint32_t t = 0; t < r->treatment.n; t++)
        if (r->treatment.v[t].level == 1)
            pairs_of(out, r, hash, r->treatment.v[t].factor, t);
    if (out->pair.n)
        qsort(out->pair.v, out->pair.n, sizeof *out->pair.v, by_treatment);
    free(hash);
}

int64_t sl_cells_find(const struct sl_cells *c, const struct sl_runs *r, const int32_t *level)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!memcmp(levels(c, r, i), level, r->factors * sizeof *level))
            return i;
    return -1;
}

void sl_deltas_free(struct sl_deltas *d)
{
    free(d->cells.of);
    free(d->cells.begin);
    free(d->cells.run);
    sl_vec_free(&d->pair);
    *d = (struct sl_deltas){0};
}

/* ---- questions ---- */

/* Each run of one cell of the pairs with each of the other. */
typedef void pair_fn(struct sl_rows *out, const struct sl_runs *r, const struct sl_treatment *t, uint32_t before,
                     uint32_t after, void *of);

static void add_pairs(struct sl_rows *out, const struct sl_runs *r, pair_fn *add, void *of)
{
    struct sl_deltas d;

    sl_deltas_make(&d, r);
    for (size_t i = 0; i < d.pair.n; i++) {
        const struct sl_cell_pair *p = &d.pair.v[i];
        for (uint32_t x = d.cells.begin[p->without]; x < d.cells.begin[p->without + 1]; x++)
            for (uint32_t y = d.cells.begin[p->with]; y < d.cells.begin[p->with + 1]; y++)
                add(out, r, &r->treatment.v[p->treatment], d.cells.run[x], d.cells.run[y], of);
    }
    sl_deltas_free(&d);
}

static double times(double before, double after)
{
    return before > 0 && after > 0 ? log2(after / before) : NAN;
}

static void add_delta(struct sl_rows *out, const struct sl_runs *r, const struct sl_treatment *t, uint32_t before,
                      uint32_t after, void *of)
{
    struct sl_delta_row *x = sl_rows_add(out);

    (void)of;
    x->treatment = sl_rows_text(out, t->name);
    x->before = r->score[before];
    x->after = r->score[after];
    x->delta = x->after - x->before;
    x->log2 = times(x->before, x->after);
    x->before_run = r->span[before];
    x->after_run = r->span[after];
}

static int fill_deltas(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    (void)q, (void)err;
    add_pairs(out, r, add_delta, NULL);
    return 0;
}

const struct sl_experiment_fn sl_experiment_deltas = {
    .name = "deltas",
    .about = "pairs of runs that differ in one treatment alone",
    .row = &sl_delta_row_columns,
    .fill = fill_deltas,
    .coarse = true,
};

/* Of scatter; a factor of r->factors is none. */
struct scatter {
    size_t factor, colour;
    const char *treatment; /* NULL: all of the factor */
};

static void add_point(struct sl_rows *out, const struct sl_runs *r, const struct sl_treatment *t, uint32_t before,
                      uint32_t after, void *of)
{
    const struct scatter *s = of;
    int32_t level = s->colour < r->factors ? sl_runs_levels(r, before)[s->colour] : -1;
    struct sl_scatter_row *x;

    if (t->factor != s->factor || (s->treatment && strcmp(s->treatment, t->name) != 0))
        return;
    x = sl_rows_add(out);
    x->before = r->score[before];
    x->after = r->score[after];
    x->delta = x->after - x->before;
    x->log2 = times(x->before, x->after);
    x->colour = level >= 0 ? sl_rows_text(out, r->factor[s->colour].level[level]) : NULL;
    x->before_run = r->span[before];
    x->after_run = r->span[after];
}

static int no_such(const struct sl_runs *r, const char *what, const char *name, struct sl_err *err)
{
    char all[800];
    size_t n = 0;

    all[0] = 0;
    for (size_t f = 0; f < r->factors && n < sizeof all; f++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", f ? ", " : "", r->factor[f].name);
    return sl_err(err, SL_EUSAGE, "there is no %s '%s'; there are: %s", what, name, all);
}

static int fill_scatter(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct scatter s = {.factor = r->factors, .colour = r->factors, .treatment = q->of};

    if (!q->of)
        return sl_err(err, SL_EUSAGE, "of which treatment? Name a factor, or FACTOR=LEVEL");
    for (size_t f = 0; f < r->factors; f++) {
        s.colour = q->by && !strcmp(q->by, r->factor[f].name) ? f : s.colour;
        s.factor = !strcmp(q->of, r->factor[f].name) ? f : s.factor;
    }
    if (q->by && s.colour == r->factors)
        return no_such(r, "factor", q->by, err);
    for (size_t t = 0; t < r->treatment.n; t++)
        if (!strcmp(q->of, r->treatment.v[t].name))
            s.factor = r->treatment.v[t].factor;
    if (s.factor == r->factors)
        return no_such(r, "treatment", q->of, err);
    if (r->factor[s.factor].kind == SL_FACTOR_CONSTANT)
        return sl_err(err, SL_EUSAGE, "%s never varies in these runs", q->of);
    if (!strcmp(q->of, r->factor[s.factor].name))
        s.treatment = NULL;
    add_pairs(out, r, add_point, &s);
    return 0;
}

const struct sl_experiment_fn sl_experiment_scatter = {
    .name = "scatter",
    .about = "pairs of runs that differ in the treatment OF alone, with the level of factor BY",
    .row = &sl_scatter_row_columns,
    .fill = fill_scatter,
    .coarse = true,
};
