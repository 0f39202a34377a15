/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe/merge_rules.h"
#include "base/buf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sl_merge_name(struct sl_yaml_check *c, const struct sl_yaml *y, const char *name, bool slash)
{
    if (strchr(name, '*') || !*name)
        sl_yaml_fail(c, y, "a new name may not be empty or hold '*': %s", name);
    if (slash && !strchr(name, '/'))
        sl_yaml_fail(c, y, "what is merged is called SPAN_TYPE/EVENT; this has no '/': %s", name);
    return name;
}

static double seconds(struct sl_yaml_check *c, const struct sl_yaml *y)
{
    char *end;
    double s = y->kind == SL_YAML_SCALAR ? strtod(y->text, &end) : NAN;

    if (y->kind == SL_YAML_SCALAR && end != y->text && !*end && s >= 0 && s < 1e9)
        return s;
    sl_yaml_fail(c, y, "within must be a number of seconds");
    return 0;
}

static void parse(struct sl_yaml_check *c, const struct sl_yaml *name, const struct sl_yaml *m, const char *key,
                  struct sl_arena *arena, struct sl_merge *out)
{
    const struct sl_yaml *of = m->kind == SL_YAML_MAP ? sl_yaml_get(m, "of") : m, *within = sl_yaml_get(m, "within");
    struct sl_buf what = {0};

    sl_merge_name(c, name, name->text, true);
    if (!of || sl_yaml_is_empty(of) || (m->kind == SL_YAML_MAP && m->n != (within ? 2u : 1u))) {
        sl_yaml_fail(c, m, "%s is a map {name: {of: [SPAN_TYPE/EVENT, ...], within: SECONDS}}", key);
        return;
    }
    if (of->kind == SL_YAML_MAP)
        sl_yaml_fail(c, of, "of must be a list");
    for (size_t k = 0; k < sl_yaml_len(of); k++) {
        const struct sl_yaml *event = sl_yaml_item(of, k);
        if (event->kind != SL_YAML_SCALAR || !*event->text)
            sl_yaml_fail(c, event, "an event must be a text");
        else
            sl_buf_addf(&what, "%s%s", k ? " " : "", event->text);
    }
    out->name = sl_arena_copy(arena, name->text, strlen(name->text));
    out->what = sl_arena_copy(arena, what.s ? what.s : "", what.n);
    out->within_ns = (int64_t)((within ? seconds(c, within) : 0.1) * 1e9);
    sl_buf_free(&what);
}

void sl_merges_parse(struct sl_yaml_check *c, const struct sl_yaml *map, const char *key, struct sl_arena *arena,
                     void (*add)(void *to, struct sl_merge m), void *to)
{
    if (!map)
        return;
    if (map->kind != SL_YAML_MAP) {
        sl_yaml_fail(c, map, "%s must be a map {name: {of: [...], within: SECONDS}}", key);
        return;
    }
    for (size_t i = 0; i < map->n && !c->rc; i++) {
        struct sl_merge m = {0};
        parse(c, map->key[i], map->item[i], key, arena, &m);
        if (!c->rc)
            add(to, m);
    }
}
