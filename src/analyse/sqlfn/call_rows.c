/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/sqlfn/call_rows.h"

enum { PART, NAME, CALLS, UNFINISHED, INCLUSIVE_S, EXCLUSIVE_S, SHARE, MIN_S, MEAN_S, MAX_S };

int call_rows_start(struct call_rows *s, const struct sl_call *call,
                    void (*make)(struct sl_profile *p, const struct sl_calls *c), struct sl_err *err)
{
    const char *by = call->arg[1] ? (const char *)sqlite3_value_text(call->arg[1]) : NULL;
    int64_t within = call->arg[0] ? sqlite3_value_int64(call->arg[0]) : 0;
    struct sl_calls_want want = {0};
    int found = by ? sl_calls_by_find(by) : SL_BY_NONE, rc;

    call_rows_end(s);
    s->rows = (struct sl_table_rows){0};
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
    if (!rc) {
        make(&s->profile, &s->calls);
        s->rows.n = s->profile.n;
    }
    return rc;
}

void call_rows_end(struct call_rows *s)
{
    sl_profile_free(&s->profile);
    sl_calls_free(&s->calls);
}

static void seconds(sqlite3_context *out, int64_t ns)
{
    sqlite3_result_double(out, (double)ns / 1e9);
}

void call_rows_column(const struct call_rows *s, sqlite3_context *out, int col)
{
    const struct sl_profile_row *r = &s->profile.v[s->rows.at];
    uint64_t finished = r->calls - r->unfinished;

    switch (col) {
    case PART:
        if (r->part)
            sqlite3_result_text(out, sl_intern_text(&s->calls.parts, r->part), -1, SQLITE_TRANSIENT);
        break;
    case NAME: sqlite3_result_text(out, sl_intern_text(&s->calls.names, r->name), -1, SQLITE_TRANSIENT); break;
    case CALLS: sqlite3_result_int64(out, (sqlite3_int64)r->calls); break;
    case UNFINISHED: sqlite3_result_int64(out, (sqlite3_int64)r->unfinished); break;
    case INCLUSIVE_S: seconds(out, r->inclusive_ns); break;
    case EXCLUSIVE_S: seconds(out, r->exclusive_ns); break;
    case SHARE:
        if (s->profile.exclusive_ns)
            sqlite3_result_double(out, (double)r->exclusive_ns / (double)s->profile.exclusive_ns);
        break;
    case MIN_S:
        if (finished)
            seconds(out, r->min_ns);
        break;
    case MEAN_S:
        if (finished)
            sqlite3_result_double(out, (double)r->sum_ns / (double)finished / 1e9);
        break;
    default:
        if (finished)
            seconds(out, r->max_ns);
    }
}
