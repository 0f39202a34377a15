/* SPDX-License-Identifier: Apache-2.0 */
/* What is one thing: keys, and spans of a batch. */
#include "engine/batch.h"
#include "unit.h"

static struct sl_key key(const char *s)
{
    return sl_key_of(s, strlen(s));
}

static void integers_are_integers(void **state)
{
    static const struct {
        const char *s;
        int64_t i;
    } of[] = {
        {"0", 0},
        {"5", 5},
        {"-1", -1},
        {"1234567890", 1234567890},
        {"999999999999999999", 999999999999999999},
        /* what the store keeps as digits must come back as what it was */
        {"1234567890123456789", 1234567890123456789},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };
    static const char *const texts[] = {"",
                                        "-",
                                        "05",
                                        "00",
                                        "-0",
                                        "-05",
                                        "+5",
                                        "5 ",
                                        " 5",
                                        "5x",
                                        "1.0",
                                        "1e3",
                                        "0x5",
                                        "--5",
                                        "5-",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "99999999999999999999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct sl_key k = key(of[i].s);
        if (k.n != SL_KEY_INT || k.i != of[i].i)
            fail_msg("%s is not the integer", of[i].s);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sl_key k = key(texts[i]);
        if (k.n != strlen(texts[i]) || k.s != texts[i])
            fail_msg("'%s' is not itself", texts[i]);
    }
}

/* A text is an integer just when printing the integer gives the text. */
static void canonical(void **state)
{
    uint64_t r = 17;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        char s[24], back[24];
        size_t n = below(&r, 21);
        struct sl_key k;
        for (size_t m = 0; m < n; m++)
            s[m] = "0123456789-"[below(&r, m ? 10 : 11)];
        s[n] = 0;
        k = key(s);
        snprintf(back, sizeof back, "%lld", strtoll(s, NULL, 10));
        assert_int_equal(k.n == SL_KEY_INT, !strcmp(back, s));
        if (k.n == SL_KEY_INT)
            assert_true(k.i == strtoll(s, NULL, 10));
    }
}

static void one_identity_one_span(void **state)
{
    struct sl_batch *b = sl_batch_new();
    uint32_t root, a;
    char text[] = "volatile";

    (void)state;
    root = sl_batch_span(b, -1, 1, key("run"));
    a = sl_batch_span(b, (int32_t)root, 2, key("5"));
    assert_int_equal(sl_batch_span(b, (int32_t)root, 2, (struct sl_key){SL_KEY_INT, {.i = 5}}), a);
    assert_int_not_equal(sl_batch_span(b, (int32_t)root, 2, key("05")), a);
    assert_int_not_equal(sl_batch_span(b, (int32_t)root, 3, key("5")), a); /* another type */
    assert_int_not_equal(sl_batch_span(b, -1, 2, key("5")), a);            /* another parent */
    assert_int_not_equal(sl_batch_span(b, (int32_t)a, 2, key("5")), a);
    assert_int_not_equal(sl_batch_span(b, (int32_t)root, 2, key("")), a);
    assert_int_equal(b->spans.n, 7);
    a = sl_batch_span(b, -1, 1, key(text));
    text[0] = 'X'; /* the key is a copy */
    assert_memory_equal(b->spans.v[a].key.s, "volatile", 8);
    assert_int_equal(sl_batch_span(b, -1, 1, key("volatile")), a);
    assert_int_not_equal(sl_batch_span(b, -1, 1, key(text)), a);
    assert_int_not_equal(sl_batch_span(b, -1, 1, (struct sl_key){9, {.s = "volatile\0"}}), a);
    assert_false(b->spans.v[a].strong);
    sl_batch_free(b);
}

static void grows(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) { /* batches are used again */
        struct sl_batch *b = sl_batch_new();
        assert_int_equal(b->spans.n + b->events.n + b->rejects.n + b->read, 0);
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < 20000; i++) {
                char s[32];
                int n = snprintf(s, sizeof s, i % 2 ? "%d" : "x%d", i / 4);
                assert_int_equal(sl_batch_span(b, i % 4 < 2 ? -1 : i / 4 * 4, 1, sl_key_of(s, (size_t)n)), i);
            }
        assert_int_equal(b->spans.n, 20000);
        b->spans.v[7].strong = true;
        b->read = 1;
        sl_batch_free(b);
    }
    sl_batch_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_integers),
        cmocka_unit_test(canonical),
        cmocka_unit_test(one_identity_one_span),
        cmocka_unit_test(grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
