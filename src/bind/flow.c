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

static int bind(struct process_binding *s, const flow_list *flows)
{
    int rc = 0;

    for (size_t i = 1; i < flows->n && !rc; i++) {
        const struct flow *f = &flows->v[i];
        if (f->span[OUT] && f->span[IN])
            rc = f->many ? sl_process_doubt(s, SL_FLOW, f->span[OUT], f->span[IN], s->rule[BY_FLOW])
                         : sl_process_link(s, SL_FLOW, f->span[OUT], f->span[IN], s->rule[BY_FLOW], 1);
    }
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
