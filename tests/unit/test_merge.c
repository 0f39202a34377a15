/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging: what several sources assert becomes one graph, whatever the order.  Sources are written here as short texts,
 * a line an assertion:
 *   span PATH | event PATH NAME SECONDS | local PATH NAME SECONDS | in, facet, after or flow PATH PATH (~: weak) |
 *   zone ROOT SINCE OFFSET | attr PATH VALUE | sample PATH VALUE SECONDS | reject PLACE
 * A PATH is type:key/type:key, from the root on.  More than 600 lines, because all tests speak this language.
 */
#include "unit.h"
#include "writer/writer.h"

#include "base/buf.h"

static const char declarations[] = "spans:\n"
                                   "  mon: {type: mon, key: \"{a}\"}\n"
                                   "  run: {type: run, key: \"{a}\"}\n"
                                   "  mtask: {type: mtask, key: \"{b}\", in: mon}\n"
                                   "  task: {type: task, key: \"{b}\", in: run}\n"
                                   "  mtry: {type: mtry, key: \"{c}\", in: mtask}\n"
                                   "  try: {type: try, key: \"{c}\", in: task}\n"
                                   "  node: {type: node, key: \"{d}\", in: mon}\n"
                                   "  manager: {type: manager, key: \"{d}\", in: task}\n"
                                   "facets: [[mtask, task], [mtry, try], {pair: [node, manager], under: [mon, run]}]\n";

static struct sl_recipes *set;

/* ---- texts to batches ---- */

static uint32_t name(const char *s)
{
    return sl_recipes_name(set, s, strlen(s));
}

static void strong(struct sl_batch *b, int32_t i)
{
    for (; i >= 0; i = b->spans.v[i].parent)
        b->spans.v[i].strong = true;
}

static uint32_t span(struct sl_batch *b, const char *path)
{
    bool weak = *path == '~';
    int32_t at = -1;
    char part[100], *key;

    for (path += weak; *path; path += *path == '/') {
        size_t n = strcspn(path, "/");
        memcpy(part, path, n);
        part[n] = 0;
        path += n;
        key = strchr(part, ':');
        assert_non_null(key);
        *key++ = 0;
        at = (int32_t)sl_batch_span(b, at, name(part), sl_key_of(key, strlen(key)));
    }
    if (!weak)
        strong(b, at);
    return (uint32_t)at;
}

static void say(struct sl_batch *b, const char *line, int64_t place)
{
    static const char *const kinds[] = {"", "in", "facet", "after", "flow"};
    char verb[20], one[200] = "", two[200] = "", json[100];
    double number = 0;
    int n = sscanf(line, "%19s %199s %199s %lf", verb, one, two, &number);

    assert_true(n >= 2);
    b->read++;
    if (!strcmp(verb, "reject")) {
        *sl_vec_add(&b->rejects) = (struct sl_batch_reject){atoll(one), "bad", "text"};
        b->rejected++;
        return;
    }
    b->used++;
    if (!strcmp(verb, "span")) {
        span(b, one);
    } else if (!strcmp(verb, "event") || !strcmp(verb, "local")) {
        struct sl_batch_event e = {span(b, one), name(two), (int64_t)(number * 1e9), place, *verb == 'l'};
        *sl_vec_add(&b->events) = e;
    } else if (!strcmp(verb, "attr") || !strcmp(verb, "sample")) {
        struct sl_batch_values v = {.span = span(b, one), .time_ns = (int64_t)(number * 1e9), .place = place};
        v.shape = sl_recipes_shape(set, "value", 6);
        v.n = (uint32_t)snprintf(json, sizeof json, "[\"%s\"]", two);
        v.json = sl_arena_copy(&b->arena, json, v.n);
        if (*verb == 'a')
            *sl_vec_add(&b->attrs) = v;
        else
            *sl_vec_add(&b->samples) = v;
    } else if (!strcmp(verb, "zone")) {
        int64_t t = (int64_t)atoll(two) * 1000000000;
        struct sl_batch_zone z = {span(b, one), t, t, (int32_t)number};
        *sl_vec_add(&b->zones) = z;
    } else {
        struct sl_batch_link l = {.rule = name("rule"), .place = place};
        for (l.kind = 1; l.kind < 5 && strcmp(kinds[l.kind], verb) != 0; l.kind++)
            ;
        assert_true(l.kind < 5);
        /* a weak side is not made strong by being the other's parent */
        l.left = span(b, one);
        l.right = span(b, two);
        l.weak = (*one == '~') | (*two == '~') << 1;
        *sl_vec_add(&b->links) = l;
    }
}

/* ---- imports ---- */

static struct sl_store *fresh(void)
{
    struct sl_store *st;
    struct sl_err err = {0};

    if (sl_store_open(&st, "", SL_STORE_CREATE, &err))
        fail_msg("%s", err.text);
    return st;
}

static void must(int rc, const struct sl_err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

/* As a fresh one is, which takes twenty times as long to make. */
static void empty(struct sl_store *st)
{
    struct sl_err err = {0};
    struct sl_buf b = {0};
    sqlite3_stmt *q = sl_store_prepare(st,
                                       "SELECT 'DELETE FROM ' || name || ';' FROM sqlite_schema WHERE type = 'table' "
                                       "AND name GLOB 'sl_*' AND name <> 'sl_meta'",
                                       &err);

    while (q && sqlite3_step(q) == SQLITE_ROW)
        sl_buf_adds(&b, sl_store_text(q, 0));
    assert_int_equal(sqlite3_finalize(q), SQLITE_OK);
    must(sl_store_exec(st, b.s ? b.s : "", &err), &err);
    sl_buf_free(&b);
}

static struct sl_writer *begin(struct sl_store *st)
{
    struct sl_err err = {0};
    struct sl_writer *w;

    must(sl_store_begin(st, &err), &err);
    w = sl_writer_new(st, set, 7200, &err);
    if (!w)
        fail_msg("%s", err.text);
    return w;
}

/* One source; lines of --- part it into batches.  id 0: a new one. */
static int64_t source(struct sl_writer *w, const char *path, const char *text, int64_t id)
{
    struct sl_source_row row = {.id = id ? id : sl_writer_source(w), .path = path, .recipe = "r", .component = "c"};
    struct sl_batch *b = sl_batch_new();
    struct sl_err err = {0};
    int64_t place = 0;

    for (const char *s = text; *s;) {
        const char *nl = strchrnul(s, '\n');
        char line[600];
        snprintf(line, sizeof line, "%.*s", (int)(nl - s), s);
        s = *nl ? nl + 1 : nl;
        place++;
        if (!strcmp(line, "---")) {
            must(sl_writer_batch(w, b, &row, &err), &err);
            sl_batch_free(b);
            b = sl_batch_new();
        } else if (*line) {
            say(b, line, place);
        }
    }
    must(sl_writer_batch(w, b, &row, &err), &err);
    sl_batch_free(b);
    assert_int_equal(row.read, row.used + row.skipped + row.rejected);
    must(sl_writer_source_end(w, &row, 0, &err), &err);
    return row.id;
}

static struct sl_writer_counts finish(struct sl_store *st, struct sl_writer *w)
{
    struct sl_writer_counts c;
    struct sl_err err = {0};

    must(sl_writer_resolve(w, &err), &err);
    c = *sl_writer_counts(w);
    must(sl_writer_finish(w, &err), &err);
    must(sl_store_commit(st, &err), &err);
    return c;
}

/* Imports the sources order[0], order[1], ... in one go, or each by itself. */
static void import(struct sl_store *st, const char *const *texts, const int *order, int n, bool apart)
{
    struct sl_writer *w = NULL;
    struct sl_err err = {0};
    char path[20];

    for (int i = 0; i < n; i++) {
        if (!w) {
            w = begin(st);
            must(sl_writer_start(w, &err), &err);
        }
        snprintf(path, sizeof path, "/r/%d", order[i]);
        source(w, path, texts[order[i]], 0);
        if (apart || i == n - 1) {
            finish(st, w);
            w = NULL;
        }
    }
}

/* What a store says, without its numbers. */
static char *dump(struct sl_store *st)
{
    static const char sql[] =
        "WITH RECURSIVE p(id, path) AS ("
        "  SELECT s.id, n.name || ':' || s.key FROM sl_span s JOIN sl_name n ON n.id = s.type WHERE s.parent IS NULL"
        "  UNION ALL SELECT s.id, p.path || '/' || n.name || ':' || s.key"
        "  FROM p JOIN sl_span s ON s.parent = p.id JOIN sl_name n ON n.id = s.type) "
        "SELECT 'span ' || path FROM p UNION ALL "
        "SELECT 'event ' || p.path || ' ' || e.type || ' ' || (e.time_ns / 1e9) FROM events e JOIN p ON p.id = e.span "
        "UNION ALL "
        "SELECT 'attr ' || p.path || ' ' || a.value FROM attributes a JOIN p ON p.id = a.span UNION ALL "
        "SELECT 'sample ' || p.path || ' ' || a.value FROM samples a JOIN p ON p.id = a.span UNION ALL "
        "SELECT 'reject ' || place FROM rejects UNION ALL "
        "SELECT l.kind || ' ' || a.path || ' ' || b.path"
        "  FROM links l JOIN p a ON a.id = l.left_span JOIN p b ON b.id = l.right_span WHERE l.rule <> 'name' ORDER BY "
        "1";
    struct sl_buf b = {0};
    struct sl_err err = {0};
    sqlite3_stmt *q = sl_store_prepare(st, sql, &err);

    if (!q)
        fail_msg("%s", err.text);
    while (sqlite3_step(q) == SQLITE_ROW)
        sl_buf_addf(&b, "%s\n", (const char *)sqlite3_column_text(q, 0));
    assert_int_equal(sqlite3_finalize(q), SQLITE_OK);
    sl_buf_adds(&b, "");
    assert_int_equal(
        sl_store_int(st,
                     "SELECT (SELECT count(*) FROM sl_event WHERE span NOT IN (SELECT id FROM sl_span)) +"
                     "(SELECT count(*) FROM sl_link WHERE left_span NOT IN (SELECT id FROM sl_span) OR"
                     " right_span NOT IN (SELECT id FROM sl_span)) +"
                     "(SELECT count(*) FROM sl_ghost WHERE id IN (SELECT id FROM sl_span)) +"
                     "(SELECT count(*) FROM sl_event WHERE zone NOT NULL AND zone NOT IN (SELECT id FROM sl_zone))",
                     -1),
        0);
    return b.s;
}

static void gives(struct sl_store *st, const char *want)
{
    char *got = dump(st);

    assert_string_equal(got, want);
    free(got);
}

/* All orders of n sources, in one import and in several: each time the same. */
static char *any_order(const char *const *texts, int n)
{
    struct sl_store *st = fresh();
    char *first = NULL;
    int order[5];

    assert_true(n <= 5);
    for (int apart = 0; apart < 2; apart++)
        for (int code = 0; code < 3125; code++) {
            char *got;
            int rest = code, seen = 0;
            for (int i = 0; i < n; i++, rest /= n) {
                order[i] = rest % n;
                seen |= 1 << order[i];
            }
            if (rest || seen != (1 << n) - 1)
                continue;
            empty(st);
            import(st, texts, order, n, apart);
            got = dump(st);
            if (first && strcmp(first, got) != 0)
                fail_msg("%s, order %d %d %d %d:\n%s--- but first:\n%s", apart ? "apart" : "in one", order[0], order[1],
                         n > 2 ? order[2] : -1, n > 3 ? order[3] : -1, got, first);
            if (first)
                free(got);
            else
                first = got;
        }
    sl_store_close(st);
    return first;
}

static void order_gives(const char *const *texts, int n, const char *want)
{
    char *got = any_order(texts, n);

    assert_string_equal(got, want);
    free(got);
}

/* ---- tests ---- */

static void one_source(void **state)
{
    static const char *const text[] = {"event run:A/task:5 begin 1.5\n"
                                       "---\n" /* batches know nothing of each other */
                                       "event run:A/task:5 end 2\n"
                                       "attr run:A/task:5 x\n"
                                       "after run:A/task:5 run:A/task:05\n"
                                       "sample run:A/task:5 7 1.75\n"
                                       "reject 4\n"};

    (void)state;
    order_gives(text, 1,
                "after run:A/task:5 run:A/task:05\n"
                "attr run:A/task:5 x\n"
                "event run:A/task:5 begin 1.5\n"
                "event run:A/task:5 end 2.0\n"
                "reject 4\n"
                "sample run:A/task:5 7\n"
                "span run:A\n"
                "span run:A/task:05\n"
                "span run:A/task:5\n");
}

static void counts(void **state)
{
    struct sl_store *st = fresh();
    struct sl_writer *w = begin(st);
    struct sl_writer_counts c;
    struct sl_err err = {0};

    (void)state;
    must(sl_writer_start(w, &err), &err);
    source(w, "/r/0", "event run:A/task:5 begin 1\nevent run:A/task:6 begin 1\nafter run:A/task:5 run:A/task:6\n", 0);
    c = finish(st, w);
    assert_int_equal(c.spans, 3);
    assert_int_equal(c.events, 2);
    assert_int_equal(c.links, 1);
    w = begin(st);
    must(sl_writer_start(w, &err), &err);
    source(w, "/r/1", "event run:A/task:5 end 2\n", 0); /* known spans are not new */
    c = finish(st, w);
    assert_int_equal(c.spans, 0);
    assert_int_equal(c.events, 1);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM sl_source WHERE records = used AND records > 0", 0), 2);
    sl_store_close(st);
}

static void weak_links_wait_for_their_partner(void **state)
{
    static const char *const text[] = {"in ~run:A/task:5 mon:A/mtask:5\n"
                                       "in ~run:A/task:6 mon:A/mtask:5\n"
                                       "after ~run:A/task:5 ~run:A/task:7\n",
                                       "span run:A/task:5\n", "span run:A/task:7\n"};

    (void)state;
    order_gives(text, 3,
                "after run:A/task:5 run:A/task:7\n"
                "in run:A/task:5 mon:A/mtask:5\n"
                "span mon:A\n"
                "span mon:A/mtask:5\n"
                "span run:A\n"
                "span run:A/task:5\n"
                "span run:A/task:7\n");
}

static void ghosts_are_not_seen(void **state)
{
    static const char *const text[] = {"in ~run:A/task:5 mon:A\nafter ~run:B ~run:C\n", "span run:A\n",
                                       "span run:A/task:5\n"};
    struct sl_store *st = fresh();

    (void)state;
    import(st, text, (const int[]){0}, 1, true);
    gives(st, "span mon:A\n");
    import(st, text, (const int[]){1}, 1, true); /* the parent alone does not do */
    gives(st, "span mon:A\nspan run:A\n");
    import(st, text, (const int[]){2}, 1, true);
    gives(st, "in run:A/task:5 mon:A\nspan mon:A\nspan run:A\nspan run:A/task:5\n");
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM sl_ghost", -1), 2); /* B and C are still waited for */
    sl_store_close(st);
}

static void facets_spread(void **state)
{
    static const char *const text[] = {"event mon:1/mtask:5/mtry:0 x 1\nspan mon:1/mtask:7\nspan mon:2/mtask:5\nspan "
                                       "mon:1/node:n\nspan mon:2/node:n\n",
                                       "event run:A/task:5/try:0 y 2\nspan run:A/task:8\nspan "
                                       "run:A/task:5/manager:n\nspan run:B/task:5\nspan run:A/task:05\n",
                                       "facet mon:1 ~run:A\nfacet mon:2 run:B\n"};

    (void)state;
    order_gives(text, 3,
                "event mon:1/mtask:5/mtry:0 x 1.0\n"
                "event run:A/task:5/try:0 y 2.0\n"
                "facet mon:1 run:A\n"
                "facet mon:1/mtask:5 run:A/task:5\n"
                "facet mon:1/mtask:5/mtry:0 run:A/task:5/try:0\n"
                "facet mon:1/node:n run:A/task:5/manager:n\n"
                "facet mon:2 run:B\n"
                "facet mon:2/mtask:5 run:B/task:5\n"
                "span mon:1\n"
                "span mon:1/mtask:5\n"
                "span mon:1/mtask:5/mtry:0\n"
                "span mon:1/mtask:7\n"
                "span mon:1/node:n\n"
                "span mon:2\n"
                "span mon:2/mtask:5\n"
                "span mon:2/node:n\n"
                "span run:A\n"
                "span run:A/task:05\n"
                "span run:A/task:5\n"
                "span run:A/task:5/manager:n\n"
                "span run:A/task:5/try:0\n"
                "span run:A/task:8\n"
                "span run:B\n"
                "span run:B/task:5\n");
}

static void a_facet_of_several(void **state)
{
    static const char *const text[] = {
        "span run:A/task:5\n", "span mon:1/mtask:5\nspan mon:2/mtask:5\nspan mon:3/mtask:6\n",
        "facet run:A mon:1\nfacet mon:2 run:A\n", "facet mon:3 run:A\nfacet run:A mon:3\n"};

    (void)state;
    order_gives(text, 4,
                "facet mon:1/mtask:5 run:A/task:5\n"
                "facet mon:2 run:A\n"
                "facet mon:2/mtask:5 run:A/task:5\n"
                "facet mon:3 run:A\n" /* both ways: by type */
                "facet run:A mon:1\n"
                "span mon:1\n"
                "span mon:1/mtask:5\n"
                "span mon:2\n"
                "span mon:2/mtask:5\n"
                "span mon:3\n"
                "span mon:3/mtask:6\n"
                "span run:A\n"
                "span run:A/task:5\n");
}

/* Local times of a run, and of what is a facet of it, fall into place whoever tells the zone, and whenever. */
static void zones_reach_facets(void **state)
{
    static const char *const text[] = {"local mon:1/mtask:5 a 20000\n",
                                       "zone run:A 100 -12600\nevent run:A/task:5 b 32600\n", "facet mon:1 run:A\n",
                                       "local run:A/task:6 c 20001\n"};

    (void)state;
    order_gives(text, 4,
                "event mon:1/mtask:5 a 32600.0\n"
                "event run:A/task:5 b 32600.0\n"
                "event run:A/task:6 c 32601.0\n"
                "facet mon:1 run:A\n"
                "facet mon:1/mtask:5 run:A/task:5\n"
                "span mon:1\n"
                "span mon:1/mtask:5\n"
                "span run:A\n"
                "span run:A/task:5\n"
                "span run:A/task:6\n");
}

/* Where nobody tells it, the given zone (here +02:00) is taken. */
static void zones_that_nobody_tells(void **state)
{
    static const char *const text[] = {"local run:A x 10000\nsample run:A 1 3\n", "event run:B y 5\n"};

    (void)state;
    order_gives(text, 2, "event run:A x 2800.0\nevent run:B y 5.0\nsample run:A 1\nspan run:A\nspan run:B\n");
}

/* Random assertions in four sources, in all orders. */
static void random_sources(void **state)
{
    static const char *const path[] = {
        "run:A", "run:A/task:1",  "run:A/task:2",  "run:A/task:1/try:0",   "run:A/task:2/manager:m",
        "mon:1", "mon:1/mtask:1", "mon:1/mtask:2", "mon:1/mtask:1/mtry:0", "mon:1/node:m",
        "run:B", "run:B/task:1",  "mon:2/mtask:1"};
    static const char *const verb[] = {"span", "event", "local", "in", "facet", "after", "flow", "attr"};
    enum { PATHS = sizeof path / sizeof *path, SOURCES = 4 };
    uint64_t r = 41;

    (void)state;
    for (int round = 0; round < (SANITIZED ? 3 : 12); round++) {
        struct sl_buf text[SOURCES] = {{0}};
        const char *texts[SOURCES];
        for (int i = 0; i < SOURCES; i++) {
            sl_buf_adds(&text[i], "");
            for (uint64_t k = below(&r, 7); k; k--) {
                const char *v = verb[below(&r, 8)], *a = path[below(&r, PATHS)], *b = path[below(&r, PATHS)];
                if (!strcmp(v, "facet")) { /* roots only: their zones are then one, too */
                    a = "run:A";
                    b = "mon:1";
                }
                if (!strcmp(v, "span") || !strcmp(v, "attr"))
                    sl_buf_addf(&text[i], "%s %s v%d\n", v, a, i);
                else if (*v == 'e' || *v == 'l')
                    sl_buf_addf(&text[i], "%s %s e%d %d\n", v, a, (int)below(&r, 3), 100000 + (int)below(&r, 5));
                else if (strcmp(a, b) != 0)
                    sl_buf_addf(&text[i], "%s %s%s %s%s\n", v, below(&r, 2) ? "~" : "", a, below(&r, 2) ? "~" : "", b);
            }
            texts[i] = text[i].s;
        }
        if (round % 2)
            sl_buf_adds(&text[round % SOURCES], "zone run:A 50000 3600\n");
        for (int i = 0; i < SOURCES; i++)
            texts[i] = text[i].s;
        free(any_order(texts, SOURCES));
        for (int i = 0; i < SOURCES; i++)
            sl_buf_free(&text[i]);
    }
}

/* A source that is read again asserts what it says now, and no more; what others say stays, under the same ids. */
static void redo(void **state)
{
    struct sl_store *st = fresh();
    struct sl_writer *w = begin(st);
    struct sl_err err = {0};
    int64_t id, task;

    (void)state;
    must(sl_writer_start(w, &err), &err);
    id = source(w, "/r/0",
                "event run:A/task:5 begin 1\nevent run:A/task:6 begin 1\nevent run:A/task:9 begin 1\nafter "
                "run:A/task:5 run:A/task:6\n"
                "attr run:A/task:5 old\nreject 9\n",
                0);
    source(w, "/r/1", "event run:A/task:6 end 3\n", 0);
    finish(st, w);
    task = sl_store_int(st, "SELECT id FROM sl_span WHERE key = '5'", 0);
    w = begin(st);
    must(sl_writer_redo(w, id, false, &err), &err);
    must(sl_writer_start(w, &err), &err);
    assert_int_equal(
        source(w, "/r/0", "event run:A/task:5 begin 1\nevent run:A/task:5 end 2\nattr run:A/task:5 new\n", id), id);
    finish(st, w);
    gives(st, "attr run:A/task:5 new\n"
              "event run:A/task:5 begin 1.0\n"
              "event run:A/task:5 end 2.0\n"
              "event run:A/task:6 end 3.0\n"
              "span run:A\n"
              "span run:A/task:5\n"
              "span run:A/task:6\n");
    assert_int_equal(sl_store_int(st, "SELECT id FROM sl_span WHERE key = '5'", 0), task);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM sl_source", 0), 2);
    sl_store_close(st);
}

/* Reading the same again changes nothing, also weak links that still wait. */
static void redo_of_the_same(void **state)
{
    static const char text[] = "in ~run:A/task:5 mon:A\nfacet ~run:A mon:A\nlocal mon:A x 10000\nafter ~run:Q mon:A\n";
    static const char other[] = "event run:A/task:5 begin 1\nzone run:A 5 3600\n";
    struct sl_store *st = fresh();
    struct sl_err err = {0};
    struct sl_writer *w = begin(st);
    int64_t id;
    char *before;

    (void)state;
    must(sl_writer_start(w, &err), &err);
    id = source(w, "/r/0", text, 0);
    source(w, "/r/1", other, 0);
    finish(st, w);
    before = dump(st);
    for (int i = 0; i < 3; i++) {
        w = begin(st);
        must(sl_writer_redo(w, id, false, &err), &err);
        must(sl_writer_start(w, &err), &err);
        source(w, "/r/0", text, id);
        finish(st, w);
        gives(st, before);
        assert_int_equal(sl_store_int(st, "SELECT count(*) FROM sl_ghost", -1), 1);
        assert_int_equal(sl_store_int(st, "SELECT count(*) FROM sl_weak", -1), 1);
    }
    free(before);
    sl_store_close(st);
}

static void abandoned(void **state)
{
    struct sl_store *st = fresh();
    struct sl_err err = {0};
    struct sl_writer *w = begin(st);

    (void)state;
    must(sl_writer_start(w, &err), &err);
    source(w, "/r/0", "event run:A x 1\nin ~run:B run:A\nlocal run:C y 2\n", 0);
    must(sl_writer_resolve(w, &err), &err);
    sl_writer_abandon(w);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM sqlite_schema", -1), 0);
    sl_store_close(st);
}

/* A run that was known by its folder turns out to have a name of its own. */
static void rekeyed_root(void **state)
{
    struct sl_store *st = fresh();
    struct sl_err err = {0};
    struct sl_writer *w = begin(st);

    (void)state;
    must(sl_writer_start(w, &err), &err);
    source(w, "/r/0", "event run:folder/task:5 begin 1\n", 0);
    finish(st, w);
    w = begin(st);
    must(sl_writer_start(w, &err), &err);
    sl_writer_rekey_roots(w, name("run"), "folder", "uuid-1");
    sl_writer_rekey_roots(w, name("run"), "unheard-of", "uuid-2");
    source(w, "/r/1", "event run:uuid-1/task:5 end 2\n", 0);
    finish(st, w);
    gives(st, "event run:uuid-1/task:5 begin 1.0\nevent run:uuid-1/task:5 end 2.0\nspan run:uuid-1\nspan "
              "run:uuid-1/task:5\n");
    sl_store_close(st);
}

/* A user's own INSERT may name what we know already, under a number of its own: the next import goes on. */
static void beside_inserts_by_hand(void **state)
{
    struct sl_store *st = fresh();
    static const char *const text[] = {"event run:A/task:5 begin 1\n", "event run:A/task:6 begin 1\nevent run:B x 2\n"};
    struct sl_err err = {0};

    (void)state;
    import(st, text, (const int[]){0}, 1, true);
    must(sl_store_exec(st, "INSERT INTO span (uuid, type) VALUES ('A', 'run'), ('own', 'note')", &err), &err);
    import(st, text, (const int[]){1}, 1, true);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM span WHERE type = 'task'", 0), 2);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM span WHERE type IN ('run', 'note')", 0), 4);
    sl_store_close(st);
    st = fresh();
    import(st, text, (const int[]){0}, 1, true);
    must(sl_store_exec(st, "INSERT INTO span (uuid, type) VALUES ('A', 'run')", &err), &err); /* the last of all */
    import(st, text, (const int[]){1}, 1, true);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM span WHERE type = 'task'", 0), 2);
    sl_store_close(st);
}

static int set_up(void **state)
{
    struct sl_err err = {0};

    (void)state;
    set = sl_recipes_new();
    must(sl_recipes_add(set, "names.yaml", declarations, sizeof declarations - 1, &err), &err);
    must(sl_recipes_compile(set, &err), &err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sl_recipes_free(set);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_source),
        cmocka_unit_test(counts),
        cmocka_unit_test(weak_links_wait_for_their_partner),
        cmocka_unit_test(ghosts_are_not_seen),
        cmocka_unit_test(facets_spread),
        cmocka_unit_test(a_facet_of_several),
        cmocka_unit_test(zones_reach_facets),
        cmocka_unit_test(zones_that_nobody_tells),
        cmocka_unit_test(random_sources),
        cmocka_unit_test(redo),
        cmocka_unit_test(redo_of_the_same),
        cmocka_unit_test(abandoned),
        cmocka_unit_test(rekeyed_root),
        cmocka_unit_test(beside_inserts_by_hand),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
