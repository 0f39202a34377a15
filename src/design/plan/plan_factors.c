/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "design/plan/plan_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- effects ---- */

/* s with {level} replaced, kept. */
static const char *filled(struct sl_plan_parse *c, const char *s, const char *level)
{
    struct sl_buf b = {0};
    const char *at, *out;

    if (!level || !strstr(s, "{level}"))
        return s;
    for (; (at = strstr(s, "{level}")); s = at + 7) {
        sl_buf_add(&b, s, (size_t)(at - s));
        sl_buf_adds(&b, level);
    }
    sl_buf_adds(&b, s);
    out = sl_arena_copy(&c->p->arena, b.s, b.n);
    sl_buf_free(&b);
    return out;
}

/* A list is taken as it is; a text is split at blanks. */
static void words(struct sl_plan_parse *c, sl_plan_words *to, const struct sl_yaml *y, const char *what,
                  const char *level)
{
    if (y->kind == SL_YAML_SCALAR) {
        for (const char *s = y->text; *(s += strspn(s, " \t\n")); s += strcspn(s, " \t\n"))
            *sl_vec_add(to) = filled(c, sl_arena_copy(&c->p->arena, s, strcspn(s, " \t\n")), level);
        return;
    }
    if (y->kind == SL_YAML_MAP)
        sl_yaml_fail(&c->check, y, "%s is a text, which is split at blanks, or a list of words", what);
    for (size_t i = 0; y->kind == SL_YAML_LIST && i < y->n; i++)
        *sl_vec_add(to) = filled(c, sl_plan_text(c, y->item[i], what), level);
}

static void texts(struct sl_plan_parse *c, sl_plan_words *to, const struct sl_yaml *y, const char *what,
                  const char *level)
{
    for (size_t i = 0; i < sl_yaml_len(y); i++)
        sl_plan_program(c, sl_yaml_item(y, i), what,
                        *sl_vec_add(to) = filled(c, sl_plan_text(c, sl_yaml_item(y, i), what), level), true);
}

static void pairs(struct sl_plan_parse *c, struct sl_effects *e, const struct sl_yaml *y, const char *level)
{
    if (!sl_yaml_is_map(&c->check, y, "environment is a map {VARIABLE: value}"))
        return;
    for (size_t i = 0; i < y->n; i++) {
        const char *name = sl_plan_text(c, y->key[i], "a variable");
        if (strchr(name, '='))
            sl_yaml_fail(&c->check, y->key[i], "'%s': a variable has no = in its name", name);
        if (y->item[i]->kind != SL_YAML_SCALAR)
            sl_yaml_fail(&c->check, y->item[i], "the value of %s must be a text", name);
        else
            *sl_vec_add(&e->environment) = (struct sl_plan_pair){
                name, filled(c, sl_arena_copy(&c->p->arena, y->item[i]->text, y->item[i]->n), level)};
    }
}

static void edits(struct sl_plan_parse *c, struct sl_effects *e, const struct sl_yaml *y, const char *level)
{
    static const char must[] = "edit is a map {file: PATH, replace: TEXT, with: TEXT}, or a list of these";

    for (size_t i = 0; i < sl_yaml_len(y); i++) {
        const struct sl_yaml *m = sl_yaml_item(y, i), *file = sl_yaml_get(m, "file"), *find = sl_yaml_get(m, "replace"),
                             *put = sl_yaml_get(m, "with");
        struct sl_plan_edit edit = {.line = m->line};
        if (!sl_yaml_is_map(&c->check, m, must))
            return;
        sl_yaml_known_keys(&c->check, m, "edit", " file replace with ");
        if (!file || !find || !put || put->kind != SL_YAML_SCALAR) {
            sl_yaml_fail(&c->check, m, "%s", must);
            return;
        }
        edit.file = sl_plan_path(c, filled(c, sl_plan_text(c, file, "file"), level));
        edit.find = filled(c, sl_plan_text(c, find, "replace"), level);
        edit.put = filled(c, sl_arena_copy(&c->p->arena, put->text, put->n), level);
        if (!c->check.rc && access(edit.file, R_OK))
            sl_yaml_fail(&c->check, file, "there is no file %s to edit", edit.file);
        *sl_vec_add(&e->edit) = edit;
    }
}

static void patches(struct sl_plan_parse *c, struct sl_effects *e, const struct sl_yaml *y, const char *level)
{
    for (size_t i = 0; i < sl_yaml_len(y); i++) {
        const struct sl_yaml *item = sl_yaml_item(y, i);
        const char *path = sl_plan_path(c, filled(c, sl_plan_text(c, item, "patch"), level));
        if (!c->check.rc && access(path, R_OK))
            sl_yaml_fail(&c->check, item, "there is no patch %s", path);
        *sl_vec_add(&e->patch) = path;
    }
}

static void wrapper(struct sl_plan_parse *c, struct sl_effects *e, const struct sl_yaml *y, const char *level)
{
    size_t first = e->wrapper.n;

    words(c, &e->wrapper, y, "wrapper", level);
    if (!c->check.rc && first < e->wrapper.n)
        sl_plan_program(c, y, "wrapper", e->wrapper.v[first], false);
}

static void command(struct sl_plan_parse *c, struct sl_effects *e, const struct sl_yaml *y, const char *level)
{
    if (y->kind == SL_YAML_SCALAR) {
        *sl_vec_add(&e->command) = "/bin/sh";
        *sl_vec_add(&e->command) = "-c";
        *sl_vec_add(&e->command) = filled(c, sl_plan_text(c, y, "command"), level);
        if (level)
            sl_plan_program(c, y, "command", e->command.v[2], true);
    } else {
        words(c, &e->command, y, "command", level);
        if (level && e->command.n)
            sl_plan_program(c, y, "command", e->command.v[0], false);
    }
    if (!c->check.rc && !e->command.n)
        sl_yaml_fail(&c->check, y, "command has no words");
}

bool sl_plan_is_effect(const char *key)
{
    return sl_yaml_is_known(" " SL_PLAN_EFFECT_KEYS " command ", key);
}

void sl_plan_effects(struct sl_plan_parse *c, struct sl_effects *e, const struct sl_yaml *y, const char *level)
{
    for (size_t i = 0; y->kind == SL_YAML_MAP && i < y->n && !c->check.rc; i++) {
        const char *k = y->key[i]->text;
        const struct sl_yaml *v = y->item[i];
        if (!strcmp(k, "environment"))
            pairs(c, e, v, level);
        else if (!strcmp(k, "argument"))
            words(c, &e->argument, v, k, level);
        else if (!strcmp(k, "wrapper"))
            wrapper(c, e, v, level);
        else if (!strcmp(k, "edit"))
            edits(c, e, v, level);
        else if (!strcmp(k, "patch"))
            patches(c, e, v, level);
        else if (!strcmp(k, "setup"))
            texts(c, &e->setup, v, k, level);
        else if (!strcmp(k, "teardown"))
            texts(c, &e->teardown, v, k, level);
        else if (!strcmp(k, "command"))
            command(c, e, v, level);
    }
}

/* ---- factors ---- */

static void check_name(struct sl_plan_parse *c, const struct sl_yaml *y, const char *what)
{
    size_t n = strspn(y->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

    if (!*y->text || y->text[n] || strspn(y->text, "0123456789.-"))
        sl_yaml_fail(&c->check, y, "'%s' cannot be the name of a %s: letters, digits, _, . and -, and a letter first",
                     y->text, what);
    else if (n > 64)
        sl_yaml_fail(&c->check, y, "the name of a %s has at most 64 letters: %s", what, y->text);
    else if (sl_yaml_is_known(sl_plan_reserved, y->text))
        sl_yaml_fail(&c->check, y, "'%s' cannot be the name of a %s: a column of the runs has it", y->text, what);
}

static struct sl_plan_level *add_level(struct sl_plan_parse *c, struct sl_plan_factor *f, const struct sl_yaml *at,
                                       const char *name)
{
    struct sl_plan_level *l;

    for (size_t i = 0; i < f->level.n; i++)
        if (!strcmp(f->level.v[i].name, name))
            sl_yaml_fail(&c->check, at, "factor %s has the level '%s' twice", f->name, name);
    if (strpbrk(name, "\n\r"))
        sl_yaml_fail(&c->check, at, "a level of %s has an end of line in its name", f->name);
    if (f->level.n == SL_PLAN_LEVELS)
        sl_yaml_fail(&c->check, at, "factor %s has more than %d levels", f->name, SL_PLAN_LEVELS);
    l = sl_vec_add(&f->level);
    l->name = name;
    l->line = at->line;
    l->ideal = NAN;
    return l;
}

static void level_of(struct sl_plan_parse *c, struct sl_plan_factor *f, const struct sl_yaml *all,
                     const struct sl_yaml *key, const struct sl_yaml *own)
{
    struct sl_plan_level *l = add_level(c, f, key, sl_plan_text(c, key, "a level"));
    const struct sl_yaml *ideal;

    sl_plan_effects(c, &l->effects, all, l->name);
    if (!own || sl_yaml_is_empty(own))
        return;
    if (!sl_yaml_is_map(&c->check, own, "what a level does is a map: {environment: {...}, argument: ..., ...}"))
        return;
    sl_yaml_known_keys(&c->check, own, "a level", " " SL_PLAN_EFFECT_KEYS " command ideal ");
    if ((ideal = sl_yaml_get(own, "ideal")))
        l->ideal = sl_plan_number(c, ideal, "ideal");
    sl_plan_effects(c, &l->effects, own, l->name);
}

static bool does_nothing(const struct sl_effects *e)
{
    return !(e->environment.n + e->argument.n + e->wrapper.n + e->edit.n + e->patch.n + e->setup.n + e->teardown.n +
             e->command.n);
}

static void one_factor(struct sl_plan_parse *c, const struct sl_yaml *key, const struct sl_yaml *y)
{
    const struct sl_yaml *levels = sl_yaml_get(y, "levels");
    struct sl_plan_factor *f;
    bool anything = false, placebo = false;

    check_name(c, key, "factor");
    f = sl_vec_add(&c->p->factor);
    f->name = sl_arena_copy(&c->p->arena, key->text, key->n);
    f->line = key->line;
    if (!sl_yaml_is_map(&c->check, y, "a factor is a map: {environment: {...}} or {levels: [...], argument: ...}"))
        return;
    sl_yaml_known_keys(&c->check, y, "a factor", " levels placebo " SL_PLAN_EFFECT_KEYS " command ");
    if (sl_yaml_get(y, "placebo"))
        placebo = !strcmp(sl_plan_text(c, sl_yaml_get(y, "placebo"), "placebo"), "yes");
    if (!levels) {
        add_level(c, f, key, "0");
        sl_plan_effects(c, &add_level(c, f, key, "1")->effects, y, "1");
    } else if (levels->kind == SL_YAML_MAP) {
        for (size_t i = 0; i < levels->n && !c->check.rc; i++)
            level_of(c, f, y, levels->key[i], levels->item[i]);
    } else {
        for (size_t i = 0; i < sl_yaml_len(levels) && !c->check.rc; i++)
            level_of(c, f, y, sl_yaml_item(levels, i), NULL);
    }
    if (!c->check.rc && f->level.n < 2)
        sl_yaml_fail(&c->check, levels, "factor %s has one level: two at least, the base first", f->name);
    for (size_t i = 0; i < f->level.n; i++)
        anything |= !does_nothing(&f->level.v[i].effects);
    if (!anything && !placebo)
        sl_yaml_fail(&c->check, key,
                     "factor %s does nothing: say what its levels do (" SL_PLAN_EFFECT_KEYS
                     "), or that it is to do nothing: placebo: yes",
                     f->name);
}

void sl_plan_factors(struct sl_plan_parse *c, const struct sl_yaml *y)
{
    if (!sl_yaml_is_map(&c->check, y, "factors is a map {name: {environment: ..., argument: ...}}"))
        return;
    for (size_t i = 0; i < y->n && !c->check.rc; i++)
        one_factor(c, y->key[i], y->item[i]);
}

static int32_t factor_at(struct sl_plan_parse *c, const struct sl_yaml *y, const char *name)
{
    int32_t f = sl_plan_factor(c->p, name);
    struct sl_buf all = {0};

    for (size_t i = 0; f < 0 && i < c->p->factor.n && i < 30; i++)
        sl_buf_addf(&all, "%s%s", i ? ", " : "", c->p->factor.v[i].name);
    if (f < 0)
        sl_yaml_fail(&c->check, y, "there is no factor '%s'; there are: %s", name, all.s ? all.s : "none");
    sl_buf_free(&all);
    return f;
}

void sl_plan_groups(struct sl_plan_parse *c, const struct sl_yaml *y)
{
    if (!sl_yaml_is_map(&c->check, y, "groups is a map {name: [factor, ...]}"))
        return;
    for (size_t i = 0; i < y->n && !c->check.rc; i++) {
        struct sl_plan_group *g = sl_vec_add(&c->p->group);
        g->name = sl_plan_text(c, y->key[i], "a group");
        check_name(c, y->key[i], "group");
        if (!c->check.rc && sl_plan_factor(c->p, g->name) >= 0)
            sl_yaml_fail(&c->check, y->key[i], "'%s' is a factor: call the group otherwise", g->name);
        for (size_t k = 0; k < sl_yaml_len(y->item[i]) && !c->check.rc; k++) {
            const struct sl_yaml *item = sl_yaml_item(y->item[i], k);
            int32_t f = factor_at(c, item, sl_plan_text(c, item, "a factor"));
            *sl_vec_add(&g->factor) = f < 0 ? 0 : (uint32_t)f;
        }
    }
}

/* ---- constraints ---- */

static uint64_t level_bit(struct sl_plan_parse *c, const struct sl_yaml *y, uint32_t factor, const char *name)
{
    const struct sl_plan_factor *f = &c->p->factor.v[factor];
    int32_t level = sl_plan_level(c->p, factor, name);
    struct sl_buf all = {0};

    for (size_t i = 0; level < 0 && i < f->level.n; i++)
        sl_buf_addf(&all, "%s%s", i ? ", " : "", f->level.v[i].name);
    if (level < 0)
        sl_yaml_fail(&c->check, y, "factor %s has no level '%s'; it has: %s", f->name, name, all.s);
    sl_buf_free(&all);
    return level < 0 ? 0 : UINT64_C(1) << level;
}

static uint64_t all_levels(const struct sl_plan *p, uint32_t factor)
{
    size_t n = p->factor.v[factor].level.n;
    return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* a (any level but the base), a=3, [a, b=1], or {a: 3, b: [1, 2]}. */
static void read_literals(struct sl_plan_parse *c, sl_plan_literals *to, const struct sl_yaml *y)
{
    for (size_t i = 0; i < (y->kind == SL_YAML_MAP ? y->n : sl_yaml_len(y)) && !c->check.rc; i++) {
        const struct sl_yaml *item = y->kind == SL_YAML_MAP ? y->key[i] : sl_yaml_item(y, i);
        const char *s = sl_plan_text(c, item, "a factor"), *equal = y->kind == SL_YAML_MAP ? NULL : strchr(s, '=');
        int32_t f = factor_at(c, item, equal ? sl_arena_copy(&c->p->arena, s, (size_t)(equal - s)) : s);
        struct sl_plan_literal l = {.factor = (uint32_t)f};
        if (f < 0)
            return;
        if (equal)
            l.levels = level_bit(c, item, l.factor, equal + 1);
        else if (y->kind != SL_YAML_MAP)
            l.levels = all_levels(c->p, l.factor) & ~UINT64_C(1);
        for (size_t k = 0; y->kind == SL_YAML_MAP && k < sl_yaml_len(y->item[i]); k++)
            l.levels |= level_bit(c, sl_yaml_item(y->item[i], k), l.factor,
                                  sl_plan_text(c, sl_yaml_item(y->item[i], k), "a level"));
        *sl_vec_add(to) = l;
    }
    if (!c->check.rc && !to->n)
        sl_yaml_fail(&c->check, y, "a constraint needs factors");
}

static void put_literal(struct sl_buf *b, const struct sl_plan *p, const struct sl_plan_literal *l)
{
    const struct sl_plan_factor *f = &p->factor.v[l->factor];
    bool first = true;

    sl_buf_adds(b, f->name);
    if (f->level.n == 2 && l->levels == 2 && !strcmp(f->level.v[1].name, "1"))
        return;
    for (size_t i = 0; i < f->level.n; i++)
        if (l->levels >> i & 1) {
            sl_buf_addf(b, "%s%s", first ? "=" : "|", f->level.v[i].name);
            first = false;
        }
}

static void add_constraint(struct sl_plan_parse *c, const struct sl_yaml *at, const struct sl_plan_literal *v, size_t n,
                           const struct sl_plan_literal *extra)
{
    struct sl_plan_constraint *k = sl_vec_add(&c->p->constraint);
    struct sl_buf text = {0};

    for (size_t i = 0; i < n + (extra != NULL); i++) {
        const struct sl_plan_literal *l = i < n ? &v[i] : extra;
        *sl_vec_add(&k->all) = *l;
        sl_buf_adds(&text, i ? " and " : "never ");
        put_literal(&text, c->p, l);
    }
    k->line = at->line;
    k->text = sl_arena_copy(&c->p->arena, text.s, text.n);
    sl_buf_free(&text);
}

static void one_constraint(struct sl_plan_parse *c, const struct sl_yaml *y)
{
    const struct sl_yaml *not = sl_yaml_get(y, "not"), *when = sl_yaml_get(y, "if"), *then = sl_yaml_get(y, "then"),
                         *one = sl_yaml_get(y, "exclusive");
    sl_plan_literals a = {0}, b = {0};

    if (!sl_yaml_is_map(&c->check, y, "a constraint is {not: [a, b]}, {if: a, then: b} or {exclusive: [a, b, c]}"))
        return;
    sl_yaml_known_keys(&c->check, y, "a constraint", " not if then exclusive ");
    if ((not != NULL) + (when != NULL) + (one != NULL) != 1 || !when != !then) {
        sl_yaml_fail(&c->check, y, "a constraint is {not: [a, b]}, {if: a, then: b} or {exclusive: [a, b, c]}");
        return;
    }
    read_literals(c, &a, not ? not : when ? when : one);
    if (then && !c->check.rc)
        read_literals(c, &b, then);
    if (!c->check.rc && not )
        add_constraint(c, y, a.v, a.n, NULL);
    for (size_t i = 0; when && i < b.n && !c->check.rc; i++) {
        struct sl_plan_literal no = b.v[i];
        no.levels = all_levels(c->p, no.factor) & ~no.levels;
        add_constraint(c, y, a.v, a.n, &no);
    }
    for (size_t i = 0; one && i < a.n && !c->check.rc; i++)
        for (size_t k = i + 1; k < a.n; k++)
            add_constraint(c, y, &a.v[i], 1, &a.v[k]);
    sl_vec_free(&a);
    sl_vec_free(&b);
}

void sl_plan_constraints(struct sl_plan_parse *c, const struct sl_yaml *y)
{
    for (size_t i = 0; i < sl_yaml_len(y) && !c->check.rc; i++)
        one_constraint(c, sl_yaml_item(y, i));
}
