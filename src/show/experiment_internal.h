/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and heads, as all tables of experiments have them. */
#ifndef SL_SHOW_EXPERIMENT_INTERNAL_H
#define SL_SHOW_EXPERIMENT_INTERNAL_H

#include "base/clock.h"
#include "result/experiment.h"
#include "show/experiment.h"
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

static inline double real(const struct sl_table *t, int column)
{
    return sl_table_real_or_nan(t, column);
}

/* ---- heads ---- */

/* Factors of this kind, of one level at most, behind what is to be said of them. */
static inline void put_factors_of(FILE *out, struct sl_table *f, const char *kind, const char *what)
{
    bool any = false;

    for (sl_table_rewind(f); sl_table_next(f, NULL) > 0;) {
        if (strcmp(sl_table_text_or_empty(f, 1), kind) != 0 || sl_table_int(f, 2) > 1)
            continue;
        fprintf(out, "%s%s", any ? ", " : what, sl_table_text_or_empty(f, 0));
        any = true;
    }
    if (any)
        fputc('\n', out);
}

static inline void put_joined(FILE *out, struct sl_table *f)
{
    const char *last = "";
    char n[32];

    for (sl_table_rewind(f); sl_table_next(f, NULL) > 0; last = sl_table_text_or_empty(f, 0))
        if (sl_table_int(f, 5) && strcmp(last, sl_table_text_or_empty(f, 0)) != 0)
            fprintf(out, "%s joined later: the %s run%s before it count%s as %s\n", sl_table_text_or_empty(f, 0),
                    sl_show_count((unsigned long long)sl_table_int(f, 5), n), sl_table_int(f, 5) == 1 ? "" : "s",
                    sl_table_int(f, 5) == 1 ? "s" : "",
                    strcmp(sl_table_text_or_empty(f, 1), "boolean") != 0 ? sl_table_text_or_empty(f, 3) : "without");
}

/* A factor that is not known from where others begin on, in `all` runs, may have been split into these. */
static inline void put_splits(FILE *out, struct sl_table *f, int64_t all)
{
    for (size_t row = 0; row < f->rows; row++) {
        const char *old, *last = "";
        int64_t begin;
        bool any = false;
        f->at = row;
        sl_table_next(f, NULL);
        old = sl_table_text_or_empty(f, 0);
        begin = all - sl_table_int(f, 6);
        if (begin == all || strcmp(sl_table_text_or_empty(f, 1), "boolean") != 0)
            continue;
        row += (size_t)sl_table_int(f, 2) - 1; /* its other level */
        for (sl_table_rewind(f); sl_table_next(f, NULL) > 0; last = sl_table_text_or_empty(f, 0)) {
            if (sl_table_int(f, 5) != begin || !strcmp(last, sl_table_text_or_empty(f, 0)))
                continue;
            if (!any)
                fprintf(out, "was %s split? Then say --split '%s=", old, old);
            fprintf(out, "%s%s", any ? "," : "", sl_table_text_or_empty(f, 0));
            any = true;
        }
        if (any)
            fputs("'\n", out);
    }
}

/* "of 20 runs the level of a, b is not known; models leave them out" */
static inline void put_unknown(FILE *out, struct sl_table *f, int64_t runs)
{
    const char *last = "";
    size_t named = 0;
    char n[32];

    fprintf(out, "of %s run%s the level of ", sl_show_count((unsigned long long)runs, n), runs == 1 ? "" : "s");
    for (sl_table_rewind(f); sl_table_next(f, NULL) > 0; last = sl_table_text_or_empty(f, 0))
        if (sl_table_int(f, 6) && sl_table_int(f, 2) > 1 && strcmp(last, sl_table_text_or_empty(f, 0)) != 0 &&
            named++ < 3)
            fprintf(out, "%s%s", named > 1 ? ", " : "", sl_table_text_or_empty(f, 0));
    fprintf(out, "%s is not known; models leave %s out\n", named > 3 ? " and others" : "", runs == 1 ? "it" : "them");
}

static inline void put_factors(FILE *out, struct sl_table *f)
{
    put_factors_of(out, f, "constant", "never varies, so nothing can be said of it: ");
    put_factors_of(out, f, "identity", "tells runs apart, so nothing can be said of it: ");
    put_factors_of(out, f, "categorical", "no level has runs enough to say what it does: ");
    put_joined(out, f);
}

/* "base: pages=64, policy=lru": what changes are changes from, of factors that are not 0 and 1, where that is `known`
 * so. */
static inline void put_bases(FILE *out, struct sl_table *f, const char *known, const char *what)
{
    enum { MOST = 2 }; /* lines */
    int at = 0, lines = 0;
    size_t left = 0;

    for (sl_table_rewind(f); sl_table_next(f, NULL) > 0;) {
        struct sl_buf raw = {0}, b = {0};
        if (strcmp(sl_table_text_or_empty(f, 7), known) != 0 || !strcmp(sl_table_text_or_empty(f, 1), "boolean"))
            continue;
        sl_buf_addf(&raw, "%s=%s", sl_table_text_or_empty(f, 0), sl_table_text_or_empty(f, 3));
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

static inline const char *unit_of(const struct sl_result *r)
{
    return sl_table_text_or_empty(sl_result_find(r, "about"), SL_ABOUT_UNIT);
}

/* "parsl-perf: 193 runs (7 more failed), 2026-11-20T08:11Z to ..." */
static inline void put_head_in(FILE *out, const struct sl_result *r, const char *what, const char *unit)
{
    struct sl_table *about = sl_result_find(r, "about");
    char n[32], from[SL_TIME_TEXT], to[SL_TIME_TEXT];
    bool same_day;

    sl_table_rewind(about);
    sl_table_next(about, NULL);
    unit = unit ? unit : sl_table_text_or_empty(about, SL_ABOUT_UNIT);
    fprintf(out, "%s: %s run%s", sl_table_text_or_empty(about, SL_ABOUT_EXPERIMENT),
            sl_show_count((unsigned long long)sl_table_int(about, SL_ABOUT_RUNS), n),
            sl_table_int(about, SL_ABOUT_RUNS) == 1 ? "" : "s");
    if (sl_table_int(about, SL_ABOUT_FAILED))
        fprintf(out, " (%s more failed)", sl_show_count((unsigned long long)sl_table_int(about, SL_ABOUT_FAILED), n));
    if (sl_table_int(about, SL_ABOUT_TIMED)) {
        sl_time_text(sl_table_int(about, SL_ABOUT_FIRST_NS), from);
        sl_time_text(sl_table_int(about, SL_ABOUT_LAST_NS), to);
        same_day = !strncmp(from, to, DATE);
        fprintf(out, ", %.*s %.5s to %.*s%s%.5s UTC", DATE, from, from + DATE + 1, same_day ? 0 : DATE, to,
                same_day ? "" : " ", to + DATE + 1);
    }
    fputc('\n', out);
    if (sl_table_int(about, SL_ABOUT_INCOMPLETE))
        put_unknown(out, sl_result_find(r, "factors"), sl_table_int(about, SL_ABOUT_INCOMPLETE));
    put_factors(out, sl_result_find(r, "factors"));
    put_bases(out, sl_result_find(r, "factors"), "stated", "base: ");
    put_bases(out, sl_result_find(r, "factors"), "lowest", "base (nothing states one: the lowest): ");
    put_bases(out, sl_result_find(r, "factors"), "not run", "base (no run has that of the plan: the lowest): ");
    put_splits(out, sl_result_find(r, "factors"), sl_table_int(about, SL_ABOUT_RUNS));
    if (sl_table_int(about, SL_ABOUT_TIMED) &&
        sl_table_real_or_nan(about, SL_ABOUT_ON_END) >= 2 * sl_table_real_or_nan(about, SL_ABOUT_ON_END_RANDOM))
        fprintf(out, "settings stay for %.0f runs on end: if the machine wanders, intervals are too narrow\n",
                sl_table_real_or_nan(about, SL_ABOUT_ON_END));
    fprintf(out, "%s, %s\n\n", what, unit);
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

static inline void put_explained(FILE *out, const struct sl_table *t)
{
    if (sl_table_is_null(t, SL_MODEL_R_SQUARED))
        fputs("all scores are the same", out);
    else
        fprintf(out, "%.1f %% of the variance is explained", 100 * real(t, SL_MODEL_R_SQUARED));
}

#endif
