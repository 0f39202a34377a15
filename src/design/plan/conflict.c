/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Do constraints leave a setting?  Each forbids some levels of some factors together, so a search takes levels away
 * from factors: at once those that a constraint leaves no choice about, then one level after the other.
 */
#include "base/buf.h"
#include "design/plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 200000 }; /* of a search; beyond these a setting is taken to be left */

struct search {
    const struct sl_plan *p;
    const bool *without; /* constraints that are left out */
    long steps;
};

/* Takes away what must go.  False: some constraint is broken whatever the levels.  *open: a factor to decide on, of a
 * constraint that is not kept yet; -1: all are kept. */
static bool narrow(struct search *s, uint64_t *levels, int64_t *open)
{
    for (bool again = true; again;) {
        again = false;
        *open = -1;
        for (size_t i = 0; i < s->p->constraint.n; i++) {
            const struct sl_plan_constraint *c = &s->p->constraint.v[i];
            const struct sl_plan_literal *free = NULL;
            size_t n = 0;
            bool kept = s->without[i];
            for (size_t k = 0; k < c->all.n && !kept; k++) {
                const struct sl_plan_literal *l = &c->all.v[k];
                kept = !(levels[l->factor] & l->levels);
                if (levels[l->factor] & ~l->levels) {
                    n += !free || free->factor != l->factor || free->levels != l->levels;
                    free = l;
                }
            }
            if (kept)
                continue;
            if (!n)
                return false;
            if (n == 1) {
                levels[free->factor] &= ~free->levels;
                again = true;
            } else {
                *open = free->factor;
            }
        }
    }
    return true;
}

static bool possible(struct search *s, const uint64_t *levels)
{
    size_t factors = s->p->factor.n;
    uint64_t *mine = sl_alloc((factors + 1) * sizeof *mine), all;
    int64_t open;
    bool found;

    memcpy(mine, levels, factors * sizeof *mine);
    found = narrow(s, mine, &open);
    if (found && open >= 0) {
        all = mine[open];
        found = false;
        for (uint64_t bit = 1; bit && !found; bit <<= 1)
            if (all & bit) {
                mine[open] = bit;
                found = ++s->steps > STEPS || possible(s, mine);
            }
    }
    free(mine);
    return found;
}

bool sl_plan_conflict(struct sl_buf *b, const struct sl_plan *p, const uint64_t *levels, int *line)
{
    size_t n = p->constraint.n, said = 0, kept = 0;
    bool *without = sl_alloc(n + 1);
    uint64_t *all = sl_alloc((p->factor.n + 1) * sizeof *all);
    struct search s = {.p = p, .without = without};
    bool conflict;

    for (size_t f = 0; f < p->factor.n; f++)
        all[f] = levels ? levels[f] : UINT64_MAX >> (64 - p->factor.v[f].level.n);
    conflict = n && !possible(&s, all);
    for (size_t i = 0; conflict && i < n; i++) { /* those that it needs */
        without[i] = true;
        s.steps = 0;
        without[i] = !possible(&s, all);
        kept += !without[i];
    }
    for (size_t i = 0; conflict && i < n; i++)
        if (!without[i] && said++ < 6) {
            *line = said == 1 ? p->constraint.v[i].line : *line;
            sl_buf_addf(b, "%s%s (line %d)", said > 1 ? ", " : "", p->constraint.v[i].text, p->constraint.v[i].line);
        }
    if (kept > said || said > 6)
        sl_buf_addf(b, " and %zu more", kept - 6);
    free(without);
    free(all);
    return conflict;
}
