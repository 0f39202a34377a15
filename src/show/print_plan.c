/* SPDX-License-Identifier: Apache-2.0 */
/* A plan (findings/plan/planning.h) on one screen. */
#include "show/print_plan.h"
#include "base/buf.h"
#include "base/clock.h"
#include "result/plan_tables.h"
#include "result/what_if_tables.h"
#include "show/show.h"

#include <math.h>
#include <string.h>

static const char *kind_of(const char *repair)
{
    static const char *const kinds[][2] = {{"setting", "change a setting"},
                                           {"workflow", "change the workflow"},
                                           {"app", "change what tasks run"},
                                           {"nodes", "more nodes"}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(repair, kinds[i][0]))
            return kinds[i][1];
    return repair;
}

/* Lines of a step. */
static void put_words(FILE *out, const char *text, int columns)
{
    if (!text || !*text)
        return;
    fputs("    ", out);
    sl_show_wrapped(out, text, 4, columns);
}

/* Lines of the script: they are not wrapped. */
static void put_lines(FILE *out, const char *lines)
{
    for (size_t n; lines && *lines; lines += n + (lines[n] == '\n')) {
        n = strcspn(lines, "\n");
        fprintf(out, "    %.*s\n", (int)n, lines);
    }
}

static void add_hours(struct sl_buf *b, double nodes, double hours)
{
    char h[32];

    if (!isnan(hours))
        sl_buf_addf(b, ", %.4g node%s, %s node hours", nodes, nodes == 1 ? "" : "s", sl_show_digits(hours, h));
}

static void put_run(FILE *out, const struct plan_run *x)
{
    char took[32], tasks[32];
    struct sl_buf b = {0};

    add_hours(&b, x->nodes, x->node_hours);
    fprintf(out, "%s took %s: %s tasks%s\n", x->name ? x->name : "the run", sl_seconds_text(x->makespan_s, took),
            sl_show_count((unsigned long long)x->tasks, tasks), b.n ? b.s : "");
    sl_buf_free(&b);
    if (x->state && (!strcmp(x->state, "goes on") || !strcmp(x->state, "cut short")))
        fprintf(out, "The run %s: this is a plan of what its logs have so far.\n",
                *x->state == 'g' ? "goes on" : "was cut short");
}

/* What is left out whole, though it can only be made shorter. */
static bool is_at_most(const char *changes)
{
    static const char *const exact[] = {"barriers", "dependencies", "failed tries", "longest first", "workers"};

    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (!strncmp(changes, exact[i], strlen(exact[i])))
            return false;
    return strlen(changes) > 3 && !strcmp(changes + strlen(changes) - 3, " x0");
}

static void put_step(FILE *out, const struct plan_step *x, double makespan_s, int columns)
{
    char gain[32], low[32], high[32], takes[32], takes_low[32], takes_high[32];
    struct sl_buf line = {0};

    fprintf(out, "\n %lld. %s: %s\n", (long long)x->step, kind_of(x->repair), x->finding);
    put_words(out, x->what, columns);
    put_words(out, x->edit, columns);
    put_lines(out, x->at);
    put_words(out, x->assumed, columns);
    sl_buf_addf(&line, "saves %s%s (%s to %s); the run takes %s (%s to %s)", is_at_most(x->changes) ? "at most " : "",
                sl_seconds_beside(x->gain_s, makespan_s, gain), sl_seconds_beside(x->gain_low_s, makespan_s, low),
                sl_seconds_beside(x->gain_high_s, makespan_s, high),
                sl_seconds_beside(x->makespan_s, makespan_s, takes), sl_seconds_beside(x->low_s, makespan_s, takes_low),
                sl_seconds_beside(x->high_s, makespan_s, takes_high));
    add_hours(&line, x->nodes, x->node_hours);
    put_words(out, line.s, columns);
    sl_buf_free(&line);
}

/* As what-if takes them, where a line has them. */
static void put_changes(FILE *out, const char *all, int columns)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "All of it: spanloom what-if '%s'", all);
    if (b.n > (size_t)columns)
        fputs("\nThe changes, as what-if takes them: spanloom plan --format json\n", out);
    else
        fprintf(out, "\n%s\n", b.s);
    sl_buf_free(&b);
}

void sl_show_plan_end(struct sl_buf *b, const struct plan_run *x, double end_s, bool steps)
{
    double bound_s = fmax(x->path_s, isnan(x->work_s) ? 0 : x->work_s);
    char path[32], work[32], was[32], comes[32];

    if (!steps)
        sl_buf_addf(b, "No change that findings name makes it shorter by 2 %% or more.");
    else if (!strcmp(x->ends, "target"))
        sl_buf_addf(b, "That reaches the target.");
    else if (!strcmp(x->ends, "limit"))
        sl_buf_addf(b, "A plan has no more steps; further findings: spanloom why.");
    else
        sl_buf_addf(b, "No further change that findings name saves 2 %% or more.");
    if (x->refused)
        sl_buf_addf(b, " %lld candidate%s left out, by --budget or --keep.", (long long)x->refused,
                    x->refused == 1 ? " was" : "s were");
    sl_buf_addf(b, " In the run as it was the longest chain of tasks computed for %s",
                sl_seconds_beside(x->path_s, x->makespan_s, path));
    if (!isnan(x->work_s))
        sl_buf_addf(b, "; all tasks, over its workers, for %s", sl_seconds_beside(x->work_s, x->makespan_s, work));
    sl_buf_addf(b, ".");
    if (bound_s > 0 && end_s > 0 && !(bound_s > end_s))
        sl_buf_addf(b, " %s takes %.1f times the longer of these.", steps ? "The plan" : "The run", end_s / bound_s);
    if (x->checked > 0)
        sl_buf_addf(b, " Of %lld checked prediction%s of this workflow %lld %s within %.0f %%.", (long long)x->checked,
                    x->checked == 1 ? "" : "s", (long long)x->checked_near, x->checked_near == 1 ? "was" : "were",
                    fmax(1, ceil(x->checked_off * 100)));
    if (fabs(x->bias) * 100 >= SL_DOUBT_PERCENT)
        sl_buf_addf(b, " In doubt: replayed without a change the run takes %s, not %s.",
                    sl_seconds_beside(x->makespan_s * (1 + x->bias), x->makespan_s, comes),
                    sl_seconds_beside(x->makespan_s, x->makespan_s, was));
}

static void put_options(FILE *out, struct sl_table *t, double makespan_s, int columns)
{
    const struct plan_option *x;
    char takes[32], hours[32];

    if (t->rows < 2)
        return;
    fputc('\n', out);
    sl_show_wrapped(out, "Time against node hours: of all that was tried what is not longer and dearer than another", 0,
                    columns);
    while ((x = sl_table_row(t, NULL))) {
        fprintf(out, "%14s %10s h  ", sl_seconds_beside(x->makespan_s, makespan_s, takes),
                sl_show_digits(x->node_hours, hours));
        sl_show_wrapped(out, *x->findings ? x->findings : "the run as it was", 29, columns);
    }
}

static void put_others(FILE *out, struct sl_table *t, const char *title, double makespan_s, int columns)
{
    const struct plan_other *x;
    char seconds[32];

    if (t->rows)
        fprintf(out, "\n%s\n", title);
    while ((x = sl_table_row(t, NULL))) {
        fprintf(out, " -  %s: %s, some %s\n", kind_of(x->repair), x->finding,
                sl_seconds_beside(x->seconds, makespan_s, seconds));
        put_words(out, x->what, columns);
        put_words(out, x->edit, columns);
    }
}

static void put_check(FILE *out, struct sl_table *t, struct sl_table *parts)
{
    enum { PARTS = 8 };
    const struct plan_check *x;
    const struct plan_part *part;
    char said[32], came[32], was[32];
    double longest = 0;

    while (t && (x = sl_table_row(t, NULL))) {
        longest = x->came_s;
        if (!x->step)
            fprintf(out, "\n%s took %s\n", x->run ? x->run : "the other run", sl_seconds_text(x->came_s, came));
        else if (x->step == SL_NULL_INTEGER)
            fprintf(out, " with the steps that were made the plan says %s: %+.1f %%\n",
                    sl_seconds_beside(x->makespan_s, x->came_s, said), x->off * 100);
        else
            fprintf(out, " with steps up to %lld the plan says %s: %+.1f %%%s%s\n", (long long)x->step,
                    sl_seconds_beside(x->makespan_s, x->came_s, said), x->off * 100,
                    x->within ? ", what came is in its interval" : "",
                    x->made ? "" : "; that run still has what it was to remove");
    }
    if (!t || !t->rows)
        return;
    fputs("\nWhat differs on the critical path, most first\n", out);
    fprintf(out, "%14s %14s\n", "was", "came");
    for (int i = 0; i < PARTS && (part = sl_table_row(parts, NULL)); i++)
        fprintf(out, "%14s %14s  %s\n", isnan(part->was_s) ? "-" : sl_seconds_beside(part->was_s, longest, was),
                isnan(part->came_s) ? "-" : sl_seconds_beside(part->came_s, longest, came), part->what);
}

void sl_show_plan(FILE *out, const struct sl_result *r, int columns)
{
    const struct plan_run *run = sl_table_row(sl_result_find(r, "run"), NULL);
    struct sl_table *steps = sl_result_find(r, "steps");
    const struct plan_step *x;
    const char *all = NULL;
    struct sl_buf end = {0};
    double end_s;

    if (!run)
        return;
    end_s = run->makespan_s;
    put_run(out, run);
    while ((x = sl_table_row(steps, NULL))) {
        put_step(out, x, run->makespan_s, columns);
        end_s = x->makespan_s;
        all = x->all_changes;
    }
    put_others(out, sl_result_find(r, "same"), "The same seconds, found as something else", run->makespan_s, columns);
    if (all)
        put_changes(out, all, columns);
    sl_show_plan_end(&end, run, end_s, steps->rows > 0);
    fputc('\n', out);
    sl_show_wrapped(out, end.s, 0, columns);
    sl_buf_free(&end);
    put_options(out, sl_result_find(r, "options"), run->makespan_s, columns);
    put_others(out, sl_result_find(r, "others"), "What cannot be replayed", run->makespan_s, columns);
    put_check(out, sl_result_find(r, "check"), sl_result_find(r, "parts"));
}
