/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/coverage.h"

#include <string.h>

struct missing {
    const struct sl_recipe *r;
    const struct sl_set *seen;
    struct sl_buf *out;
    int n;
};

static bool has(const struct sl_set *s, const void *what)
{
    for (size_t i = 0; i < s->v.n; i++)
        if (s->v.v[i] == (uint64_t)(uintptr_t)what)
            return true;
    return false;
}

/* Item i of a list, or y itself where it is none or has none. */
static const struct sl_yaml *item(const struct sl_yaml *y, int i)
{
    return y->kind == SL_YAML_LIST && (size_t)i < y->n ? y->item[i] : y;
}

/* y may be an alias: its line is that of the anchor, above the rule. */
static void expect(struct missing *m, const void *what, const char *key, const struct sl_yaml *y, int line)
{
    if (has(m->seen, what))
        return;
    sl_buf_addf(m->out, "%s:%d: no sample for %s", m->r->path, y && y->line > line ? y->line : line, key);
    if (y && y->kind == SL_YAML_SCALAR)
        sl_buf_addf(m->out, ": %s", y->text);
    sl_buf_addc(m->out, '\n');
    m->n++;
}

static void expect_rule(struct missing *m, const struct sl_rule *u, const struct sl_yaml *y)
{
    const struct sl_yaml *match = sl_yaml_get(y, "match"), *when = sl_yaml_get(y, "when");

    for (int i = 0; i < u->nmatch; i++)
        expect(m, &u->match[i], "match", item(match, i), u->line);
    if (!u->nmatch)
        expect(m, u, "this rule", NULL, u->line);
    if (u->each_of >= 0 && has(m->seen, u))
        expect(m, &u->each, "each", sl_yaml_get(sl_yaml_get(y, "each"), "find"), u->line);
    for (int i = 0; i < u->nwhen; i++)
        for (int k = 0; k < u->when[i].nis && u->when[i].nis > 1; k++)
            expect(m, u->when[i].is[k], when->key[i]->text, item(when->item[i], k), u->line);
}

/* Of rules that are included, from rule i on, one: not each recipe has logs of all their wordings. */
static void expect_included(struct missing *m, int i)
{
    const struct sl_rule *u = &m->r->rule[i];
    int line = u->line;
    bool any = false;

    for (; i < m->r->nrule && m->r->rule[i].included && m->r->rule[i].line == line; i++) {
        any |= has(m->seen, &m->r->rule[i]);
        for (int k = 0; k < m->r->rule[i].nmatch; k++)
            any |= has(m->seen, &m->r->rule[i].match[k]);
    }
    if (!any)
        expect(m, u, "include", NULL, line);
}

int sl_cover_missing(const struct sl_cover *c, const struct sl_recipe *r, struct sl_buf *out)
{
    struct missing m = {.r = r, .seen = &c->records, .out = out};
    const struct sl_yaml *inputs = sl_yaml_get(r->yaml, "inputs"), *records = r->records,
                         *naming = sl_yaml_get(r->yaml, "naming");

    for (int i = 0; i < r->ninput; i++) {
        const struct sl_input *in = &r->input[i];
        expect(&m, in, "files", item(sl_yaml_get(inputs->item[i], "files"), 0), in->line);
        for (int k = 0; k < in->nhead; k++)
            expect(&m, &in->head[k], "head", item(sl_yaml_get(inputs->item[i], "head"), k), in->line);
    }
    for (int i = 0; i < r->nrule; i++)
        if (!r->rule[i].included)
            expect_rule(&m, &r->rule[i], records->item[i]);
        else if (!i || !r->rule[i - 1].included || r->rule[i - 1].line != r->rule[i].line)
            expect_included(&m, i);
    m.seen = &c->naming;
    for (int i = 0; i < r->nnaming; i++)
        expect_rule(&m, &r->naming[i], item(naming, i));
    return m.n;
}

void sl_cover_free(struct sl_cover *c)
{
    sl_set_free(&c->records);
    sl_set_free(&c->naming);
}
