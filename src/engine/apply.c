/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rules of a recipe a record matches.  A record is used whole or rejected whole: everything it adds to the batch
 * is taken back when one part of it cannot be understood.
 */
#include "base/buf.h"
#include "engine/engine_internal.h"
#include "engine/record_filter.h"

#include <stdio.h>
#include <stdlib.h>

enum { BATCH_EVENTS = 4 * 1024, BATCH_SPANS = 2 * 1024, BATCH_BYTES = 256 * 1024, REJECT_TEXT = 200 };

/* ---- one record ---- */

/* A field as a number; `otherwise` where it is none. */
static int64_t number_of(const struct sl_parse *p, int field, int64_t otherwise)
{
    char digits[32];
    const char *s;
    size_t n = field < 0 || p->f[field].kind == SL_NONE ? 0 : sl_apply_value_text(&p->f[field], digits, &s);
    int64_t i = 0;

    if (!n || n > 15)
        return otherwise;
    for (size_t k = 0; k < n; k++) {
        if (s[k] < '0' || s[k] > '9')
            return otherwise;
        i = 10 * i + s[k] - '0';
    }
    return i;
}

/* Where a place says 3-9: for 3, 4, ... 9. */
static bool apply_range(struct sl_parse *p, struct sl_mark *k, const struct sl_rule *u)
{
    enum { MOST = 1000000 };
    int64_t from = number_of(p, u->each_from, -1), to = number_of(p, u->each_to, from),
            by = number_of(p, u->each_by, 1);
    size_t bytes = (size_t)p->recipe->nfields * sizeof *p->f;
    struct sl_value *keep;

    if (from < 0 || to <= from || by < 1)
        return sl_apply_rule(p, k, u);
    if ((to - from) / by >= MOST)
        return sl_apply_reject(p, "%lld to %lld are more than %d", (long long)from, (long long)to, MOST);
    keep = sl_arena_alloc(&p->scratch, bytes);
    memcpy(keep, p->f, bytes);
    for (; from <= to; from += by) {
        char *digits = sl_arena_alloc(&p->scratch, 20);
        memcpy(p->f, keep, bytes);
        p->f[u->each_from] = (struct sl_value){
            .kind = SL_TEXT, .s = digits, .n = (uint32_t)snprintf(digits, 20, "%lld", (long long)from)};
        if (!sl_apply_rule(p, k, u))
            return false;
    }
    return true;
}

static bool apply_each(struct sl_parse *p, struct sl_mark *k, const struct sl_rule *u)
{
    struct sl_value *keep;
    char digits[32];
    const char *s;
    size_t n, from = 0;
    size_t bytes = (size_t)p->recipe->nfields * sizeof *p->f;

    if (u->each_of < 0)
        return sl_apply_rule(p, k, u);
    if (p->f[u->each_of].kind == SL_NONE)
        return true;
    n = sl_apply_value_text(&p->f[u->each_of], digits, &s);
    s = sl_arena_copy(&p->scratch, s, n);
    keep = sl_arena_alloc(&p->scratch, bytes);
    memcpy(keep, p->f, bytes);
    while (from <= n) {
        const size_t *at = sl_pattern_match(&u->each, p->match, s, n, from);
        if (!at)
            break;
        if (p->saw)
            p->saw(p->to, &u->each);
        from = at[1] > at[0] ? at[1] : at[1] + 1;
        memcpy(p->f, keep, bytes);
        sl_match_set_captures(p->f, &u->each, s, at);
        if (!(u->each_to < 0 ? sl_apply_rule(p, k, u) : apply_range(p, k, u)))
            return false;
    }
    return true;
}

static struct sl_mark take_mark(const struct sl_batch *b)
{
    return (struct sl_mark){b->events.n, b->links.n,  b->attrs.n,  b->samples.n, b->raws.n,
                            b->zones.n,  b->shares.n, b->wrotes.n, b->spans.n,   {0}};
}

static void take_back(struct sl_batch *b, const struct sl_mark *k)
{
    b->events.n = k->events;
    b->links.n = k->links;
    b->attrs.n = k->attrs;
    b->samples.n = k->samples;
    b->raws.n = k->raws;
    b->shares.n = k->shares; /* zones stay: the times were good */
    b->wrotes.n = k->wrotes;
    for (size_t i = 0; i < k->made_strong.n; i++)
        b->spans.v[k->made_strong.v[i]].strong = false;
}

void sl_apply_new_batch(struct sl_parse *p)
{
    p->batch = sl_batch_new();
    if (p->part) /* the batch outlives the parse */
        p->batch->part = sl_arena_copy(&p->batch->arena, p->part, strlen(p->part));
    for (int i = 0; i < p->recipe->nmention; i++)
        p->memo[i] = -1;
}

/*
 * The spans that the file is about are there, whether or not a record names them.  believe: else they are only named
 * yet, as nothing of the file looks like what its path says.
 */
bool sl_apply_contexts(struct sl_parse *p, bool believe)
{
    const struct sl_recipe *r = p->recipe;
    int which = 0;

    memcpy(p->f, p->context, (size_t)r->nfields * sizeof *p->f);
    if (p->mode == SL_PARSE_SHARES)
        return true;
    for (int i = 0; i < r->nabout; i++) {
        int32_t s = sl_apply_span(p, r->about_mention[i], &which);
        if (s == -1)
            return sl_apply_reject(p, "%s: field %s is missing; give it with --set %s=VALUE",
                                   r->mention[r->about_mention[i]].alias, sl_apply_field_name(p, which),
                                   sl_apply_field_name(p, which));
        if (s < 0)
            return false;
        if (!believe)
            continue;
        sl_apply_make_strong(p, NULL, s);
        p->batch->spans.v[s].written |= r->mention[r->about_mention[i]].in_writer;
    }
    return true;
}

void sl_apply_emit(struct sl_parse *p)
{
    struct sl_batch *b = p->batch;

    if (!p->met && !p->strange) /* an empty file */
        sl_apply_contexts(p, true);
    p->batch = NULL;
    p->emit(p->to, b);
}

static void add_reject(struct sl_parse *p, int64_t place, const char *reason, const char *text, size_t n)
{
    struct sl_buf clean = {0};
    const char *nl = memchr(text ? text : "", '\n', n);

    if (nl)
        n = (size_t)(nl - text);
    sl_buf_add_utf8(&clean, text ? text : "", n < REJECT_TEXT ? n : REJECT_TEXT);
    *sl_vec_add(&p->batch->rejects) =
        (struct sl_batch_reject){place, sl_arena_copy(&p->batch->arena, reason, strlen(reason)),
                                 sl_arena_copy(&p->batch->arena, clean.s, clean.n)};
    p->batch->rejected++;
    sl_buf_free(&clean);
}

static void record(struct sl_parse *p, const char *message, size_t n)
{
    const struct sl_recipe *r = p->recipe;
    struct sl_batch *b = p->batch;
    struct sl_mark k = take_mark(b);
    const struct sl_rule *last = NULL;
    const uint16_t *list = r->first[n ? (unsigned char)*message : 256];
    bool skipped = false, bad = false, naming = p->mode == SL_PARSE_NAMING;
    /* else a column of that name says another table */
    bool of_table = b->part && p->filled && p->base[r->field_table].s == b->part;
    size_t rejects = b->rejects.n;

    b->read++;
    b->last_record = p->place;
    sl_vec_clear(&p->touched);
    if (p->saw)
        p->saw(p->to, p->input);
    if (p->saw && p->head)
        p->saw(p->to, p->head);
    for (int at = 0;; at++) {
        int i = naming ? at : list[at];
        const struct sl_rule *u;
        if (i >= (naming ? r->nrule + r->nnaming : UINT16_MAX))
            break;
        if (of_table && i < r->nrule && p->other_table[i])
            continue;
        u = i < r->nrule ? &r->rule[i] : &r->naming[i - r->nrule];
        if (p->mode == SL_PARSE_SHARES && !u->nshare)
            continue;
        if (!sl_match_rule(p, u, message, n))
            continue;
        last = u;
        if (u->skip) {
            skipped = true;
            if (naming) /* what it names is still of interest */
                continue;
            break;
        }
        if (!apply_each(p, &k, u)) {
            bad = true;
            break;
        }
        if (!u->also && !naming)
            break;
    }
    if (!last && r->else_raw && p->mode == SL_PARSE_IMPORT) {
        int which;
        sl_match_fill(p, message, n);
        memcpy(p->f, p->base, (size_t)r->nfields * sizeof *p->f);
        sl_apply_raw(p, r->nabout ? sl_apply_span(p, r->about_mention[0], &which) : -1);
    }
    if (bad) {
        take_back(b, &k);
        add_reject(p, p->place, p->reason, p->raw, p->nraw);
    } else if (last && !skipped) {
        b->used++;
    } else {
        b->skipped++;
    }
    if (!p->met)
        sl_apply_contexts(p, p->met = true);
    if (p->watch) {
        struct sl_outcome o = {
            .place = p->place,
            .text = p->raw,
            .n = p->nraw,
            .rule = last,
            .reject = bad ? b->rejects.v[rejects].reason : NULL,
            .skipped = skipped || !last,
            .event0 = k.events,
            .link0 = k.links,
            .span0 = k.spans,
            .attr0 = k.attrs,
            .sample0 = k.samples,
            .zone0 = k.zones,
            .share0 = k.shares,
            .wrote0 = k.wrotes,
            .raw0 = k.raws,
            .reject0 = rejects,
        };
        p->watch(p->to, p, &o);
    }
    if (k.made_strong.v)
        sl_vec_free(&k.made_strong);
    if (p->scratch.bytes)
        sl_arena_reset(&p->scratch);
    if (b->events.n > BATCH_EVENTS || b->spans.n > BATCH_SPANS || b->links.n > BATCH_EVENTS ||
        b->arena.bytes > BATCH_BYTES || b->attrs.n > BATCH_EVENTS || b->samples.n > BATCH_EVENTS ||
        b->rejects.n > BATCH_SPANS) {
        sl_apply_emit(p);
        sl_apply_new_batch(p);
    }
}

bool sl_parse_time(struct sl_parse *p, int64_t *ns, bool *naive)
{
    if (!p->filled)
        return false;
    memcpy(p->f, p->base, (size_t)p->recipe->nfields * sizeof *p->f);
    return sl_apply_time(p, ns, naive);
}

void sl_parse_text(struct sl_parse *p, int64_t place, const char *rec, size_t n, const struct sl_pattern *head,
                   size_t message)
{
    if (p->filter && sl_record_filter_skips(p->filter, rec, n, rec + message, n - message))
        return;
    p->place = place;
    p->raw = rec;
    p->nraw = n;
    p->head = head;
    p->filled = false;
    record(p, rec + message, n - message);
}

void sl_parse_begin(struct sl_parse *p, int64_t place)
{
    p->place = place;
    p->head = NULL;
    p->filled = true;
    sl_vec_clear(&p->extra);
    memcpy(p->base, p->context, (size_t)p->recipe->nfields * sizeof *p->base);
    for (int i = 0; i < p->input->ndefaults; i++) {
        const struct sl_default *d = &p->input->defaults[i];
        p->base[d->field] = (struct sl_value){.kind = SL_TEXT, .s = d->value, .n = (uint32_t)strlen(d->value)};
    }
    p->base[p->recipe->field_line] = (struct sl_value){.kind = SL_INT, .i = place};
    p->base[p->recipe->field_row] = p->base[p->recipe->field_line];
    if (p->batch->part)
        p->base[p->recipe->field_table] =
            (struct sl_value){.kind = SL_TEXT, .s = p->batch->part, .n = (uint32_t)strlen(p->batch->part)};
}

/* What the user gives of the field does not count: the record has one. */
static bool yields(struct sl_parse *p, int slot)
{
    if (!p->yields[slot])
        return false;
    p->overruled = p->yields[slot];
    return true;
}

void sl_parse_set(struct sl_parse *p, int slot, const char *name, size_t n, struct sl_value v)
{
    const struct sl_input *in = p->input;

    if (in->nempty && v.kind != SL_NONE &&
        sl_match_which_of(in->empty, in->nempty, &v) < in->nempty) /* it stands for nothing */
        v = (struct sl_value){.kind = SL_NONE};
    if (slot >= 0 && v.kind == SL_NONE)
        return; /* its default stays */
    if (slot < 0 && p->recipe->wants_all)
        *sl_vec_add(&p->extra) = (struct sl_extra){name, n, v};
    else if (slot >= 0 && (p->context[slot].kind == SL_NONE || yields(p, slot)))
        p->base[slot] = v;
}

int sl_parse_slot(const struct sl_parse *p, const char *name, size_t n)
{
    return (int)sl_intern_find(&p->recipe->fields, name, n) - 1;
}

void sl_parse_end(struct sl_parse *p)
{
    const struct sl_value *t = p->input->text >= 0 ? &p->base[p->input->text] : NULL;
    char digits[32];
    const char *s = "";
    size_t n = 0;

    if (t && t->kind != SL_NONE)
        n = sl_apply_value_text(t, digits, &s);
    if (t)
        p->base[p->recipe->field_text] = (struct sl_value){.kind = SL_TEXT, .s = s, .n = (uint32_t)n};
    p->raw = p->shown ? p->shown : p->whole ? p->whole : s;
    p->nraw = p->shown ? p->nshown : p->whole ? p->nwhole : n;
    record(p, s, n);
}

void sl_parse_reject(struct sl_parse *p, int64_t place, const char *reason, const char *text, size_t n)
{
    p->batch->read++;
    sl_vec_clear(&p->touched);
    if (p->saw)
        p->saw(p->to, p->input);
    add_reject(p, place, reason, text, n);
    if (!p->met && !p->strange)
        snprintf(p->reason, sizeof p->reason, "%s", reason);
    p->strange = true;
    if (p->watch) {
        struct sl_batch *b = p->batch;
        struct sl_outcome o = {
            .place = place,
            .text = text,
            .n = n,
            .reject = reason,
            .event0 = b->events.n,
            .link0 = b->links.n,
            .span0 = b->spans.n,
            .attr0 = b->attrs.n,
            .sample0 = b->samples.n,
            .zone0 = b->zones.n,
            .share0 = b->shares.n,
            .wrote0 = b->wrotes.n,
            .raw0 = b->raws.n,
            .reject0 = b->rejects.n - 1,
        };
        p->watch(p->to, p, &o);
    }
}

/* Does a condition of the rule name other tables, and nothing but the record's own table can be meant by it? */
static bool wants_other_table(const struct sl_recipe *r, const struct sl_rule *u, const char *table)
{
    const struct sl_value name = {.kind = SL_TEXT, .s = table, .n = (uint32_t)strlen(table)};

    for (int i = 0; i < u->nmatch; i++)
        if (sl_match_captures(&u->match[i], r->field_table))
            return false;
    for (int i = 0; i < u->nwhen; i++)
        if (u->when[i].field == r->field_table && u->when[i].nis &&
            sl_match_which_of(u->when[i].is, u->when[i].nis, &name) == u->when[i].nis)
            return true;
    return false;
}

bool sl_parse_part(struct sl_parse *p, const char *table)
{
    const struct sl_recipe *r = p->recipe;
    bool wanted = r->else_raw && p->mode == SL_PARSE_IMPORT;

    for (int i = 0; i < r->nrule; i++) {
        p->other_table[i] = wants_other_table(r, &r->rule[i], table);
        wanted |= !p->other_table[i] && (p->mode != SL_PARSE_SHARES || r->rule[i].nshare);
    }
    if (!wanted)
        return false;
    if (p->part)
        sl_apply_emit(p);
    else
        sl_batch_free(p->batch); /* what is said of the contexts is said again */
    p->part = sl_arena_copy(&p->variables->arena, table, strlen(table));
    sl_apply_new_batch(p);
    return sl_apply_contexts(p, p->met);
}
