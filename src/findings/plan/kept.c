/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions that a later run has checked: kept in the store, and how good they were. */
#include "findings/plan/planning.h"
#include "findings/plan/planning_internal.h"
#include "plan_kept.sql.h"

#include <math.h>
#include <stdlib.h>

/* What was said of the steps that were made; NULL: none were, so that nothing was predicted. */
static const struct plan_check *find_made(struct sl_table *check)
{
    const struct plan_check *made = NULL;

    for (size_t i = 0; i < check->rows; i++) {
        const struct plan_check *x = sl_table_at(check, i);
        if (x->step == SL_NULL_INTEGER || x->made == 1)
            made = x;
    }
    return made;
}

int sl_plan_keep(const char *path, int64_t workflow, const struct sl_result *r, struct sl_err *err)
{
    const struct plan_run *run = sl_table_at(sl_result_find(r, "run"), 0);
    const struct plan_check *x = find_made(sl_result_find(r, "check"));
    struct sl_store *st = NULL;
    int rc;

    if (!x)
        return 0;
    rc = sl_store_open(&st, path, SL_STORE_WRITE, err);
    rc = rc ? rc : sl_store_run(st, sql_make, err, "");
    rc = rc ? rc
            : sl_store_run(st, sql_keep, err, "itttii", workflow, run->name, x->run, x->changes ? x->changes : "",
                           (int64_t)llround(x->makespan_s * 1e9), (int64_t)llround(x->came_s * 1e9));
    sl_store_close(st);
    return rc;
}

struct offs {
    SL_VEC(double) off;
};

static int add_off(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct offs *o = of;

    (void)err;
    *sl_vec_add(&o->off) = sqlite3_column_double(row, 0);
    return 0;
}

int sl_plan_kept(struct sl_store *st, struct plan_run *x, struct sl_err *err)
{
    struct offs o = {0};
    int rc = 0;

    x->checked = x->checked_near = 0;
    x->checked_off = NAN;
    if (sl_store_int(st, "SELECT count(*) FROM sqlite_master WHERE name = 'sl_prediction'", 0))
        rc = sl_store_each(st, sql_kept, add_off, &o, err, "");
    if (!rc && o.off.n) {
        x->checked = (int64_t)o.off.n;
        x->checked_near = (int64_t)ceil(0.9 * (double)o.off.n);
        x->checked_off = o.off.v[x->checked_near - 1];
    }
    sl_vec_free(&o.off);
    return rc;
}
