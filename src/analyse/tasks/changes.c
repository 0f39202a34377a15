/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/changes.h"
#include "analyse/ext.h"
#include "base/buf.h"
#include "tasks_changes.sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct change {
    char *pattern;
    char *attribute; /* NULL: the pattern is for states */
    double factor;
    unsigned char *task; /* by task, where there is an attribute: it has it */
    bool used;
};

struct sl_changes {
    SL_VEC(struct change) v;
    double *factor; /* by segment */
    double driver[SL_DRIVER_AFTER + 1];
};

/* ---- the text ---- */

static const char *skip_blanks(const char *s, const char *end)
{
    while (s < end && strchr(" \t\n", *s))
        s++;
    return s;
}

/* One change, "PATTERN xFACTOR"; what stands between is whatever the user is used to: "x0.5", "x 0.5". */
static int parse_one(struct sl_changes *c, const char *s, const char *end, struct sl_err *err)
{
    struct change *h;
    const char *x, *eq;
    char *stop, number[64];
    double factor;

    s = skip_blanks(s, end);
    while (end > s && strchr(" \t\n", end[-1]))
        end--;
    for (x = end; x > s && !(x[-1] == 'x' && x - 1 > s && strchr(" \t\n", x[-2])); x--)
        ;
    snprintf(number, sizeof number, "%.*s", (int)(end - x), x);
    factor = strtod(number, &stop);
    if (x == s || stop == number || *stop || !isfinite(factor) || factor < 0 || factor > 1e6)
        return sl_err(err, SL_EUSAGE,
                      "'%.*s' is no change; say what is to be how much slower or faster, such as: "
                      "'parsl.executor.htex.* x0.5'",
                      (int)(end - s), s);
    for (x--; x > s && strchr(" \t\n", x[-1]); x--)
        ;
    h = sl_vec_add(&c->v);
    eq = memchr(s, '=', (size_t)(x - s));
    if (eq)
        h->attribute = sl_strndup(s, (size_t)(eq - s));
    s = eq ? eq + 1 : s;
    h->pattern = sl_strndup(s, (size_t)(x - s));
    h->factor = factor;
    return 0;
}

/* ---- whom it concerns ---- */

static int load_attribute(struct change *h, const struct sl_workflow *w, struct sl_err *err)
{
    sqlite3_stmt *q = NULL;
    int rc;

    h->task = sl_alloc((size_t)w->n + 1);
    if (sqlite3_prepare_v2(w->s.db, sql_attribute, -1, &q, NULL) != SQLITE_OK)
        return sl_err(err, SL_ESTORE, "%s", sqlite3_errmsg(w->s.db));
    for (uint32_t i = 0; i < w->n; i++) {
        sqlite3_bind_int64(q, 1, w->s.g.id.v[w->task[i].span]);
        sqlite3_bind_text(q, 2, h->attribute, -1, SQLITE_STATIC);
        while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
            const char *s = (const char *)sqlite3_column_text(q, 0);
            h->task[i] |= s && sl_lens_glob(h->pattern, s);
        }
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    return 0;
}

/* A state that an event of a span began. */
static bool means_state(const struct change *h, const struct sl_workflow *w, uint32_t state, uint32_t span,
                        struct sl_buf *b)
{
    const struct sl_phase_state *s = &w->states.v[state];
    const char *type = w->s.g.names.text[w->s.g.type[span]];
    const char *event = !strncmp(s->state, "after ", 6) ? s->state + 6 : NULL;

    if (sl_lens_glob(h->pattern, type) || sl_lens_glob(h->pattern, s->component) || sl_lens_glob(h->pattern, s->state))
        return true;
    sl_buf_clear(b);
    sl_buf_addf(b, "%s/%s", s->component, s->state);
    if (sl_lens_glob(h->pattern, b->s))
        return true;
    sl_buf_clear(b);
    sl_buf_addf(b, "%s/%s", type, event ? event : s->state);
    return sl_lens_glob(h->pattern, b->s);
}

/* What a program does within a task is part of what the task does. */
static bool means(const struct change *h, const struct sl_workflow *w, const struct sl_segment *g, struct sl_buf *b)
{
    return means_state(h, w, g->state, g->span, b) ||
           (g->under != SL_NO_INDEX && means_state(h, w, g->under, g->under_span, b));
}

static void apply(struct sl_changes *c, struct change *h, const struct sl_workflow *w)
{
    struct sl_buf b = {0};

    for (int why = 0; why <= SL_DRIVER_AFTER && !h->attribute; why++) {
        sl_buf_clear(&b);
        sl_buf_addf(&b, "driver/%s", sl_driver_states[why]);
        if (!sl_lens_glob(h->pattern, "driver") && !sl_lens_glob(h->pattern, sl_driver_states[why]) &&
            !sl_lens_glob(h->pattern, b.s))
            continue;
        c->driver[why] *= h->factor;
        h->used = true;
    }
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t s = w->task[i].seg; s < w->task[i].seg + w->task[i].nseg; s++) {
            const struct sl_segment *g = &w->seg.v[s];
            bool hit = h->attribute ? h->task[i] && w->states.v[g->state].kind == SL_PHASE_RUN : means(h, w, g, &b);
            if (hit)
                c->factor[s] *= h->factor;
            h->used |= hit;
        }
    sl_buf_free(&b);
}

static int parse(struct sl_changes *c, const char *text, struct sl_err *err)
{
    int rc = 0;

    for (const char *s = text ? text : ""; !rc;) {
        const char *end = s + strcspn(s, ",");
        rc = parse_one(c, s, end, err);
        if (!*end)
            break;
        s = end + 1;
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

int sl_changes_parse(struct sl_changes **out, const struct sl_workflow *w, const char *text, struct sl_err *err)
{
    struct sl_changes *c = sl_alloc(sizeof *c);
    int rc = 0;

    *out = c;
    for (int why = 0; why <= SL_DRIVER_AFTER; why++)
        c->driver[why] = 1;
    c->factor = sl_alloc(w->seg.n * sizeof *c->factor);
    for (size_t i = 0; i < w->seg.n; i++)
        c->factor[i] = 1;
    rc = parse(c, text, err);
    for (size_t i = 0; i < c->v.n && !rc; i++) {
        struct change *h = &c->v.v[i];
        if (h->attribute)
            rc = load_attribute(h, w, err);
        if (rc)
            break;
        apply(c, h, w);
        if (!h->used && w->n)
            rc = sl_err(err, SL_ENOTFOUND,
                        "no task does anything that '%s%s%s' means; what there is: spanloom "
                        "critical-path, and spanloom types",
                        h->attribute ? h->attribute : "", h->attribute ? "=" : "", h->pattern);
    }
    return rc;
}

void sl_changes_free(struct sl_changes *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->v.n; i++) {
        free(c->v.v[i].pattern);
        free(c->v.v[i].attribute);
        free(c->v.v[i].task);
    }
    sl_vec_free(&c->v);
    free(c->factor);
    free(c);
}

double sl_changes_factor(const struct sl_changes *c, uint32_t seg)
{
    return c->factor[seg];
}

double sl_changes_driver(const struct sl_changes *c, enum sl_driver_why why)
{
    return c->driver[why];
}
