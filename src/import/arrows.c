/* SPDX-License-Identifier: Apache-2.0 */
/* Flows from one traced process to another, each of which has told its end: what begins is known by the id of both. */
#include "import/started.h"

#include <string.h>

typedef SL_VEC(int64_t) span_list; /* by text; 0: none */

/* The span that each goes out of. */
static int load_outs(struct started *s, span_list *out)
{
    sqlite3_stmt *q = sl_started_with_attribute(s, "flow_out");
    int rc = q ? 0 : SL_ESTORE;

    while (!rc && (rc = sl_store_step(s->st, q, s->err)) > 0) {
        const char *id = (const char *)sqlite3_column_text(q, 1);
        uint32_t text = id ? sl_intern(&s->texts, id, strlen(id)) : 0;
        while (out->n <= text)
            *sl_vec_add(out) = 0;
        out->v[text] = sqlite3_column_int64(q, 0);
        rc = 0;
    }
    sqlite3_finalize(q);
    return rc;
}

int sl_arrows_bind(struct started *s)
{
    sqlite3_stmt *ins, *link;
    span_list out = {0};
    int rc;

    if (!s->rule[BY_FLOW] || !sl_store_int(s->st, "SELECT EXISTS (SELECT 1 FROM sl_shape WHERE name = 'flow_in')", 0))
        return 0;
    rc = load_outs(s, &out);
    ins = sl_started_with_attribute(s, "flow_in");
    link = sl_store_prepare(s->st,
                            "INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, rule, confidence) VALUES "
                            "(?1, 4, ?2, ?3, 1)",
                            s->err);
    if (!ins || !link)
        rc = SL_ESTORE;
    while (!rc && (rc = sl_store_step(s->st, ins, s->err)) > 0) {
        const char *id = (const char *)sqlite3_column_text(ins, 1);
        uint32_t text = id ? sl_intern_find(&s->texts, id, strlen(id)) : 0;
        rc = 0;
        if (!text || text >= out.n || !out.v[text])
            continue;
        sqlite3_bind_int64(link, 1, out.v[text]);
        sqlite3_bind_int64(link, 2, sqlite3_column_int64(ins, 0));
        sqlite3_bind_int64(link, 3, s->rule[BY_FLOW]);
        if (sqlite3_step(link) != SQLITE_DONE)
            rc = sl_store_err(s->st, "cannot write", s->err);
        sqlite3_reset(link);
    }
    sqlite3_finalize(ins);
    sqlite3_finalize(link);
    sl_vec_free(&out);
    return rc;
}
