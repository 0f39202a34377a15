/* SPDX-License-Identifier: Apache-2.0 */
#include "design/settings/designs.h"
#include "analyse/kernels/random.h"
#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

void sl_settings_add(struct sl_settings *s, const int32_t *setting)
{
    for (size_t f = 0; f < s->factors; f++)
        *sl_vec_add(&s->level) = setting[f];
}

void sl_settings_free(struct sl_settings *s)
{
    sl_vec_free(&s->level);
}

static size_t levels_of(const struct sl_plan *p, size_t f)
{
    return p->factor.v[f].level.n;
}

int sl_design_full(struct sl_settings *out, const struct sl_design_of *d, size_t most, size_t *left_out,
                   struct sl_err *err)
{
    size_t factors = d->plan->factor.n, f = 0;
    int32_t *at = sl_alloc((factors + 1) * sizeof *at);
    int rc = 0;

    *left_out = 0;
    while (!rc && f < factors + 1) {
        if (sl_plan_broken(d->plan, at))
            ++*left_out;
        else
            sl_settings_add(out, at);
        if (sl_settings_n(out) + *left_out > most)
            rc = sl_err(err, SL_EUSAGE,
                        "the full factorial has more than %zu settings; a part of it: experiment design fraction, "
                        "random N, balanced N, optimal N; or fewer factors: --factors",
                        most);
        for (f = 0; f < factors && (!d->vary[f] || ++at[f] == (int32_t)levels_of(d->plan, f)); f++)
            at[f] = 0;
        f += f == factors; /* beyond the last: all have been there */
    }
    free(at);
    return rc;
}

int sl_design_fraction(struct sl_settings *out, const struct sl_design_of *d, const struct sl_fraction *f,
                       struct sl_err *err)
{
    size_t factors = d->plan->factor.n;
    int32_t *at = sl_alloc((factors + 1) * sizeof *at);
    const struct sl_plan_constraint *broken = NULL;
    uint32_t forbidden = 0;

    for (uint32_t run = 0; run < UINT32_C(1) << f->bits; run++) {
        int k = 0;
        for (size_t i = 0; i < factors; i++)
            at[i] = d->vary[i] && sl_fraction_high(f, run, k++) ? d->high[i] : 0;
        if (sl_plan_broken(d->plan, at)) {
            broken = sl_plan_broken(d->plan, at);
            forbidden++;
        } else {
            sl_settings_add(out, at);
        }
    }
    free(at);
    return broken
               ? sl_err(
                     err, SL_EUSAGE,
                     "%u of the %u runs of this fraction are forbidden (%s, %s:%d), and without them it is none: take "
                     "experiment design balanced N, or optimal N, which keep constraints",
                     forbidden, 1u << f->bits, broken->text, d->plan->path, broken->line)
               : 0;
}

int sl_design_one_at_a_time(struct sl_settings *out, const struct sl_design_of *d, bool up, bool down, size_t *left_out,
                            struct sl_err *err)
{
    const struct sl_plan *p = d->plan;
    size_t factors = p->factor.n;
    int32_t *at = sl_alloc((factors + 1) * sizeof *at);
    int rc = 0;

    *left_out = 0;
    if (up && sl_plan_broken(p, at))
        rc = sl_err(err, SL_EUSAGE, "%s:%d: the constraint forbids the base itself: %s", p->path,
                    sl_plan_broken(p, at)->line, sl_plan_broken(p, at)->text);
    if (up && !rc)
        sl_settings_add(out, at);
    for (size_t f = 0; up && !rc && f < factors; f++) {
        for (int32_t level = 1; d->vary[f] && level < (int32_t)levels_of(p, f); level++) {
            at[f] = level;
            if (sl_plan_broken(p, at))
                ++*left_out;
            else
                sl_settings_add(out, at);
        }
        at[f] = 0;
    }
    for (size_t f = 0; f < factors; f++)
        at[f] = d->vary[f] ? d->high[f] : 0;
    if (!rc && down && sl_plan_broken(p, at))
        rc = sl_err(err, SL_EUSAGE,
                    "%s:%d: the constraint forbids all at once, from where one would go down: %s; say up", p->path,
                    sl_plan_broken(p, at)->line, sl_plan_broken(p, at)->text);
    if (!rc && down)
        sl_settings_add(out, at);
    for (size_t f = 0; down && !rc && f < factors; f++)
        if (d->vary[f]) {
            at[f] = 0;
            if (sl_plan_broken(p, at))
                ++*left_out;
            else
                sl_settings_add(out, at);
            at[f] = d->high[f];
        }
    free(at);
    return rc;
}

static bool is_there(const struct sl_settings *s, const struct sl_map *by_hash, const int32_t *setting, uint64_t hash)
{
    size_t at = hash;

    for (uint32_t i; sl_map_next(by_hash, hash, &at, &i);)
        if (!memcmp(sl_setting(s, i), setting, s->factors * sizeof *setting))
            return true;
    return false;
}

int sl_design_random(struct sl_settings *out, const struct sl_design_of *d, size_t n, uint64_t seed, struct sl_err *err)
{
    size_t factors = d->plan->factor.n, tries = 0, forbidden = 0;
    int32_t *at = sl_alloc((factors + 1) * sizeof *at);
    struct sl_map by_hash = {0};
    bool again = false; /* all there are may have been drawn */
    int rc = 0;

    while (!rc && sl_settings_n(out) < n) {
        uint64_t hash;
        for (size_t f = 0; f < factors; f++)
            at[f] = d->vary[f] ? (int32_t)sl_random_below(&seed, levels_of(d->plan, f)) : 0;
        hash = sl_hash(at, factors * sizeof *at);
        if (sl_plan_broken(d->plan, at)) {
            if (++forbidden > 1000000 && !sl_settings_n(out))
                rc = sl_err(err, SL_EUSAGE, "the constraints leave hardly a setting: of a million random ones, none");
            continue;
        }
        again |= ++tries > 1000;
        if (!again && is_there(out, &by_hash, at, hash))
            continue;
        tries = 0;
        sl_map_add(&by_hash, hash, (uint32_t)sl_settings_n(out));
        sl_settings_add(out, at);
    }
    sl_map_free(&by_hash);
    free(at);
    return rc;
}
