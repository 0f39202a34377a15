/* SPDX-License-Identifier: Apache-2.0 */
/* What people see of the logs of an experiment's runs. */
#include "base/mem.h"
#include "show/experiment_internal.h"

#include <stdlib.h>

enum { PART = 46, FEW = 6 };

/* ---- which logs are of which run ---- */

void sl_show_logs(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "logs");
    size_t with = 0, n = 0;
    char a[32], b[32];

    (void)look;
    while (sl_table_next(t, NULL) > 0) {
        with += !sl_table_is_null(t, SL_LOGS_WORKFLOW);
        n++;
    }
    fprintf(out, "%s of %s runs have logs in the store\n\n", sl_show_count(with, a), sl_show_count(n, b));
    fprintf(out, "%-8s %-10s %s\n", "run", "workflow", "logs");
    for (sl_table_rewind(t); sl_table_next(t, NULL) > 0;) {
        char workflow[32] = "-";
        if (!sl_table_is_null(t, SL_LOGS_WORKFLOW))
            snprintf(workflow, sizeof workflow, "%lld", (long long)sl_table_int(t, SL_LOGS_WORKFLOW));
        fprintf(out, "%-8lld %-10s %s", (long long)sl_table_int(t, SL_LOGS_RUN), workflow,
                sl_table_text_or_empty(t, sl_table_is_null(t, SL_LOGS_PLACE) ? SL_LOGS_NAMED : SL_LOGS_PLACE));
        if (!sl_table_is_null(t, SL_LOGS_WHY))
            fprintf(out, "%s(%s)", sl_table_is_null(t, SL_LOGS_NAMED) ? "" : " ",
                    sl_table_text_or_empty(t, SL_LOGS_WHY));
        fputc('\n', out);
    }
    fputs("\nnumbers are spans, see: spanloom show span NUMBER\n", out);
}

/* ---- where the effect of a treatment is ---- */

/* Although all parts of all treatments were looked at. */
static bool is_sure(const struct sl_table *t)
{
    return real(t, SL_PARTS_P_HOLM) < 0.05;
}

static void put_part(FILE *out, const struct sl_table *t, const char *name, int indent)
{
    char a[NUMBER], b[2 * NUMBER];

    if (indent + (int)strlen(name) > PART)
        fprintf(out, "%*s%s\n%-*s", indent, "", name, PART, "");
    else
        fprintf(out, "%*s%-*s", indent, "", PART - indent, name);
    fprintf(out, " %9s  %s%s\n", digits(real(t, SL_PARTS_ESTIMATE), true, a),
            interval(real(t, SL_PARTS_LOWER), real(t, SL_PARTS_UPPER), b), is_sure(t) ? "" : " ?");
}

/* The parts of one treatment; t stands before the first.  Whatever is left is one line, so that they add up. */
static void put_parts(FILE *out, struct sl_table *t, size_t n, bool all)
{
    char a[NUMBER];
    double rest = 0, least = fabs(real(t, SL_PARTS_ESTIMATE)) / 100;
    size_t left = 0, shown = 0;

    for (size_t i = 0; i < n && sl_table_next(t, NULL) > 0; i++) {
        const char *name = sl_table_text_or_empty(t, SL_PARTS_PART);
        least = fmax(least, fabs(real(t, SL_PARTS_ESTIMATE)) / 100);
        if (all ||
            (is_sure(t) && shown < FEW && fabs(real(t, SL_PARTS_ESTIMATE)) >= least && strcmp(name, "(others)") != 0)) {
            put_part(out, t, name, 2);
            shown++;
        } else {
            left++;
            rest += real(t, SL_PARTS_ESTIMATE);
        }
    }
    if (left && shown) {
        char name[64];
        snprintf(name, sizeof name, "and %zu more", left);
        fprintf(out, "  %-*s %9s\n", PART - 2, name, digits(rest, true, a));
    }
}

/* Of a numeric factor, an effect is that of one more. */
static bool is_numeric(const struct sl_result *r, const char *term)
{
    struct sl_table *f = sl_result_find(r, "factors");

    for (sl_table_rewind(f); sl_table_next(f, NULL) > 0;)
        if (!strcmp(sl_table_text_or_empty(f, 0), term))
            return !strcmp(sl_table_text_or_empty(f, 1), "numeric");
    return false;
}

/*
 * "slow_app makes runs 1.01 s longer, 0.957 s of it: htex worker, running on a worker"; t is at the whole.  False:
 * nothing is sure.
 */
static bool put_sentence(FILE *out, const struct sl_result *r, struct sl_table *t, size_t parts, bool transitions)
{
    char a[NUMBER], b[NUMBER];
    double whole = real(t, SL_PARTS_ESTIMATE), part = NAN;
    bool sure = is_sure(t);
    const char *name = sl_table_text_or_empty(t, SL_PARTS_TERM), *by = is_numeric(r, name) ? " (each 1 more)" : "";
    const char *runs = transitions ? "tasks" : "runs", *what = NULL;

    for (size_t i = 0; i < parts && !what && sl_table_next(t, NULL) > 0; i++)
        if (is_sure(t) && fabs(real(t, SL_PARTS_ESTIMATE)) >= fabs(whole) / 100) {
            part = real(t, SL_PARTS_ESTIMATE);
            what = sl_table_text_or_empty(t, SL_PARTS_PART);
        }
    if (sure)
        fprintf(out, "%s%s makes %s %s s %s", name, by, runs, digits(fabs(whole), false, a),
                whole > 0 ? "longer" : "shorter");
    else if (what)
        fprintf(out, "%s%s: in all it may be chance, but not %s s: %s", name, by, digits(part, true, b), what);
    if (sure && what)
        fprintf(out, ", %s%s s%s: %s", part * whole > 0 ? "" : "though ",
                digits(part * whole > 0 ? fabs(part) : part, part * whole < 0, b), part * whole > 0 ? " of it" : "",
                what);
    if (sure || what)
        fputc('\n', out);
    return sure || what;
}

struct whole {
    size_t row, parts;
    double size;
    bool sure;
};

static int by_size(const void *a, const void *b)
{
    const struct whole *x = a, *y = b;

    if (x->sure != y->sure)
        return x->sure ? -1 : 1;
    return x->size > y->size ? -1 : x->size < y->size ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

static void go_to(struct sl_table *t, size_t row)
{
    sl_table_rewind(t);
    t->at = row;
    sl_table_next(t, NULL);
}

/* Types of spans, a line of at most 80 columns after another. */
static void put_left_out(FILE *out, struct sl_table *t)
{
    const char *with = NULL, *last = "";
    size_t column = 0, last_n = 0;

    for (sl_table_rewind(t); sl_table_next(t, NULL) > 0;) {
        const char *only = sl_table_text_or_empty(t, SL_PARTS_TERM), *what = sl_table_text_or_empty(t, SL_PARTS_PART);
        size_t n = strcspn(what, "/");
        if (strcmp(sl_table_text_or_empty(t, SL_PARTS_KIND), "left out") != 0)
            continue;
        if (!with)
            fputs("\nNot all settings log the same. Events of these spans are left out, so that like is\n"
                  "compared with like (--every-event takes them, too):\n",
                  out);
        if (!with || strcmp(with, only) != 0) {
            fprintf(out, "%sonly with %s: ", with ? "\n" : "", only);
            column = strlen(only) + 13;
        } else if (n == last_n && !strncmp(what, last, n)) {
            continue;
        } else if (column + n + 2 > 78) {
            fputs(",\n  ", out);
            column = 2;
        } else {
            fputs(", ", out);
            column += 2;
        }
        fprintf(out, "%.*s", (int)n, what);
        column += n;
        with = only;
        last = what;
        last_n = n;
    }
    if (with)
        fputc('\n', out);
}

void sl_show_parts(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "parts"), *about = sl_result_find(r, "about");
    const char *kind = look->transitions ? "transition" : "path";
    SL_VEC(struct whole) whole = {0};
    double mean = NAN;
    long long runs = 0;
    bool any = false, unsure = false;
    char a[NUMBER], b[32];

    for (size_t row = 0; sl_table_next(t, NULL) > 0; row++) {
        if (strcmp(sl_table_text_or_empty(t, SL_PARTS_KIND), kind) != 0 ||
            (look->vs && strcmp(look->vs, sl_table_text_or_empty(t, SL_PARTS_TERM)) != 0))
            continue;
        if (sl_table_is_null(t, SL_PARTS_PART)) {
            mean = real(t, SL_PARTS_MEAN);
            runs = (long long)sl_table_int(t, SL_PARTS_RUNS);
            *sl_vec_add(&whole) = (struct whole){row, 0, fabs(real(t, SL_PARTS_ESTIMATE)), is_sure(t)};
        } else {
            whole.v[whole.n - 1].parts++;
        }
    }
    if (whole.n)
        qsort(whole.v, whole.n, sizeof *whole.v, by_size);
    sl_table_rewind(about);
    sl_table_next(about, NULL);
    fprintf(out, "%s: %s runs with logs, %s %s s long on average\n", sl_table_text_or_empty(about, SL_ABOUT_EXPERIMENT),
            sl_show_count((unsigned long long)runs, b), look->transitions ? "their tasks" : "their critical paths",
            digits(mean, false, a));
    for (size_t i = 0; i < whole.n && i < FEW; i++) {
        go_to(t, whole.v[i].row);
        any |= put_sentence(out, r, t, whole.v[i].parts, look->transitions);
    }
    if (!any)
        fputs("no treatment makes them longer or shorter for sure\n", out);
    fprintf(out, "\n%-*s %9s  %s\n", PART,
            look->transitions ? "from event to event, seconds of a task"
                              : "part of the critical path, seconds of a run",
            "change", "95 % interval");
    for (size_t i = 0; i < whole.n; i++) {
        go_to(t, whole.v[i].row);
        unsure |= !is_sure(t);
        put_part(out, t, sl_table_text_or_empty(t, SL_PARTS_TERM), 0);
        put_parts(out, t, whole.v[i].parts, look->all);
    }
    if (unsure)
        fputs("\n? it may be chance, as all these were compared (Holm, 5 %)\n", out);
    put_left_out(out, t);
    sl_vec_free(&whole);
}
