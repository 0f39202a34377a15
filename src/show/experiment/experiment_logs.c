/* SPDX-License-Identifier: Apache-2.0 */
/* What people see of the logs of an experiment's runs. */
#include "base/mem.h"
#include "show/experiment/experiment_tables_internal.h"

#include <stdlib.h>

enum { PART = 46, FEW = 6 };

/* ---- which logs are of which run ---- */

void sl_show_logs(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "logs");
    size_t with = 0;
    char a[32], b[32];

    (void)look;
    for (const struct sl_run_log_row *x; (x = sl_table_row(t, NULL));)
        with += x->workflow != SL_NULL_INTEGER;
    fprintf(out, "%s of %s runs have logs in the store\n\n", sl_show_count(with, a), sl_show_count(t->rows, b));
    fprintf(out, "%-8s %-10s %s\n", "run", "workflow", "logs");
    sl_table_rewind(t);
    for (const struct sl_run_log_row *x; (x = sl_table_row(t, NULL));) {
        char workflow[32] = "-";
        const char *where = x->place ? x->place : x->named ? x->named : "";
        if (x->workflow != SL_NULL_INTEGER)
            snprintf(workflow, sizeof workflow, "%lld", (long long)x->workflow);
        fprintf(out, "%-8lld %-10s %s", (long long)x->run, workflow, where);
        if (x->why_not)
            fprintf(out, "%s(%s)", x->named ? " " : "", x->why_not);
        fputc('\n', out);
    }
    fputs("\nnumbers are spans, see: spanloom show span NUMBER\n", out);
}

/* ---- where the effect of a treatment is ---- */

/* Although all parts of all treatments were looked at. */
static bool is_sure(const struct sl_part_row *x)
{
    return x->p_holm < 0.05;
}

static void put_part(FILE *out, const struct sl_part_row *x, const char *name, int indent)
{
    char a[NUMBER], b[2 * NUMBER];

    if (indent + (int)strlen(name) > PART)
        fprintf(out, "%*s%s\n%-*s", indent, "", name, PART, "");
    else
        fprintf(out, "%*s%-*s", indent, "", PART - indent, name);
    fprintf(out, " %9s  %s%s\n", digits(x->estimate, true, a), interval(x->lower, x->upper, b), is_sure(x) ? "" : " ?");
}

/* The whole of a treatment, whose parts are the rows behind it. */
struct whole {
    const struct sl_part_row *row;
    size_t parts;
};

/* The parts of one treatment.  Whatever is left is one line, so that they add up. */
static void put_parts(FILE *out, const struct whole *w, bool all)
{
    char a[NUMBER];
    double rest = 0, least = fabs(w->row->estimate) / 100;
    size_t left = 0, shown = 0;

    for (size_t i = 1; i <= w->parts; i++) {
        const struct sl_part_row *x = w->row + i;
        least = fmax(least, fabs(x->estimate) / 100);
        if (all || (is_sure(x) && shown < FEW && fabs(x->estimate) >= least && strcmp(x->part, "(others)") != 0)) {
            put_part(out, x, x->part, 2);
            shown++;
        } else {
            left++;
            rest += x->estimate;
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
    const struct sl_table *factors = sl_result_find(r, "factors");

    for (size_t i = 0; i < factors->rows; i++) {
        const struct sl_level_row *f = sl_table_at(factors, i);
        if (!strcmp(f->factor, term))
            return !strcmp(f->kind, "numeric");
    }
    return false;
}

/* "slow_app makes runs 1.01 s longer, 0.957 s of it: htex worker, running on a worker".  False: nothing is sure. */
static bool put_sentence(FILE *out, const struct sl_result *r, const struct whole *w, bool transitions)
{
    char a[NUMBER], b[NUMBER];
    double whole = w->row->estimate, part = NAN;
    bool sure = is_sure(w->row);
    const char *name = w->row->term, *by = is_numeric(r, name) ? " (each 1 more)" : "";
    const char *runs = transitions ? "tasks" : "runs", *what = NULL;

    for (size_t i = 1; i <= w->parts && !what; i++) {
        const struct sl_part_row *x = w->row + i;
        if (!is_sure(x) || fabs(x->estimate) < fabs(whole) / 100)
            continue;
        part = x->estimate;
        what = x->part;
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

static int by_size(const void *a, const void *b)
{
    const struct sl_part_row *x = ((const struct whole *)a)->row, *y = ((const struct whole *)b)->row;
    double p = fabs(x->estimate), q = fabs(y->estimate);

    if (is_sure(x) != is_sure(y))
        return is_sure(x) ? -1 : 1;
    return p > q ? -1 : p < q ? 1 : x < y ? -1 : x > y;
}

/* Types of spans, a line of at most 80 columns after another. */
static void put_left_out(FILE *out, const struct sl_table *t)
{
    const char *with = NULL, *last = "";
    size_t column = 0, last_n = 0;

    for (size_t i = 0; i < t->rows; i++) {
        const struct sl_part_row *x = sl_table_at(t, i);
        const char *only = x->term, *what = x->part;
        size_t n = strcspn(what ? what : "", "/");
        if (strcmp(x->kind, "left out") != 0)
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
    const struct sl_table *t = sl_result_find(r, "parts");
    const char *kind = look->transitions ? "transition" : "path";
    SL_VEC(struct whole) whole = {0};
    bool any = false, unsure = false;
    char a[NUMBER], b[32];

    for (size_t i = 0; i < t->rows; i++) {
        const struct sl_part_row *x = sl_table_at(t, i);
        if (strcmp(x->kind, kind) != 0 || (look->vs && strcmp(look->vs, x->term) != 0))
            continue;
        if (!x->part)
            *sl_vec_add(&whole) = (struct whole){.row = x};
        else
            whole.v[whole.n - 1].parts++;
    }
    if (whole.n)
        qsort(whole.v, whole.n, sizeof *whole.v, by_size);
    fprintf(out, "%s: %s runs with logs, %s %s s long on average\n", about_of(r)->experiment,
            sl_show_count(whole.n ? (unsigned long long)whole.v[0].row->runs : 0, b),
            look->transitions ? "their tasks" : "their critical paths",
            digits(whole.n ? whole.v[0].row->mean : NAN, false, a));
    for (size_t i = 0; i < whole.n && i < FEW; i++)
        any |= put_sentence(out, r, &whole.v[i], look->transitions);
    if (!any)
        fputs("no treatment makes them longer or shorter for sure\n", out);
    fprintf(out, "\n%-*s %9s  %s\n", PART,
            look->transitions ? "from event to event, seconds of a task"
                              : "part of the critical path, seconds of a run",
            "change", "95 % interval");
    for (size_t i = 0; i < whole.n; i++) {
        unsure |= !is_sure(whole.v[i].row);
        put_part(out, whole.v[i].row, whole.v[i].row->term, 0);
        put_parts(out, &whole.v[i], look->all);
    }
    if (unsure)
        fputs("\n? it may be chance, as all these were compared (Holm, 5 %)\n", out);
    put_left_out(out, t);
    sl_vec_free(&whole);
}
