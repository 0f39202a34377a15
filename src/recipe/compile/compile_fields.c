/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a recipe, once all of its texts are known: who sets them, and which of them are the file's own. */
#include "recipe/compile/compile_internal.h"

#include <stdlib.h>

static void bind_captures(struct sl_recipe *r, struct sl_pattern *p, bool *assigned)
{
    for (uint32_t i = 0; i < p->ncaptures; i++) {
        p->capture[i].slot = (int)sl_intern_find(&r->fields, p->capture[i].name, strlen(p->capture[i].name)) - 1;
        if (assigned && p->capture[i].slot >= 0)
            assigned[p->capture[i].slot] = true;
    }
}

static bool is_template_of(const struct sl_template *t, const bool *yes)
{
    for (int i = 0; i < t->n; i++)
        if (t->part[i].field >= 0 && !yes[t->part[i].field])
            return false;
    return true;
}

/* What the recipe itself declares to be a number. */
static void check_ints(struct sl_compile *c)
{
    const struct sl_yaml *ints = sl_yaml_get(c->r->yaml, "fields");

    for (size_t i = 0; ints && i < ints->n; i++)
        if (!sl_intern_find(&c->r->fields, ints->key[i]->text, ints->key[i]->n))
            sl_yaml_fail(&c->check, ints->key[i], "nothing here has the field '%s'", ints->key[i]->text);
}

void sl_compile_fields(struct sl_compile *c)
{
    struct sl_recipe *r = c->r;
    bool *assigned, all = r->else_raw;

    for (int i = 0; i < r->nrule; i++)
        all |= r->rule[i].attrs.all || r->rule[i].samples.all || r->rule[i].raw;
    r->wants_all = all;
    if (all) /* whoever keeps whole records wants every capture */
        for (int i = 0; i < r->ninput; i++)
            for (int k = 0; k < r->input[i].nhead; k++)
                for (uint32_t n = 0; n < r->input[i].head[k].ncaptures; n++)
                    sl_compile_field(c, r->input[i].head[k].capture[n].name,
                                     strlen(r->input[i].head[k].capture[n].name));
    r->field_text = sl_compile_field(c, "text", 4);
    r->field_file = sl_compile_field(c, "_file", 5);
    r->field_line = sl_compile_field(c, "_line", 5);
    r->field_row = sl_compile_field(c, "_row", 4);
    r->field_table = sl_compile_field(c, "table", 5);
    for (size_t i = 0; i < c->set->shared.n; i++)
        sl_compile_field(c, c->set->shared.v[i].field, strlen(c->set->shared.v[i].field)),
            sl_compile_field(c, c->set->shared.v[i].by, strlen(c->set->shared.v[i].by));
    check_ints(c);
    r->nfields = (int)r->fields.of.n;
    r->is_int = sl_compile_alloc(c, (size_t)r->nfields + 1, 1);
    r->is_context = sl_compile_alloc(c, (size_t)r->nfields + 1, 1);
    assigned = sl_alloc((size_t)r->nfields + 1);
    for (size_t i = 0; i < c->set->ints.n; i++)
        if (!c->set->ints.v[i].only || c->set->ints.v[i].only == r) {
            uint32_t id = sl_intern_find(&r->fields, c->set->ints.v[i].field, strlen(c->set->ints.v[i].field));
            if (id)
                r->is_int[id - 1] = true;
        }
    for (int i = 0; i < r->ninput; i++) {
        struct sl_input *in = &r->input[i];
        for (int k = 0; k < in->nfiles; k++)
            bind_captures(r, &in->files[k], r->is_context);
        for (int k = 0; k < in->nhead; k++)
            bind_captures(r, &in->head[k], assigned);
        for (int k = 0; k < in->ntable; k++)
            for (int n = 0; n < in->table[k].nrename; n++)
                assigned[in->table[k].rename[n].field] = true;
    }
    for (int i = 0; i < r->nrule + r->nnaming; i++) {
        struct sl_rule *u = i < r->nrule ? &r->rule[i] : &r->naming[i - r->nrule];
        for (int k = 0; k < u->nmatch; k++)
            bind_captures(r, &u->match[k], assigned);
        for (int k = 0; k < u->nwhen; k++)
            if (!u->when[k].nis)
                bind_captures(r, &u->when[k].pattern, assigned);
        if (u->each_of >= 0)
            bind_captures(r, &u->each, assigned);
        for (int k = 0; k < u->nlook; k++)
            assigned[u->look[k].value] = true;
        for (int k = 0; k < u->ncount; k++)
            assigned[u->count[k].value] = true;
    }
    r->is_context[r->field_file] = true;
    for (size_t i = 0; i < c->set->shared.n; i++) { /* shared within what the path says; else it is a record's own */
        const struct sl_shared_field *s = &c->set->shared.v[i];
        r->is_context[sl_intern_find(&r->fields, s->field, strlen(s->field)) - 1] =
            r->is_context[sl_intern_find(&r->fields, s->by, strlen(s->by)) - 1];
    }
    for (int i = 0; i < r->nfields; i++)
        if (assigned[i])
            r->is_context[i] = false;
    r->own = sl_compile_alloc(c, (size_t)r->nfields + 1, sizeof *r->own);
    for (int i = 0; i < r->nfields; i++)
        if (!r->is_context[i] && i != r->field_text && sl_intern_text(&r->fields, (uint32_t)i + 1)[0] != '_')
            r->own[r->nown++] = i;
    for (int i = 0; i < r->nmention; i++) {
        struct sl_mention *m = &r->mention[i];
        m->of_context = is_template_of(&m->key, r->is_context) && is_template_of(&m->otherwise, r->is_context) &&
                        is_template_of(&m->type.t, r->is_context) && is_template_of(&m->path, r->is_context) &&
                        (m->parent < 0 || r->mention[m->parent].of_context);
    }
    free(assigned);
}
