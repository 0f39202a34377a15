/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/record_filter.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 8, WAYS = 32 }; /* more ways take longer than the rules */

struct text {
    const char *s;
    size_t n;
    bool in_head; /* it may stand in the head of the record, too */
};

struct way { /* all of these stand in a record that names a span in this way */
    struct text text[LEVELS];
    int n;
};

struct sl_record_filter {
    const struct sl_parse *p;
    struct sl_match *match;
    SL_VEC(struct way) ways;
    SL_VEC(const struct sl_rule *) keeping; /* rules that others are understood by, or that look up what they name */
};

/* FROM_LOOK: from what a rule that has match: looks up. */
enum source { FROM_TEXT = 1, FROM_HEAD = 2, FROM_ELSEWHERE = 4, FROM_LOOK = 8 };

static void captures(unsigned char *source, const struct sl_pattern *p, unsigned char what)
{
    for (uint32_t i = 0; i < p->ncaptures; i++)
        if (p->capture[i].slot >= 0)
            source[p->capture[i].slot] |= what;
}

static void kept(unsigned char *source, const struct sl_keep *k, int n, enum source what)
{
    for (int i = 0; i < n; i++)
        source[k[i].value] |= (unsigned char)what;
}

static void sources_of_rule(unsigned char *source, const struct sl_recipe *r, const struct sl_rule *u)
{
    for (int i = 0; i < u->nmatch; i++)
        captures(source, &u->match[i], FROM_TEXT);
    for (int i = 0; i < u->nwhen; i++)
        if (!u->when[i].nis)
            captures(source, &u->when[i].pattern, u->when[i].field == r->field_text ? FROM_TEXT : FROM_ELSEWHERE);
    kept(source, u->look, u->nlook, u->nmatch ? FROM_LOOK : FROM_ELSEWHERE);
    kept(source, u->count, u->ncount, FROM_ELSEWHERE);
}

/* What each: takes apart comes from where its field comes from. */
static void sources_of_each(unsigned char *source, const struct sl_rule *u)
{
    unsigned char of = u->each_of >= 0 ? source[u->each_of] : 0;

    if (u->each_of >= 0)
        captures(source, &u->each, !of || of & FROM_LOOK ? FROM_ELSEWHERE : of);
}

static const struct sl_rule *rule(const struct sl_recipe *r, int i)
{
    return i < r->nrule ? &r->rule[i] : &r->naming[i - r->nrule];
}

/* By slot, where its text may come from. */
static unsigned char *sources(const struct sl_parse *p)
{
    const struct sl_recipe *r = p->recipe;
    unsigned char *source = sl_alloc((size_t)r->nfields + 1);
    int rules = r->nrule + r->nnaming;

    for (int i = 0; i < r->nfields; i++)
        if (p->context[i].kind != SL_NONE)
            source[i] = FROM_ELSEWHERE;
    source[r->field_text] |= FROM_TEXT;
    source[r->field_line] |= FROM_ELSEWHERE;
    for (int i = 0; i < p->input->nhead; i++)
        captures(source, &p->input->head[i], FROM_HEAD);
    for (int i = 0; i < rules; i++)
        sources_of_rule(source, r, rule(r, i));
    for (int again = 0; again < 3; again++) /* each: of what another each: found */
        for (int i = 0; i < rules; i++)
            sources_of_each(source, rule(r, i));
    return source;
}

/* The text that a key must have come from; false: it may have come from elsewhere.  looked: see find_way. */
static bool text_of_key(struct text *t, const struct sl_recipe *r, const unsigned char *source, bool *looked,
                        const struct sl_mention *m, const struct sl_named_level *l)
{
    int field = m->key.n == 1 ? m->key.part[0].field : -1;

    if (field < 0 || m->otherwise.n || !source[field] || source[field] & FROM_ELSEWHERE ||
        (source[field] & FROM_LOOK && !looked) ||
        memmem(l->key, l->n, "\xef\xbf\xbd", 3)) /* as other bytes than UTF-8 stand in a store */
        return false;
    if (source[field] & FROM_LOOK)
        looked[field] = true;
    *t = (struct text){l->key, l->n, source[field] & FROM_HEAD};
    if (r->is_int[field] && t->n && *t->s == '-') /* -7 may have been -007 */
        t->s++, t->n--;
    return t->n > 0;
}

/*
 * How mention m may name a span; false: in no way.  looked, by field: in records that no rule which looks the marked
 * ones up may match, and more are marked; NULL: in any record.
 */
static bool find_way(struct way *w, const struct sl_recipe *r, const unsigned char *source, bool *looked, int m,
                     const struct sl_named_span *span)
{
    *w = (struct way){0};
    for (int i = 0; i < span->n; i++, m = r->mention[m].parent) {
        const struct sl_mention *d = m < 0 ? NULL : &r->mention[m];
        if (d && d->path.n) /* any */
            return true;
        if (!d || (d->type.id && d->type.id != span->level[i].type))
            return false;
        if (w->n < LEVELS && text_of_key(&w->text[w->n], r, source, looked, d, &span->level[i]))
            w->n++;
    }
    return m < 0;
}

static int longest_first(const void *a, const void *b)
{
    size_t x = ((const struct text *)a)->n, y = ((const struct text *)b)->n;

    return (x < y) - (x > y);
}

static bool looks_up(const struct sl_rule *u, const bool *looked)
{
    for (int i = 0; i < u->nlook; i++)
        if (looked[u->look[i].value])
            return true;
    return false;
}

static bool is_there(const struct sl_record_filter *s, const struct way *w)
{
    for (size_t i = 0; i < s->ways.n; i++) {
        const struct way *v = &s->ways.v[i];
        int k = 0;
        while (k < w->n && v->n == w->n && v->text[k].n == w->text[k].n && v->text[k].in_head == w->text[k].in_head &&
               !memcmp(v->text[k].s, w->text[k].s, w->text[k].n))
            k++;
        if (k == w->n && v->n == w->n)
            return true;
    }
    return false;
}

struct sl_record_filter *sl_record_filter_new(const struct sl_parse *p, const struct sl_named_span *wanted, size_t n)
{
    const struct sl_recipe *r = p->recipe;
    struct sl_record_filter *s = sl_alloc(sizeof *s);
    unsigned char *source = sources(p);
    bool all = false, *looked = sl_alloc((size_t)r->nfields + 1);

    *s = (struct sl_record_filter){.p = p, .match = sl_match_new()};
    for (size_t i = 0; i < n && !all; i++)
        for (int m = 0; m < r->nmention && !all; m++) {
            struct way w;
            if (!find_way(&w, r, source, NULL, m, &wanted[i]))
                continue;
            if (!w.n) /* by what was looked up alone */
                find_way(&w, r, source, looked, m, &wanted[i]);
            all = !w.n || s->ways.n == WAYS;
            qsort(w.text, (size_t)w.n, sizeof *w.text, longest_first);
            if (!is_there(s, &w))
                *sl_vec_add(&s->ways) = w;
        }
    for (int i = 0; i < r->nrule + r->nnaming; i++)
        if (rule(r, i)->nkeep || rule(r, i)->ncount || looks_up(rule(r, i), looked))
            *sl_vec_add(&s->keeping) = rule(r, i);
    free(source);
    free(looked);
    if (!all)
        return s;
    sl_record_filter_free(s);
    return NULL;
}

void sl_record_filter_free(struct sl_record_filter *s)
{
    if (!s)
        return;
    sl_match_free(s->match);
    sl_vec_free(&s->ways);
    sl_vec_free(&s->keeping);
    free(s);
}

bool sl_record_filter_skips(const struct sl_record_filter *s, const char *rec, size_t nrec, const char *message,
                            size_t n)
{
    for (size_t i = 0; i < s->ways.n; i++) {
        const struct way *w = &s->ways.v[i];
        int k = 0;
        while (k < w->n &&
               memmem(w->text[k].in_head ? rec : message, w->text[k].in_head ? nrec : n, w->text[k].s, w->text[k].n))
            k++;
        if (k == w->n)
            return false;
    }
    for (size_t i = 0; i < s->keeping.n; i++) {
        const struct sl_rule *u = s->keeping.v[i];
        if (!u->nmatch)
            return false;
        for (int k = 0; k < u->nmatch; k++)
            if (sl_pattern_match(&u->match[k], s->match, message, n, 0))
                return false;
    }
    return true;
}
