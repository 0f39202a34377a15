/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a rule matches a record.  Most records match no rule, so that is the fast way: literals first, patterns then,
 * and the captures of a head only when a rule has matched.
 */
#include "engine/engine_internal.h"

#include <string.h>

void sl_match_set_captures(struct sl_value *f, const struct sl_pattern *pat, const char *s, const size_t *at)
{
    for (uint32_t i = 0; i < pat->ncaptures; i++) {
        const struct sl_capture *c = &pat->capture[i];
        if (c->slot >= 0 && at[2 * c->group] != PCRE2_UNSET && at[2 * c->group + 1] >= at[2 * c->group])
            f[c->slot] = (struct sl_value){
                .kind = SL_TEXT, .s = s + at[2 * c->group], .n = (uint32_t)(at[2 * c->group + 1] - at[2 * c->group])};
    }
}

/* The fields of a text record, once somebody asks. */
void sl_match_fill(struct sl_parse *p, const char *message, size_t n)
{
    if (p->filled)
        return;
    p->filled = true;
    memcpy(p->base, p->context, (size_t)p->recipe->nfields * sizeof *p->base);
    if (p->head) {
        const size_t *at = sl_pattern_match(p->head, p->head_match, p->raw, p->nraw, 0);
        if (at)
            sl_match_set_captures(p->base, p->head, p->raw, at);
    }
    p->base[p->recipe->field_text] = (struct sl_value){.kind = SL_TEXT, .s = message, .n = (uint32_t)n};
    p->base[p->recipe->field_line] = (struct sl_value){.kind = SL_INT, .i = p->place};
}

/* Which of these texts v is; n: none. */
int sl_match_which_of(const char *const *text, int n, const struct sl_value *v)
{
    char digits[32];
    const char *s;
    size_t len = sl_apply_value_text(v, digits, &s);
    int k = 0;

    while (k < n && (strlen(text[k]) != len || memcmp(text[k], s, len) != 0))
        k++;
    return k;
}

static bool is_looked_up(const struct sl_rule *u, int field)
{
    int i = 0;

    while (i < u->nlook && u->look[i].value != field)
        i++;
    return i < u->nlook;
}

/*
 * The conditions that compare: they need no captures, and most rules of a table fail here.  before: what is kept was
 * not looked up yet.
 */
static bool equal_conditions(const struct sl_value *f, const struct sl_rule *u, bool before)
{
    for (int i = 0; i < u->nwhen; i++) {
        const struct sl_when *w = &u->when[i];
        if (before && is_looked_up(u, w->field))
            continue;
        if (f[w->field].kind == SL_NONE || (w->nis && sl_match_which_of(w->is, w->nis, &f[w->field]) == w->nis))
            return false;
    }
    return true;
}

static bool pattern_conditions(struct sl_parse *p, const struct sl_rule *u)
{
    char digits[32];
    const char *s;

    for (int i = 0; i < u->nwhen; i++) {
        const struct sl_when *w = &u->when[i];
        const size_t *at;
        size_t n;
        if (w->nis)
            continue;
        n = sl_apply_value_text(&p->f[w->field], digits, &s);
        if (s == digits)
            s = sl_arena_copy(&p->scratch, digits, n); /* captures may point into it */
        at = sl_pattern_match(&w->pattern, p->match, s, n, 0);
        if (!at)
            return false;
        sl_match_set_captures(p->f, &w->pattern, s, at);
    }
    return true;
}

/* Could one of the rule's patterns match?  Literals only. */
static bool may_match(const struct sl_rule *u, const char *s, size_t n)
{
    for (int i = 0; i < u->nmatch; i++) {
        const struct sl_pattern *m = &u->match[i];
        if (!m->prefix || (n >= m->nliteral && !memcmp(s, m->literal, m->nliteral)))
            return true;
    }
    return !u->nmatch;
}

bool sl_match_captures(const struct sl_pattern *pat, int field)
{
    for (uint32_t k = 0; k < pat->ncaptures; k++)
        if (pat->capture[k].slot == field)
            return true;
    return false;
}

/* Can the record have the field?  The head of one of a text log need not be taken apart to know. */
static bool may_have(const struct sl_parse *p, int field)
{
    if (p->filled)
        return p->base[field].kind != SL_NONE;
    return p->context[field].kind != SL_NONE || field == p->recipe->field_text || field == p->recipe->field_line ||
           (p->head && sl_match_captures(p->head, field));
}

/* Does the record of a text log lack a field that the rule asks for? */
static bool lacks_field(const struct sl_parse *p, const struct sl_rule *u)
{
    for (int i = 0; i < u->nwhen; i++)
        if (!may_have(p, u->when[i].field))
            return true;
    return false;
}

static bool captured_by(const struct sl_rule *u, int field)
{
    int k = 0;

    while (k < u->nmatch && !sl_match_captures(&u->match[k], field))
        k++;
    return k < u->nmatch;
}

/* As memmem(), which takes longer where n is small and the first letter of the word is rare. */
static bool contains(const char *s, size_t n, const char *word)
{
    size_t len = strlen(word);
    const char *end = s + n, *at = s;

    while ((at = len <= (size_t)(end - at) ? memchr(at, *word, (size_t)(end - at) - len + 1) : NULL)) {
        if (!memcmp(at, word, len))
            return true;
        at++;
    }
    return false;
}

/*
 * Does the record at hand not have what the rule asks for (such as a level), whatever its patterns find?  The head need
 * not be taken apart to know: what it captures stands in it.
 */
static bool says_else(const struct sl_parse *p, const struct sl_rule *u, const char *message)
{
    for (int i = 0; i < u->nwhen; i++) {
        const struct sl_when *w = &u->when[i];
        int k = 0;
        if (is_looked_up(u, w->field) || captured_by(u, w->field))
            continue;
        if (!may_have(p, w->field))
            return true;
        if (!w->nis || !p->head || !sl_match_captures(p->head, w->field))
            continue;
        while (k < w->nis && !contains(p->raw, (size_t)(message - p->raw), w->is[k]))
            k++;
        if (k == w->nis)
            return true;
    }
    return false;
}

/* Does the rule ask for a field that only looking it up can give, and of which nothing was ever kept? */
static bool lacks_kept(const struct sl_parse *p, const struct sl_rule *u)
{
    for (int i = 0; i < u->nlook; i++) {
        int field = u->look[i].value;
        if (sl_variables_any(p->variables, field) || may_have(p, field))
            continue;
        if (captured_by(u, field))
            continue;
        for (int k = 0; k < u->nwhen; k++)
            if (u->when[k].field == field)
                return true;
    }
    return false;
}

static void emit_saw(struct sl_parse *p, const struct sl_rule *u, const struct sl_pattern *match)
{
    p->saw(p->to, u);
    if (match)
        p->saw(p->to, match);
    for (int i = 0; i < u->nwhen; i++) {
        const struct sl_when *w = &u->when[i];
        if (w->nis)
            p->saw(p->to, w->is[sl_match_which_of(w->is, w->nis, &p->f[w->field])]);
    }
}

bool sl_match_rule(struct sl_parse *p, const struct sl_rule *u, const char *s, size_t n)
{
    const size_t *at = NULL;
    int i;

    if (!may_match(u, s, n) || (u->nlook && lacks_kept(p, u)) || (u->nwhen && says_else(p, u, s)))
        return false;
    for (i = 0; i < u->nmatch && !at; i++)
        at = sl_pattern_match(&u->match[i], p->match, s, n, 0);
    if (u->nmatch && !at)
        return false;
    if (!p->filled && !at && !u->nlook && lacks_field(p, u))
        return false;
    if (!p->filled)
        sl_match_fill(p, s, n);
    if (!at && !equal_conditions(p->base, u, true))
        return false; /* the usual way of a row of another table */
    memcpy(p->f, p->base, (size_t)p->recipe->nfields * sizeof *p->f);
    if (at)
        sl_match_set_captures(p->f, &u->match[i - 1], s, at);
    sl_apply_look_up(p, u);
    if (((at || u->nlook) && !equal_conditions(p->f, u, false)) || !pattern_conditions(p, u))
        return false;
    if (p->saw)
        emit_saw(p, u, u->nmatch ? &u->match[i - 1] : NULL);
    return true;
}
