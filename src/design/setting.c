/* SPDX-License-Identifier: Apache-2.0 */
#include "design/setting.h"
#include "base/buf.h"
#include "base/near.h"

#include <stdlib.h>
#include <string.h>

/* All names, with blanks between them, for messages and what may have been meant. */
static int unknown(const struct sl_plan *p, int32_t factor, const char *word, struct sl_err *err)
{
    size_t n = factor < 0 ? p->factor.n : p->factor.v[factor].level.n, best[SL_NEAR];
    SL_VEC(const char *) names = {0};
    struct sl_buf all = {0};
    int near;

    for (size_t i = 0; i < n && i < 100; i++) {
        *sl_vec_add(&names) = factor < 0 ? p->factor.v[i].name : p->factor.v[factor].level.v[i].name;
        sl_buf_addf(&all, "%s%s", i ? ", " : "", names.v[i]);
    }
    near = sl_near(names.v, names.n, word, best);
    near = near && factor < 0; /* of levels, all of them tell more */
    sl_err(err, SL_EUSAGE, "%s has no %s '%.100s'%s%s%s; there are: %.400s",
           factor < 0 ? p->path : p->factor.v[factor].name, factor < 0 ? "factor" : "level", word,
           near ? "; did you mean " : "", near ? names.v[best[0]] : "", near ? "?" : "", n ? all.s : "none");
    sl_vec_free(&names);
    sl_buf_free(&all);
    return SL_EUSAGE;
}

static int parse_word(const struct sl_plan *p, const char *word, int32_t *setting, bool *seen, struct sl_err *err)
{
    const char *equal = strchr(word, '=');
    char *name = sl_strndup(word, equal ? (size_t)(equal - word) : strlen(word));
    int32_t f = sl_plan_factor(p, name), level = 1;
    int rc = 0;

    if (f < 0)
        rc = unknown(p, -1, name, err);
    else if (seen[f])
        rc = sl_err(err, SL_EUSAGE, "'%s' is there twice", name);
    else if (equal && (level = sl_plan_level(p, (uint32_t)f, equal + 1)) < 0)
        rc = unknown(p, f, equal + 1, err);
    else if (!equal && p->factor.v[f].level.n > 2)
        rc = sl_err(err, SL_EUSAGE, "which level of %s? Say %s=%s, or another one", name, name,
                    p->factor.v[f].level.v[1].name);
    if (!rc) {
        setting[f] = level;
        seen[f] = true;
    }
    free(name);
    return rc;
}

int sl_setting_parse(const struct sl_plan *p, const char *text, int32_t *setting, struct sl_err *err)
{
    static const char between[] = ", \t";
    bool *seen = sl_alloc(p->factor.n + 1);
    const struct sl_plan_constraint *broken;
    int rc = 0;

    memset(setting, 0, p->factor.n * sizeof *setting);
    if (strcmp(text, "none") != 0 && strcmp(text, "base") != 0)
        for (const char *s = text + strspn(text, between); *s && !rc;) {
            char *word = sl_strndup(s, strcspn(s, between));
            rc = parse_word(p, word, setting, seen, err);
            s += strlen(word);
            s += strspn(s, between);
            free(word);
        }
    if (!rc && !text[strspn(text, between)])
        rc = sl_err(err, SL_EUSAGE, "a setting is none, or treatments such as a,b=2");
    if (!rc && (broken = sl_plan_broken(p, setting)))
        rc = sl_err(err, SL_EUSAGE, "'%s' is not allowed: %s (%s:%d)", text, broken->text, p->path, broken->line);
    free(seen);
    return rc;
}
