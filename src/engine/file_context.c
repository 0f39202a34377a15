/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of a file: what its path and the user say, and what a parse holds. */
#include "base/buf.h"
#include "engine/engine_internal.h"

#include <stdlib.h>

static void set_context(struct sl_parse *p, const char *name, const char *value, size_t n)
{
    int slot = sl_parse_slot(p, name, strlen(name));

    if (slot >= 0)
        p->context[slot] =
            (struct sl_value){.kind = SL_TEXT, .s = sl_arena_copy(&p->variables->arena, value, n), .n = (uint32_t)n};
}

bool sl_parse_start(struct sl_parse *p, const struct sl_pattern *files, const char *path, const char *const *extra)
{
    const struct sl_recipe *r = p->recipe;
    size_t bytes = (size_t)r->nfields * sizeof(struct sl_value);
    const size_t *at;

    p->context = sl_alloc(bytes);
    p->base = sl_alloc(bytes);
    p->f = sl_alloc(bytes);
    p->memo = sl_alloc((size_t)(r->nmention + 1) * sizeof *p->memo);
    p->match = sl_match_new();
    p->head_match = sl_match_new();
    p->variables = sl_alloc(sizeof *p->variables);
    p->text = sl_alloc(sizeof *p->text);
    p->other_table = sl_alloc((size_t)r->nrule + 1);
    sl_apply_new_batch(p);
    at = files ? sl_pattern_match(files, p->match, path, strlen(path), 0) : NULL;
    for (uint32_t i = 0; at && i < files->ncaptures; i++)
        if (at[2 * files->capture[i].group] != PCRE2_UNSET)
            set_context(p, files->capture[i].name, path + at[2 * files->capture[i].group],
                        at[2 * files->capture[i].group + 1] - at[2 * files->capture[i].group]);
    set_context(p, "_file", path, strlen(path));
    p->yields = sl_alloc(((size_t)r->nfields + 1) * sizeof *p->yields);
    for (const char *const *g = p->given; g && g[0]; g += 2) {
        int slot = sl_parse_slot(p, g[0], strlen(g[0]));
        if (slot >= 0 && p->context[slot].kind == SL_NONE)
            p->yields[slot] = g[0];
    }
    for (; extra && extra[0]; extra += 2)
        set_context(p, extra[0], extra[1], strlen(extra[1]));
    return sl_apply_contexts(p, false);
}

void sl_parse_finish(struct sl_parse *p)
{
    if (p->batch)
        sl_apply_emit(p);
    sl_match_free(p->match);
    sl_match_free(p->head_match);
    sl_arena_free(&p->scratch);
    sl_vec_free(&p->extra);
    sl_vec_free(&p->touched);
    if (p->variables) {
        sl_variables_free(p->variables);
        free(p->variables);
    }
    if (p->text)
        sl_buf_free(p->text);
    free(p->text);
    free(p->context);
    free(p->yields);
    free(p->base);
    free(p->f);
    free(p->memo);
    free(p->other_table);
}
