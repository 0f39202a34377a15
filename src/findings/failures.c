/* SPDX-License-Identifier: Apache-2.0 */
#include "findings/failures.h"
#include "findings_failures.sql.h"

#define TEXT SL_COLUMN_TEXT
#define INTEGER SL_COLUMN_INTEGER
#define REAL SL_COLUMN_REAL

static const struct sl_column failure_columns[] = {{"tasks", INTEGER, "tasks", NULL, 0},
                                                   {"tries", INTEGER, "tries", NULL, 0},
                                                   {"then done", INTEGER, "tasks", NULL, 0},
                                                   {"failed", INTEGER, "tasks", NULL, 0},
                                                   {"seconds", REAL, "s", NULL, 0},
                                                   {"app", TEXT, NULL, NULL, 0},
                                                   {"host", TEXT, NULL, NULL, 0},
                                                   {"such as", TEXT, NULL, NULL, 0},
                                                   {"exception", TEXT, NULL, NULL, 0},
                                                   {"unit", TEXT, NULL, NULL, 0}};
static const struct sl_column dependent_columns[] = {{"never ran", INTEGER, "tasks", NULL, 0},
                                                     {"because of", TEXT, NULL, NULL, 0},
                                                     {"exception", TEXT, NULL, NULL, 0},
                                                     {"unit", TEXT, NULL, NULL, 0}};

int sl_failures_of_facts(struct sl_result *r, struct sl_store *st, struct sl_err *err)
{
    if (!sl_result_sql(r, st, "failures", failure_columns, SL_COLUMNS(failure_columns), sql_failures, err) ||
        !sl_result_sql(r, st, "dependents", dependent_columns, SL_COLUMNS(dependent_columns), sql_dependents, err))
        return SL_ESTORE;
    return 0;
}

int sl_failures(struct sl_result *r, struct sl_store *st, int64_t workflow, struct sl_err *err)
{
    int rc = sl_facts_make(st, workflow, err);

    return rc ? rc : sl_failures_of_facts(r, st, err);
}
