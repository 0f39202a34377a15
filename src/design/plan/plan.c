/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "design/plan/plan_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char sl_plan_reserved[] = " record experiment run about block began ended outcome why exit_status wall_s cpu_s "
                                "max_rss_mb host kernel cpus load_1m "
                                "measured ideal logs span id key parent type first last seconds design left process ";

int sl_plan_load(struct sl_plan *out, const char *path, struct sl_err *err)
{
    struct sl_buf b = {0};
    int rc = sl_yaml_read(&b, path);

    *out = (struct sl_plan){0};
    rc = rc ? sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(rc))
            : sl_plan_parse(out, path, b.s ? b.s : "", b.n, err);
    sl_buf_free(&b);
    return rc;
}

static void free_effects(struct sl_effects *e)
{
    sl_vec_free(&e->environment);
    sl_vec_free(&e->argument);
    sl_vec_free(&e->wrapper);
    sl_vec_free(&e->edit);
    sl_vec_free(&e->patch);
    sl_vec_free(&e->setup);
    sl_vec_free(&e->teardown);
    sl_vec_free(&e->command);
}

void sl_plan_free(struct sl_plan *p)
{
    free_effects(&p->effects);
    for (size_t f = 0; f < p->factor.n; f++) {
        for (size_t i = 0; i < p->factor.v[f].level.n; i++)
            free_effects(&p->factor.v[f].level.v[i].effects);
        sl_vec_free(&p->factor.v[f].level);
    }
    for (size_t i = 0; i < p->group.n; i++)
        sl_vec_free(&p->group.v[i].factor);
    for (size_t i = 0; i < p->constraint.n; i++)
        sl_vec_free(&p->constraint.v[i].all);
    sl_vec_free(&p->command);
    sl_vec_free(&p->factor);
    sl_vec_free(&p->group);
    sl_vec_free(&p->constraint);
    sl_vec_free(&p->program);
    sl_vec_free(&p->version);
    sl_arena_free(&p->arena);
    *p = (struct sl_plan){0};
}

const struct sl_plan_constraint *sl_plan_broken(const struct sl_plan *p, const int32_t *setting)
{
    for (size_t i = 0; i < p->constraint.n; i++) {
        const struct sl_plan_constraint *c = &p->constraint.v[i];
        size_t k = 0;
        while (k < c->all.n && c->all.v[k].levels >> setting[c->all.v[k].factor] & 1)
            k++;
        if (k == c->all.n)
            return c;
    }
    return NULL;
}

int32_t sl_plan_factor(const struct sl_plan *p, const char *name)
{
    for (size_t f = 0; f < p->factor.n; f++)
        if (!strcmp(p->factor.v[f].name, name))
            return (int32_t)f;
    return -1;
}

int32_t sl_plan_level(const struct sl_plan *p, uint32_t factor, const char *name)
{
    const struct sl_plan_factor *f = &p->factor.v[factor];

    for (size_t i = 0; i < f->level.n; i++)
        if (!strcmp(f->level.v[i].name, name))
            return (int32_t)i;
    return -1;
}

double sl_plan_ideal(const struct sl_plan *p, const int32_t *setting)
{
    for (size_t f = 0; f < p->factor.n; f++)
        if (!isnan(p->factor.v[f].level.v[setting[f]].ideal))
            return p->factor.v[f].level.v[setting[f]].ideal;
    return p->score.ideal;
}

double sl_plan_seconds(const char *text)
{
    static const struct {
        const char *name;
        double s;
    } unit[] = {{"", 1},      {"s", 1},       {"sec", 1},      {"second", 1}, {"seconds", 1}, {"m", 60},
                {"min", 60},  {"minute", 60}, {"minutes", 60}, {"h", 3600},   {"hour", 3600}, {"hours", 3600},
                {"d", 86400}, {"day", 86400}, {"days", 86400}, {"ms", 1e-3}};
    char *end;
    double x = strtod(text, &end);

    while (*end == ' ')
        end++;
    for (size_t i = 0; end != text && i < sizeof unit / sizeof *unit; i++)
        if (!strcmp(end, unit[i].name) && isfinite(x) && x > 0)
            return x * unit[i].s;
    return NAN;
}
