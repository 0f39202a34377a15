/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar is that of PerfFlowAspect's parser (src/c/parser of its main branch):
 *
 *   annotation := ("@critical_path" | "@perfflowaspect.aspect.critical_path") "(" [ assignment { "," assignment } ] ")"
 *   assignment := "pointcut" "=" one of six | "flow" "=" one of four | "scope" "=" label
 *
 * with values in quotes, and blanks anywhere between.  Theirs reads over bytes that it does not know, and so takes the
 * annotations of other tools for its own; ours begins with "@critical" or "@perfflowaspect".
 */
#include "weave/advice.h"

#include <stdio.h>
#include <string.h>

static const char *blanks(const char *p)
{
    return p + strspn(p, " \t\n\r");
}

static bool starts(const char **p, const char *word)
{
    size_t n = strlen(word);

    if (strncmp(*p, word, n) != 0)
        return false;
    *p = blanks(*p + n);
    return true;
}

bool sl_advice_is_pointcut(const char *word)
{
    static const char *const known[] = {"around", "before", "after", "around_async", "before_async", "after_async"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i], word))
            return true;
    return false;
}

static bool is_flow(const char *word)
{
    return !strcmp(word, "in") || !strcmp(word, "out") || !strcmp(word, "inout") || !strcmp(word, "outin");
}

/* 'text', where \ takes the next byte as it is. */
static bool quoted(const char **p, char *to, size_t room)
{
    char quote = **p;
    size_t n = 0;

    if (quote != '\'' && quote != '"')
        return false;
    for (++*p; **p && **p != quote; ++*p) {
        if (**p == '\\' && (*p)[1])
            ++*p;
        if (n + 1 < room)
            to[n++] = **p;
    }
    to[n] = 0;
    if (**p != quote)
        return false;
    *p = blanks(*p + 1);
    return true;
}

static bool assignment(const char **p, struct sl_advice *a, char *why, size_t n)
{
    static const char *const keys[] = {"pointcut", "scope", "flow"};
    char value[sizeof a->scope];
    size_t k = 0;

    while (k < 3 && !starts(p, keys[k]))
        k++;
    if (k == 3) {
        snprintf(why, n, "pointcut, scope or flow is wanted at '%.40s'", *p);
        return false;
    }
    if (!starts(p, "=") || !quoted(p, value, sizeof value)) {
        snprintf(why, n, "a value in quotes is wanted, as in %s='...'", keys[k]);
        return false;
    }
    if (k == 1) {
        strcpy(a->scope, value);
    } else if (k == 0 && sl_advice_is_pointcut(value)) {
        strcpy(a->pointcut, value);
    } else if (k == 2 && is_flow(value)) {
        strcpy(a->flow, value);
    } else {
        snprintf(why, n, "there is no %s '%.40s'; there are %s", keys[k], value,
                 k ? "in, out, inout, outin" : "before, after, around, before_async, after_async, around_async");
        return false;
    }
    return true;
}

void sl_advice_default(struct sl_advice *a)
{
    *a = (struct sl_advice){.pointcut = "around", .flow = "NA", .scope = "NA"};
}

enum sl_advice_kind sl_advice_parse(const char *text, struct sl_advice *a, char *why, size_t n)
{
    const char *p = blanks(text);
    bool more;

    sl_advice_default(a);
    if (strncmp(p, "@critical", 9) != 0 && strncmp(p, "@perfflowaspect", 15) != 0)
        return SL_ADVICE_OTHERS;
    snprintf(why, n, "@critical_path() is wanted");
    if ((!starts(&p, "@critical_path") && !starts(&p, "@perfflowaspect.aspect.critical_path")) || !starts(&p, "("))
        return SL_ADVICE_BAD;
    for (more = *p != ')'; more; more = starts(&p, ","))
        if (!assignment(&p, a, why, n))
            return SL_ADVICE_BAD;
    if (!starts(&p, ")") || *p) {
        snprintf(why, n, *p ? "what follows is not understood: '%.40s'" : "a ')' is missing", p);
        return SL_ADVICE_BAD;
    }
    return SL_ADVICE;
}

struct sl_weaving sl_advice_weaving(const struct sl_advice *a)
{
    bool around = !strncmp(a->pointcut, "around", 6), one = !strcmp(a->flow, "in") || !strcmp(a->flow, "out");

    return (struct sl_weaving){
        .before = around || !strncmp(a->pointcut, "before", 6),
        .after = around || !strncmp(a->pointcut, "after", 5),
        .async = strstr(a->pointcut, "_async") != NULL,
        .span = !strcmp(a->pointcut, "around") && !strcmp(a->flow, "NA"),
        .flow_before = a->flow,
        .flow_after = around && one ? "NA" : a->flow, /* what goes in, or out, does so once */
    };
}
