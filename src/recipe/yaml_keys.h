/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps of YAML whose keys are known.  A key is a row of a table, which says what stands behind it and which member of a
 * structure that becomes:
 *
 *     static const struct sl_yaml_key keys[] = {
 *         SL_YAML_KEY("title", TEXT, struct sl_section, title, .needed = true),
 *         SL_YAML_KEY("of", BOOL, struct sl_section, of_store, .words = {"run", "store"}),
 *         {.name = "figures", .as = SL_YAML_READ, .read = read_figures},
 *     };
 *     sl_yaml_keys(&check, y, "a section", keys, sizeof keys / sizeof *keys, &section);
 */
#ifndef SL_RECIPE_YAML_KEYS_H
#define SL_RECIPE_YAML_KEYS_H

#include "recipe/yaml.h"

#include <stdint.h>

enum sl_yaml_as {
    SL_YAML_TEXT,      /* const char *, in the arena of the check, without blanks and line ends behind it */
    SL_YAML_BOOL,      /* bool: yes or true, no or false; or the second of `words` */
    SL_YAML_REAL,      /* double, of the unit if there is one, "5 %", and then not negative */
    SL_YAML_INTEGER,   /* uint64_t, from `least` to `most` */
    SL_YAML_READ,      /* by read() */
    SL_YAML_ELSEWHERE, /* somebody else reads it */
};

struct sl_yaml_key {
    const char *name;
    enum sl_yaml_as as;
    size_t offset; /* of the member */
    bool needed;
    const char *words[2];
    const char *unit;
    double unit_is; /* of what the member counts; 0: 1 */
    uint64_t least, most;
    void (*read)(struct sl_yaml_check *c, const struct sl_yaml *y, void *to);
};

#define SL_YAML_KEY(key, kind, type, member, ...)                                                                      \
    {                                                                                                                  \
        .name = (key), .as = SL_YAML_##kind, .offset = offsetof(type, member), __VA_ARGS__                             \
    }

/*
 * Reads the map y, which is `of` ("a section"), into the structure at `to`.  What is not given stays as it was.  Fails
 * (c->rc) where y is no map, and at keys that are unknown, missing or have something else behind them.
 */
void sl_yaml_keys(struct sl_yaml_check *c, const struct sl_yaml *y, const char *of, const struct sl_yaml_key *key,
                  size_t n, void *to);
/* The same of a map that somebody else reads: fails at keys that are not in the list, " a b c ". */
void sl_yaml_known_keys(struct sl_yaml_check *c, const struct sl_yaml *y, const char *of, const char *list);
bool sl_yaml_is_known(const char *list, const char *key);
/* The text of y, in the arena; fails where it is none, or empty, and is "" then. */
const char *sl_yaml_text(struct sl_yaml_check *c, const struct sl_yaml *y, const char *what);

#endif
