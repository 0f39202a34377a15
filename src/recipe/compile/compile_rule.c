/* SPDX-License-Identifier: Apache-2.0 */
/* `records:` and `naming:` of a recipe: one rule, key by key; and which rules a message may match. */
#include "base/buf.h"
#include "recipe/compile/compile_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* The template that is this field alone. */
static const char *braced(struct sl_compile *c, const char *field)
{
    size_t n = strlen(field);
    char *t = sl_compile_alloc(c, n + 3, 1);

    t[0] = '{';
    memcpy(t + 1, field, n);
    t[n + 1] = '}';
    return t;
}

static const char rule_keys[] = " match when each span mention event attrs alike samples in facet after flow wrote "
                                "keep look count share skip reject "
                                "raw also ";

static void compile_when(struct sl_compile *c, struct sl_rule *u, const struct sl_yaml *y)
{
    if (!sl_yaml_is_map(&c->check, y, "when must be a map {field: value, list or /pattern/}"))
        return;
    u->when = sl_compile_alloc(c, y->n, sizeof *u->when);
    for (size_t i = 0; i < y->n && !c->check.rc; i++) {
        struct sl_when *w = &u->when[u->nwhen++];
        const struct sl_yaml *v = y->item[i];
        w->field = sl_compile_field(c, y->key[i]->text, y->key[i]->n);
        if (v->kind == SL_YAML_SCALAR && v->n >= 2 && v->text[0] == '/' && v->text[v->n - 1] == '/') {
            char *re = sl_strndup(v->text + 1, v->n - 2);
            sl_compile_pattern(c, sl_pattern_compile, &w->pattern, v, re);
            free(re);
            continue;
        }
        w->is = sl_compile_alloc(c, sl_yaml_len(v) + 1, sizeof *w->is);
        for (size_t k = 0; k < sl_yaml_len(v); k++)
            w->is[w->nis++] = sl_compile_text(c, sl_yaml_item(v, k), "a condition");
        if (!w->nis)
            sl_yaml_fail(&c->check, v, "an empty condition is never true");
    }
}

static struct sl_rule_event event_at(struct sl_compile *c, const struct sl_yaml *name, const struct sl_yaml *time)
{
    static const char what[] = "an event's time";
    struct sl_rule_event e = {sl_compile_name(c, name, name->text), -1, -1};

    if (time->kind != SL_YAML_LIST) {
        e.time = sl_compile_field_of(c, time, what);
    } else if (time->n != 2) {
        sl_yaml_fail(&c->check, time, "an event's time is one field, or the later of two");
    } else {
        e.time = sl_compile_field_of(c, time->item[0], what);
        e.other = sl_compile_field_of(c, time->item[1], what);
    }
    return e;
}

static void compile_events(struct sl_compile *c, struct sl_rule *u, const struct sl_yaml *y)
{
    if (!y)
        return;
    if (u->span.mention < 0)
        sl_yaml_fail(&c->check, y, "an event needs span: on which it happens");
    if (y->kind == SL_YAML_SCALAR) {
        u->event = sl_compile_alloc(c, 1, sizeof *u->event);
        u->event[u->nevent++] = (struct sl_rule_event){sl_compile_name(c, y, y->text), -1, -1};
    } else if (y->kind == SL_YAML_MAP) {
        u->event = sl_compile_alloc(c, y->n, sizeof *u->event);
        for (size_t i = 0; i < y->n; i++)
            u->event[u->nevent++] = event_at(c, y->key[i], y->item[i]);
    } else {
        sl_yaml_fail(&c->check, y, "event must be a name or a map {name: time field or a list of two}");
    }
}

/* A list of fields, a map {name: template}, or "*". */
static void compile_pairs(struct sl_compile *c, struct sl_rule *u, struct sl_pairs *p, const struct sl_yaml *y,
                          const char *what)
{
    struct sl_buf shape = {0};
    bool known = true;

    if (!y)
        return;
    if (u->span.mention < 0)
        sl_yaml_fail(&c->check, y, "%s need span: to which they belong", what);
    if (y->kind == SL_YAML_SCALAR && !strcmp(y->text, "*")) {
        p->all = true;
        return;
    }
    p->v = sl_compile_alloc(c, y->n + 1, sizeof *p->v);
    for (size_t i = 0; i < (y->kind == SL_YAML_MAP ? y->n : sl_yaml_len(y)); i++) {
        struct sl_pair *v = &p->v[p->n++];
        if (y->kind == SL_YAML_MAP) {
            v->name = sl_compile_name(c, y->key[i], y->key[i]->text);
            v->value = sl_compile_template(c, y->item[i], sl_compile_text(c, y->item[i], what));
        } else {
            const char *t = sl_compile_text(c, sl_yaml_item(y, i), what);
            v->name = sl_compile_name(c, sl_yaml_item(y, i), t);
            v->value = sl_compile_template(c, sl_yaml_item(y, i), braced(c, t));
        }
        if (v->name.id)
            sl_buf_add(&shape, sl_intern_text(&c->set->names, v->name.id),
                       sl_intern_len(&c->set->names, v->name.id) + 1);
        else
            known = false;
    }
    if (known && shape.n)
        p->shape = sl_intern(&c->set->shapes, shape.s, shape.n);
    sl_buf_free(&shape);
}

/* Attributes that many records have in common. */
static void compile_alike(struct sl_compile *c, struct sl_rule *u, const struct sl_yaml *y)
{
    if (!y)
        return;
    if (u->span.mention < 0)
        sl_yaml_fail(&c->check, y, "alike needs span: to which the attributes belong");
    u->alike = sl_compile_alloc(c, sl_yaml_len(y) + 1, sizeof *u->alike);
    for (size_t i = 0; i < sl_yaml_len(y); i++) {
        const struct sl_yaml *field = sl_yaml_item(y, i);
        const char *name = sl_compile_text(c, field, "a field");
        int slot = sl_compile_field_of(c, field, "alike");
        for (int k = 0; k < u->nalike; k++)
            if (u->alike[k] == slot)
                sl_yaml_fail(&c->check, field, "%s is there twice", name);
        for (int k = 0; k < u->attrs.n; k++)
            if (u->attrs.v[k].name.id && !strcmp(sl_intern_text(&c->set->names, u->attrs.v[k].name.id), name))
                sl_yaml_fail(&c->check, field, "%s is in attrs and in alike: one is enough", name);
        u->alike[u->nalike++] = slot;
    }
}

/* {child: parent or [parents]}: in the order in which the links are stored, left contains, or waited for, right. */
static void compile_relations(struct sl_compile *c, struct sl_rule *u, enum sl_link_kind kind, const struct sl_yaml *y)
{
    if (!sl_yaml_is_map(&c->check, y, "in, facet, after and flow are maps {span: span}"))
        return;
    for (size_t i = 0; i < y->n; i++)
        for (size_t k = 0; k < sl_yaml_len(y->item[i]); k++) {
            struct sl_ref a = sl_compile_ref(c, y->key[i], y->key[i]->text);
            struct sl_ref b = sl_compile_ref(c, y->item[i], sl_compile_text(c, sl_yaml_item(y->item[i], k), "a span"));
            if (a.mention == b.mention)
                sl_yaml_fail(&c->check, y->key[i], "%s has no relation to itself", y->key[i]->text);
            u->relation = sl_compile_grow(c, u->relation, u->nrelation, sizeof *u->relation);
            u->relation[u->nrelation++] =
                kind == SL_IN ? (struct sl_relation){kind, b, a} : (struct sl_relation){kind, a, b};
        }
}

static struct sl_keep *compile_keeps(struct sl_compile *c, int *n, const struct sl_yaml *y)
{
    struct sl_keep *k;

    if (!sl_yaml_is_map(&c->check, y, "keep, look and count are maps {field: by which field}"))
        return NULL;
    k = sl_compile_alloc(c, y->n, sizeof *k);
    for (size_t i = 0; i < y->n; i++) {
        const char *by = sl_compile_text(c, y->item[i], "a field, or a template of several");
        if (!strchr(by, '{'))
            by = braced(c, by);
        k[(*n)++] =
            (struct sl_keep){sl_compile_field(c, y->key[i]->text, y->key[i]->n),
                             (int)sl_intern(&c->set->names, by, strlen(by)), sl_compile_template(c, y->item[i], by)};
    }
    return k;
}

static bool is_shared(const struct sl_recipes *set, const char *field)
{
    for (size_t i = 0; i < set->shared.n; i++)
        if (!strcmp(set->shared.v[i].field, field))
            return true;
    return false;
}

static void compile_share(struct sl_compile *c, struct sl_rule *u, const struct sl_yaml *y)
{
    if (!sl_yaml_is_map(&c->check, y, "share is a map {field: [value, scope]}"))
        return;
    u->share = sl_compile_alloc(c, y->n, sizeof *u->share);
    for (size_t i = 0; i < y->n; i++) {
        struct sl_share *s = &u->share[u->nshare++];
        const struct sl_yaml *v = y->item[i];
        if (v->kind != SL_YAML_LIST || v->n != 2) {
            sl_yaml_fail(&c->check, v, "share is a map {field: [value, scope]}");
            return;
        }
        s->field = sl_arena_copy(&c->set->arena, y->key[i]->text, y->key[i]->n);
        if (!is_shared(c->set, s->field))
            sl_yaml_fail(&c->check, y->key[i], "no shared: says for which files the field '%s' is", s->field);
        s->value = sl_compile_template(c, v->item[0], sl_compile_text(c, v->item[0], "a value"));
        s->scope = sl_compile_template(c, v->item[1], sl_compile_text(c, v->item[1], "a scope"));
    }
    c->r->shares = true;
}

static void compile_wrote(struct sl_compile *c, struct sl_rule *u, const struct sl_yaml *y)
{
    if (!sl_yaml_is_map(&c->check, y, "wrote is a map {span: path of the file}"))
        return;
    for (size_t i = 0; i < y->n; i++)
        for (size_t k = 0; k < sl_yaml_len(y->item[i]) && !c->check.rc; k++) {
            const struct sl_yaml *path = sl_yaml_item(y->item[i], k);
            u->wrote = sl_compile_grow(c, u->wrote, u->nwrote, sizeof *u->wrote);
            u->wrote[u->nwrote++] = (struct sl_wrote){sl_compile_mention(c, y->key[i], y->key[i]->text),
                                                      sl_compile_template(c, path, sl_compile_text(c, path, "a path"))};
        }
}

/* skip: and reject: end what a rule does. */
static void check_ended(struct sl_compile *c, const struct sl_yaml *y, const char *by, const char *keys)
{
    for (size_t i = 0; i < y->n; i++)
        if (!sl_yaml_is_known(keys, y->key[i]->text))
            sl_yaml_fail(&c->check, y->key[i], "'%s' does nothing beside %s:", y->key[i]->text, by);
}

/* The field that a key of each: names, which its pattern captures; -1: there is no such key. */
static int captured(struct sl_compile *c, const struct sl_rule *u, const struct sl_yaml *each, const char *key)
{
    const struct sl_yaml *v = sl_yaml_get(each, key);
    const char *name = v ? sl_compile_text(c, v, key) : NULL;

    for (uint32_t i = 0; name && i < u->each.ncaptures; i++)
        if (!strcmp(u->each.capture[i].name, name))
            return sl_compile_field_of(c, v, key);
    if (name && !c->check.rc)
        sl_yaml_fail(&c->check, v, "%s: find captures no %s", key, name);
    return -1;
}

static void compile_each(struct sl_compile *c, struct sl_rule *u, const struct sl_yaml *y)
{
    const struct sl_yaml *of = sl_yaml_get(y, "of"), *find = sl_yaml_get(y, "find");
    bool from = sl_yaml_get(y, "from"), to = sl_yaml_get(y, "to"), by = sl_yaml_get(y, "by");

    if (!y)
        return;
    if (!of || !find || from != to || (by && !to) || y->n != 2 + from + to + (size_t)by) {
        sl_yaml_fail(&c->check, y, "each needs {of: field, find: pattern}, and may have from:, to: and by:");
        return;
    }
    u->each_of = sl_compile_field_of(c, of, "of");
    sl_compile_pattern(c, sl_pattern_compile, &u->each, find, sl_compile_text(c, find, "find"));
    u->each_from = captured(c, u, y, "from");
    u->each_to = captured(c, u, y, "to");
    u->each_by = captured(c, u, y, "by");
}

void sl_compile_rule(struct sl_compile *c, struct sl_rule *u, const struct sl_yaml *y, bool naming)
{
    const struct sl_yaml *v;
    char name[200];

    u->line = y->line;
    u->span.mention = -1;
    u->each_of = u->each_from = u->each_to = u->each_by = -1;
    sl_yaml_known_keys(&c->check, y, "a record", naming ? " match when each span mention look " : rule_keys);
    sl_compile_filled(c, y, "a record");
    if (c->check.rc)
        return;
    snprintf(name, sizeof name, "%s:%d", c->r->name, y->line);
    u->name = sl_intern(&c->set->names, name, strlen(name));
    v = sl_yaml_get(y, "match");
    u->match = sl_compile_alloc(c, sl_yaml_len(v), sizeof *u->match);
    for (size_t i = 0; i < sl_yaml_len(v) && !c->check.rc; i++, u->nmatch++)
        sl_compile_pattern(c, sl_pattern_compile, &u->match[i], sl_yaml_item(v, i),
                           sl_compile_text(c, sl_yaml_item(v, i), "match"));
    compile_when(c, u, sl_yaml_get(y, "when"));
    compile_each(c, u, sl_yaml_get(y, "each"));
    if (c->check.rc)
        return;
    if ((v = sl_yaml_get(y, "span")))
        u->span = sl_compile_ref(c, v, sl_compile_text(c, v, "span"));
    if (u->span.mention >= 0 && u->span.weak)
        sl_yaml_fail(&c->check, v, "span: cannot be weak (~): what a record is about exists");
    v = sl_yaml_get(y, "mention");
    u->mention = sl_compile_alloc(c, sl_yaml_len(v), sizeof *u->mention);
    for (size_t i = 0; i < sl_yaml_len(v); i++)
        u->mention[u->nmention++] =
            sl_compile_ref(c, sl_yaml_item(v, i), sl_compile_text(c, sl_yaml_item(v, i), "mention"));
    compile_events(c, u, sl_yaml_get(y, "event"));
    compile_pairs(c, u, &u->attrs, sl_yaml_get(y, "attrs"), "attrs");
    compile_alike(c, u, sl_yaml_get(y, "alike"));
    compile_pairs(c, u, &u->samples, sl_yaml_get(y, "samples"), "samples");
    compile_relations(c, u, SL_IN, sl_yaml_get(y, "in"));
    compile_relations(c, u, SL_FACET, sl_yaml_get(y, "facet"));
    compile_relations(c, u, SL_AFTER, sl_yaml_get(y, "after"));
    compile_relations(c, u, SL_FLOW, sl_yaml_get(y, "flow"));
    u->keep = compile_keeps(c, &u->nkeep, sl_yaml_get(y, "keep"));
    u->look = compile_keeps(c, &u->nlook, sl_yaml_get(y, "look"));
    u->count = compile_keeps(c, &u->ncount, sl_yaml_get(y, "count"));
    compile_share(c, u, sl_yaml_get(y, "share"));
    compile_wrote(c, u, sl_yaml_get(y, "wrote"));
    u->skip = sl_compile_flag(c, sl_yaml_get(y, "skip"), "skip");
    if ((v = sl_yaml_get(y, "reject")))
        u->reject = sl_compile_template(c, v, sl_compile_text(c, v, "reject"));
    u->raw = sl_compile_flag(c, sl_yaml_get(y, "raw"), "raw");
    u->also = sl_compile_flag(c, sl_yaml_get(y, "also"), "also");
    if (u->skip)
        check_ended(c, y, "skip", " match when look skip ");
    else if (u->reject.n)
        check_ended(c, y, "reject", " match when each look share reject ");
    if (!naming && u->span.mention < 0 && !u->nmention && !u->nrelation && !u->nkeep && !u->ncount && !u->nshare &&
        !u->nwrote && !u->skip && !u->reject.n && !u->raw)
        sl_yaml_fail(&c->check, y, "the rule says nothing; of what is to be passed over, say skip: true");
    if (naming && u->span.mention < 0 && !u->nmention)
        sl_yaml_fail(&c->check, y, "a naming rule needs span:");
}

/* ---- what can never do anything ---- */

/* Does rule a fit whatever b's patterns fit?  These are compared as texts. */
static bool covers(const struct sl_yaml *a, const struct sl_yaml *b)
{
    const struct sl_yaml *all = sl_yaml_get(a, "match"), *some = sl_yaml_get(b, "match");

    for (size_t i = 0; all && i < sl_yaml_len(some); i++) {
        size_t k = 0;
        while (k < sl_yaml_len(all) && strcmp(sl_yaml_item(all, k)->text, sl_yaml_item(some, i)->text) != 0)
            k++;
        if (k == sl_yaml_len(all))
            return false;
    }
    return !all || some;
}

/* Rules that share are asked once more, alone. */
static void check_reached(struct sl_compile *c, const struct sl_yaml *rules)
{
    const struct sl_recipe *r = c->r;

    for (int i = 0; i < r->nrule && !c->check.rc; i++)
        for (int k = i + 1; k < r->nrule && !r->rule[i].nwhen && !r->rule[i].also; k++)
            if (!r->rule[k].nshare && covers(rules->item[i], rules->item[k]))
                sl_yaml_fail(&c->check, rules->item[k],
                             "no record gets here: the rule in line %d takes them; put this one before it, or say "
                             "also: true there",
                             r->rule[i].line);
}

static bool among(const struct sl_keep *one, const struct sl_keep *v, int n)
{
    for (int i = 0; i < n; i++)
        if (v[i].value == one->value && v[i].by_id == one->by_id)
            return true;
    return false;
}

/* Does a rule keep (or count) what another looks for, or, if not kept, look for what another keeps? */
static bool has_other(const struct sl_recipe *r, const struct sl_keep *one, bool kept)
{
    for (int i = 0; i < r->nrule + r->nnaming; i++) {
        const struct sl_rule *u = i < r->nrule ? &r->rule[i] : &r->naming[i - r->nrule];
        if (kept ? among(one, u->keep, u->nkeep) || among(one, u->count, u->ncount) : among(one, u->look, u->nlook))
            return true;
    }
    return false;
}

static void check_kept(struct sl_compile *c, const struct sl_rule *u, const struct sl_yaml *y)
{
    for (int i = 0; i < u->nlook; i++)
        if (!has_other(c->r, &u->look[i], true))
            sl_yaml_fail(&c->check, sl_yaml_get(y, "look")->key[i], "no rule keeps or counts '%s' by this",
                         sl_yaml_get(y, "look")->key[i]->text);
    for (int i = 0; i < u->nkeep; i++)
        if (!has_other(c->r, &u->keep[i], false))
            sl_yaml_fail(&c->check, sl_yaml_get(y, "keep")->key[i], "no rule looks for '%s' by this",
                         sl_yaml_get(y, "keep")->key[i]->text);
}

void sl_compile_idle(struct sl_compile *c, const struct sl_yaml *y)
{
    const struct sl_yaml *rules = c->r->records, *naming = sl_yaml_get(y, "naming");

    if (c->check.rc)
        return;
    check_reached(c, rules);
    for (int i = 0; i < c->r->nrule; i++) {
        const struct sl_rule *u = &c->r->rule[i];
        check_kept(c, u, rules->item[i]);
        if (c->r->else_raw && !u->nmatch && !u->nwhen && !u->also)
            sl_yaml_fail(&c->check, sl_yaml_get(y, "else"), "no record is left: the rule in line %d takes all",
                         u->line);
    }
    for (int i = 0; i < c->r->nnaming; i++)
        check_kept(c, &c->r->naming[i], sl_yaml_item(naming, (size_t)i));
}

/* ---- which rules a message may match ---- */

static bool may_begin(const struct sl_rule *u, int byte)
{
    for (int i = 0; i < u->nmatch; i++) {
        const struct sl_pattern *m = &u->match[i];
        if (m->has_first ? byte < 256 && m->first[byte / 64] >> (byte % 64) & 1
                         : !m->prefix || (byte < 256 && (unsigned char)*m->literal == byte))
            return true;
    }
    return !u->nmatch;
}

void sl_compile_index(struct sl_compile *c)
{
    struct sl_recipe *r = c->r;
    uint16_t *list = sl_compile_alloc(c, ((size_t)r->nrule + 1) * 257, sizeof *list);

    for (int byte = 0; byte <= 256; byte++) {
        r->first[byte] = list;
        for (int i = 0; i < r->nrule; i++)
            if (may_begin(&r->rule[i], byte))
                *list++ = (uint16_t)i;
        *list++ = UINT16_MAX;
    }
}
