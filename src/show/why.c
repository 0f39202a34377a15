/* SPDX-License-Identifier: Apache-2.0 */
#include "show/why.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SCREEN = 40, INDENT = 4 }; /* lines of a screen */

static void moment(int64_t ns, bool date, char *buf, size_t n)
{
    time_t s = (time_t)(ns / 1000000000);
    struct tm tm;

    gmtime_r(&s, &tm);
    strftime(buf, n, date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm);
}

static void ended(struct sl_buf *b, struct sl_table *t)
{
    char n[32];
    const char *sep = ": ";

    while (sl_table_next(t, NULL) > 0) {
        const char *how = sl_table_text(t, 0, NULL);
        sl_buf_addf(b, "%s%s%s %s%s", sep,
                    sl_show_colour(how && strstr(how, "failed") ? SL_COLOUR_FAILED : SL_COLOUR_NONE),
                    sl_show_count((unsigned long long)sl_table_int(t, 1), n), how ? how : "not done",
                    sl_show_colour(SL_COLOUR_NONE));
        sep = ", ";
    }
}

/* Workers of each executor, where there are several. */
static void pools(struct sl_buf *b, struct sl_table *t)
{
    enum { EXECUTOR, WORKERS, BUSY, MOST = 4 };
    char n[32];

    for (int i = 0; i < MOST && sl_table_next(t, NULL) > 0; i++) {
        sl_buf_addf(b, "%s%s", i ? ", " : ": ", sl_show_count((unsigned long long)sl_table_int(t, WORKERS), n));
        sl_buf_addf(b, " of %s", sl_table_text_or_empty(t, EXECUTOR));
        if (!sl_table_is_null(t, BUSY))
            sl_buf_addf(b, " (%.0f %% busy)", 100 * sl_table_real(t, BUSY));
    }
    if (t->rows > MOST)
        sl_buf_addf(b, " and %zu more", t->rows - MOST);
}

/* Where the critical path went, what makes up a twentieth of it at least. */
static void went(FILE *out, struct sl_table *t, double makespan_s, int columns)
{
    enum { MOST = 4 };
    struct sl_buf b = {0};
    int rest = 100;

    for (int i = 0; i < MOST && sl_table_next(t, NULL) > 0 && sl_table_real(t, 1) >= 0.05 * makespan_s; i++) {
        int percent = (int)lround(100 * sl_table_real(t, 1) / makespan_s);
        sl_buf_addf(&b, "%s%d %% %s", i ? "; " : "where: ", percent, sl_table_text_or_empty(t, 0));
        rest -= percent;
    }
    if (b.n && rest > 0)
        sl_buf_addf(&b, "; %d %% other", rest);
    if (b.n)
        sl_show_wrapped(out, b.s, 0, columns);
    sl_buf_free(&b);
}

static int head(FILE *out, const struct sl_result *r, int columns, struct sl_err *err)
{
    enum { NAME, SCRIPT, WORKFLOW, START, END, MAKESPAN, TASKS, WORKERS, BUSY, FIRST, STATE, PLACES, SILENT };
    const char *state;
    struct sl_table *t = sl_result_find(r, "run");
    struct sl_buf b = {0};
    char from[32], to[32], a[32];
    int rc = sl_table_next(t, err);

    if (rc <= 0)
        return rc;
    if (!strcmp(sl_table_text_or_empty(t, STATE), "in doubt")) {
        moment(sl_table_int(t, START), true, from, sizeof from);
        sl_buf_addf(&b, "%s%s%s%s began at %s UTC", sl_table_text_or_empty(t, NAME),
                    sl_table_is_null(t, SCRIPT) ? "" : " (", sl_table_text_or_empty(t, SCRIPT),
                    sl_table_is_null(t, SCRIPT) ? "" : ")", from);
        sl_show_wrapped(out, b.s, 0, columns);
        sl_buf_free(&b);
        return 0;
    }
    if (sl_table_is_null(t, MAKESPAN))
        return sl_err(err, SL_ENOTFOUND, "%s lasted for no time: it and all below it have at most one event",
                      sl_table_text_or_empty(t, NAME));
    moment(sl_table_int(t, START), true, from, sizeof from);
    moment(sl_table_int(t, END), sl_table_int(t, END) / 86400000000000 != sl_table_int(t, START) / 86400000000000, to,
           sizeof to);
    sl_buf_addf(&b, "%s", sl_table_text_or_empty(t, NAME));
    if (!sl_table_is_null(t, SCRIPT))
        sl_buf_addf(&b, " (%s)", sl_table_text_or_empty(t, SCRIPT));
    state = sl_table_text_or_empty(t, STATE);
    sl_seconds_text(sl_table_real(t, MAKESPAN), a);
    if (!strcmp(state, "goes on")) {
        int64_t ago_ns = sl_clock_now_ns() - sl_table_int(t, END);
        sl_buf_addf(&b, " has run for %s so far, since %s UTC; its last event was %lld s ago", a, from,
                    (long long)(ago_ns > 0 ? ago_ns / 1000000000 : 0));
    } else if (!sl_table_is_null(t, SILENT)) {
        char since[32], silent[32];
        moment(sl_table_int(t, SILENT), false, since, sizeof since);
        sl_seconds_text((double)(sl_table_int(t, SILENT) - sl_table_int(t, START)) / 1e9, silent);
        sl_buf_addf(&b, " began at %s UTC; after %s, at %s, its driver fell silent, and others went on until %s", from,
                    silent, since, to);
    } else {
        sl_buf_addf(&b, " %s %s, %s to %s UTC%s", !strcmp(state, "cut short") ? "was cut short after" : "took", a, from,
                    to, !*state || !strcmp(state, "ended") ? "" : "; no log has its end");
    }
    sl_show_wrapped(out, b.s, 0, columns);
    sl_buf_clear(&b);
    sl_buf_addf(&b, "%s task%s", sl_show_count((unsigned long long)sl_table_int(t, TASKS), a),
                sl_table_int(t, TASKS) == 1 ? "" : "s");
    ended(&b, sl_result_find(r, "ended"));
    if (!sl_table_is_null(t, WORKERS))
        sl_buf_addf(&b, "; %s worker%s", sl_show_count((unsigned long long)sl_table_int(t, WORKERS), a),
                    sl_table_int(t, WORKERS) == 1 ? "" : "s");
    if (!sl_table_is_null(t, WORKERS) && sl_table_int(t, PLACES) > sl_table_int(t, WORKERS))
        sl_buf_addf(&b, " with %s places", sl_show_count((unsigned long long)sl_table_int(t, PLACES), a));
    if (sl_result_find(r, "pools")->rows > 1)
        pools(&b, sl_result_find(r, "pools"));
    else if (!sl_table_is_null(t, BUSY))
        sl_buf_addf(&b, ", %.0f %% busy while there", 100 * sl_table_real(t, BUSY));
    if (!sl_table_is_null(t, FIRST))
        sl_buf_addf(&b, "; the first task ran after %s", sl_seconds_text(sl_table_real(t, FIRST), a));
    sl_show_wrapped(out, b.s, 0, columns);
    sl_buf_free(&b);
    went(out, sl_result_find(r, "went"), sl_table_real(t, MAKESPAN), columns);
    return 0;
}

static int head_of_programs(FILE *out, const struct sl_result *r, int columns, struct sl_err *err)
{
    enum { NAME, START, END, MAKESPAN, PROCESSES, THREADS, RANKS, HOSTS, CALLS };
    const int64_t year_1980_s = 315532800;
    static const struct {
        int column;
        const char *one, *many;
        int least;
    } what[] = {{PROCESSES, "process", "processes", 0},
                {RANKS, "rank", "ranks", 1},
                {THREADS, "thread", "threads", 0},
                {HOSTS, "host", "hosts", 2},
                {CALLS, "call of traced functions", "calls of traced functions", 0}};
    struct sl_table *t = sl_result_find(r, "programs");
    struct sl_buf b = {0};
    char from[32], to[32], a[32];
    int rc = sl_table_next(t, err);
    int64_t start, end;

    if (rc <= 0)
        return rc;
    start = sl_table_int(t, START);
    end = sl_table_int(t, END);
    moment(start, true, from, sizeof from);
    moment(end, end / 86400000000000 != start / 86400000000000, to, sizeof to);
    sl_buf_addf(&b, "%s took %s", sl_table_text_or_empty(t, NAME), sl_seconds_text(sl_table_real(t, MAKESPAN), a));
    if (start > year_1980_s * 1000000000) /* else a clock that began with the machine */
        sl_buf_addf(&b, ", %s to %s UTC", from, to);
    sl_show_wrapped(out, b.s, 0, columns);
    sl_buf_clear(&b);
    if (!sl_table_int(t, PROCESSES))
        sl_buf_adds(
            &b, "it was not traced itself: a C, C++ or Fortran program has to be built for that (spanloom help flags)");
    for (size_t i = 0; i < sizeof what / sizeof *what && sl_table_int(t, PROCESSES); i++) {
        long long n = sl_table_int(t, what[i].column);
        if (n >= what[i].least)
            sl_buf_addf(&b, "%s%s %s", b.n ? ", " : "", sl_show_count((unsigned long long)n, a),
                        n == 1 ? what[i].one : what[i].many);
    }
    sl_show_wrapped(out, b.s, 0, columns);
    sl_buf_free(&b);
    went(out, sl_result_find(r, "went"), sl_table_real(t, MAKESPAN), columns);
    return 0;
}

enum { RANK, FINDING, SECONDS, SHARE, WITHOUT_S, SURE, WORDS, ADVICE, COMMAND };

static void one(FILE *out, struct sl_table *t, int columns)
{
    struct sl_buf b = {0};
    char a[32], w[32];

    fprintf(out, "\n%*lld. ", INDENT - 2, (long long)sl_table_int(t, RANK));
    if (!sl_table_is_null(t, SECONDS))
        sl_buf_addf(&b, "%s%s (%.0f %%):%s ", sl_show_colour(SL_COLOUR_COST),
                    sl_seconds_text(sl_table_real(t, SECONDS), a), 100 * sl_table_real(t, SHARE),
                    sl_show_colour(SL_COLOUR_NONE));
    sl_buf_addf(&b, "%s", sl_table_text_or_empty(t, WORDS));
    sl_show_wrapped(out, b.s, INDENT, columns);
    sl_buf_clear(&b);
    if (!sl_table_is_null(t, WITHOUT_S))
        sl_buf_addf(&b, "the run would take %s, %s", sl_seconds_text(sl_table_real(t, WITHOUT_S), w),
                    sl_table_text_or_empty(t, SURE));
    if (!sl_table_is_null(t, ADVICE))
        sl_buf_addf(&b, "%s%s", b.n ? "; " : "", sl_table_text_or_empty(t, ADVICE));
    if (b.n) {
        fprintf(out, "%*s", INDENT, "");
        sl_show_wrapped(out, b.s, INDENT, columns);
    }
    sl_buf_clear(&b);
    if (!sl_table_is_null(t, COMMAND))
        fprintf(out, "%*s%s\n", INDENT, "", sl_table_text_or_empty(t, COMMAND));
    sl_buf_free(&b);
}

static void more(FILE *out, struct sl_table *t)
{
    fputs("\nnothing stands out\n", out);
    while (sl_table_next(t, NULL) > 0)
        fprintf(out, "%*s%s: %s\n", INDENT, "", sl_table_text_or_empty(t, 0), sl_table_text_or_empty(t, 1));
}

static int count_lines(const char *s)
{
    int n = 0;

    for (; *s; s++)
        n += *s == '\n';
    return n;
}

/* Findings, until one would not fit on the screen below `lines` others; those that cost most come first. */
int sl_show_why(FILE *out, const struct sl_result *r, int columns, bool all, struct sl_err *err)
{
    enum { BELOW = 5 }; /* what overlaps, and how many more there are */
    struct sl_table *t = sl_result_find(r, "findings");
    int n = 0, priced = 0, more_n = 0, lines = 0, rc = 0;

    for (int part = 0; !rc; part++) { /* the first is what stands above the findings */
        char *text = NULL;
        size_t size;
        FILE *piece;
        if (part && (rc = sl_table_next(t, err)) <= 0)
            break;
        piece = sl_must(open_memstream(&text, &size));
        rc = part                            ? 0
             : sl_result_find(r, "programs") ? head_of_programs(piece, r, columns, err)
                                             : head(piece, r, columns, err);
        if (part)
            one(piece, t, columns);
        fclose(piece);
        if (more_n || (part > 1 && !all && lines + count_lines(text) + BELOW > SCREEN)) {
            more_n++;
        } else {
            lines += count_lines(text);
            fputs(text, out);
            priced += part && !sl_table_is_null(t, SECONDS);
        }
        n += part > 0;
        free(text);
    }
    if (rc < 0)
        return rc;
    if (priced > 1) {
        fputc('\n', out);
        sl_show_wrapped(out,
                        sl_result_find(r, "programs")
                            ? "What findings cost overlaps, and does not add up."
                            : "What findings cost overlaps, and does not add up. By replay: with tasks scheduled anew "
                              "as if it were not.",
                        0, columns);
    }
    if (!n)
        more(out, sl_result_find(r, "more"));
    else if (more_n)
        fprintf(out, "\n%d more finding%s; --all has %s\n", more_n, more_n == 1 ? "" : "s",
                more_n == 1 ? "it" : "them");
    return 0;
}

static void change(FILE *out, struct sl_table *t, int columns)
{
    enum { WHAT, NAME, A_S, B_S, CHANGE_S, A, B };
    bool a = !sl_table_is_null(t, A_S), b = !sl_table_is_null(t, B_S);
    bool finding = !strcmp(sl_table_text_or_empty(t, WHAT), "finding");
    struct sl_buf line = {0};
    char x[32], y[32];

    fprintf(out, "  %+9.3g s  ", sl_table_real(t, CHANGE_S));
    if (finding)
        sl_buf_addf(&line, "%s: %s", !a ? "came" : !b ? "gone" : "changed", sl_table_text_or_empty(t, b ? B : A));
    else
        sl_buf_addf(&line, "%s", sl_table_text_or_empty(t, NAME));
    if (!finding && !sl_table_is_null(t, A))
        sl_buf_addf(&line, ": %s", sl_table_text_or_empty(t, A));
    if (!finding && !sl_table_is_null(t, B))
        sl_buf_addf(&line, "%s%s", a ? " -> " : ": only B: ", sl_table_text_or_empty(t, B));
    if (!strcmp(sl_table_text_or_empty(t, WHAT), "went"))
        sl_buf_addf(&line, ": %s -> %s", a ? sl_seconds_text(sl_table_real(t, A_S), x) : "none",
                    b ? sl_seconds_text(sl_table_real(t, B_S), y) : "none");
    sl_show_wrapped(out, line.s, 15, columns);
    sl_buf_free(&line);
}

int sl_show_why_compared(FILE *out, const struct sl_result *r, int columns, struct sl_err *err)
{
    enum { MOST = 6 };
    static const char *const heading[][2] = {{"went", "where the time went; these changes make up that of the whole"},
                                             {"finding", "findings that came, went or changed"},
                                             {"app", "apps: time of all their tasks, by the places on workers"}};
    struct sl_table *runs = sl_result_find(r, "runs"), *t = sl_result_find(r, "changes");
    struct sl_buf line = {0};
    double took[2] = {NAN, NAN};
    char a[32], b[32];
    int rc = 0;

    for (int i = 0; i < 2 && (rc = sl_table_next(runs, err)) > 0; i++) {
        took[i] = sl_table_real_or_nan(runs, 3);
        sl_buf_clear(&line);
        sl_buf_addf(&line, "%s: %s, %lld tasks", sl_table_text_or_empty(runs, 1), sl_seconds_text(took[i], a),
                    (long long)sl_table_int(runs, 4));
        if (!sl_table_is_null(runs, 5))
            sl_buf_addf(&line, ", %lld workers", (long long)sl_table_int(runs, 5));
        fprintf(out, "%s  ", sl_table_text_or_empty(runs, 0));
        sl_show_wrapped(out, line.s, 3, columns);
    }
    sl_buf_free(&line);
    if (rc < 0)
        return rc;
    if (fabs(took[1] - took[0]) < 0.001 * took[0])
        fputs("B took as long as A\n", out);
    else
        fprintf(out, "B took %s %s than A (%+.1f %%)\n", sl_seconds_text(fabs(took[1] - took[0]), b),
                took[1] >= took[0] ? "longer" : "less", 100 * (took[1] / took[0] - 1));
    for (size_t h = 0; h < sizeof heading / sizeof *heading; h++) {
        int n = 0;
        sl_table_rewind(t);
        while ((rc = sl_table_next(t, err)) > 0) {
            double s = fabs(sl_table_real(t, 4));
            if (strcmp(sl_table_text_or_empty(t, 0), heading[h][0]) != 0 || s < 0.01 * fmax(took[0], took[1]))
                continue;
            if (!n++)
                fprintf(out, "\n%s\n", heading[h][1]);
            if (n <= MOST)
                change(out, t, columns);
        }
        if (n > MOST)
            fprintf(out, "  and %d more; --format csv has all\n", n - MOST);
    }
    return rc;
}

int sl_show_task_failures(FILE *out, const struct sl_result *r, int columns, struct sl_err *err)
{
    enum { TASKS, TRIES, THEN_DONE, FAILED, SECONDS, APP, HOST, EXAMPLE, EXCEPTION };
    enum { MOST = 20 };
    struct sl_table *t = sl_result_find(r, "failures");
    char digits[32];
    int rc, n = 0;

    while ((rc = sl_table_next(t, err)) > 0) {
        struct sl_buf b = {0};
        if (++n > MOST)
            continue;
        if (n == 1)
            fputs(" tasks  tries  then done  failed   lost s  what\n", out);
        fprintf(out, "%6lld %6lld %10lld %s%7lld%s %8s  ", (long long)sl_table_int(t, TASKS),
                (long long)sl_table_int(t, TRIES), (long long)sl_table_int(t, THEN_DONE),
                sl_show_colour(sl_table_int(t, FAILED) ? SL_COLOUR_FAILED : SL_COLOUR_NONE),
                (long long)sl_table_int(t, FAILED), sl_show_colour(SL_COLOUR_NONE),
                sl_show_digits(sl_table_real(t, SECONDS), digits));
        sl_buf_addf(&b, "%s", sl_table_text_or_empty(t, EXAMPLE));
        if (!sl_table_is_null(t, HOST))
            sl_buf_addf(&b, " on %s", sl_table_text_or_empty(t, HOST));
        sl_buf_addf(&b, ": %s",
                    sl_table_is_null(t, EXCEPTION) ? "nothing says why" : sl_table_text_or_empty(t, EXCEPTION));
        sl_show_wrapped(out, b.s, 43, columns);
        sl_buf_free(&b);
    }
    if (rc < 0)
        return rc;
    if (!n)
        fputs("nothing failed, as far as logs tell\n", out);
    if (n > MOST)
        fprintf(out, "%d more; --format csv has all\n", n - MOST);
    t = sl_result_find(r, "dependents");
    for (n = 0; (rc = sl_table_next(t, err)) > 0;)
        if (++n <= MOST)
            fprintf(out, "%s%lld task%s never ran because %s failed\n", n == 1 ? "\n" : "",
                    (long long)sl_table_int(t, 0), sl_table_int(t, 0) == 1 ? "" : "s", sl_table_text_or_empty(t, 1));
    if (n > MOST)
        fprintf(out, "%d more tasks of which others depended failed; --format json has all\n", n - MOST);
    return rc;
}
