/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One span and what became of it: its log lines, its contexts, its events.
 */
#include "cli/history.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli_history.sql.h"
#include "ingest/log_lines.h"
#include "result/span_names.h"

#include <stdlib.h>

/* ---- lines ---- */

struct gather {
    struct sl_store *st;
    sqlite3_stmt *insert;
    unsigned char *wanted; /* a bit a span; NULL: all */
    size_t nwanted;
    bool failed;
};

static bool wanted(const struct gather *g, uint32_t span)
{
    return !g->wanted || (span / 8 < g->nwanted && g->wanted[span / 8] >> span % 8 & 1);
}

/* The spans below the root: lines of others are not kept. */
static int want_below(struct gather *g, int64_t root, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(g->st, "SELECT span FROM descendants(?)", err);
    int rc = q ? 0 : SL_ESTORE;

    g->nwanted = (size_t)sl_store_int(g->st, "SELECT max(id) FROM sl_span", 0) / 8 + 1;
    g->wanted = sl_alloc(g->nwanted);
    if (q)
        sqlite3_bind_int64(q, 1, root);
    while (!rc && (rc = sl_store_step(g->st, q, err)) > 0) {
        uint32_t span = (uint32_t)sqlite3_column_int64(q, 0);
        rc = 0;
        if (span / 8 < g->nwanted)
            g->wanted[span / 8] |= (unsigned char)(1u << span % 8);
    }
    sqlite3_finalize(q);
    return rc;
}

static void take_line(void *to, const struct sl_line *l)
{
    struct gather *g = to;
    struct sl_buf clean = {0};

    for (size_t i = 0; i < l->nspans; i++) {
        if (!wanted(g, l->span[i]))
            continue;
        if (!clean.s)
            sl_buf_add_utf8(&clean, l->text, l->n);
        sqlite3_bind_int64(g->insert, 1, l->span[i]);
        sqlite3_bind_int64(g->insert, 2, l->source);
        sqlite3_bind_int64(g->insert, 3, l->place);
        if (l->timed)
            sqlite3_bind_int64(g->insert, 4, l->time_ns);
        else
            sqlite3_bind_null(g->insert, 4);
        sqlite3_bind_text(g->insert, 5, clean.s, (int)clean.n, SQLITE_STATIC);
        g->failed |= sqlite3_step(g->insert) != SQLITE_DONE;
        sqlite3_reset(g->insert);
    }
    sl_buf_free(&clean);
}

static void line_problem(void *to, const char *text)
{
    (void)to;
    fprintf(stderr, "spanloom: %s\n", text);
}

int history_gather_lines(const struct cli *cli, struct sl_store *st, int64_t span, struct sl_err *err)
{
    struct sl_recipes *set = sl_recipes_new();
    struct gather g = {.st = st};
    struct sl_buf which = {0};
    int rc = cli_recipes(cli, set, err);

    if (!rc) /* temporary tables are not the store: query_only would forbid them, too */
        rc = sl_store_exec(st,
                           "PRAGMA query_only = 0; PRAGMA temp.journal_mode = OFF; CREATE TEMP TABLE sl_line (span "
                           "INTEGER, source INTEGER, place INTEGER, "
                           "time_ns INTEGER, text TEXT, PRIMARY KEY (span, source, place)) WITHOUT ROWID",
                           err);
    if (!rc && !(g.insert = sl_store_prepare(st, "INSERT OR IGNORE INTO temp.sl_line VALUES (?, ?, ?, ?, ?)", err)))
        rc = SL_ESTORE;
    if (!rc && span)
        rc = want_below(&g, span, err);
    if (!rc)
        rc = sl_store_exec(st, "BEGIN", err);
    if (span) /* the files that say something below it, and what lies in the same run directory */
        sl_buf_addf(&which, sql_history_gather_lines, (long long)span);
    else
        sl_buf_adds(&which, "SELECT id FROM sl_source");
    if (!rc)
        rc = sl_lines(st, set, cli->project, which.s, take_line, line_problem, &g, err);
    if (!rc && g.failed)
        rc = sl_store_err(st, "cannot keep the lines", err);
    sqlite3_finalize(g.insert);
    sl_store_exec(st, "COMMIT", NULL);
    free(g.wanted);
    sl_store_exec(st, "PRAGMA query_only = 1", NULL);
    sl_recipes_free(set);
    sl_buf_free(&which);
    return rc;
}

/* ---- contexts ---- */

static void put_pair(const char *name, const char *value)
{
    struct sl_buf b = {0};

    sl_show_clean(&b, name, strlen(name));
    for (int pad = (int)b.n; pad < 28; pad++)
        sl_buf_addc(&b, ' ');
    sl_buf_addc(&b, ' ');
    sl_show_clean(&b, value, strlen(value));
    printf("  %s\n", b.s);
    sl_buf_free(&b);
}

/* The first `most` rows; all: how the others are seen. */
static int list(struct sl_store *st, int64_t span, const char *title, const char *sql, long long most, const char *all,
                struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql, err);
    long long n = 0;
    int rc = q ? 0 : SL_ESTORE;
    char name[600];

    if (q)
        sqlite3_bind_int64(q, 1, span);
    while (!rc && (rc = sl_store_step(st, q, err)) > 0) {
        rc = 0;
        if (!n)
            printf("\n%s:\n", title);
        if (n++ >= most)
            continue;
        if (sqlite3_column_type(q, 0) == SQLITE_INTEGER)
            printf("  %s%s\n", sl_span_name(st, sqlite3_column_int64(q, 0), name, sizeof name),
                   sqlite3_column_count(q) > 1 ? (const char *)sqlite3_column_text(q, 1) : "");
        else
            put_pair((const char *)sqlite3_column_text(q, 0), (const char *)sqlite3_column_text(q, 1));
    }
    if (!rc && n > most)
        printf("  and %lld more: spanloom sql -d %s \"%s%lld\"\n", n - most, st->path, all, (long long)span);
    sqlite3_finalize(q);
    return rc;
}

struct tree {
    struct sl_store *st;
    sqlite3_stmt *below, *one, *beside, *how;
    SL_VEC(int64_t) seen;
    int printed;
    char how_text[300];
};

enum { LISTED = 20, TREE_LINES = 60 };

static bool saw(struct tree *t, int64_t id)
{
    for (size_t i = 0; i < t->seen.n; i++)
        if (t->seen.v[i] == id)
            return true;
    *sl_vec_add(&t->seen) = id;
    return false;
}

/* "  (inferred: RULE, 0.9)" where no record says that these belong together. */
static const char *inferred(struct tree *t, int64_t a, int64_t b)
{
    t->how_text[0] = 0;
    sqlite3_bind_int64(t->how, 1, a);
    sqlite3_bind_int64(t->how, 2, b);
    if (sqlite3_step(t->how) == SQLITE_ROW)
        snprintf(t->how_text, sizeof t->how_text, "  (inferred: %s, %g)", (const char *)sqlite3_column_text(t->how, 0),
                 sqlite3_column_double(t->how, 1));
    sqlite3_reset(t->how);
    return t->how_text;
}

static void put_rest_of_tree(const struct tree *t)
{
    char sql[80];

    snprintf(sql, sizeof sql, "SELECT count(*) FROM descendants(%lld)", (long long)t->seen.v[0]);
    printf("  and %lld more: spanloom sql -d %s 'select * from descendants(%lld)'\n",
           (long long)sl_store_int(t->st, sql, 0) - TREE_LINES, t->st->path, (long long)t->seen.v[0]);
}

static void put_tree(struct tree *t, int64_t id, int64_t above, int depth, const char *sign)
{
    SL_VEC(int64_t) next = {0};
    size_t nsub;

    if (t->printed > TREE_LINES || saw(t, id))
        return;
    sqlite3_bind_int64(t->one, 1, id);
    if (sqlite3_step(t->one) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(t->one, 0),
                   *key = (const char *)sqlite3_column_text(t->one, 1);
        const char *in = sqlite3_column_int64(t->one, 3) == above ? NULL : (const char *)sqlite3_column_text(t->one, 2);
        char left[400];
        snprintf(left, sizeof left, "%*s%s%s %s", depth * 2 + 2, "", sign, type, key);
        if (++t->printed > TREE_LINES)
            put_rest_of_tree(t);
        else
            printf(in ? "%-64s in %s%s\n" : "%s%s%s\n", left, in ? in : "", inferred(t, above, id));
    }
    sqlite3_reset(t->one);
    sqlite3_bind_int64(t->below, 1, id);
    while (sqlite3_step(t->below) == SQLITE_ROW)
        *sl_vec_add(&next) = sqlite3_column_int64(t->below, 0);
    sqlite3_reset(t->below);
    nsub = next.n;
    sqlite3_bind_int64(t->beside, 1, id);
    while (sqlite3_step(t->beside) == SQLITE_ROW)
        *sl_vec_add(&next) = sqlite3_column_int64(t->beside, 0);
    sqlite3_reset(t->beside);
    for (size_t i = nsub; i < next.n; i++)
        put_tree(t, next.v[i], above, depth, "= ");
    for (size_t i = 0; i < nsub; i++)
        put_tree(t, next.v[i], id, depth + 1, "");
    sl_vec_free(&next);
}

/* What might be here, too. */
static int put_doubts(struct sl_store *st, int64_t span, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_put_doubts, err);
    int rc;

    if (!q)
        return SL_ESTORE;
    sqlite3_bind_int64(q, 1, span);
    while ((rc = sl_store_step(st, q, err)) > 0)
        printf("  a %s may belong here, or may not; see: spanloom links --doubtful --rule %s\n",
               (const char *)sqlite3_column_text(q, 0), (const char *)sqlite3_column_text(q, 1));
    sqlite3_finalize(q);
    return rc;
}

int history_contexts(struct sl_store *st, int64_t span, struct sl_err *err)
{
    struct tree t = {.st = st};
    char name[600];
    int rc;

    printf("%s  (span %lld)\n", sl_span_name(st, span, name, sizeof name), (long long)span);
    rc = list(st, span, "contained in", sql_history_contexts, LISTED,
              "select left_span from links where kind = 'in' and right_span = ", err);
    if (!rc)
        rc = list(st, span, "attributes", sql_history_contexts_2, INT64_MAX, "", err);
    if (!rc)
        rc = list(st, span, "waited for", "SELECT right_span FROM sl_link WHERE kind = 3 AND left_span = ?1 ORDER BY 1",
                  LISTED, "select right_span from links where kind = 'after' and left_span = ", err);
    if (rc)
        return rc;
    t.one = sl_store_prepare(st, sql_history_contexts_3, err);
    t.below = sl_store_prepare(st, sql_history_contexts_4, err);
    t.beside = sl_store_prepare(st, sql_history_contexts_5, err);
    t.how = sl_store_prepare(st, sql_history_contexts_6, err);
    if (t.one && t.below && t.beside && t.how) {
        puts("\ncontexts (= is another view of the same thing):");
        put_tree(&t, span, 0, 0, "");
        rc = put_doubts(st, span, err);
    } else {
        rc = SL_ESTORE;
    }
    sqlite3_finalize(t.one);
    sqlite3_finalize(t.below);
    sqlite3_finalize(t.beside);
    sqlite3_finalize(t.how);
    sl_vec_free(&t.seen);
    return rc;
}

/* ---- events ---- */

/* The events of the root ?1, as they are and through the lens. */
#define AS_THEY_ARE                                                                                                    \
    "(SELECT e.time_ns AS time_ns, n.name AS span_type, s.key AS span_key, m.name AS event, e.source AS source, "      \
    "e.place AS place, e.span AS span, NULL AS events FROM descendants(?1) d JOIN sl_event e ON e.span = d.span "      \
    "JOIN sl_span s ON s.id = e.span JOIN sl_name n ON n.id = s.type JOIN sl_name m ON m.id = e.type) e "
/* What was merged is of many spans, and the key of one of them would mislead. */
#define AS_SEEN                                                                                                        \
    "(SELECT e.time_ns AS time_ns, e.span_type AS span_type, iif(e.events, NULL, s.key) AS span_key, "                 \
    "e.event_type AS event, e.source AS source, e.place AS place, e.span AS span, e.events AS events "                 \
    "FROM lens_events(?1) e JOIN sl_span s ON s.id = e.span) e "

/* Rows for programs: EVENTS are those of the root ?1, MORE is a further column.  Times count from event to event. */
#define ROWS_SQL(EVENTS, MORE)                                                                                         \
    "SELECT ?1 AS root, e.time_ns AS time_ns, CAST(e.time_ns - min(iif(event IS NULL, NULL, e.time_ns)) OVER () AS "   \
    "REAL) / 1e9 AS since_start_s, iif(event IS NULL, NULL, CAST(e.time_ns - lag(e.time_ns, 1, e.time_ns) OVER w AS "  \
    "REAL) / 1e9) AS since_previous_s, "                                                                               \
    "src.component AS component, span_type, span_key, event, src.path || ifnull('#' || src.part, '') AS path, "        \
    "e.place AS place, e.span AS span" MORE " FROM " EVENTS "JOIN sl_source src ON src.id = e.source "                 \
    "WINDOW w AS (PARTITION BY event IS NULL ORDER BY e.time_ns, span_type, event) ORDER BY e.time_ns, span_type IS "  \
    "NULL, span_type, event, src.path, e.place"

/* The same with the line that says so, and lines that only name a span as rows without an event. */
#define WITH_LINES(E)                                                                                                  \
    "(WITH e AS MATERIALIZED (SELECT * FROM " E "), l AS MATERIALIZED (SELECT l.time_ns, l.source, l.place, "          \
    "min(l.span) AS span, l.text FROM descendants(?1) d JOIN temp.sl_line l ON l.span = d.span GROUP BY l.source, "    \
    "l.place) SELECT e.time_ns, span_type, span_key, event, e.source, e.place, e.span, l.text FROM e LEFT JOIN l ON "  \
    "l.source = e.source AND l.place = e.place UNION ALL SELECT time_ns, NULL, NULL, NULL, source, place, span, text " \
    "FROM l WHERE (source, place) NOT IN (SELECT source, place FROM e)) e "

/* Events, and lines that assert none; an event's line stands with it. */
#define PEOPLE_SQL(E)                                                                                                  \
    "SELECT * FROM (SELECT e.time_ns, src.component, span_type AS type, span_key, event, src.path, src.part, "         \
    "e.place, e.span, NULL, e.events FROM " E "JOIN sl_source src ON src.id = e.source "
static const char lines_sql[] =
    "UNION ALL SELECT l.time_ns, src.component, NULL, NULL, NULL, src.path, src.part, l.place, min(l.span), l.text, 0 "
    "FROM descendants(?1) d "
    "JOIN temp.sl_line l ON l.span = d.span JOIN sl_source src ON src.id = l.source GROUP BY l.source, l.place ";
static const char order_sql[] = ") ORDER BY 1, type IS NULL, type, event";

/* The part of a path that tells files apart: the last three names. */
static const char *tail(const char *path)
{
    const char *s = path + strlen(path);

    for (int slashes = 0; s > path; s--)
        if (s[-1] == '/' && ++slashes == 3)
            break;
    return s;
}

struct row {
    int64_t time_ns, span;
    char type[150], event[150];
};

enum { HEARD = 256 }; /* spans whose last event is remembered: more than any task has */

/*
 * A long wait.  Where the span that ends it was heard of before, that is where the time went; where it is heard of for
 * the first time, nobody says what happened in the meantime.
 */
static void put_wait(const struct row *was, const struct row *now, const struct row *before, bool depends)
{
    char took[32];

    sl_show_seconds((double)(now->time_ns - was->time_ns) / 1e9, took);
    if (depends && !strcmp(was->event, "pending"))
        printf("%-30s %14s %14s  ...... %s pending: it waited for other tasks (see above)\n", "", "", "", took);
    else if (before)
        printf("%-30s %14s %14s  ...... %s in %s, after its %s\n", "", "", "", took, now->type, before->event);
    else
        printf("%-30s %14s %14s  ...... gap of %s: no component says what happened between %s/%s and %s/%s\n", "", "",
               "", took, was->type, was->event, now->type, now->event);
}

/* The last event of a span; of what was merged, of any that appeared as of its type. */
static struct row *row_of(struct row *v, size_t n, const struct row *now, bool merged)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].span == now->span || (merged && !strcmp(v[i].type, now->type)))
            return &v[i];
    return NULL;
}

static void put_line(const char *text)
{
    struct sl_buf b = {0};

    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        sl_buf_clear(&b);
        sl_show_clean(&b, s, n);
        printf("        | %s\n", b.s ? b.s : "");
        s += n + (s[n] == '\n');
    }
    sl_buf_free(&b);
}

/* The row of PEOPLE_SQL at hand. */
static void put_event(sqlite3_stmt *q, const struct row *now, const struct row *was, int64_t start)
{
    const char *path = (const char *)sqlite3_column_text(q, 5), *part = (const char *)sqlite3_column_text(q, 6);
    const char *key = (const char *)sqlite3_column_text(q, 3);
    char text[SL_TIME_TEXT];

    printf("%-30s %14.6f %14.6f  %-22s %s%s%s/%s  %s%s%s:%lld", sl_time_text(now->time_ns, text),
           (double)(now->time_ns - start) / 1e9, (double)(now->time_ns - was->time_ns) / 1e9,
           (const char *)sqlite3_column_text(q, 1), (const char *)sqlite3_column_text(q, 2), key ? " " : "",
           key ? key : "", (const char *)sqlite3_column_text(q, 4), tail(path), part ? "#" : "", part ? part : "",
           (long long)sqlite3_column_int64(q, 7));
    if (sqlite3_column_int64(q, 10) > 1)
        printf("  (%lld events)", (long long)sqlite3_column_int64(q, 10));
    putchar('\n');
}

int history_events(struct sl_store *st, int64_t span, bool lines, bool lens, struct sl_err *err)
{
    struct sl_buf sql = {0};
    struct row was = {0}, now, heard[HEARD], *before;
    size_t nheard = 0;
    sqlite3_stmt *q;
    int64_t start = 0, longest;
    char bounds[300];
    bool any = false, depends;
    int rc;

    snprintf(bounds, sizeof bounds,
             lens ? "SELECT max(time_ns) - min(time_ns) FROM lens_events(%lld)" : sql_history_events, (long long)span);
    longest = sl_store_int(st, bounds, 0);
    snprintf(bounds, sizeof bounds, "SELECT count(*) FROM sl_link WHERE kind = 3 AND left_span = %lld",
             (long long)span);
    depends = sl_store_int(st, bounds, 0) > 0;
    sl_buf_addf(&sql, "%s%s%s", lens ? PEOPLE_SQL(AS_SEEN) : PEOPLE_SQL(AS_THEY_ARE), lines ? lines_sql : "",
                order_sql);
    if (!(q = sl_store_prepare(st, sql.s, err))) {
        sl_buf_free(&sql);
        return SL_ESTORE;
    }
    sqlite3_bind_int64(q, 1, span);
    printf("%-30s %14s %14s  %-22s %s\n", "time", "since start", "since previous", "component",
           "what, and where it stands");
    while ((rc = sl_store_step(st, q, err)) > 0) {
        bool is_event = sqlite3_column_type(q, 2) != SQLITE_NULL;
        if (!is_event) {
            put_line((const char *)sqlite3_column_text(q, 9));
            continue;
        }
        now = (struct row){.time_ns = sqlite3_column_int64(q, 0), .span = sqlite3_column_int64(q, 8)};
        snprintf(now.type, sizeof now.type, "%s", (const char *)sqlite3_column_text(q, 2));
        snprintf(now.event, sizeof now.event, "%s", (const char *)sqlite3_column_text(q, 4));
        if (!any) {
            start = now.time_ns;
            was = now;
        }
        any = true;
        before = row_of(heard, nheard, &now, sqlite3_column_int64(q, 10) > 0);
        if (now.time_ns - was.time_ns > longest / 20 && now.time_ns - was.time_ns > 1000000 &&
            (before || nheard < HEARD))
            put_wait(&was, &now, before, depends);
        if (before)
            *before = now;
        else if (nheard < HEARD)
            heard[nheard++] = now;
        put_event(q, &now, &was, start);
        was = now;
    }
    if (!any && !rc)
        puts("no events");
    sqlite3_finalize(q);
    sl_buf_free(&sql);
    return rc;
}

int history_rows(const struct cli *cli, struct sl_store *st, const char *roots, bool lines, bool lens,
                 struct sl_err *err)
{
    static const char *const sql[2][2] = {
        {ROWS_SQL(AS_THEY_ARE, ""), ROWS_SQL(AS_SEEN, "")},
        {ROWS_SQL(WITH_LINES(AS_THEY_ARE), ", text AS line"), ROWS_SQL(WITH_LINES(AS_SEEN), ", text AS line")}};
    sqlite3_stmt *r = sl_store_prepare(st, roots, err), *q = sl_store_prepare(st, sql[lines][lens], err);
    struct sl_show_part part = {0};
    struct sl_result all = {0};
    struct sl_table *events = q ? sl_result_query(&all, "events", NULL, 0, q) : NULL;
    int rc = r && q ? 0 : SL_ESTORE, more = 1;

    while (!rc && more && !ferror(stdout)) { /* root after root: nothing is gathered */
        more = sl_store_step(st, r, err);
        if (more < 0)
            rc = more;
        sl_table_rewind(events);
        sqlite3_bind_int64(q, 1, more > 0 ? sqlite3_column_int64(r, 0) : -1);
        part.last = more <= 0;
        if (!rc && sl_show_part(stdout, events, cli->format, &part, err) < 0)
            rc = SL_ESTORE;
    }
    sqlite3_finalize(r);
    sl_result_free(&all);
    return rc;
}

/* Parsl tasks that no worker names: how far did they come? */
int history_reach(struct sl_store *st, int64_t span, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_history_reach, err);
    int rc;

    if (!q)
        return SL_ESTORE;
    sqlite3_bind_int64(q, 1, span);
    rc = sl_store_step(st, q, err);
    if (rc > 0 && sqlite3_column_int(q, 0) && !sqlite3_column_int(q, 1))
        printf("\nno worker names it: it came as far as %s; the last that is known is %s\n",
               (const char *)sqlite3_column_text(q, 2),
               sqlite3_column_text(q, 3) ? (const char *)sqlite3_column_text(q, 3) : "nothing");
    sqlite3_finalize(q);
    return rc < 0 ? rc : 0;
}
