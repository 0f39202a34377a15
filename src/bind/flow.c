/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows from one traced process to another, each of which has told its end: what begins is known by the id of both.
 * PerfFlowAspect's flows are counted in each process, so that several of one program have the same ids: then it is in
 * doubt which belong together.
 */
#include "bind/process_internal.h"

#include <string.h>

enum end { OUT, IN };

struct flow {
    int64_t span[2]; /* the first of each end; 0: none */
    bool many;       /* more than one of an end */
};

typedef SL_VEC(struct flow) flow_list; /* by text */

static int load(struct process_binding *s, flow_list *flows, enum end end, const char *attribute)
{
    sqlite3_stmt *q = sl_process_with_attribute(s, attribute);
    int rc = q ? 0 : SL_ESTORE;

    while (!rc && (rc = sl_store_step(s->st, q, s->err)) > 0) {
        const char *id = (const char *)sqlite3_column_text(q, 1);
        uint32_t text = id ? sl_intern(&s->texts, id, strlen(id)) : 0;
        int64_t span = sqlite3_column_int64(q, 0), *first;
        while (flows->n <= text)
            *sl_vec_add(flows) = (struct flow){0};
        first = &flows->v[text].span[end];
        flows->v[text].many |= *first && *first != span;
        *first = *first ? *first : span;
        rc = 0;
    }
    sqlite3_finalize(q);
    return rc;
}

static sqlite3_stmt *insert(struct process_binding *s, const char *into)
{
    char *sql = sqlite3_mprintf("INSERT OR IGNORE INTO %s VALUES (?1, 4, ?2, ?3%s)", into,
                                strstr(into, "confidence") ? ", 1" : "");
    sqlite3_stmt *q = sql ? sl_store_prepare(s->st, sql, s->err) : NULL;

    sqlite3_free(sql);
    return q;
}

static int bind(struct process_binding *s, const flow_list *flows)
{
    sqlite3_stmt *link = insert(s, "sl_link (left_span, kind, right_span, rule, confidence)");
    sqlite3_stmt *doubt = insert(s, "sl_doubt (left_span, kind, right_span, rule)");
    int rc = link && doubt ? 0 : SL_ESTORE;

    for (size_t i = 1; i < flows->n && !rc; i++) {
        const struct flow *f = &flows->v[i];
        sqlite3_stmt *q = f->many ? doubt : link;
        if (!f->span[OUT] || !f->span[IN])
            continue;
        sqlite3_bind_int64(q, 1, f->span[OUT]);
        sqlite3_bind_int64(q, 2, f->span[IN]);
        sqlite3_bind_int64(q, 3, s->rule[BY_FLOW]);
        if (sqlite3_step(q) != SQLITE_DONE)
            rc = sl_store_err(s->st, "cannot write", s->err);
        sqlite3_reset(q);
    }
    sqlite3_finalize(link);
    sqlite3_finalize(doubt);
    return rc;
}

int sl_bind_flows(struct process_binding *s)
{
    flow_list flows = {0};
    int rc;

    if (!s->rule[BY_FLOW] || !sl_store_int(s->st, "SELECT EXISTS (SELECT 1 FROM sl_shape WHERE name = 'flow_in')", 0))
        return 0;
    rc = load(s, &flows, OUT, "flow_out");
    if (!rc)
        rc = load(s, &flows, IN, "flow_in");
    if (!rc)
        rc = bind(s, &flows);
    sl_vec_free(&flows);
    return rc;
}
