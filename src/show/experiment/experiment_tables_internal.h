/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and heads, as all tables of experiments have them. */
#ifndef SL_SHOW_EXPERIMENT_EXPERIMENT_TABLES_INTERNAL_H
#define SL_SHOW_EXPERIMENT_EXPERIMENT_TABLES_INTERNAL_H

#include "base/clock.h"
#include "result/experiment.h"
#include "show/experiment/experiment_tables.h"
#include "show/show.h"

#include <math.h>
#include <string.h>

enum {
    NAME = 28,
    LEVELS = 12,
    TILE = 23,
    NUMBER = SL_SHOW_NUMBER,
    MANY = 40,
    PAIRS = 20,
    BAR = 12,
    LINE = 80,
    DATE = sizeof "2026-11-20" - 1
};

/* ---- numbers ---- */

/* As sl_show_number(). */
static inline char *digits(double v, bool sign, char *buf)
{
    return sl_show_number(v, sign, buf);
}

static inline char *p_text(double p, char *buf)
{
    if (isnan(p))
        return strcpy(buf, "");
    snprintf(buf, NUMBER, p < 0.001 ? "<0.001" : "%.3f", p);
    return buf;
}

/* As sl_show_interval(). */
static inline char *interval(double low, double high, char *buf)
{
    return sl_show_interval(low, high, buf);
}

/* To be put behind what is said of a treatment: ** where it is sure even among all that were compared, * where it may
 * be. */
static inline const char *mark(double holm, double bh)
{
    return holm < 0.05 ? " **" : bh < 0.05 ? " *" : "";
}

struct marks {
    size_t of;
    bool sure, some;
};

static inline const char *count_mark(struct marks *m, double holm, double bh)
{
    m->of += !isnan(holm);
    m->sure |= holm < 0.05;
    m->some |= bh < 0.05 && !(holm < 0.05);
    return mark(holm, bh);
}

static inline void put_marks(FILE *out, const struct marks *m)
{
    if (m->sure)
        fprintf(out, "** is sure, even though %zu were compared (Holm, 5 %%)\n", m->of);
    if (m->some)
        fprintf(out, "*  is likely: of all marked, up to 5 %% may be chance (Benjamini & Hochberg)\n");
    if (!m->sure && !m->some && m->of > 1)
        fprintf(out, "none is sure: as %zu were compared, any of these may be chance\n", m->of);
}

/* ---- heads ---- */

/* The rows of a factor lie side by side, one a level: is this the first? */
static inline bool is_first_level(const struct sl_table *factors, size_t i)
{
    const struct sl_level_row *f = sl_table_at(factors, i), *before = i ? sl_table_at(factors, i - 1) : NULL;
    return !before || strcmp(before->factor, f->factor) != 0;
}

/* Factors of this kind, of one level at most, behind what is to be said of them. */
static inline void put_factors_of(FILE *out, const struct sl_table *factors, const char *kind, const char *what)
{
    bool any = false;

    for (size_t i = 0; i < factors->rows; i++) {
        const struct sl_level_row *f = sl_table_at(factors, i);
        if (strcmp(f->kind, kind) != 0 || f->levels > 1)
            continue;
        fprintf(out, "%s%s", any ? ", " : what, f->factor);
        any = true;
    }
    if (any)
        fputc('\n', out);
}

static inline void put_joined(FILE *out, const struct sl_table *factors)
{
    char n[32];

    for (size_t i = 0; i < factors->rows; i++) {
        const struct sl_level_row *f = sl_table_at(factors, i);
        if (f->joined && is_first_level(factors, i))
            fprintf(out, "%s joined later: the %s run%s before it count%s as %s\n", f->factor,
                    sl_show_count((unsigned long long)f->joined, n), f->joined == 1 ? "" : "s",
                    f->joined == 1 ? "s" : "", strcmp(f->kind, "boolean") != 0 && f->level ? f->level : "without");
    }
}

/* A factor that is not known from where others begin on, in `all` runs, may have been split into these. */
static inline void put_splits(FILE *out, const struct sl_table *factors, int64_t all)
{
    for (size_t i = 0; i < factors->rows; i++) {
        const struct sl_level_row *old = sl_table_at(factors, i), *f;
        bool any = false;
        if (!old->unknown || strcmp(old->kind, "boolean") != 0 || !is_first_level(factors, i))
            continue;
        for (size_t k = 0; k < factors->rows; k++) {
            f = sl_table_at(factors, k);
            if (f->joined != all - old->unknown || !is_first_level(factors, k))
                continue;
            if (!any)
                fprintf(out, "was %s split? Then say --split '%s=", old->factor, old->factor);
            fprintf(out, "%s%s", any ? "," : "", f->factor);
            any = true;
        }
        if (any)
            fputs("'\n", out);
    }
}

/* "of 20 runs the level of a, b is not known; models leave them out" */
static inline void put_unknown(FILE *out, const struct sl_table *factors, int64_t runs)
{
    size_t named = 0;
    char n[32];

    fprintf(out, "of %s run%s the level of ", sl_show_count((unsigned long long)runs, n), runs == 1 ? "" : "s");
    for (size_t i = 0; i < factors->rows; i++) {
        const struct sl_level_row *f = sl_table_at(factors, i);
        if (f->unknown && f->levels > 1 && is_first_level(factors, i) && named++ < 3)
            fprintf(out, "%s%s", named > 1 ? ", " : "", f->factor);
    }
    fprintf(out, "%s is not known; models leave %s out\n", named > 3 ? " and others" : "", runs == 1 ? "it" : "them");
}

/* "base: pages=64, policy=lru": what changes are changes from, of factors that are not 0 and 1, where that is `known`
 * so. */
static inline void put_bases(FILE *out, const struct sl_table *factors, const char *known, const char *what)
{
    enum { MOST = 2 }; /* lines */
    int at = 0, lines = 0;
    size_t left = 0;

    for (size_t i = 0; i < factors->rows; i++) {
        const struct sl_level_row *f = sl_table_at(factors, i);
        struct sl_buf raw = {0}, b = {0};
        if (!f->base || strcmp(f->base, known) != 0 || !strcmp(f->kind, "boolean"))
            continue;
        sl_buf_addf(&raw, "%s=%s", f->factor, f->level);
        sl_show_clean(&b, raw.s, raw.n);
        if (lines == MOST || (at && at + 2 + sl_show_width(b.s) > LINE - 1 && lines + 1 == MOST)) {
            lines = MOST;
            left++;
        } else if (at && at + 2 + sl_show_width(b.s) <= LINE - 1) {
            at += fprintf(out, ", %s", b.s);
        } else {
            lines += at > 0;
            at = at ? fprintf(out, ",\n  %s", b.s) - 2 : fprintf(out, "%s%s", what, b.s);
        }
        sl_buf_free(&raw);
        sl_buf_free(&b);
    }
    if (left)
        fprintf(out, ",\n  and of %zu more factors; all: spanloom experiment factors", left);
    if (at)
        fputc('\n', out);
}

static inline const struct sl_about_row *about_of(const struct sl_result *r)
{
    return sl_table_at(sl_result_find(r, "about"), 0);
}

/* "parsl-perf: 193 runs (7 more failed), 2026-11-20T08:11Z to ..." */
static inline void put_head_in(FILE *out, const struct sl_result *r, const char *what, const char *unit)
{
    const struct sl_about_row *about = about_of(r);
    const struct sl_table *factors = sl_result_find(r, "factors");
    char n[32], from[SL_TIME_TEXT], to[SL_TIME_TEXT];
    bool same_day;

    fprintf(out, "%s: %s run%s", about->experiment, sl_show_count((unsigned long long)about->runs, n),
            about->runs == 1 ? "" : "s");
    if (about->failed)
        fprintf(out, " (%s more failed)", sl_show_count((unsigned long long)about->failed, n));
    if (about->timed) {
        sl_time_text(about->first_ns, from);
        sl_time_text(about->last_ns, to);
        same_day = !strncmp(from, to, DATE);
        fprintf(out, ", %.*s %.5s to %.*s%s%.5s UTC", DATE, from, from + DATE + 1, same_day ? 0 : DATE, to,
                same_day ? "" : " ", to + DATE + 1);
    }
    fputc('\n', out);
    if (about->incomplete)
        put_unknown(out, factors, about->incomplete);
    put_factors_of(out, factors, "constant", "never varies, so nothing can be said of it: ");
    put_factors_of(out, factors, "identity", "tells runs apart, so nothing can be said of it: ");
    put_factors_of(out, factors, "categorical", "no level has runs enough to say what it does: ");
    put_joined(out, factors);
    put_bases(out, factors, "stated", "base: ");
    put_bases(out, factors, "lowest", "base (nothing states one: the lowest): ");
    put_bases(out, factors, "not run", "base (no run has that of the plan: the lowest): ");
    put_splits(out, factors, about->runs);
    if (about->timed && about->on_end >= 2 * about->on_end_random)
        fprintf(out, "settings stay for %.0f runs on end: if the machine wanders, intervals are too narrow\n",
                about->on_end);
    fprintf(out, "%s, %s\n\n", what, unit ? unit : about->unit);
}

static inline void put_head(FILE *out, const struct sl_result *r, const char *what)
{
    put_head_in(out, r, what, NULL);
}

static inline const char *better(const struct sl_experiment_look *look)
{
    return look->rate ? "more is better" : "less is better";
}

/* Of log(score), a change in percent. */
static inline char *change(double estimate, bool log, bool sign, char *buf)
{
    double v = log ? 100 * expm1(estimate) : estimate;

    if (!isnan(v) && v != 0 && fabs(v) < 1e-6) /* rounding */
        v = 0;
    digits(v, sign, buf);
    if (log && *buf)
        strcat(buf, " %");
    return buf;
}

static inline char *change_interval(double low, double high, bool log, char *buf)
{
    char a[NUMBER], b[NUMBER];

    if (isnan(low) || isnan(high))
        return strcpy(buf, "");
    snprintf(buf, 2 * NUMBER, "%s to %s", change(low, log, true, a), change(high, log, true, b));
    return buf;
}

static inline void put_explained(FILE *out, const struct sl_model_row *m)
{
    if (isnan(m->r_squared))
        fputs("all scores are the same", out);
    else
        fprintf(out, "%.1f %% of the variance is explained", 100 * m->r_squared);
}

#endif
