/* SPDX-License-Identifier: Apache-2.0 */
/* What several logs tell of one moment: "NAME: {of: [SPAN_TYPE/EVENT, ...], within: SECONDS}", or "NAME: [...]". */
#ifndef SL_RECIPE_MERGE_RULES_H
#define SL_RECIPE_MERGE_RULES_H

#include "base/mem.h"
#include "recipe/yaml.h"

#include <stdint.h>

struct sl_merge {
    const char *name, *what; /* as of sl_lens: what has blanks between */
    int64_t within_ns;
};

/* A name of events as the lens wants it, no pattern; fails where it is none.  slash: it is SPAN_TYPE/EVENT. */
const char *sl_merge_name(struct sl_yaml_check *c, const struct sl_yaml *y, const char *name, bool slash);
/* All of a map of them, one call for each.  The texts are the arena's. */
void sl_merges_parse(struct sl_yaml_check *c, const struct sl_yaml *map, const char *key, struct sl_arena *arena,
                     void (*add)(void *to, struct sl_merge m), void *to);

#endif
