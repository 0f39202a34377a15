/* SPDX-License-Identifier: Apache-2.0 */
#include "show/print_why.h"
#include "base/clock.h"

#include <ctype.h>
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

static void ended(struct sl_buf *b, struct sl_table *t, int64_t from_memo)
{
    char n[32];
    const char *sep = ": ";

    while (sl_table_next(t, NULL) > 0) {
        const char *how = sl_table_text(t, 0, NULL);
        sl_buf_addf(b, "%s%s%s %s%s", sep,
                    sl_show_colour(how && strstr(how, "failed") ? SL_COLOUR_FAILED : SL_COLOUR_NONE),
                    sl_show_count((unsigned long long)sl_table_int(t, 1), n), how ? how : "not done",
                    sl_show_colour(SL_COLOUR_NONE));
        if (from_memo && how && !strcmp(how, "done"))
            sl_buf_addf(b, " (%s of them from memo)", sl_show_count((unsigned long long)from_memo, n));
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
static void went(FILE *out, struct sl_table *t, const char *where, double makespan_s, int columns)
{
    enum { MOST = 4 };
    struct sl_buf b = {0};
    int rest = 100;

    for (int i = 0; i < MOST && sl_table_next(t, NULL) > 0 && sl_table_real(t, 1) >= 0.05 * makespan_s; i++) {
        int percent = (int)lround(100 * sl_table_real(t, 1) / makespan_s);
        sl_buf_addf(&b, "%s%d %% %s", i ? "; " : where, percent, sl_table_text_or_empty(t, 0));
        rest -= percent;
    }
    if (b.n && rest > 0)
        sl_buf_addf(&b, "; %d %% other", rest);
    if (b.n)
        sl_show_wrapped(out, b.s, 0, columns);
    sl_buf_free(&b);
}

/* What stands above the findings.  *makespan_s: how long it took, as far as that is told. */
static int head(FILE *out, const struct sl_result *r, int columns, double *makespan_s, struct sl_err *err)
{
    enum {
        NAME,
        SCRIPT,
        WORKFLOW,
        START,
        END,
        MAKESPAN,
        TASKS,
        WORKERS,
        BUSY,
        FIRST,
        STATE,
        PLACES,
        SILENT,
        MEMO,
        UNIT
    };
    const char *state, *unit;
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
    *makespan_s = sl_table_real(t, MAKESPAN);
    sl_seconds_beside(*makespan_s, *makespan_s, a);
    if (!strcmp(state, "goes on")) {
        int64_t ago_ns = sl_clock_now_ns() - sl_table_int(t, END);
        sl_buf_addf(&b, " has run for %s so far, since %s UTC; its last event was %lld s ago", a, from,
                    (long long)(ago_ns > 0 ? ago_ns / 1000000000 : 0));
    } else if (!sl_table_is_null(t, SILENT)) {
        char since[32], silent[32];
        moment(sl_table_int(t, SILENT), false, since, sizeof since);
        sl_seconds_beside((double)(sl_table_int(t, SILENT) - sl_table_int(t, START)) / 1e9, *makespan_s, silent);
        sl_buf_addf(&b, " began at %s UTC; after %s, at %s, its driver fell silent, and others went on until %s", from,
                    silent, since, to);
    } else {
        sl_buf_addf(&b, " %s %s, %s to %s UTC%s", !strcmp(state, "cut short") ? "was cut short after" : "took", a, from,
                    to, !*state || !strcmp(state, "ended") ? "" : "; no log has its end");
    }
    sl_show_wrapped(out, b.s, 0, columns);
    sl_buf_clear(&b);
    unit = sl_table_text_or_empty(t, UNIT);
    sl_buf_addf(&b, "%s %s%s", sl_show_count((unsigned long long)sl_table_int(t, TASKS), a), unit,
                sl_table_int(t, TASKS) == 1 ? "" : "s");
    ended(&b, sl_result_find(r, "ended"), sl_table_is_null(t, MEMO) ? 0 : sl_table_int(t, MEMO));
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
        sl_buf_addf(&b, "; the first %s ran after %s", unit,
                    sl_seconds_beside(sl_table_real(t, FIRST), *makespan_s, a));
    sl_show_wrapped(out, b.s, 0, columns);
    sl_buf_free(&b);
    went(out, sl_result_find(r, "went"), "critical path: ", *makespan_s, columns);
    return 0;
}

static int head_of_programs(FILE *out, const struct sl_result *r, int columns, double *makespan_s, struct sl_err *err)
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
                {CALLS, "call of traced functions", "calls of traced functions", 0}},
      of_spans[] = {{PROCESSES, "service", "services", 1},
                    {RANKS, "rank", "ranks", 1},
                    {THREADS, "thread", "threads", 1},
                    {HOSTS, "host", "hosts", 2},
                    {CALLS, "span of OpenTelemetry", "spans of OpenTelemetry", 0}};
    struct sl_table *t = sl_result_find(r, "programs");
    struct sl_buf b = {0};
    char from[32], to[32], a[32];
    int rc = sl_table_next(t, err);
    int64_t start, end;

    if (rc <= 0)
        return rc;
    *makespan_s = sl_table_real(t, MAKESPAN);
    start = sl_table_int(t, START);
    end = sl_table_int(t, END);
    moment(start, true, from, sizeof from);
    moment(end, end / 86400000000000 != start / 86400000000000, to, sizeof to);
    sl_buf_addf(&b, "%s took %s", sl_table_text_or_empty(t, NAME), sl_seconds_beside(*makespan_s, *makespan_s, a));
    if (start > year_1980_s * 1000000000) /* else a clock that began with the machine */
        sl_buf_addf(&b, ", %s to %s UTC", from, to);
    sl_show_wrapped(out, b.s, 0, columns);
    sl_buf_clear(&b);
    if (!sl_table_int(t, PROCESSES))
        sl_buf_adds(
            &b, "it was not traced itself: a C, C++ or Fortran program has to be built for that (spanloom help flags)");
    for (size_t i = 0; i < sizeof what / sizeof *what && sl_table_int(t, PROCESSES); i++) {
        long long n = sl_table_int(t, what[i].column);
        const char *one = sl_table_int(t, THREADS) ? what[i].one : of_spans[i].one; /* a process has a thread */
        const char *many = sl_table_int(t, THREADS) ? what[i].many : of_spans[i].many;
        if (n >= (sl_table_int(t, THREADS) ? what[i].least : of_spans[i].least))
            sl_buf_addf(&b, "%s%s %s", b.n ? ", " : "", sl_show_count((unsigned long long)n, a), n == 1 ? one : many);
    }
    sl_show_wrapped(out, b.s, 0, columns);
    sl_buf_free(&b);
    went(out, sl_result_find(r, "went"), "where: ", *makespan_s, columns);
    return 0;
}

enum { RANK, FINDING, SECONDS, SHARE, WITHOUT_S, SURE, WORDS, ADVICE, COMMAND, CHANGES, SPANS, USUAL, TOOK_S, SAME_AS };

/* What it cost, or what it tells of took; NaN: nothing says. */
static double seconds_of(const struct sl_table *t)
{
    return sl_table_real_or_nan(t, sl_table_is_null(t, SECONDS) ? TOOK_S : SECONDS);
}

static void one(FILE *out, struct sl_table *t, double makespan_s, int columns)
{
    struct sl_buf b = {0};
    char a[32], w[32];

    fprintf(out, "\n%*lld. ", INDENT - 2, (long long)sl_table_int(t, RANK));
    if (!isnan(seconds_of(t)))
        sl_buf_addf(&b, "%s%s (%.0f %%)%s", sl_show_colour(SL_COLOUR_COST),
                    sl_seconds_beside(seconds_of(t), makespan_s, a), 100 * sl_table_real(t, SHARE),
                    sl_show_colour(SL_COLOUR_NONE));
    if (!sl_table_is_null(t, SAME_AS))
        sl_buf_addf(&b, ", of the same seconds as %lld", (long long)sl_table_int(t, SAME_AS));
    sl_buf_addf(&b, "%s%s", b.n ? ": " : "", sl_table_text_or_empty(t, WORDS));
    sl_show_wrapped(out, b.s, INDENT, columns);
    sl_buf_clear(&b);
    if (!sl_table_is_null(t, WITHOUT_S))
        sl_buf_addf(&b, "the run would take %s, %s", sl_seconds_beside(sl_table_real(t, WITHOUT_S), makespan_s, w),
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

/* "By replay: ...", what words of the screen mean. */
static void add_terms(struct sl_buf *b, const struct sl_result *r)
{
    struct sl_table *t = sl_result_find(r, "terms");

    while (t && sl_table_next(t, NULL) > 0) {
        const char *term = sl_table_text_or_empty(t, 0);
        sl_buf_addf(b, "%s%c%s: %s.", b->n ? " " : "", toupper((unsigned char)*term), term + 1,
                    sl_table_text_or_empty(t, 1));
    }
}

/* How many lines those take that have no seconds, such as what failed. */
static int lines_of_notes(struct sl_table *t, int columns)
{
    int lines = 0;

    while (sl_table_next(t, NULL) > 0) {
        char *text;
        size_t size;
        FILE *piece;
        if (!isnan(seconds_of(t)))
            continue;
        piece = sl_must(open_memstream(&text, &size));
        one(piece, t, 0, columns);
        fclose(piece);
        lines += count_lines(text);
        free(text);
    }
    sl_table_rewind(t);
    return lines;
}

/* That seconds are no sum, what words mean, and which findings (ranks) sound runs have, too. */
static void what_they_are(FILE *out, const struct sl_result *r, bool several, const char *usual, int columns)
{
    struct sl_buf b = {0};

    if (several)
        sl_buf_adds(&b,
                    "What findings cost overlaps, and does not add up: spanloom plan says what repairs save together.");
    add_terms(&b, r);
    if (*usual)
        sl_buf_addf(&b, "%sSound runs have findings like %s, too.", b.n ? " " : "", usual);
    if (b.n) {
        fputc('\n', out);
        sl_show_wrapped(out, b.s, 0, columns);
    }
    sl_buf_free(&b);
}

/*
 * Findings, those that cost most first, until one would not fit on the screen above those that have no seconds, all of
 * which are shown, and some other lines.
 */
int sl_show_why(FILE *out, const struct sl_result *r, int columns, bool all, struct sl_err *err)
{
    enum { BELOW = 5 }; /* what overlaps, and how many more there are */
    struct sl_table *t = sl_result_find(r, "findings");
    int n = 0, usual = 0, priced = 0, more_n = 0, lines = BELOW + lines_of_notes(t, columns), rc = 0;
    double makespan_s = 0, more_s = 0;
    struct sl_buf ranks = {0};
    char a[SL_SECONDS_TEXT];

    for (int part = 0; !rc; part++) { /* the first is what stands above the findings */
        char *text = NULL;
        size_t size;
        FILE *piece;
        bool note;
        if (part && (rc = sl_table_next(t, err)) <= 0)
            break;
        piece = sl_must(open_memstream(&text, &size));
        rc = part                            ? 0
             : sl_result_find(r, "programs") ? head_of_programs(piece, r, columns, &makespan_s, err)
                                             : head(piece, r, columns, &makespan_s, err);
        if (part)
            one(piece, t, makespan_s, columns);
        fclose(piece);
        note = part && isnan(seconds_of(t));
        if (!note && (more_n || (part > 1 && !all && lines + count_lines(text) > SCREEN))) {
            more_s = more_n++ ? more_s : seconds_of(t);
        } else {
            lines += note ? 0 : count_lines(text);
            fputs(text, out);
            priced += part && !note;
            if (part && !sl_table_is_null(t, USUAL))
                sl_buf_addf(&ranks, "%s%lld", ranks.n ? " and " : "", (long long)sl_table_int(t, RANK));
        }
        n += part > 0;
        usual += part && !sl_table_is_null(t, USUAL);
        free(text);
    }
    if (rc >= 0)
        what_they_are(out, r, priced > 1, ranks.n && usual < n ? ranks.s : "", columns);
    sl_buf_free(&ranks);
    if (rc < 0)
        return rc;
    if (n && usual == n)
        fputs("\nnothing else stands out: sound runs have findings like these, too\n", out);
    if (!n)
        more(out, sl_result_find(r, "more"));
    else if (more_n)
        fprintf(out, "\n%d more finding%s, of %s%s; --all has %s\n", more_n, more_n == 1 ? "" : "s",
                sl_seconds_beside(more_s, makespan_s, a), more_n == 1 ? "" : " and less", more_n == 1 ? "it" : "them");
    return 0;
}

/* Changes of runs of which the longer took `most` seconds. */
static void change(FILE *out, struct sl_table *t, double most, int columns)
{
    enum { WHAT, NAME, A_S, B_S, CHANGE_S, A, B };
    enum { SIGNED = 12 }; /* "-12 min 30 s" */
    bool a = !sl_table_is_null(t, A_S), b = !sl_table_is_null(t, B_S), note = sl_table_is_null(t, CHANGE_S);
    bool finding = !strcmp(sl_table_text_or_empty(t, WHAT), "finding");
    double s = note ? 0 : sl_table_real(t, CHANGE_S);
    struct sl_buf line = {0};
    char x[SL_SECONDS_TEXT], y[SL_SECONDS_TEXT], sign[SL_SECONDS_TEXT + 1] = "";

    if (!note)
        snprintf(sign, sizeof sign, "%s%s", s > 0 ? "+" : "", sl_seconds_beside(s, most, x));
    fprintf(out, "  %*s  ", SIGNED, sign);
    if (finding && a && b)
        sl_buf_addf(&line, "%s, %s -> %s: %s", s > 0 ? "more" : "less",
                    sl_seconds_beside(sl_table_real(t, A_S), most, x),
                    sl_seconds_beside(sl_table_real(t, B_S), most, y), sl_table_text_or_empty(t, B));
    else if (finding) {
        const char *text = sl_table_text_or_empty(t, sl_table_is_null(t, B) ? A : B), *end = strstr(text, ". ");
        sl_buf_addf(&line, "%s: %.*s", sl_table_is_null(t, B) ? "gone" : "came",
                    (int)(note && end ? end - text : (ptrdiff_t)strlen(text)), text); /* of a note its first sentence */
    } else
        sl_buf_addf(&line, "%s: ", sl_table_text_or_empty(t, NAME));
    if (!finding && sl_table_is_null(t, A) && sl_table_is_null(t, B))
        sl_buf_addf(&line, "%s -> %s", a ? sl_seconds_beside(sl_table_real(t, A_S), most, x) : "none",
                    b ? sl_seconds_beside(sl_table_real(t, B_S), most, y) : "none");
    else if (!finding)
        sl_buf_addf(&line, "%s -> %s", sl_table_is_null(t, A) ? "none" : sl_table_text_or_empty(t, A),
                    sl_table_is_null(t, B) ? "none" : sl_table_text_or_empty(t, B));
    sl_show_wrapped(out, line.s, SIGNED + 4, columns);
    sl_buf_free(&line);
}

/* Whether its logs end before it does. */
static bool has_no_end(const char *state)
{
    return !strcmp(state, "cut short") || !strcmp(state, "goes on") || !strcmp(state, "driver silent");
}

/* What A or B was: how long it took, or until when it is known, and with how many workers. */
static void side(FILE *out, struct sl_table *runs, double most, int columns)
{
    enum { SIDE, NAME, START, MAKESPAN, TASKS, WORKERS, PLACES, DONE, STATE };
    const char *state = sl_table_text_or_empty(runs, STATE);
    int64_t tasks = sl_table_int(runs, TASKS), done = sl_table_is_null(runs, DONE) ? 0 : sl_table_int(runs, DONE);
    struct sl_buf line = {0};
    char a[SL_SECONDS_TEXT], n[32];

    sl_buf_addf(&line, "%s: ", sl_table_text_or_empty(runs, NAME));
    if (!sl_table_is_null(runs, MAKESPAN))
        sl_buf_addf(&line, "%s%s, ", sl_seconds_beside(sl_table_real(runs, MAKESPAN), most, a),
                    has_no_end(state) ? " until its logs end" : "");
    sl_buf_addf(&line, "%s task%s", sl_show_count((unsigned long long)tasks, n), tasks == 1 ? "" : "s");
    if (done < tasks)
        sl_buf_addf(&line, ", %s of them done", done ? sl_show_count((unsigned long long)done, n) : "none");
    if (!sl_table_is_null(runs, WORKERS))
        sl_buf_addf(&line, ", %s worker%s", sl_show_count((unsigned long long)sl_table_int(runs, WORKERS), n),
                    sl_table_int(runs, WORKERS) == 1 ? "" : "s");
    if (!sl_table_is_null(runs, WORKERS) && sl_table_int(runs, PLACES) > sl_table_int(runs, WORKERS))
        sl_buf_addf(&line, " with %s places", sl_show_count((unsigned long long)sl_table_int(runs, PLACES), n));
    fprintf(out, "%s  ", sl_table_text_or_empty(runs, SIDE));
    sl_show_wrapped(out, line.s, 3, columns);
    sl_buf_free(&line);
}

int sl_show_why_compared(FILE *out, const struct sl_result *r, int columns, struct sl_err *err)
{
    enum { MOST = 6, MAKESPAN = 3, STATE = 8, CHANGE_S = 4 };
    static const char *const heading[][2] = {
        {"went", "where the time went, along the critical path; these add up to the whole"},
        {"finding", "findings that came, went or changed"},
        {"app", "apps: how long their tasks ran, divided by the places on workers"}};
    struct sl_table *runs = sl_result_find(r, "runs"), *t = sl_result_find(r, "changes");
    double took[2] = {NAN, NAN}, most = 0, more;
    bool no_end = false;
    struct sl_buf terms = {0};
    char b[SL_SECONDS_TEXT];
    int rc = 0;

    for (int i = 0; (rc = sl_table_next(runs, err)) > 0; i++) {
        took[i % 2] = sl_table_real_or_nan(runs, MAKESPAN);
        most = fmax(most, took[i % 2]);
        no_end |= has_no_end(sl_table_text_or_empty(runs, STATE));
    }
    sl_table_rewind(runs);
    while (!rc && (rc = sl_table_next(runs, err)) > 0) {
        side(out, runs, most, columns);
        rc = 0;
    }
    if (rc < 0)
        return rc;
    more = 100 * (took[1] / took[0] - 1);
    if (fabs(took[1] - took[0]) < 0.001 * took[0])
        fputs("B took as long as A\n", out);
    else
        fprintf(out, "%sB took %s %s than A (%+.*f %%)\n", no_end ? "as far as logs tell " : "",
                sl_seconds_beside(fabs(took[1] - took[0]), most, b), took[1] >= took[0] ? "longer" : "less",
                fabs(more) < 9.95 ? 1 : 0, more);
    for (size_t h = 0; h < sizeof heading / sizeof *heading; h++) {
        int n = 0;
        sl_table_rewind(t);
        while ((rc = sl_table_next(t, err)) > 0) {
            if (strcmp(sl_table_text_or_empty(t, 0), heading[h][0]) != 0 ||
                (!sl_table_is_null(t, CHANGE_S) && fabs(sl_table_real(t, CHANGE_S)) < 0.01 * most))
                continue;
            if (!n++)
                fprintf(out, "\n%s\n", heading[h][1]);
            if (n <= MOST)
                change(out, t, most, columns);
        }
        if (n > MOST)
            fprintf(out, "  and %d more; --format csv has all\n", n - MOST);
    }
    add_terms(&terms, r);
    if (terms.n) {
        fputc('\n', out);
        sl_show_wrapped(out, terms.s, 0, columns);
    }
    sl_buf_free(&terms);
    return rc;
}

int sl_show_task_failures(FILE *out, const struct sl_result *r, int columns, struct sl_err *err)
{
    enum { TASKS, TRIES, THEN_DONE, FAILED, SECONDS, APP, HOST, EXAMPLE, EXCEPTION, UNIT };
    enum { MOST = 20 };
    struct sl_table *t = sl_result_find(r, "failures");
    char digits[32];
    int rc, n = 0;

    while ((rc = sl_table_next(t, err)) > 0) {
        struct sl_buf b = {0};
        if (++n > MOST)
            continue;
        if (n == 1)
            fputs(!strcmp(sl_table_text_or_empty(t, UNIT), "job") ? "  jobs  tries  then done  failed   lost s  what\n"
                                                                  : " tasks  tries  then done  failed   lost s  what\n",
                  out);
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
            fprintf(out, "%s%lld %s%s never ran because %s failed\n", n == 1 ? "\n" : "", (long long)sl_table_int(t, 0),
                    sl_table_text_or_empty(t, 3), sl_table_int(t, 0) == 1 ? "" : "s", sl_table_text_or_empty(t, 1));
    if (n > MOST)
        fprintf(out, "%d more of which others depended failed; --format json has all\n", n - MOST);
    return rc;
}
