/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/embed.h"
#include "recipe/yaml.h"
#include "unit.h"

static struct sl_yaml *parse(const char *text)
{
    struct sl_yaml *y;
    struct sl_err err = {0};

    if (sl_yaml_parse(&y, text, strlen(text), "t.yaml", &err))
        fail_msg("%s", err.text);
    return y;
}

static void refused(const char *text, const char *why)
{
    struct sl_yaml *y = (struct sl_yaml *)1;
    struct sl_err err = {0};

    assert_int_equal(sl_yaml_parse(&y, text, strlen(text), "t.yaml", &err), SL_EFORMAT);
    assert_int_equal(err.code, SL_EFORMAT);
    assert_null(y);
    if (!strstr(err.text, why))
        fail_msg("'%s' is not in: %s", why, err.text);
    assert_int_equal(sl_yaml_parse(&y, text, strlen(text), "t.yaml", NULL), SL_EFORMAT);
}

static void scalars_stay_texts(void **state)
{
    static const char *const as_is[] = {"on",    "yes",      "true",       "null", "~x",    "0119", "1e3", "0x1F",
                                        "1_000", "12:30:45", "2026-11-20", ".inf", "-1.50", "=",    "NaN"};
    struct sl_yaml *y;

    (void)state;
    for (size_t i = 0; i < sizeof as_is / sizeof *as_is; i++) {
        char text[100];
        snprintf(text, sizeof text, "%s: [%s, {%s: %s}]\n", as_is[i], as_is[i], as_is[i], as_is[i]);
        y = parse(text);
        assert_string_equal(y->key[0]->text, as_is[i]);
        assert_string_equal(y->item[0]->item[0]->text, as_is[i]);
        assert_int_equal(y->item[0]->item[0]->n, strlen(as_is[i]));
        assert_false(y->item[0]->item[0]->quoted);
        assert_string_equal(sl_yaml_get(y->item[0]->item[1], as_is[i])->text, as_is[i]);
        sl_yaml_free(y);
    }
    y = parse("a: '5'\nb: \"x\\ty\"\nc:\nd: ''\ne: |\n  one\n  two\n'*': \"*\"\n");
    assert_true(sl_yaml_get(y, "a")->quoted);
    assert_string_equal(sl_yaml_get(y, "b")->text, "x\ty");
    assert_int_equal(sl_yaml_get(y, "c")->n, 0);
    assert_false(sl_yaml_get(y, "c")->quoted);
    assert_true(sl_yaml_get(y, "d")->quoted);
    assert_string_equal(sl_yaml_get(y, "e")->text, "one\ntwo\n");
    assert_string_equal(sl_yaml_get(y, "*")->text, "*");
    sl_yaml_free(y);
}

static void lines_are_counted_from_one(void **state)
{
    struct sl_yaml *y = parse("# comment\na: 1\nb:\n  - x\n  -\n    c: y\n");

    (void)state;
    assert_int_equal(y->line, 2);
    assert_int_equal(y->key[1]->line, 3);
    assert_int_equal(y->item[1]->line, 4);
    assert_int_equal(y->item[1]->item[0]->line, 4);
    assert_int_equal(y->item[1]->item[1]->line, 6);
    sl_yaml_free(y);
}

static void get(void **state)
{
    struct sl_yaml *y = parse("a: {b: c}\nl: [1]\n");

    (void)state;
    assert_string_equal(sl_yaml_get(sl_yaml_get(y, "a"), "b")->text, "c");
    assert_null(sl_yaml_get(y, "x"));
    assert_null(sl_yaml_get(NULL, "x"));
    assert_null(sl_yaml_get(sl_yaml_get(y, "l"), "1"));
    assert_null(sl_yaml_get(sl_yaml_get(sl_yaml_get(y, "a"), "b"), "c"));
    sl_yaml_free(y);
    sl_yaml_free(NULL);
}

static void aliases_are_copies(void **state)
{
    struct sl_yaml *y = parse("a: &x {k: [1, 2]}\nb: *x\nc: &s text\nd: *s\n");

    (void)state;
    assert_string_equal(sl_yaml_get(sl_yaml_get(y, "b"), "k")->item[1]->text, "2");
    assert_string_equal(sl_yaml_get(y, "d")->text, "text");
    sl_yaml_free(y);
}

static void what_is_refused(void **state)
{
    struct sl_buf b = {0};

    (void)state;
    refused("a: 1\nb: 2\na: 3\n", "t.yaml:3: key 'a' stands twice (first in line 1)");
    refused("x:\n  - {q: 1, q: 2}\n", "t.yaml:2: key 'q' stands twice");
    refused("'a': 1\na: 2\n", "stands twice");
    refused("a: 1\n---\nb: 2\n", "more than one document");
    refused("", "empty");
    refused("# only a comment\n", "empty");
    refused("[a]: b\n", "t.yaml:1: a key must be a plain word");
    refused("{a: b}: c\n", "a key must be a plain word");
    refused("a: [1, 2\nb: 3\n", "t.yaml:");
    refused("a:\n\t- b\n", "t.yaml:2");
    refused("a: *nowhere\n", "not YAML");
    refused("a: &x [*x]\n", "");
    refused("a: 1\nb: 2\n...\n}", "t.yaml:4: not YAML");
    refused("\xff\xff", "not YAML");
    for (int i = 0; i < 50; i++)
        sl_buf_addc(&b, '[');
    for (int i = 0; i < 50; i++)
        sl_buf_addc(&b, ']');
    refused(b.s, "nested too deeply");
    sl_buf_clear(&b);
    sl_buf_adds(&b, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"); /* a billion laughs */
    for (int i = 1; i < 10; i++)
        sl_buf_addf(&b, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1,
                    i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    refused(b.s, "too large");
    sl_buf_free(&b);
}

static void same(const struct sl_yaml *a, const struct sl_yaml *b)
{
    assert_true(a->kind == b->kind && a->line == b->line && a->quoted == b->quoted && a->n == b->n);
    if (a->kind == SL_YAML_SCALAR)
        assert_memory_equal(a->text, b->text, a->n + 1);
    for (size_t i = 0; a->kind != SL_YAML_SCALAR && i < a->n; i++) {
        same(a->item[i], b->item[i]);
        if (a->kind == SL_YAML_MAP)
            same(a->key[i], b->key[i]);
    }
}

/* What was taken apart when this was built is what its text says, but for samples. */
static void trees_of_recipes(void **state)
{
    const struct sl_embedded *tree = sl_embedded_recipe_trees;

    (void)state;
    for (const struct sl_embedded *e = sl_embedded_recipes; e->name; e++, tree++) {
        struct sl_yaml *text = parse(e->data), *packed;
        size_t kept = 0;
        assert_string_equal(tree->name, e->name);
        packed = sl_yaml_unpack(tree->data);
        assert_null(sl_yaml_get(packed, "samples"));
        for (size_t i = 0; i < text->n; i++)
            if (strcmp(text->key[i]->text, "samples") != 0) {
                assert_true(kept < packed->n);
                same(text->key[i], packed->key[kept]);
                same(text->item[i], packed->item[kept++]);
            }
        assert_int_equal(kept, packed->n);
        sl_yaml_free(text);
        sl_yaml_free(packed);
    }
    assert_null(tree->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_stay_texts),
        cmocka_unit_test(lines_are_counted_from_one),
        cmocka_unit_test(get),
        cmocka_unit_test(aliases_are_copies),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(trees_of_recipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
