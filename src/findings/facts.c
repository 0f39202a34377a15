/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a run that findings ask (facts.sql), and the workflow that is loaded for them. */
#include "base/buf.h"
#include "findings/failures.h"
#include "findings_facts.sql.h"

#include <string.h>

static int load(struct sl_workflow *w, struct sl_store *st, int64_t workflow, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, "SELECT ?1", err);
    int rc;

    if (!q)
        return SL_ESTORE;
    sqlite3_bind_int64(q, 1, workflow);
    rc = sl_store_step(st, q, err);
    if (rc > 0)
        rc = sl_workflow_load(w, st->db, sqlite3_column_value(q, 0), err);
    sqlite3_finalize(q);
    return rc;
}

int sl_facts_open(struct sl_workflow *w, struct sl_store *st, int64_t workflow, struct sl_err *err)
{
    struct sl_buf sql = {0};
    const char *at = sql_facts, *next;
    int rc;

    w->sources = true;
    rc = load(w, st, workflow, err);

    for (; (next = strstr(at, "WORKFLOW")); at = next + 8) {
        sl_buf_add(&sql, at, (size_t)(next - at));
        sl_buf_addf(&sql, "%lld", (long long)workflow);
    }
    sl_buf_addf(&sql, "%s", at);
    if (!rc) {
        sl_workflow_finish(w);
        sl_workflow_share(st->db, w);
        rc = sl_store_temporary(st, sql.s, err);
    }
    sl_buf_free(&sql);
    if (rc)
        sl_facts_close(w, st);
    return rc;
}

void sl_facts_close(struct sl_workflow *w, struct sl_store *st)
{
    sl_workflow_share(st->db, NULL);
    sl_workflow_free(w);
}

int sl_facts_make(struct sl_store *st, int64_t workflow, struct sl_err *err)
{
    struct sl_workflow w = {0};
    int rc = sl_facts_open(&w, st, workflow, err);

    if (!rc)
        sl_facts_close(&w, st);
    return rc;
}
