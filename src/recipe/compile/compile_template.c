/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a recipe that have fields in them: templates, names, patterns, and the spans that are made of these. */
#include "recipe/compile/compile_internal.h"

#include <stdio.h>

int sl_compile_field(struct sl_compile *c, const char *name, size_t n)
{
    return (int)sl_intern(&c->r->fields, name, n) - 1;
}

int sl_compile_field_of(struct sl_compile *c, const struct sl_yaml *y, const char *what)
{
    const char *name = sl_compile_text(c, y, what);
    return sl_compile_field(c, name, strlen(name));
}

struct sl_template sl_compile_template(struct sl_compile *c, const struct sl_yaml *y, const char *s)
{
    struct sl_template t = {0};

    while (*s) {
        const char *open = strchr(s, '{'), *end = open ? strchr(open, '}') : NULL;
        /* JSON-like braces and quantifiers are plain text: a field is one word */
        size_t lit = open == s ? 0 : open ? (size_t)(open - s) : strlen(s);
        t.part = sl_compile_grow(c, t.part, t.n, sizeof *t.part);
        if (lit) {
            t.part[t.n++] = (struct sl_template_part){sl_arena_copy(&c->r->arena, s, lit), (uint32_t)lit, -1};
            s += lit;
            continue;
        }
        if (!end || end == open + 1) {
            sl_yaml_fail(&c->check, y, "'{' without a field and '}': %s", s);
            break;
        }
        t.part[t.n++] = (struct sl_template_part){NULL, 0, sl_compile_field(c, open + 1, (size_t)(end - open - 1))};
        s = end + 1;
    }
    return t;
}

struct sl_named sl_compile_name(struct sl_compile *c, const struct sl_yaml *y, const char *s)
{
    struct sl_named n = {.t = sl_compile_template(c, y, s)};

    if (n.t.n == 1 && n.t.part[0].field < 0)
        n.id = sl_intern(&c->set->names, s, strlen(s));
    else if (n.t.n == 0)
        sl_yaml_fail(&c->check, y, "an empty name");
    return n;
}

static const char *where(struct sl_compile *c, const struct sl_yaml *y)
{
    snprintf(c->where, sizeof c->where, "%s:%d", c->r->path, y->line);
    return c->where;
}

void sl_compile_pattern(struct sl_compile *c, sl_compile_pattern_fn *compile, struct sl_pattern *p,
                        const struct sl_yaml *y, const char *text)
{
    if (c->check.rc)
        return;
    *sl_vec_add(&c->r->patterns) = p;
    c->check.rc = compile(p, text, c->r->tried ? NULL : where(c, y), c->check.err);
}

/* ---- spans ---- */

static const struct sl_alias_decl *find_alias(struct sl_compile *c, const char *alias)
{
    const struct sl_alias_decl *found = NULL;

    for (size_t i = 0; i < c->set->aliases.n; i++) {
        const struct sl_alias_decl *d = &c->set->aliases.v[i];
        if (!strcmp(d->alias, alias) && (d->only == c->r || (!d->only && !found)))
            found = d;
    }
    return found;
}

static int mention(struct sl_compile *c, const struct sl_yaml *y, const char *alias, int depth)
{
    const struct sl_alias_decl *d = find_alias(c, alias);
    struct sl_mention m = {.parent = -1};

    for (int i = 0; i < c->r->nmention; i++)
        if (!strcmp(c->r->mention[i].alias, alias))
            return i;
    if (!d) {
        sl_yaml_fail(&c->check, y, "no span is called '%s'; declare it under spans: here or in a names file", alias);
        return 0;
    }
    if (depth > 30) {
        sl_yaml_fail(&c->check, y, "span %s lies in itself (in: goes round in a circle, %s)", alias, d->where);
        return 0;
    }
    m.alias = d->alias;
    if (d->in)
        m.parent = mention(c, y, d->in, depth + 1);
    if (d->path) {
        m.path = sl_compile_template(c, y, d->path);
        goto known;
    }
    m.type = sl_compile_name(c, y, d->type);
    m.key = sl_compile_template(c, y, d->key);
    if (d->otherwise)
        m.otherwise = sl_compile_template(c, y, d->otherwise);
    if (m.key.n == 0)
        sl_yaml_fail(&c->check, y, "span %s has an empty key (%s)", alias, d->where);
known:
    c->r->mention = sl_compile_grow(c, c->r->mention, c->r->nmention, sizeof m);
    c->r->mention[c->r->nmention] = m;
    return c->r->nmention++;
}

int sl_compile_mention(struct sl_compile *c, const struct sl_yaml *y, const char *alias)
{
    return mention(c, y, alias, 0);
}

struct sl_ref sl_compile_ref(struct sl_compile *c, const struct sl_yaml *y, const char *text)
{
    bool weak = *text == '~';
    return (struct sl_ref){sl_compile_mention(c, y, text + weak), weak};
}
