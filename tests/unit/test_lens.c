/* SPDX-License-Identifier: Apache-2.0 */
/* The lens on arrays: what patterns match, what becomes of kinds, which events are one. */
#include "analyse/lens/lens.h"
#include "base/buf.h"
#include "unit.h"

/* Rules as rows "(kind, what, becomes, within_ns), ...", in temp.sl_lens. */
static struct sl_lens *lens(const char *rules)
{
    struct sl_lens *l;
    struct sl_err err = {0};
    sqlite3 *db;
    char *sql = sqlite3_mprintf("CREATE TEMP TABLE sl_lens (id INTEGER PRIMARY KEY, kind, what, becomes, within_ns);"
                                "INSERT INTO sl_lens (kind, what, becomes, within_ns) VALUES %s",
                                rules);

    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    if (sl_lens_load(&l, db, &err))
        fail_msg("%s", err.text);
    sqlite3_free(sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return l;
}

/*
 * "TIME TYPE/EVENT; ..." through the rules, written in the same way; behind an event stands the number of the first
 * that it was made of, and how many were merged.
 */
static void assert_seen(const char *rules, const char *events, const char *want)
{
    struct sl_lens *l = lens(rules);
    struct sl_timed_event v[50];
    uint32_t events_of[50] = {0};
    struct sl_buf got = {0};
    char type[40], event[40];
    long long t;
    size_t n = 0, kept = 0;
    int used;

    for (const char *s = events; sscanf(s, " %lld %39[^/]/%39[^;]%n", &t, type, event, &used) == 3; n++) {
        v[n] = (struct sl_timed_event){t, sl_lens_kind(l, type, event), (uint32_t)n};
        s += used + (s[used] == ';');
    }
    sl_lens_close(l);
    for (size_t i = 0; i < n; i++) {
        v[kept] = v[i];
        v[kept].code = sl_lens_see(l, v[i].code);
        kept += v[kept].code != SL_NO_INDEX;
    }
    sl_timed_events_sort(v, kept);
    kept = sl_lens_merge(l, v, kept, events_of);
    for (size_t i = 0; i < kept; i++)
        sl_buf_addf(&got, "%lld %s/%s %u*%u; ", (long long)v[i].time_ns, sl_lens_span_type(l, v[i].code),
                    sl_lens_event_type(l, v[i].code), v[i].of, events_of[v[i].of]);
    assert_string_equal(got.s ? got.s : "", want);
    sl_buf_free(&got);
    sl_lens_free(l);
}

static void stars_stand_for_any_text(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool hit;
    } of[] = {{"a", "a", true},        {"a", "ab", false},   {"*", "", true},      {"*", "a.b", true},
              {"a*", "a", true},       {"*b", "abab", true}, {"*b", "aba", false}, {"a*b*c", "a1b2b3c", true},
              {"a*b*c", "acb", false}, {"**a", "a", true},   {"a**", "a", true},   {"", "", true},
              {"", "a", false},        {"*ab", "aab", true}, {"a?", "ab", false},  {"[a]", "a", false}};

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (sl_lens_glob(of[i].pattern, of[i].text) != of[i].hit)
            fail_msg("%s on %s", of[i].pattern, of[i].text);
}

static void layers_and_events_vanish(void **state)
{
    (void)state;
    assert_seen("('ignore', 'a.b', NULL, NULL)", "1 a/x; 2 a.b/x; 3 a.b.c/x", "1 a/x 0*0; 3 a.b.c/x 2*0; ");
    assert_seen("('ignore', 'a.b/x', NULL, NULL)", "2 a.b/x; 3 a.b/y", "3 a.b/y 1*0; ");
    assert_seen("('ignore', 'a*x', NULL, NULL)", "2 a.b/x; 3 a.x/y", "2 a.b/x 0*0; "); /* not across the slash */
    assert_seen("('ignore', '*', NULL, NULL)", "2 a.b/x; 3 a.x/y", "");
    assert_seen("('ignore', 'a', NULL, NULL)", "", "");
}

static void names_follow_in_order(void **state)
{
    (void)state;
    assert_seen("('rename', 'a', 'b', NULL), ('rename', 'b/x', 'y', NULL)", "1 a/x; 2 b/z", "1 b/y 0*0; 2 b/z 1*0; ");
    assert_seen("('rename', 'b/x', 'y', NULL), ('rename', 'a', 'b', NULL)", "1 a/x", "1 b/x 0*0; ");
    assert_seen("('rename', 'a/x', 'c/y', NULL), ('ignore', 'a', NULL, NULL)", "1 a/x; 2 a/y", "1 c/y 0*0; ");
    assert_seen("('rename', 'a', 'c/y', NULL)", "1 a/x", "1 c/y 0*0; ");
    /* equal times by the names that are seen */
    assert_seen("('rename', 'a', 'z', NULL)", "1 a/x; 1 b/x", "1 b/x 1*0; 1 z/x 0*0; ");
    assert_seen("('ignore', 'a', NULL, NULL), ('none', NULL, NULL, NULL), ('rename', 'b', 'c', NULL)", "1 a/x; 2 b/x",
                "1 a/x 0*0; 2 c/x 1*0; ");
}

static void events_that_happen_together_are_one(void **state)
{
    static const char ends[] = "('merge', '*/end */done', 't/over', 10)";

    (void)state;
    assert_seen(ends, "1 a/end; 2 b/done; 3 c/x; 4 c/end", "1 t/over 0*3; 3 c/x 2*0; ");
    assert_seen(ends, "1 a/end", "1 t/over 0*1; ");
    assert_seen(ends, "1 a/end; 11 b/end; 12 c/end",
                "1 t/over 0*2; 12 t/over 2*1; "); /* from the first, not the last */
    assert_seen(ends, "1 a/end; 2 b/end; 3 a/end; 4 b/end", "1 t/over 0*2; 3 t/over 2*2; ");
    assert_seen(ends, "1 a/end; 2 a/end; 3 b/end; 4 b/end", "1 t/over 0*2; 2 t/over 1*2; ");
    assert_seen(ends, "1 a/end; 2 a/end; 12 b/end; 13 b/end", "1 t/over 0*1; 2 t/over 1*2; 13 t/over 3*1; ");
    assert_seen(ends, "1 a/end; 2 a/end; 3 a/end; 4 b/end", "1 t/over 0*2; 2 t/over 1*1; 3 t/over 2*1; ");
    assert_seen("('merge', '*/end', 't/over', 0)", "1 a/end; 1 b/end; 2 c/end", "1 t/over 0*2; 2 t/over 2*1; ");
    assert_seen("('merge', '*/end', 'over', 5)", "1 b/end; 2 a/end", "1 b/over 0*2; ");
    assert_seen("('merge', '*/end', 'a/x', NULL)", "1 b/end; 100000001 c/end; 100000002 d/end",
                "1 a/x 0*2; 100000002 a/x 2*1; ");
    assert_seen("('merge', '*/end', 'a/x', 9223372036854775807)",
                "-9223372036854775808 b/end; -1 c/end; 9223372036854775807 d/end",
                "-9223372036854775808 a/x 0*2; 9223372036854775807 a/x 2*1; ");
}

static void merges_and_names_take_turns(void **state)
{
    (void)state;
    assert_seen("('merge', 'a/x b/x', 'm/x', 5), ('rename', 'm', 'k', NULL), ('merge', 'k/x c/x', 'all', 5), "
                "('ignore', 'c', NULL, NULL)",
                "1 a/x; 2 b/x; 3 c/x; 9 c/y", "1 k/all 0*3; ");
    /* a merged event has the time of its first */
    assert_seen("('merge', 'a/x b/x', 'm/x', 5), ('merge', 'm/x c/x', 'm/y', 2)", "1 a/x; 4 b/x; 4 c/x",
                "1 m/y 0*2; 4 m/y 2*1; ");
    /* two kinds that appear as one are one kind: two ends */
    assert_seen("('rename', 'b', 'a', NULL), ('merge', 'a/x c/x', 'm/x', 5)", "1 a/x; 2 b/x; 3 c/x",
                "1 m/x 0*2; 2 m/x 1*1; ");
}

static void patterns_without_a_hit_are_known(void **state)
{
    struct sl_lens *l =
        lens("('merge', 'a/x b/x q', 'm/x', 5), ('ignore', 'm', NULL, NULL), ('ignore', 'a', NULL, NULL)");
    size_t at = 0;

    (void)state;
    assert_false(sl_lens_clear(l));
    sl_lens_kind(l, "a", "x");
    sl_lens_close(l);
    assert_string_equal(sl_lens_idle(l, true, 1, &at), "b/x");
    assert_string_equal(sl_lens_idle(l, true, 1, &at), "q");
    assert_null(sl_lens_idle(l, true, 1, &at));
    at = 0;
    assert_null(sl_lens_idle(l, true, 2, &at));
    at = 0;
    assert_string_equal(sl_lens_idle(l, true, 3, &at), "a"); /* it has been merged by then */
    sl_lens_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_stand_for_any_text),    cmocka_unit_test(layers_and_events_vanish),
        cmocka_unit_test(names_follow_in_order),       cmocka_unit_test(events_that_happen_together_are_one),
        cmocka_unit_test(merges_and_names_take_turns), cmocka_unit_test(patterns_without_a_hit_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
