/* SPDX-License-Identifier: Apache-2.0 */
/* Results for people. */
#include "unit.h"

#include "show/nodes/print_metrics.h"

/* As many metrics as somebody may add. */
static void metrics_of_any_number(void **unused)
{
    enum { COLUMNS = 400, NODES = 3 };
    static struct sl_column column[COLUMNS];
    static char name[COLUMNS][16];
    struct sl_result r = {0};
    struct sl_table *t;
    char *text, last[128];
    size_t n;
    FILE *f = open_memstream(&text, &n);

    (void)unused;
    for (int c = 0; c < COLUMNS; c++) {
        snprintf(name[c], sizeof name[c], "metric_%d", c);
        column[c] = (struct sl_column){.name = name[c], .type = c == SL_METRICS_host ? SL_COLUMN_TEXT : SL_COLUMN_REAL};
    }
    t = sl_result_table(&r, "metrics", column, COLUMNS);
    for (int i = 0; i < NODES; i++) {
        sl_table_add(t);
        sl_table_put_text(t, SL_METRICS_host, "node");
        for (int c = SL_METRICS_FIRST; c < COLUMNS; c++)
            sl_table_put_real(t, c, i + 1);
    }
    assert_int_equal(sl_show_metrics(f, &r, SL_METRICS_NODE, NULL), 0);
    fclose(f);
    snprintf(last, sizeof last, "%-32s%14s%14s%14s\n", "metric_399", "1.00", "2.00", "3.00");
    assert_string_equal(text + n - strlen(last), last);
    free(text);
    sl_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(metrics_of_any_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
