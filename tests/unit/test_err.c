/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void fills_and_returns_code(void **state)
{
    (void)state;
    struct sl_err err = {0};
    assert_int_equal(sl_err(&err, SL_EFORMAT, "%s:%d", "a.log", 7), SL_EFORMAT);
    assert_int_equal(err.code, SL_EFORMAT);
    assert_string_equal(err.text, "a.log:7");
}

static void null_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(sl_err(NULL, SL_EUSAGE, "unseen"), SL_EUSAGE);
    assert_int_equal(sl_err_wrap(NULL, "unseen"), SL_EIO);
}

static void wrap_puts_context_in_front(void **state)
{
    (void)state;
    struct sl_err err = {0};
    sl_err(&err, SL_EIO, "no such file");
    assert_int_equal(sl_err_wrap(&err, "cannot read %s", "a.log"), SL_EIO);
    assert_string_equal(err.text, "cannot read a.log: no such file");
}

static void long_text_is_cut_not_overrun(void **state)
{
    (void)state;
    struct sl_err err = {0};
    char text[2 * sizeof err.text];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    sl_err(&err, SL_EIO, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    sl_err_wrap(&err, "context");
    assert_int_equal(strncmp(err.text, "context: xxx", 12), 0);
    sl_err_wrap(&err, "%s", text);
    assert_true(strlen(err.text) < sizeof err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_and_returns_code),
        cmocka_unit_test(null_is_allowed),
        cmocka_unit_test(wrap_puts_context_in_front),
        cmocka_unit_test(long_text_is_cut_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
