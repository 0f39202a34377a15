/* SPDX-License-Identifier: Apache-2.0 */
/* Above 600 lines: all kinds of changes, a few lines each, fill in one structure, which nobody else sees. */
#include "analyse/tasks/changes/changes.h"
#include "analyse/ext.h"
#include "analyse/tasks/changes/changes_internal.h"
#include "base/buf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the text ---- */

static const char *skip_blanks(const char *s, const char *end)
{
    while (s < end && strchr(" \t\n", *s))
        s++;
    return s;
}

static const char *before_blanks(const char *s, const char *end)
{
    while (end > s && strchr(" \t\n", end[-1]))
        end--;
    return end;
}

static bool is_workers(const char *what)
{
    return !strcmp(what, "workers") || !strncmp(what, "workers.", 8) || !strncmp(what, "workers +", 9);
}

static bool is_dependencies(const char *what)
{
    return !strncmp(what, "dependencies on ", 16);
}

/* "WHAT xFACTOR"; what stands between is whatever the user is used to: "x0.5", "x 0.5".  Where it ends; NULL: no. */
static const char *find_factor(const char *s, const char *end, double *factor)
{
    const char *x = end;
    char *stop, number[64];

    while (x > s && !(x[-1] == 'x' && x - 1 > s && strchr(" \t\n", x[-2])))
        x--;
    snprintf(number, sizeof number, "%.*s", (int)(end - x), x);
    *factor = strtod(number, &stop);
    if (x == s || stop == number || *stop || !isfinite(*factor) || *factor < 0)
        return NULL;
    return before_blanks(s, x - 1);
}

/* "workers = COUNT", "dependencies on KEYS = COUNT". */
static const char *find_count(const char *s, const char *end, int64_t *count)
{
    const char *eq = memchr(s, '=', (size_t)(end - s)), *what_end;
    char *stop, number[64], what[64];

    if (!eq)
        return NULL;
    what_end = before_blanks(s, eq);
    snprintf(what, sizeof what, "%.*s", (int)(what_end - s), s);
    snprintf(number, sizeof number, "%.*s", (int)(end - eq - 1), eq + 1);
    *count = strtoll(number, &stop, 10);
    *count = *count < 0 ? 0 : *count;
    return (is_workers(what) || is_dependencies(what)) && stop != number && !*stop ? what_end : NULL;
}

#define LONGEST_FIRST "longest first"

/* 1: it is none, but can be the beginning of one: "htex worker" of "htex worker, running on a worker x0.5". */
static int parse_one(struct sl_changes *c, const char *s, const char *end, struct sl_err *err)
{
    const char *what_end;
    double factor = 1;
    int64_t count = -1;
    struct change *h;

    s = skip_blanks(s, end);
    end = before_blanks(s, end);
    if (!(what_end = find_factor(s, end, &factor))) {
        factor = 1;
        what_end = find_count(s, end, &count);
    }
    if (!what_end && (size_t)(end - s) == strlen(LONGEST_FIRST) && !strncmp(s, LONGEST_FIRST, (size_t)(end - s)))
        what_end = end;
    if (!what_end)
        return 1;
    h = sl_vec_add(&c->v);
    h->what = sl_strndup(s, (size_t)(what_end - s));
    h->factor = factor;
    h->count = count;
    if (factor > 1e6)
        return sl_err(err, SL_EUSAGE, "'%.*s': a factor is a million at most", (int)(end - s), s);
    if (!strcmp(h->what, "worker"))
        return sl_err(
            err, SL_EUSAGE,
            "'%.*s': did you mean workers, how many there are? What a component of that name does is 'worker/*'",
            (int)(end - s), s);
    if (is_workers(h->what) && (factor <= 0 || count == 0 || count > 1000000000))
        return sl_err(err, SL_EUSAGE, "'%.*s': at least one worker is needed, and a thousand million at most",
                      (int)(end - s), s);
    return 0;
}

static int parse(struct sl_changes *c, const char *text, struct sl_err *err)
{
    const char *begin = text ? text : "", *end;
    int rc = 0;

    for (const char *s = begin; !rc; s = end + 1) {
        end = s + strcspn(s, ",");
        rc = parse_one(c, begin, end, err);
        if (rc > 0 && !*end) {
            s = skip_blanks(begin, end);
            if (!strncmp(s, "failed tries", 12))
                return sl_err(err, SL_EUSAGE, "'%.300s' lacks how much of them; without any it is: 'failed tries x0'",
                              s);
            return sl_err(err, SL_EUSAGE,
                          "'%.300s' is no change; say what is to be how much slower or faster, such as: "
                          "'running on a worker x0.5', or how many workers there are to be: 'workers x2'",
                          s);
        }
        if (!rc)
            begin = end + 1;
        rc = rc > 0 ? 0 : rc;
        if (!*end)
            break;
    }
    return rc;
}

int sl_changes_check(const char *changes, struct sl_err *err)
{
    struct sl_changes *c = sl_alloc(sizeof *c);
    int rc = parse(c, changes, err);

    sl_changes_free(c);
    return rc;
}

/* ---- whom it concerns ---- */

static void scale_segment(struct sl_changes *c, uint32_t seg, double factor)
{
    size_t n = c->factor ? 0 : c->w->seg.n;

    if (!c->factor)
        c->factor = sl_alloc(n * sizeof *c->factor);
    for (size_t i = 0; i < n; i++)
        c->factor[i] = 1;
    c->factor[seg] *= factor;
}

/* What a task spends on workers. */
static void scale_task(struct sl_changes *c, struct change *h, uint32_t task)
{
    const struct sl_task *t = &c->w->task[task];

    for (uint32_t s = t->seg; s < t->seg + t->nseg; s++)
        if (c->w->states.v[c->w->seg.v[s].state].kind == SL_PHASE_RUN) {
            scale_segment(c, s, h->factor);
            h->used = true;
        }
}

struct marking {
    const char *pattern;
    unsigned char *task;
};

static void mark_value(void *to, uint32_t task, const char *value)
{
    struct marking *m = to;

    m->task[task] |= sl_lens_glob(m->pattern, value);
}

static int apply_attribute(struct sl_changes *c, struct change *h, const char *eq, struct sl_err *err)
{
    struct marking m = {eq + 1, sl_alloc((size_t)c->w->n + 1)};
    char *name = sqlite3_mprintf("'%.*q'", (int)(eq - h->what), h->what);
    int rc = sl_task_values(c->w, sl_must(name), mark_value, &m, err);

    for (uint32_t i = 0; i < c->w->n && !rc; i++)
        if (m.task[i])
            scale_task(c, h, i);
    free(m.task);
    sqlite3_free(name);
    return rc;
}

static int apply_app(struct sl_changes *c, struct change *h, const char *pattern, struct sl_err *err)
{
    int rc = sl_apps_load(c->apps, c->w, err);
    bool *meant = sl_alloc((size_t)c->apps->n + 1);

    for (uint32_t i = 0; i < c->apps->n && !rc; i++)
        meant[i] = sl_lens_glob(pattern, sl_apps_name(c->apps, i));
    for (uint32_t i = 0; i < c->w->n && !rc; i++)
        if (c->apps->of[i] != SL_NO_INDEX && meant[c->apps->of[i]])
            scale_task(c, h, i);
    free(meant);
    return rc;
}

/* "on node5", "app align on node5". */
static int apply_on(struct sl_changes *c, struct change *h, const char *on, struct sl_err *err)
{
    unsigned char *meant = sl_alloc(c->w->seg.n + 1);
    char *app = on > h->what ? sl_strndup(h->what + 4, (size_t)(on - h->what - 4)) : NULL;
    int rc = app ? sl_apps_load(c->apps, c->w, err) : 0;

    if (!rc)
        rc = sl_changes_on(c, strchr(on, 'n') + 2, meant, err);
    for (uint32_t i = 0; i < c->w->n && !rc; i++) {
        const struct sl_task *t = &c->w->task[i];
        if (app && (c->apps->of[i] == SL_NO_INDEX || !sl_lens_glob(app, sl_apps_name(c->apps, c->apps->of[i]))))
            continue;
        for (uint32_t s = t->seg; s < t->seg + t->nseg; s++)
            if (meant[s] && c->w->states.v[c->w->seg.v[s].state].kind == SL_PHASE_RUN) {
                scale_segment(c, s, h->factor);
                h->used = true;
            }
    }
    free(meant);
    free(app);
    return rc;
}

/* All tasks from `first` on that have its key; is there one? */
static bool mark_key(const struct sl_task_keys *k, uint32_t first, unsigned char *mark)
{
    for (uint32_t i = first; i != SL_NO_INDEX; i = k->next[i])
        mark[i] = 1;
    return first != SL_NO_INDEX;
}

static bool mark_pattern(const struct sl_task_keys *k, const char *pattern, unsigned char *mark)
{
    bool any = false;

    if (!strchr(pattern, '*'))
        return mark_key(k, sl_task_of_key(k, pattern, strlen(pattern)), mark);
    for (uint32_t i = 0; i < k->name.of.n; i++)
        if (sl_lens_glob(pattern, sl_intern_text(&k->name, i + 1)))
            any |= mark_key(k, k->first[i], mark);
    return any;
}

/* "57", "57 (align)", "57 58 6*": what means none is an error, lest another thing be told than was asked. */
static int mark_tasks(struct sl_changes *c, const char *keys, unsigned char *mark, struct sl_err *err)
{
    const struct sl_task_keys *k = &c->apps->keys;
    const char *app = strrchr(keys, '('), *end = before_blanks(keys, app > keys ? app : keys + strlen(keys)), *stop;
    int rc = 0;

    if ((rc = sl_task_keys_load(&c->apps->keys, c->w, err)))
        return rc;
    if (mark_key(k, sl_task_of_key(k, keys, strlen(keys)), mark) ||
        mark_key(k, sl_task_of_key(k, keys, (size_t)(end - keys)), mark))
        return 0;
    for (const char *s = skip_blanks(keys, end); s < end && !rc; s = skip_blanks(stop, end)) {
        char *word;
        stop = s + strcspn(s, " \t");
        stop = stop < end ? stop : end;
        word = sl_strndup(s, (size_t)(stop - s));
        if (!mark_pattern(k, word, mark))
            rc = sl_changes_no_task(c, word, err);
        free(word);
    }
    return rc;
}

static int apply_tasks(struct sl_changes *c, struct change *h, const char *keys, struct sl_err *err)
{
    unsigned char *meant = sl_alloc((size_t)c->w->n + 1);
    int rc = mark_tasks(c, keys, meant, err);

    for (uint32_t i = 0; i < c->w->n && !rc; i++)
        if (meant[i])
            scale_task(c, h, i);
    free(meant);
    return rc;
}

static enum sl_phase_kind kind_at(const struct sl_changes *c, uint32_t seg)
{
    return c->w->states.v[c->w->seg.v[seg].state].kind;
}

/* Tries of a task before the one whose queue begins with segment `last`, or its end, that never ran. */
static void apply_unrun(struct sl_changes *c, struct change *h, uint32_t task, uint32_t last)
{
    uint32_t s = c->w->task[task].seg, until = last;

    while (s < last && kind_at(c, s) != SL_PHASE_WAIT)
        s++;
    while (until > s && kind_at(c, until - 1) != SL_PHASE_DEPEND)
        until--;
    for (; s < until; s++) {
        scale_segment(c, s, h->factor);
        h->used = true;
    }
}

/* keys: of tasks; "": of all. */
static int apply_lost(struct sl_changes *c, struct change *h, const char *keys, struct sl_err *err)
{
    const struct sl_places *p = c->p;
    unsigned char *meant = sl_alloc((size_t)c->w->n + 1);
    uint32_t *next = sl_alloc((size_t)c->w->n * sizeof *next); /* by task: its run after this one */
    int rc = 0;

    memset(next, 0xFF, (size_t)c->w->n * sizeof *next);
    if (*keys)
        rc = mark_tasks(c, keys, meant, err);
    else
        memset(meant, 1, c->w->n);
    if (!c->drops)
        c->drops = sl_alloc(p->run.n + 1);
    for (uint32_t i = (uint32_t)p->run.n; i-- > 0 && !rc;) {
        const struct sl_run *r = &p->run.v[i];
        const struct sl_task *t = &c->w->task[r->task];
        uint32_t end = next[r->task] != SL_NO_INDEX ? p->run.v[next[r->task]].queue : t->seg + t->nseg;
        next[r->task] = i;
        if (!r->lost || !meant[r->task])
            continue;
        for (uint32_t s = r->queue; s < end; s++)
            scale_segment(c, s, h->factor);
        c->drops[i] |= h->factor == 0;
        h->used = true;
    }
    for (uint32_t i = 0; i < c->w->n && !rc; i++)
        if (meant[i])
            apply_unrun(c, h, i,
                        next[i] != SL_NO_INDEX ? p->run.v[next[i]].queue : c->w->task[i].seg + c->w->task[i].nseg);
    free(next);
    free(meant);
    return rc || h->used ? rc : sl_err(err, SL_ENOTFOUND, *keys ? "no try of %s failed" : "no try failed%s", keys);
}

static bool matches(const struct change *h, const char *component, const char *state, struct sl_buf *b)
{
    if (sl_lens_glob(h->what, component) || sl_lens_glob(h->what, state))
        return true;
    sl_buf_clear(b);
    sl_buf_addf(b, "%s/%s", component, state);
    if (sl_lens_glob(h->what, b->s))
        return true;
    sl_buf_clear(b);
    sl_buf_addf(b, "%s, %s", component, state);
    return sl_lens_glob(h->what, b->s);
}

/* A state that an event of a span began. */
static bool means_state(const struct change *h, const struct sl_workflow *w, uint32_t state, uint32_t span,
                        struct sl_buf *b)
{
    const struct sl_phase_state *s = &w->states.v[state];
    const char *type = w->s.g.names.text[w->s.g.type[span]];
    const char *event = !strncmp(s->state, "after ", 6) ? s->state + 6 : NULL;

    if (sl_lens_glob(h->what, type) || matches(h, s->component, s->state, b))
        return true;
    sl_buf_clear(b);
    sl_buf_addf(b, "%s/%s", type, event ? event : s->state);
    return sl_lens_glob(h->what, b->s);
}

/* What was found of states and types of spans: there are few. */
enum { KEPT = 1 << 10 };
struct kept {
    uint32_t state, type;
    bool known, means;
};

static bool means_kept(struct kept *kept, const struct change *h, const struct sl_workflow *w, uint32_t state,
                       uint32_t span, struct sl_buf *b)
{
    uint32_t type = w->s.g.type[span];
    struct kept *k = &kept[(state * 31 + type) % KEPT];

    if (!k->known || k->state != state || k->type != type)
        *k = (struct kept){state, type, true, means_state(h, w, state, span, b)};
    return k->means;
}

/* What a program does within a task is part of what the task does. */
static bool means(struct kept *kept, const struct change *h, const struct sl_workflow *w, uint32_t seg,
                  struct sl_buf *b)
{
    const struct sl_under *under = sl_segment_under(w, seg);

    return means_kept(kept, h, w, w->seg.v[seg].state, w->seg.v[seg].span, b) ||
           (under && means_kept(kept, h, w, under->state, under->span, b));
}

static void apply_arrival(struct sl_changes *c, struct change *h, enum sl_arrival k)
{
    c->arrival[k] *= h->factor;
    for (size_t i = 0; i < c->p->worker.n; i++) {
        const struct sl_worker *x = &c->p->worker.v[i];
        h->used |= x->first_ns != INT64_MAX && (k == SL_ARRIVAL_START || x->arrives_ns[SL_ARRIVAL_QUEUE] > 0);
    }
}

/* "COMPONENT, lost to a failed try", as critical-path calls it: what it had of failed tries only.  NULL: of all. */
static bool *only_lost(const struct sl_changes *c, struct change *h)
{
    static const char end[] = ", lost to a failed try";
    size_t n = strlen(h->what);
    bool *lost;

    if (n < sizeof end || strcmp(h->what + n - (sizeof end - 1), end) != 0)
        return NULL;
    h->what[n - (sizeof end - 1)] = 0;
    lost = sl_alloc((c->w->seg.n + 1) * sizeof *lost);
    for (size_t i = 0; i < c->p->run.n; i++)
        for (uint32_t s = c->p->run.v[i].queue; s <= c->p->run.v[i].last && c->p->run.v[i].lost; s++)
            lost[s] = true;
    return lost;
}

static void apply_state(struct sl_changes *c, struct change *h)
{
    bool *lost = only_lost(c, h);
    struct kept *kept = sl_alloc(KEPT * sizeof *kept);
    struct sl_buf b = {0};

    for (int why = 0; why <= SL_DRIVER_AFTER && !lost; why++)
        if (matches(h, "driver", sl_driver_states[why], &b)) {
            c->driver[why] *= h->factor;
            h->used = true;
        }
    for (int k = 0; k < SL_ARRIVALS; k++)
        if (!lost &&
            (matches(h, "workers", "start-up", &b) || matches(h, sl_arrival_component[k], sl_arrival_state[k], &b)))
            apply_arrival(c, h, (enum sl_arrival)k);
    for (uint32_t i = 0; i < c->w->n; i++)
        for (uint32_t s = c->w->task[i].seg; s < c->w->task[i].seg + c->w->task[i].nseg; s++)
            if ((!lost || lost[s]) && means(kept, h, c->w, s, &b)) {
                scale_segment(c, s, h->factor);
                h->used = true;
            }
    sl_buf_free(&b);
    free(lost);
    free(kept);
}

/* ---- workers ---- */

/* Beside executors, one without a name is no one's: of runs in the driver. */
static bool is_executor(const struct sl_places *p, size_t i)
{
    return p->pool.v[i].runs && (p->pool.n == 1 || *p->pool.v[i].name);
}

/* "workers.EXECUTOR +SECONDS s": how much later further ones are there, which is cut off. */
static int take_later(struct change *h, int64_t *later_ns, struct sl_err *err)
{
    char *plus = strstr(h->what, " +"), *stop;
    double s = plus ? strtod(plus + 2, &stop) : 0;

    *later_ns = 0;
    if (!plus)
        return 0;
    if (stop == plus + 2 || strcmp(stop, " s") != 0 || !(s >= 0 && s < 1e9))
        return sl_err(err, SL_EUSAGE, "'%s': how much later further workers are there is seconds: 'workers +60 s x2'",
                      h->what);
    *plus = 0;
    *later_ns = llround(s * 1e9);
    return 0;
}

static int apply_workers(struct sl_changes *c, struct change *h, struct sl_err *err)
{
    const struct sl_places *p = c->p;
    const char *pattern;
    struct sl_buf names = {0};
    uint32_t queues = 0;
    int64_t later_ns;
    int rc = take_later(h, &later_ns, err);

    if (rc)
        return rc;
    pattern = h->what[7] ? h->what + 8 : "*";
    if (!c->workers) {
        c->workers = sl_alloc(p->pool.n * sizeof *c->workers);
        c->later_ns = sl_alloc(p->pool.n * sizeof *c->later_ns);
        for (size_t i = 0; i < p->pool.n; i++)
            c->workers[i] = p->pool.v[i].n;
    }
    for (size_t i = 0; i < p->pool.n; i++) /* whose tasks wait for workers, or all that are meant */
        queues += p->pool.v[i].waited && is_executor(p, i) && sl_lens_glob(pattern, p->pool.v[i].name);
    for (size_t i = 0; i < p->pool.n && !rc; i++) {
        const struct sl_pool *pool = &p->pool.v[i];
        double n = h->count >= 0 ? (double)h->count : ceil(c->workers[i] * h->factor - 1e-9);
        if (!is_executor(p, i) || !sl_lens_glob(pattern, pool->name) || (queues && !pool->waited))
            continue;
        if (h->used && h->count >= 0)
            rc = SL_ENOTFOUND; /* of which of them? */
        c->workers[i] = n < 1 ? 1 : n > 1e9 ? 1000000000 : (uint32_t)n;
        c->later_ns[i] = later_ns > c->later_ns[i] ? later_ns : c->later_ns[i];
        h->used = true;
    }
    if (!rc && h->used)
        return 0;
    for (size_t i = 0; i < p->pool.n; i++)
        if (is_executor(p, i))
            sl_buf_addf(&names, "%s workers.%s (%u)", names.n ? "," : "", p->pool.v[i].name, p->pool.v[i].n);
    if (rc)
        rc = sl_err(err, SL_ENOTFOUND, "there are workers of several executors, say of which:%.600s", names.s);
    else if (names.n)
        rc = sl_err(err, SL_ENOTFOUND, "there are no %s; there are:%.600s", h->what, names.s);
    else
        rc = sl_err(err, SL_ENOTFOUND, "no log says when tasks ran on workers, so more of them cannot be replayed");
    sl_buf_free(&names);
    return rc;
}

/* ---- barriers ---- */

static int apply_barriers(struct sl_changes *c, struct change *h, struct sl_err *err)
{
    if (h->factor != 0)
        return sl_err(err, SL_EUSAGE, "barriers can be left out alone: 'barriers x0'");
    c->no_barriers = h->used = true;
    return 0;
}

static int apply_longest_first(struct sl_changes *c, struct change *h, struct sl_err *err)
{
    if (h->factor != 1)
        return sl_err(err, SL_EUSAGE, "'" LONGEST_FIRST "' is an order, and has no factor");
    if (!c->p->run.n)
        return sl_err(err, SL_ENOTFOUND, "no log says when tasks ran on workers, so their order cannot be replayed");
    c->longest_first = h->used = true;
    return 0;
}

/* ---- dependencies ---- */

static int apply_dependencies(struct sl_changes *c, struct change *h, const char *keys, struct sl_err *err)
{
    unsigned char *mark;
    int rc;

    if (h->count < 0 ? h->factor != 0 : h->count != 1)
        return sl_err(err, SL_EUSAGE,
                      "dependencies can be left out alone: 'dependencies on %.200s x0', or all but one of these: "
                      "'dependencies on %.200s = 1'",
                      keys, keys);
    if (!c->needless)
        c->needless = sl_alloc((size_t)c->w->n + 1);
    mark = sl_alloc((size_t)c->w->n + 1);
    rc = mark_tasks(c, keys, mark, err);
    for (uint32_t i = 0; i < c->w->n; i++)
        if (mark[i])
            c->needless[i] |= h->count < 0 ? NEEDLESS : SHARED;
    free(mark);
    h->used = true;
    return rc || h->count < 0 ? rc : sl_changes_share(c, err);
}

/* ---- all of it ---- */

static int apply(struct sl_changes *c, struct change *h, struct sl_err *err)
{
    const char *eq = strchr(h->what, '='), *on = strstr(h->what, " on ");
    int rc = 0;

    if (is_workers(h->what))
        return apply_workers(c, h, err);
    if (!strcmp(h->what, LONGEST_FIRST))
        return apply_longest_first(c, h, err);
    if (!strcmp(h->what, "barriers"))
        return apply_barriers(c, h, err);
    if (!strncmp(h->what, "failed tries", 12) && strchr(" ", h->what[12]))
        return apply_lost(c, h, h->what[12] ? h->what + 13 : "", err);
    if (is_dependencies(h->what))
        return apply_dependencies(c, h, h->what + 16, err);
    if (eq)
        return apply_attribute(c, h, eq, err);
    if (!strncmp(h->what, "task ", 5) || !strncmp(h->what, "tasks ", 6)) {
        return apply_tasks(c, h, h->what + strcspn(h->what, " ") + 1, err);
    }
    if (!strncmp(h->what, "on ", 3))
        return apply_on(c, h, h->what, err);
    if (!strncmp(h->what, "app ", 4))
        return (rc = apply_app(c, h, h->what + 4, err)) || h->used || !on ? rc : apply_on(c, h, on, err);
    apply_state(c, h);
    if (!h->used)
        rc = apply_app(c, h, h->what, err);
    return rc;
}

int sl_changes_parse(struct sl_changes **out, const struct sl_workflow *w, const struct sl_places *p,
                     struct sl_apps *apps, const char *text, struct sl_err *err)
{
    struct sl_changes *c = sl_alloc(sizeof *c);
    int rc;

    *out = c;
    *c = (struct sl_changes){.w = w, .p = p, .apps = apps};
    for (int k = 0; k < SL_ARRIVALS; k++)
        c->arrival[k] = 1;
    for (int why = 0; why <= SL_DRIVER_AFTER; why++)
        c->driver[why] = 1;
    rc = parse(c, text, err);
    for (size_t i = 0; i < c->v.n && !rc && w->n; i++) {
        rc = apply(c, &c->v.v[i], err);
        if (!rc && !c->v.v[i].used)
            rc = sl_changes_none(c, &c->v.v[i], err);
    }
    return rc;
}

void sl_changes_free(struct sl_changes *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->v.n; i++)
        free(c->v.v[i].what);
    sl_vec_free(&c->v);
    free(c->factor);
    free(c->workers);
    free(c->later_ns);
    free(c->drops);
    free(c->needless);
    free(c->share);
    free(c);
}

double sl_changes_factor(const struct sl_changes *c, uint32_t seg)
{
    return c->factor ? c->factor[seg] : 1;
}

double sl_changes_driver(const struct sl_changes *c, enum sl_driver_why why)
{
    return c->driver[why];
}

bool sl_changes_no_barriers(const struct sl_changes *c)
{
    return c->no_barriers;
}

bool sl_changes_longest_first(const struct sl_changes *c)
{
    return c->longest_first;
}

bool sl_changes_ignores(const struct sl_changes *c, uint32_t waits, uint32_t on)
{
    unsigned is = c->needless ? c->needless[on] : 0;

    return is & NEEDLESS || (is & SHARED && c->share[waits] != SL_NO_INDEX && c->share[waits] != on);
}

const double *sl_changes_arrival(const struct sl_changes *c)
{
    return c->arrival;
}

const uint32_t *sl_changes_workers(const struct sl_changes *c)
{
    return c->workers;
}

const int64_t *sl_changes_later(const struct sl_changes *c)
{
    return c->later_ns;
}

bool sl_changes_drops(const struct sl_changes *c, uint32_t run)
{
    return c->drops && c->drops[run];
}
