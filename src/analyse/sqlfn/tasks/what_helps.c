/* SPDX-License-Identifier: Apache-2.0 */
/* The changes that are worth asking what_if() (analyse/tasks/suspects.h), each replayed. */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/tasks/suspects.h"

/* clang-format off */
#define WHAT_HELPS(COLUMN, row) \
    COLUMN(row, TEXT, change, NULL, "as what_if() takes it") \
    COLUMN(row, REAL, makespan_s, "s", "how long the workflow took") \
    COLUMN(row, REAL, new_makespan_s, "s", "how long it would have taken") \
    COLUMN(row, TEXT, assumed, NULL, "of workers, in words; NULL: their number is what it was") \
    COLUMN(row, REAL, bias, NULL, "as of what_if()")
/* clang-format on */
SL_ROW(what_helps, WHAT_HELPS);

static const struct sl_column args[] = {
    {"workflow", SL_COLUMN_INTEGER, NULL, "the id of a workflow's span", 0},
};

static int fill_helps(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    struct sl_workflow w = {0};
    struct sl_replay *replay = NULL;
    struct sl_suspects suspects = {0};
    int rc = sl_workflow_load(&w, call->db, call->arg[0], err);

    if (!rc)
        rc = sl_replay_make(&replay, &w, err);
    if (!rc)
        rc = sl_suspects_find(&suspects, replay, err);
    for (size_t i = 0; i < suspects.v.n && !rc; i++) {
        struct sl_simulation r = {0};
        struct what_helps *x;
        if ((rc = sl_replay_play(&r, replay, suspects.v.v[i], err)))
            break;
        x = sl_rows_add(out);
        x->change = sl_rows_text(out, suspects.v.v[i]);
        x->makespan_s = (double)(w.last_ns - w.first_ns) / 1e9;
        x->new_makespan_s = (double)(r.last_ns - w.first_ns) / 1e9;
        x->assumed = sl_rows_text(out, r.assumed);
        x->bias = r.bias;
        sl_simulation_free(&r);
    }
    sl_suspects_free(&suspects);
    sl_replay_free(replay);
    sl_workflow_free(&w);
    return rc;
}

const struct sl_table_fn sl_fn_what_helps = {
    .name = "what_helps",
    .about = "the changes that would help the workflow most",
    .row = &what_helps_columns,
    .arg = args,
    .args = 1,
    .needed = 1,
    .usage = "what_helps(1), with the id of a workflow's span",
    .rows = 20,
    .fill = fill_helps,
};
