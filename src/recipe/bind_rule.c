/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe/bind_rule.h"

#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {NULL, "in", "facet", "after", "flow"};

static const char *word(const char *s, char *out, size_t n)
{
    size_t i = 0;

    s += strspn(s, " \t\n");
    while (*s && !strchr(" \t\n", *s)) {
        if (i + 1 < n)
            out[i++] = *s;
        s++;
    }
    out[i] = 0;
    return s;
}

/* Is this one expression, that can stand in parentheses? */
static bool balanced(const char *s)
{
    int depth = 0;

    for (; *s && depth >= 0; s++) {
        if (*s == '\'' || *s == '"') {
            const char *end = strchr(s + 1, *s);
            if (!end)
                return false;
            s = end;
        }
        depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
    }
    return depth == 0;
}

int sl_bind_parse(struct sl_bind_rule *out, const char *text, struct sl_err *err)
{
    char kind[20], more[20];
    const char *s;

    *out = (struct sl_bind_rule){.where = ""};
    s = word(text, out->left, sizeof out->left);
    if (!strcmp(out->left, "guess")) {
        out->guess = true;
        s = word(s, out->left, sizeof out->left);
    }
    s = word(s, kind, sizeof kind);
    s = word(s, out->right, sizeof out->right);
    if (strlen(out->left) == sizeof out->left - 1 || strlen(out->right) == sizeof out->right - 1)
        return sl_err(err, SL_EFORMAT, "a type of more than %zu bytes in: %.200s", sizeof out->left - 2, text);
    for (int i = SL_IN; i <= SL_FLOW; i++)
        if (!strcmp(kind, kinds[i]))
            out->kind = (enum sl_link_kind)i;
    if (!out->kind || !*out->right)
        return sl_err(err, SL_EFORMAT,
                      "a rule is: [guess] TYPE in|facet|after|flow TYPE [where EXPRESSION]; this is: %.200s", text);
    s = word(s, more, sizeof more);
    if (*more && strcasecmp(more, "where") != 0)
        return sl_err(err, SL_EFORMAT, "'where' is missing before '%s' in: %.200s", more, text);
    out->where = s + strspn(s, " \t\n");
    if (*more && !*out->where)
        return sl_err(err, SL_EFORMAT, "nothing stands behind 'where': %.200s", text);
    if (!balanced(out->where))
        return sl_err(err, SL_EFORMAT, "quotes or parentheses do not match in: %.200s", out->where);
    return 0;
}
