/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe/yaml_keys.h"
#include "base/mem.h"
#include "base/near.h"

#include <math.h>
#include <stdlib.h>

const char *sl_yaml_text(struct sl_yaml_check *c, const struct sl_yaml *y, const char *what)
{
    if (y && y->kind == SL_YAML_SCALAR && y->n && strlen(y->text) == y->n)
        return sl_arena_copy(c->arena, y->text, y->n);
    sl_yaml_fail(c, y, "'%s' is a text", what);
    return "";
}

static const char *read_text(struct sl_yaml_check *c, const struct sl_yaml *y, const struct sl_yaml_key *key)
{
    const char *s = sl_yaml_text(c, y, key->name);
    size_t n = strlen(s);

    while (n && (s[n - 1] == '\n' || s[n - 1] == ' '))
        n--;
    return s[n] ? sl_arena_copy(c->arena, s, n) : s;
}

static bool read_bool(struct sl_yaml_check *c, const struct sl_yaml *y, const struct sl_yaml_key *key)
{
    static const char *const usual[] = {"no", "yes", "false", "true"};
    const char *const *words = *key->words ? key->words : usual;
    int n = *key->words ? 2 : 4;

    for (int i = 0; i < n && y->kind == SL_YAML_SCALAR; i++)
        if (!strcmp(y->text, words[i]))
            return i & 1;
    sl_yaml_fail(c, y, *key->words ? "'%s' is %s or %s" : "'%s' is yes or no", key->name, words[0], words[1]);
    return false;
}

static double read_real(struct sl_yaml_check *c, const struct sl_yaml *y, const struct sl_yaml_key *key)
{
    const char *unit = key->unit ? key->unit : "";
    char *end;
    double x = y->kind == SL_YAML_SCALAR ? strtod(y->text, &end) : NAN;

    if (isfinite(x) && end != y->text && !(*unit && x < 0) && !strcmp(end + strspn(end, " "), unit))
        return x * (key->unit_is > 0 ? key->unit_is : 1);
    if (*unit)
        sl_yaml_fail(c, y, "'%s' is a number of '%s', such as 5 %s", key->name, unit, unit);
    else
        sl_yaml_fail(c, y, "'%s' is a number", key->name);
    return 0;
}

static uint64_t read_integer(struct sl_yaml_check *c, const struct sl_yaml *y, const struct sl_yaml_key *key)
{
    bool digits = y->kind == SL_YAML_SCALAR && y->n && y->n < 19 && strspn(y->text, "0123456789") == y->n;
    uint64_t x = digits ? strtoull(y->text, NULL, 10) : 0;

    if (!digits || x < key->least || x > key->most)
        sl_yaml_fail(c, y, "'%s' is a whole number from %llu to %llu", key->name, (unsigned long long)key->least,
                     (unsigned long long)key->most);
    return x;
}

static void read_key(struct sl_yaml_check *c, const struct sl_yaml *y, const struct sl_yaml_key *key, void *to)
{
    void *member = (char *)to + key->offset;

    switch (key->as) {
    case SL_YAML_TEXT: *(const char **)member = read_text(c, y, key); break;
    case SL_YAML_BOOL: *(bool *)member = read_bool(c, y, key); break;
    case SL_YAML_REAL: *(double *)member = read_real(c, y, key); break;
    case SL_YAML_INTEGER: *(uint64_t *)member = read_integer(c, y, key); break;
    case SL_YAML_READ: key->read(c, y, to); break;
    case SL_YAML_ELSEWHERE: break;
    }
}

static void add_names(struct sl_buf *b, const char *const *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sl_buf_addf(b, "%s%s", i ? ", " : "", name[i]);
}

static void fail_no_map(struct sl_yaml_check *c, const struct sl_yaml *y, const char *of, const char *const *name,
                        size_t n)
{
    struct sl_buf b = {0};

    add_names(&b, name, n);
    sl_yaml_fail(c, y, "%s is a map with the keys %s", of, b.s);
    sl_buf_free(&b);
}

void sl_yaml_unknown_key(struct sl_yaml_check *c, const struct sl_yaml *name, const char *of, const char *const *known,
                         size_t n)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s has no key '%.60s'", of, name->text);
    sl_near_add(&b, known, n, name->text);
    sl_buf_adds(&b, b.s[b.n - 1] == '?' ? " Known: " : "; known: ");
    add_names(&b, known, n);
    sl_yaml_fail(c, name, "%s", b.s);
    sl_buf_free(&b);
}

void sl_yaml_keys(struct sl_yaml_check *c, const struct sl_yaml *y, const char *of, const struct sl_yaml_key *key,
                  size_t n, void *to)
{
    const char **names = sl_alloc(n * sizeof *names);
    bool map = y && y->kind == SL_YAML_MAP;

    for (size_t k = 0; k < n; k++)
        names[k] = key[k].name;
    if (!map)
        fail_no_map(c, y, of, names, n);
    for (size_t i = 0; map && i < y->n && !c->rc; i++) {
        size_t k = 0;
        while (k < n && strcmp(names[k], y->key[i]->text) != 0)
            k++;
        if (k < n)
            read_key(c, y->item[i], &key[k], to);
        else
            sl_yaml_unknown_key(c, y->key[i], of, names, n);
    }
    for (size_t k = 0; k < n && !c->rc; k++)
        if (key[k].needed && !sl_yaml_get(y, key[k].name))
            sl_yaml_fail(c, y, "%s needs %s", of, key[k].name);
    free(names);
}
