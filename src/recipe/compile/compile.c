/* SPDX-License-Identifier: Apache-2.0 */
/* One recipe from YAML to what the engine runs: its keys, and what the files that compile one of them share. */
#include "recipe/compile/compile_internal.h"
#include "recipe/recipe_internal.h"

#include <stdio.h>
#include <stdlib.h>

void *sl_compile_alloc(struct sl_compile *c, size_t n, size_t size)
{
    void *p = sl_arena_alloc(&c->r->arena, n * size);

    memset(p, 0, n * size);
    return p;
}

void *sl_compile_grow(struct sl_compile *c, void *v, int n, size_t size)
{
    void *more;

    if (n & (n - 1))
        return v;
    more = sl_compile_alloc(c, n ? 2 * (size_t)n : 1, size);
    if (n)
        memcpy(more, v, (size_t)n * size);
    return more;
}

const char *sl_compile_text(struct sl_compile *c, const struct sl_yaml *y, const char *what)
{
    if (y && y->kind == SL_YAML_SCALAR)
        return y->text;
    sl_yaml_fail(&c->check, y, "%s must be a text", what);
    return "";
}

void sl_compile_filled(struct sl_compile *c, const struct sl_yaml *y, const char *what)
{
    for (size_t i = 0; i < y->n && !c->check.rc; i++)
        if (sl_yaml_is_empty(y->item[i]))
            sl_yaml_fail(&c->check, y->key[i], "nothing stands behind '%s' in %s", y->key[i]->text, what);
}

bool sl_compile_flag(struct sl_compile *c, const struct sl_yaml *y, const char *what)
{
    const char *t = y ? sl_compile_text(c, y, what) : "false";

    if (strcmp(t, "true") != 0 && strcmp(t, "false") != 0)
        sl_yaml_fail(&c->check, y, "%s must be true or false", what);
    return !strcmp(t, "true");
}

/* ---- the whole ---- */

/* The rules of `records:`, with copies of those that it includes in their places, in the line of `include:`. */
static const struct sl_yaml *with_included(struct sl_compile *c, const struct sl_yaml *y)
{
    struct sl_yaml *all = sl_compile_alloc(c, 1, sizeof *all);
    size_t n = 0;

    for (int fill = 0; fill < 2 && !c->check.rc; fill++) {
        if (fill)
            all->item = sl_compile_alloc(c, n, sizeof *all->item);
        n = 0;
        for (size_t i = 0; i < y->n && !c->check.rc; i++) {
            const struct sl_yaml *name = y->item[i]->kind == SL_YAML_MAP ? sl_yaml_get(y->item[i], "include") : NULL,
                                 *list = NULL;
            if (!name) {
                if (fill)
                    all->item[n] = y->item[i];
                n++;
                continue;
            }
            for (size_t k = 0; k < c->set->rules.n && name->kind == SL_YAML_SCALAR; k++)
                if (!strcmp(c->set->rules.v[k].name, name->text))
                    list = c->set->rules.v[k].list;
            if (!list || y->item[i]->n != 1)
                sl_yaml_fail(&c->check, y->item[i], "include: NAME stands alone, and names rules of a file of names");
            for (size_t k = 0; list && k < list->n; k++, n++)
                if (fill) {
                    all->item[n] = sl_compile_alloc(c, 1, sizeof **all->item);
                    *all->item[n] = *list->item[k];
                    all->item[n]->line = y->item[i]->line;
                }
        }
    }
    all->kind = SL_YAML_LIST;
    all->line = y->line;
    all->n = n;
    return all;
}

static void compile_sample(struct sl_compile *c, struct sl_sample_test *s, const struct sl_yaml *y)
{
    const struct sl_yaml *lines = sl_yaml_get(y, "lines"), *gives = sl_yaml_get(y, "gives"),
                         *zone = sl_yaml_get(y, "zone");

    s->line = y->line;
    sl_yaml_known_keys(&c->check, y, "a sample", " file zone lines rows gives ");
    s->file = sl_compile_text(c, sl_yaml_get(y, "file"), "a sample's file");
    s->rows = sl_yaml_get(y, "rows");
    if (zone)
        s->zone = sl_compile_text(c, zone, "zone");
    if (lines)
        s->text = sl_compile_text(c, lines, "lines");
    if (!lines == !s->rows)
        sl_yaml_fail(&c->check, y, "a sample has either lines: or rows:");
    if (s->rows && s->rows->kind != SL_YAML_LIST)
        sl_yaml_fail(&c->check, s->rows, "rows must be a list of maps");
    if (!gives)
        sl_yaml_fail(&c->check, y, "a sample needs gives: what the lines come to");
    s->gives = sl_compile_alloc(c, sl_yaml_len(gives), sizeof *s->gives);
    for (size_t i = 0; i < sl_yaml_len(gives); i++)
        s->gives[s->ngives++] = sl_compile_text(c, sl_yaml_item(gives, i), "gives");
}

int sl_recipe_compile(struct sl_recipes *set, struct sl_recipe *r, struct sl_err *err)
{
    struct sl_compile c = {.set = set, .r = r, .check = {.path = r->path, .err = err}};
    const struct sl_yaml *y = r->yaml, *v;

    sl_yaml_known_keys(&c.check, y, "a recipe",
                       " recipe about component spans rules fields facets shared tables binds processes roles phases "
                       "handovers lens inputs "
                       "contexts in_writer records naming samples else ");
    r->about = sl_yaml_get(y, "about") ? sl_compile_text(&c, sl_yaml_get(y, "about"), "about") : "";
    r->component =
        sl_yaml_get(y, "component") ? sl_compile_text(&c, sl_yaml_get(y, "component"), "component") : r->name;
    v = sl_yaml_get(y, "inputs");
    if (!v || v->kind != SL_YAML_LIST || !v->n)
        sl_yaml_fail(&c.check, v ? v : y, "a recipe needs inputs: a list of {files: ..., reader: ...}");
    else {
        r->input = sl_compile_alloc(&c, v->n, sizeof *r->input);
        for (size_t i = 0; i < v->n && !c.check.rc; i++, r->ninput++)
            sl_compile_input(&c, &r->input[i], v->item[i]);
    }
    v = sl_yaml_get(y, "contexts");
    r->about_mention = sl_compile_alloc(&c, sl_yaml_len(v), sizeof *r->about_mention);
    for (size_t i = 0; i < sl_yaml_len(v) && !c.check.rc; i++)
        r->about_mention[r->nabout++] =
            sl_compile_mention(&c, sl_yaml_item(v, i), sl_compile_text(&c, sl_yaml_item(v, i), "contexts"));
    v = sl_yaml_get(y, "in_writer");
    for (size_t i = 0; i < sl_yaml_len(v) && !c.check.rc; i++) {
        int m = sl_compile_mention(&c, sl_yaml_item(v, i), sl_compile_text(&c, sl_yaml_item(v, i), "in_writer"));
        if (!c.check.rc)
            r->mention[m].in_writer = true;
    }
    v = sl_yaml_get(y, "records");
    if (!c.check.rc && (!v || v->kind != SL_YAML_LIST))
        sl_yaml_fail(&c.check, v ? v : y, "a recipe needs records: a list of rules");
    else if (!c.check.rc) {
        const struct sl_yaml *own = v;
        size_t at = 0;
        v = r->records = with_included(&c, v);
        if (v->n >= UINT16_MAX)
            sl_yaml_fail(&c.check, v, "too many records");
        r->rule = sl_compile_alloc(&c, v->n, sizeof *r->rule);
        for (size_t i = 0; i < v->n && !c.check.rc; i++, r->nrule++) {
            sl_compile_rule(&c, &r->rule[i], v->item[i], false);
            while (at < own->n && own->item[at]->line < v->item[i]->line)
                at++;
            r->rule[i].included = at >= own->n || own->item[at] != v->item[i];
        }
    }
    v = sl_yaml_get(y, "naming");
    r->naming = sl_compile_alloc(&c, sl_yaml_len(v), sizeof *r->naming);
    for (size_t i = 0; i < sl_yaml_len(v) && !c.check.rc; i++, r->nnaming++)
        sl_compile_rule(&c, &r->naming[i], sl_yaml_item(v, i), true);
    v = sl_yaml_get(y, "samples");
    r->sample = sl_compile_alloc(&c, sl_yaml_len(v), sizeof *r->sample);
    for (size_t i = 0; i < sl_yaml_len(v) && !c.check.rc; i++, r->nsample++)
        compile_sample(&c, &r->sample[i], sl_yaml_item(v, i));
    if ((v = sl_yaml_get(y, "else"))) {
        const char *t = sl_compile_text(&c, v, "else");
        if (strcmp(t, "raw") != 0 && strcmp(t, "skip") != 0)
            sl_yaml_fail(&c.check, v, "else must be skip or raw");
        r->else_raw = !strcmp(t, "raw");
    }
    sl_compile_idle(&c, y);
    if (c.check.rc)
        return c.check.rc;
    sl_compile_fields(&c);
    for (int i = 0; i < r->ninput; i++)
        sl_compile_phase(&r->input[i]);
    sl_compile_index(&c);
    return c.check.rc;
}

int sl_recipes_compile(struct sl_recipes *set, struct sl_err *err)
{
    for (size_t i = 0; i < set->n; i++) {
        int rc = sl_recipe_compile(set, set->v[i], err);
        if (rc)
            return rc;
    }
    return 0;
}

void sl_recipe_free(struct sl_recipe *r)
{
    for (size_t i = 0; i < r->patterns.n; i++)
        sl_pattern_free(r->patterns.v[i]);
    sl_vec_free(&r->patterns);
    sl_intern_free(&r->fields);
    sl_arena_free(&r->arena);
    free(r);
}
