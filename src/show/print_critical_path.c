/* SPDX-License-Identifier: Apache-2.0 */
#include "show/print_critical_path.h"
#include "base/clock.h"

#include <string.h>

enum { BAR = 8, TASKS = 20, PARTS = 12, TASK_WIDTH = 24, TASK_LEAST = 6, FROM_WIDTH = 11, TIME_WIDTH = 9 };

/* unit: what ran is called, "task" or "job"; queued_s: waited for a worker. */
static int show_head(FILE *out, struct sl_table *t, double *makespan, const char **unit, double *queued_s,
                     struct sl_err *err)
{
    enum { SPAN, NAME, SCRIPT, MAKESPAN, START, END, ON_PATH, OF, UNDONE, UNIT, QUEUED };
    char took[32], period[SL_SHOW_PERIOD];
    struct sl_buf b = {0};
    int rc = sl_table_next(t, err);

    if (rc <= 0)
        return rc;
    if (sl_table_is_null(t, MAKESPAN))
        return sl_err(err, SL_ENOTFOUND, "span %lld lasted for no time: it and all below it have at most one event",
                      (long long)sl_table_int(t, SPAN));
    *makespan = sl_table_real(t, MAKESPAN);
    *queued_s = sl_table_real(t, QUEUED);
    sl_buf_adds(&b, sl_table_text_or_empty(t, NAME));
    if (!sl_table_is_null(t, SCRIPT))
        sl_buf_addf(&b, " (%s)", sl_table_text_or_empty(t, SCRIPT));
    sl_buf_addf(&b, " took %s, %s", sl_seconds_text(*makespan, took),
                sl_show_period(sl_table_int(t, START), sl_table_int(t, END), 0, period));
    sl_show_words(out, b.s, 0);
    sl_buf_free(&b);
    *unit = !strcmp(sl_table_text_or_empty(t, UNIT), "job") ? "job" : "task";
    fprintf(out, "its critical path goes through %lld of %lld %s%s\n", (long long)sl_table_int(t, ON_PATH),
            (long long)sl_table_int(t, OF), *unit, sl_table_int(t, OF) == 1 ? "" : "s");
    if (sl_table_int(t, UNDONE))
        fprintf(out, "%lld of them %s never done, as far as logs tell: was the run cut short?\n",
                (long long)sl_table_int(t, UNDONE), sl_table_int(t, UNDONE) == 1 ? "was" : "were");
    return 0;
}

/* How many columns the texts of a column of seconds need, least at least. */
static int seconds_width(struct sl_table *t, int column, int least)
{
    char text[SL_SECONDS_TEXT];
    int width = least;

    while (sl_table_next(t, NULL) > 0) {
        int w = sl_show_width(sl_seconds_text(sl_table_real(t, column), text));
        width = w > width ? w : width;
    }
    sl_table_rewind(t);
    return width;
}

static int show_blame(FILE *out, struct sl_table *t, const char *by, bool all, double makespan, struct sl_err *err)
{
    enum { SECONDS, PARTS_OF, WHAT, STATE };
    bool state = t->columns > STATE, task = !state && strcmp(t->column[WHAT].name, "component") != 0;
    char took[SL_SECONDS_TEXT];
    double rest_s = 0;
    int rc, n = 0, wide = seconds_width(t, SECONDS, TIME_WIDTH);

    fprintf(out, "\n%*s  %6s  %-*s %5s  %s%s\n", wide, "time", "share", BAR, "", "parts",
            strcmp(t->column[WHAT].name, "what") ? t->column[WHAT].name : by, state ? ", state" : "");
    while ((rc = sl_table_next(t, err)) > 0) {
        double s = sl_table_real(t, SECONDS), share = makespan > 0 ? s / makespan : 0;
        char bar[4 * BAR + 4];
        int width = 0;
        bool lost = state && !strcmp(sl_table_text_or_empty(t, STATE), "lost to a failed try");
        if (task && n++ >= TASKS && !all) {
            rest_s += s;
            continue;
        }
        sl_show_bar(share, BAR, bar);
        for (const char *c = bar; *c; c++)
            width += (*c & 0xC0) != 0x80;
        fprintf(out, "%*s  %4.1f %%  %s%s%s%*s %5lld  %s%s%s\n", wide, sl_seconds_text(s, took), 100 * share,
                sl_show_colour(lost ? SL_COLOUR_FAILED : SL_COLOUR_COST), bar, sl_show_colour(SL_COLOUR_NONE),
                BAR - width, "", (long long)sl_table_int(t, PARTS_OF), sl_table_text_or_empty(t, WHAT),
                state ? ", " : "", state ? sl_table_text_or_empty(t, STATE) : "");
    }
    if (n > TASKS && !all)
        fprintf(out, "%*s  of %d more; --all shows them\n", wide, sl_seconds_text(rest_s, took), n - TASKS);
    return rc;
}

/* A path that is in a queue does not say for whom: others ran, or no worker was there. */
static void show_queued(FILE *out, double queued_s)
{
    char took[SL_SECONDS_TEXT];
    struct sl_buf b = {0};

    sl_buf_addf(&b, "(%s of it in queues: spanloom why tells what workers did meanwhile)",
                sl_seconds_text(queued_s, took));
    sl_show_words(out, b.s, 0);
    sl_buf_free(&b);
}

struct rest { /* short parts that stand in one line */
    double from_s, s;
    int n, from_width, width;
    bool any;       /* stood in a line before */
    char only[200]; /* what stands there when it is one */
};

static void show_rest(FILE *out, struct rest *r)
{
    bool any = r->any || r->n > 1;
    char from[SL_SECONDS_TEXT], took[SL_SECONDS_TEXT];

    if (r->n == 1)
        fprintf(out, "%s\n", r->only);
    else if (r->n)
        fprintf(out, "%*s %*s  ... %d short parts\n", r->from_width, sl_seconds_text(r->from_s, from), r->width,
                sl_seconds_text(r->s, took), r->n);
    *r = (struct rest){.any = any, .from_width = r->from_width, .width = r->width};
}

/* "166 (sleeper)"; in b. */
static const char *task_name(const struct sl_table *t, int task, int app, struct sl_buf *b)
{
    sl_buf_clear(b);
    sl_buf_adds(b, sl_table_text_or_empty(t, task));
    if (!sl_table_is_null(t, app))
        sl_buf_addf(b, " (%s)", sl_table_text_or_empty(t, app));
    return b->s;
}

/* The same in just so many columns. */
static const char *fitted(const struct sl_table *t, int task, int app, int columns, struct sl_buf *b)
{
    int width = sl_show_width(task_name(t, task, app, b));

    if (sl_show_room() && width > columns) {
        b->n = sl_show_fitting(b->s, columns - 1);
        sl_buf_adds(b, "…");
        width = sl_show_width(b->s);
    }
    for (; width < columns; width++)
        sl_buf_addc(b, ' ');
    return b->s;
}

/* The longest parts, in order of time; those between them put together. */
static int show_parts(FILE *out, struct sl_table *t, const char *unit, bool all, double makespan, struct sl_err *err)
{
    enum { FROM, SECONDS, TASK, COMPONENT, STATE, RANK, APP };
    struct rest rest = {0};
    struct sl_buf name = {0};
    int rc, width = 4, words = 0, room = sl_show_room(), head;

    rest.from_width = seconds_width(t, FROM, FROM_WIDTH);
    rest.width = seconds_width(t, SECONDS, TIME_WIDTH);
    head = rest.from_width + 1 + rest.width + 2;
    while ((rc = sl_table_next(t, err)) > 0) {
        int w = sl_show_width(task_name(t, TASK, APP, &name));
        width = w > width ? w < TASK_WIDTH ? w : TASK_WIDTH : width;
        w = sl_show_width(sl_table_text_or_empty(t, COMPONENT)) + 2 + sl_show_width(sl_table_text_or_empty(t, STATE));
        words = w > words ? w : words;
    }
    if (room && head + width + 2 + words > room) /* what-if takes the words whole */
        width = room - head - 2 - words > TASK_LEAST ? room - head - 2 - words : TASK_LEAST;
    sl_table_rewind(t);
    fprintf(out, "\n%*s %*s  %-*s  %s\n", rest.from_width, "since start", rest.width, "time", width, unit,
            "component, state");
    while ((rc = sl_table_next(t, err)) > 0) {
        double s = sl_table_real(t, SECONDS);
        char line[sizeof rest.only], from[SL_SECONDS_TEXT], took[SL_SECONDS_TEXT];
        snprintf(line, sizeof line, "%*s %*s  %s  %s, %s", rest.from_width,
                 sl_seconds_text(sl_table_real(t, FROM), from), rest.width, sl_seconds_text(s, took),
                 fitted(t, TASK, APP, width, &name), sl_table_text_or_empty(t, COMPONENT),
                 sl_table_text_or_empty(t, STATE));
        if (all || s >= makespan / 100 || sl_table_int(t, RANK) <= PARTS) {
            show_rest(out, &rest);
            fprintf(out, "%s\n", line);
            continue;
        }
        if (!rest.n++) {
            rest.from_s = sl_table_real(t, FROM);
            memcpy(rest.only, line, sizeof line);
        }
        rest.s += s;
    }
    show_rest(out, &rest);
    if (rest.any)
        fprintf(out, "(--all shows the short parts, too)\n");
    sl_buf_free(&name);
    return rc;
}

int sl_show_critical_path(FILE *out, struct sl_result *r, const char *by, bool all, struct sl_err *err)
{
    double makespan = 0, queued_s = 0;
    const char *unit = "task";
    int rc = show_head(out, sl_result_find(r, "head"), &makespan, &unit, &queued_s, err);

    if (!rc)
        rc = show_blame(out, sl_result_find(r, "blame"), by, all, makespan, err);
    if (!rc && queued_s >= makespan / 20)
        show_queued(out, queued_s);
    return rc ? rc : show_parts(out, sl_result_find(r, "parts"), unit, all, makespan, err);
}
