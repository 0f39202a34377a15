/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "design/settings/designs.h"

#include <stdlib.h>

#ifdef SL_Z3

#include <dlfcn.h>
#include <stdio.h>
#include <z3.h>

enum { MOST_OFF = 64, ALL = 100000, SECONDS = 20, RESOURCES = 40000000, MILLISECONDS = 10000 };

/* Of libz3.so.4, which is loaded when it is first needed: it is as large as all else together. */
/* clang-format off */
#define Z3_FUNCTIONS(F) \
    F(mk_config) F(del_config) F(mk_context) F(del_context) F(mk_simple_solver) F(solver_inc_ref) \
    F(solver_dec_ref) F(solver_assert) F(solver_check) F(solver_push) F(solver_pop) F(solver_get_model) \
    F(model_inc_ref) F(model_dec_ref) F(model_eval) F(get_bool_value) F(mk_int_symbol) F(mk_bool_sort) \
    F(mk_const) F(mk_not) F(mk_and) F(mk_or) F(mk_pble) F(mk_pbge) F(mk_params) F(params_inc_ref) \
    F(params_dec_ref) F(params_set_uint) F(mk_string_symbol) F(solver_set_params) F(set_error_handler)
/* clang-format on */
#define DECLARE(name) __typeof__(Z3_##name) *name;
static struct {
    void *library;
    Z3_FUNCTIONS(DECLARE)
} z;

static int load(struct sl_err *err)
{
#define FIND(fn) {(void **)&z.fn, "Z3_" #fn},
    const struct {
        void **fn;
        const char *name;
    } all[] = {Z3_FUNCTIONS(FIND)};

    if (!z.library)
        z.library = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!z.library)
        return sl_err(err, SL_ENOTFOUND,
                      "there is no libz3.so.4 on this machine; Debian has it in libz3-4. Without it: "
                      "experiment design random N, or optimal N");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].fn = dlsym(z.library, all[i].name)))
            return sl_err(err, SL_ENOTFOUND, "the libz3.so.4 of this machine has no %s", all[i].name);
    return 0;
}

struct problem {
    const struct sl_design_of *d;
    size_t n, factors;
    Z3_context c;
    Z3_solver solver;
    size_t *first; /* of a factor, among the variables of a run */
    size_t width;  /* variables of a run: one a level */
    Z3_ast *var;   /* n rows of them: does the run have the level? */
    Z3_ast *list;  /* scratch, n * width */
    int *ones;     /* as many ones */
};

static Z3_ast at(const struct problem *p, size_t run, size_t factor, size_t level)
{
    return p->var[run * p->width + p->first[factor] + level];
}

static size_t levels(const struct problem *p, size_t factor)
{
    return p->d->vary[factor] ? p->d->plan->factor.v[factor].level.n : 1;
}

static void between(struct problem *p, size_t n, int least, int most)
{
    if (most < (int)n)
        z.solver_assert(p->c, p->solver, z.mk_pble(p->c, (unsigned)n, p->list, p->ones, most));
    if (least > 0)
        z.solver_assert(p->c, p->solver, z.mk_pbge(p->c, (unsigned)n, p->list, p->ones, least));
}

static void make_variables(struct problem *p)
{
    Z3_sort boolean = z.mk_bool_sort(p->c);

    for (size_t i = 0; i < p->n * p->width; i++) {
        p->var[i] = z.mk_const(p->c, z.mk_int_symbol(p->c, (int)i), boolean);
        p->ones[i] = 1;
    }
    for (size_t run = 0; run < p->n; run++)
        for (size_t f = 0; f < p->factors; f++) {
            for (size_t k = 0; k < levels(p, f); k++)
                p->list[k] = at(p, run, f, k);
            between(p, levels(p, f), 1, 1);
        }
}

static bool may_be(const struct problem *p, const struct sl_plan_literal *l)
{
    return l->levels & (levels(p, l->factor) == 1 ? 1 : UINT64_MAX);
}

static void keep_constraints(struct problem *p)
{
    const struct sl_plan *plan = p->d->plan;

    for (size_t i = 0; i < plan->constraint.n; i++) {
        const struct sl_plan_constraint *c = &plan->constraint.v[i];
        bool possible = true;
        for (size_t k = 0; k < c->all.n; k++)
            possible &= may_be(p, &c->all.v[k]);
        for (size_t run = 0; possible && run < p->n; run++) {
            size_t n = 0;
            for (size_t k = 0; k < c->all.n; k++) { /* one of the factors has a level that is not among these */
                const struct sl_plan_literal *l = &c->all.v[k];
                for (size_t level = 0; level < levels(p, l->factor); level++)
                    if (!(l->levels >> level & 1))
                        p->list[n++] = at(p, run, l->factor, level);
            }
            z.solver_assert(p->c, p->solver, z.mk_or(p->c, (unsigned)n, p->list));
        }
    }
}

/* Runs ascend, as numbers: so they differ, and no order of them is tried twice. */
static void ascend(struct problem *p)
{
    size_t first = 0;

    while (first < p->factors && levels(p, first) == 1)
        first++;
    for (size_t run = 0; run + 1 < p->n && first < p->factors; run++)
        for (size_t i = 0; i <= run; i++) {
            size_t n = 0;
            for (size_t f = 0; f < p->factors; f++)
                for (size_t k = 0; levels(p, f) > 1 && k < levels(p, f);
                     k++) { /* not alike: some level is not in both */
                    Z3_ast both[2] = {at(p, i, f, k), at(p, run + 1, f, k)};
                    Z3_ast differ[2] = {z.mk_not(p->c, both[0]), both[1]};
                    p->list[n++] = z.mk_and(p->c, 2, differ);
                }
            z.solver_assert(p->c, p->solver, z.mk_or(p->c, (unsigned)n, p->list));
        }
}

/* Each level n / levels times, off by no more than this. */
static void balance_singles(struct problem *p, int off)
{
    for (size_t f = 0; f < p->factors; f++)
        for (size_t k = 0; levels(p, f) > 1 && k < levels(p, f); k++) {
            int even = (int)(p->n / levels(p, f)), rest = p->n % levels(p, f) != 0;
            for (size_t run = 0; run < p->n; run++)
                p->list[run] = at(p, run, f, k);
            between(p, p->n, even - off, even + rest + off);
        }
}

/* Can two levels be together at all, whatever the others are?  As far as constraints of the two alone say. */
static bool together(const struct problem *p, uint32_t f, size_t k, uint32_t g, size_t l)
{
    const struct sl_plan *plan = p->d->plan;

    for (size_t i = 0; i < plan->constraint.n; i++) {
        const struct sl_plan_constraint *c = &plan->constraint.v[i];
        bool all = true;
        for (size_t m = 0; m < c->all.n; m++) {
            const struct sl_plan_literal *a = &c->all.v[m];
            all &= (a->factor == f && a->levels >> k & 1) || (a->factor == g && a->levels >> l & 1) ||
                   (levels(p, a->factor) == 1 && a->levels & 1);
        }
        if (all)
            return false;
    }
    return true;
}

static bool all_together(const struct problem *p, uint32_t f, uint32_t g)
{
    for (size_t k = 0; k < levels(p, f); k++)
        for (size_t l = 0; l < levels(p, g); l++)
            if (!together(p, f, k, g, l))
                return false;
    return true;
}

static void balance_pairs(struct problem *p, int off)
{
    for (uint32_t f = 0; f < p->factors; f++)
        for (uint32_t g = f + 1; g < p->factors; g++) {
            size_t cells = levels(p, f) * levels(p, g);
            int even = (int)(p->n / cells), rest = p->n % cells != 0;
            if (levels(p, f) == 1 || levels(p, g) == 1 || !all_together(p, f, g))
                continue;
            for (size_t k = 0; k < levels(p, f); k++)
                for (size_t l = 0; l < levels(p, g); l++) {
                    for (size_t run = 0; run < p->n; run++) {
                        Z3_ast both[2] = {at(p, run, f, k), at(p, run, g, l)};
                        p->list[run] = z.mk_and(p->c, 2, both);
                    }
                    between(p, p->n, even - off, even + rest + off);
                }
        }
}

static bool solve(struct problem *p, int single, int pair)
{
    bool found;

    z.solver_push(p->c, p->solver);
    balance_singles(p, single);
    if (pair >= 0)
        balance_pairs(p, pair);
    found = z.solver_check(p->c, p->solver) == Z3_L_TRUE;
    if (!found)
        z.solver_pop(p->c, p->solver, 1);
    return found;
}

static void take(struct problem *p, struct sl_settings *out)
{
    Z3_model m = z.solver_get_model(p->c, p->solver);
    int32_t *setting = sl_alloc((p->factors + 1) * sizeof *setting);

    z.model_inc_ref(p->c, m);
    for (size_t run = 0; run < p->n; run++) {
        for (size_t f = 0; f < p->factors; f++) {
            setting[f] = 0;
            for (size_t k = 0; k < levels(p, f); k++) {
                Z3_ast value = NULL;
                if (z.model_eval(p->c, m, at(p, run, f, k), true, &value) && z.get_bool_value(p->c, value) == Z3_L_TRUE)
                    setting[f] = (int32_t)k;
            }
        }
        sl_settings_add(out, setting);
    }
    z.model_dec_ref(p->c, m);
    free(setting);
}

static void silent(Z3_context c, Z3_error_code e)
{
    (void)c;
    (void)e;
}

static void begin(struct problem *p, uint64_t seed)
{
    Z3_config config = z.mk_config();
    Z3_params params;

    p->c = z.mk_context(config);
    z.del_config(config);
    z.set_error_handler(p->c, silent);
    p->solver = z.mk_simple_solver(p->c);
    z.solver_inc_ref(p->c, p->solver);
    params = z.mk_params(p->c);
    z.params_inc_ref(p->c, params);
    z.params_set_uint(p->c, params, z.mk_string_symbol(p->c, "random_seed"), (unsigned)(seed & 0x7fffffff));
    z.params_set_uint(p->c, params, z.mk_string_symbol(p->c, "rlimit"), RESOURCES);
    z.params_set_uint(p->c, params, z.mk_string_symbol(p->c, "timeout"), MILLISECONDS);
    z.solver_set_params(p->c, p->solver, params);
    z.params_dec_ref(p->c, params);
    for (size_t f = 0; f < p->factors; f++) {
        p->first[f] = p->width;
        p->width += levels(p, f);
    }
    p->var = sl_alloc(p->n * p->width * sizeof *p->var);
    p->ones = sl_alloc((p->n + 1) * (p->width + 1) * sizeof *p->ones);
    p->list = sl_alloc((p->n + 1) * (p->width + 1) * sizeof *p->list);
    make_variables(p);
    keep_constraints(p);
    ascend(p);
}

/* Where there are no more than n settings at all: all of them, or an error. */
static int take_all(struct sl_settings *out, const struct sl_design_of *d, size_t n, bool *all, struct sl_err *err)
{
    struct sl_settings every = {.factors = d->plan->factor.n};
    size_t left_out, there;
    int rc = 0;

    if (sl_design_full(&every, d, ALL, &left_out, NULL)) { /* too many to be counted, or none */
        sl_settings_free(&every);
        return 0;
    }
    there = sl_settings_n(&every);
    *all = n == there;
    for (size_t i = 0; i < there && *all; i++)
        sl_settings_add(out, sl_setting(&every, i));
    if (n > there)
        rc = sl_err(err, SL_EUSAGE,
                    "the constraints allow %zu different settings, not %zu; take fewer, or repeat them: repeats", there,
                    n);
    sl_settings_free(&every);
    return rc;
}

int sl_design_balanced(struct sl_settings *out, const struct sl_design_of *d, size_t n, uint64_t seed, int *off_single,
                       int *off_pair, struct sl_err *err)
{
    struct problem p = {.d = d, .n = n, .factors = d->plan->factor.n};
    int64_t began = sl_clock_mono_ns();
    bool found = false, all = false;
    int rc = load(err);

    *off_single = *off_pair = 0;
    if (!rc)
        rc = take_all(out, d, n, &all, err);
    if (rc || all)
        return rc;
    p.first = sl_alloc((p.factors + 1) * sizeof *p.first);
    begin(&p, seed);
    /* pairs matter most: of two designs the one whose pairs are more even, then that whose levels are */
    for (*off_pair = 0; *off_pair <= MOST_OFF && !found && *off_pair < (int)n; ++*off_pair)
        for (*off_single = 0;
             *off_single <= 2 * *off_pair && !found && sl_clock_mono_ns() - began < SECONDS * 1000000000LL;
             ++*off_single)
            found = solve(&p, *off_single, *off_pair);
    --*off_pair;
    --*off_single;
    if (found)
        take(&p, out);
    else
        rc = sl_err(err, SL_ENOTFOUND,
                    "there is no balanced design of %zu different settings under these constraints, or none was found "
                    "in reasonable time; take fewer, or: experiment design random %zu",
                    n, n);
    z.solver_dec_ref(p.c, p.solver);
    z.del_context(p.c);
    free(p.first);
    free(p.var);
    free(p.ones);
    free(p.list);
    return rc;
}

#else

int sl_design_balanced(struct sl_settings *out, const struct sl_design_of *d, size_t n, uint64_t seed, int *off_single,
                       int *off_pair, struct sl_err *err)
{
    (void)out, (void)d, (void)seed, (void)off_single, (void)off_pair;
    return sl_err(err, SL_ENOTFOUND,
                  "this build has no Z3, which makes balanced designs; build it where libz3-dev is (-Dz3=enabled), or: "
                  "experiment design random %zu",
                  n);
}

#endif
