/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a run that findings ask (facts.sql, facts_causes.sql, facts_path.sql), and the workflow that is loaded
 * for them.
 */
#include "analyse/load/shared.h"
#include "analyse/tasks/simulate.h"
#include "base/buf.h"
#include "findings/failures.h"
#include "findings_facts.sql.h"
#include "findings_facts_causes.sql.h"
#include "findings_facts_path.sql.h"

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

/* Makes tables, of SQL in which WORKFLOW stands for the workflow. */
static int make(struct sl_store *st, const char *sql, int64_t workflow, struct sl_err *err)
{
    struct sl_buf b = {0};
    const char *next;
    int rc;

    for (; (next = strstr(sql, "WORKFLOW")); sql = next + 8) {
        sl_buf_add(&b, sql, (size_t)(next - sql));
        sl_buf_addf(&b, "%lld", (long long)workflow);
    }
    sl_buf_adds(&b, sql);
    rc = sl_store_temporary(st, b.s, err);
    sl_buf_free(&b);
    return rc;
}

static int open_facts(struct sl_workflow *w, struct sl_store *st, int64_t workflow, bool replays, struct sl_err *err)
{
    static const char *const more[] = {sql_more_facts, sql_of_tasks, sql_of_driver, sql_of_workers, sql_of_path};
    int rc;

    w->sources = true;
    sl_beside_open(st->db);
    rc = load(w, st, workflow, err);
    sl_beside_close(st->db);
    if (!rc) {
        sl_workflow_finish(w);
        sl_workflow_share(st->db, w);
        rc = make(st, sql_no_facts, workflow, err);
        if (!rc)
            rc = make(st, sql_facts, workflow, err);
    }
    if (!rc && replays) /* not before: what wanted much memory has given it back */
        rc = sl_replay_begin(&w->replay, w, err);
    for (size_t i = 0; i < sizeof more / sizeof *more && !rc; i++)
        rc = make(st, more[i], workflow, err);
    if (rc)
        sl_facts_close(w, st);
    return rc;
}

int sl_facts_open(struct sl_workflow *w, struct sl_store *st, int64_t workflow, struct sl_err *err)
{
    return open_facts(w, st, workflow, true, err);
}

void sl_facts_close(struct sl_workflow *w, struct sl_store *st)
{
    sl_replay_free(w->replay);
    sl_workflow_share(st->db, NULL);
    sl_workflow_free(w);
}

int sl_facts_make(struct sl_store *st, int64_t workflow, struct sl_err *err)
{
    struct sl_workflow w = {0};
    int rc = open_facts(&w, st, workflow, false, err);

    if (!rc)
        sl_facts_close(&w, st);
    return rc;
}
