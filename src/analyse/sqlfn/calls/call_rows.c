/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/sqlfn/calls/call_rows.h"

#include <math.h>

const struct sl_column call_rows_args[CALL_ROWS_ARGS] = {
    {"within", SL_COLUMN_INTEGER, NULL, "the id of a span (a process, a task, a run) to which calls belong; NULL: all",
     0},
    {"by", SL_COLUMN_TEXT, NULL, "'thread', 'process' or 'rank': each of these has rows of its own", 0},
    {"sums", SL_COLUMN_ANY, NULL, "of the program itself", 0},
};

int call_rows_load(struct call_rows *s, const struct sl_call *call,
                   void (*make)(struct sl_profile *p, const struct sl_calls *c), struct sl_err *err)
{
    const char *by = call->arg[1] ? (const char *)sqlite3_value_text(call->arg[1]) : NULL;
    int64_t within = call->arg[0] ? sqlite3_value_int64(call->arg[0]) : 0;
    struct sl_calls_want want = {0};
    int found = by ? sl_calls_by_find(by) : SL_BY_NONE, rc;

    *s = (struct call_rows){0};
    if (found < 0)
        return sl_err(err, SL_EUSAGE, "'%s' is none of: thread, process, rank", by);
    want.by = (enum sl_calls_by)found;
    want.sums = call->pointer;
    if (call->arg[0] && sqlite3_value_type(call->arg[0]) != SQLITE_NULL) {
        if (sqlite3_value_type(call->arg[0]) != SQLITE_INTEGER)
            return sl_err(err, SL_EUSAGE, "the first argument is the id of a span, or NULL for all");
        want.within = &within;
        want.nwithin = 1;
    }
    rc = sl_calls_load(&s->calls, call->db, &want, err);
    if (!rc)
        make(&s->profile, &s->calls);
    return rc;
}

void call_rows_free(struct call_rows *s)
{
    sl_profile_free(&s->profile);
    sl_calls_free(&s->calls);
}

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

struct call_row call_rows_row(const struct call_rows *s, const struct sl_profile_row *r)
{
    uint64_t finished = r->calls - r->unfinished;

    return (struct call_row){
        .part = r->part ? sl_intern_text(&s->calls.parts, r->part) : NULL,
        .name = sl_intern_text(&s->calls.names, r->name),
        .calls = (int64_t)r->calls,
        .unfinished = (int64_t)r->unfinished,
        .inclusive_s = seconds(r->inclusive_ns),
        .exclusive_s = seconds(r->exclusive_ns),
        .share = s->profile.exclusive_ns ? (double)r->exclusive_ns / (double)s->profile.exclusive_ns : NAN,
        .min_s = finished ? seconds(r->min_ns) : NAN,
        .mean_s = finished ? (double)r->sum_ns / (double)finished / 1e9 : NAN,
        .max_s = finished ? seconds(r->max_ns) : NAN,
    };
}
