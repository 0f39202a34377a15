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

/* Says which key `of` has not, and which it has; name NULL: y is no map. */
static void fail_key(struct sl_yaml_check *c, const struct sl_yaml *y, const char *name, const char *of,
                     const char *const *known, size_t n)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, name ? "%s has no key '%.60s'" : "%s is a map", of, name);
    if (name)
        sl_near_add(&b, known, n, name);
    sl_buf_adds(&b, b.s[b.n - 1] == '?' ? " Known: " : "; known: ");
    for (size_t i = 0; i < n; i++)
        sl_buf_addf(&b, "%s%s", i ? ", " : "", known[i]);
    sl_yaml_fail(c, y, "%s", b.s);
    sl_buf_free(&b);
}

static void fail_row(struct sl_yaml_check *c, const struct sl_yaml *y, const char *name, const char *of,
                     const struct sl_yaml_key *key, size_t n)
{
    const char **known = sl_alloc(n * sizeof *known);

    for (size_t i = 0; i < n; i++)
        known[i] = key[i].name;
    fail_key(c, y, name, of, known, n);
    free(known);
}

void sl_yaml_keys(struct sl_yaml_check *c, const struct sl_yaml *y, const char *of, const struct sl_yaml_key *key,
                  size_t n, void *to)
{
    if (!y || y->kind != SL_YAML_MAP)
        fail_row(c, y, NULL, of, key, n);
    for (size_t i = 0; !c->rc && i < y->n; i++) {
        const struct sl_yaml_key *k = key;
        while (k < key + n && strcmp(k->name, y->key[i]->text) != 0)
            k++;
        if (k < key + n)
            read_key(c, y->item[i], k, to);
        else
            fail_row(c, y->key[i], y->key[i]->text, of, key, n);
    }
    for (size_t k = 0; k < n && !c->rc; k++)
        if (key[k].needed && !sl_yaml_get(y, key[k].name))
            sl_yaml_fail(c, y, "%s needs %s", of, key[k].name);
}

bool sl_yaml_is_known(const char *list, const char *key)
{
    size_t n = strlen(key);

    for (const char *at = list; n && !strchr(key, ' ') && (at = strstr(at, key)); at++)
        if (at > list && at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

void sl_yaml_known_keys(struct sl_yaml_check *c, const struct sl_yaml *y, const char *of, const char *list)
{
    SL_VEC(const char *) known = {0};
    struct sl_arena names = {0};
    size_t i = 0;

    if (y->kind != SL_YAML_MAP) {
        sl_yaml_fail(c, y, "%s must be a map", of);
        return;
    }
    while (i < y->n && sl_yaml_is_known(list, y->key[i]->text))
        i++;
    if (i == y->n)
        return;
    for (const char *s = list; *(s += strspn(s, " ")); s += strcspn(s, " "))
        *sl_vec_add(&known) = sl_arena_copy(&names, s, strcspn(s, " "));
    fail_key(c, y->key[i], y->key[i]->text, of, known.v, known.n);
    sl_vec_free(&known);
    sl_arena_free(&names);
}
