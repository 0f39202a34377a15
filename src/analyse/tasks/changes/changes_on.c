/* SPDX-License-Identifier: Apache-2.0 */
/* "on NAME": what tasks spend on a worker, on all of a manager, block or executor, or on a host. */
#include "analyse/ext.h"
#include "analyse/tasks/changes/changes_internal.h"
#include "analyse/tasks/task_attrs.h"
#include "base/buf.h"
#include "changes_changes_on.sql.h"

#include <stdlib.h>

struct on {
    const struct sl_workflow *w;
    const char *name;
    sqlite3_stmt *above;
    struct sl_buf path;
    unsigned char *known; /* by span of a worker: 1: it is not meant, 2: it is */
    int64_t type, other;  /* of what is meant, by its key; 0: of none */
};

/* The key alone, or with the keys of what it lies in: "htex/0/a4f1/1", "a4f1/1". */
static bool is_called(const struct on *o, const char *key)
{
    if (!strchr(o->name, '/'))
        return sl_lens_glob(o->name, key);
    for (const char *s = o->path.s; s; s = strchr(s, '/') ? strchr(s, '/') + 1 : NULL)
        if (sl_lens_glob(o->name, s))
            return true;
    return false;
}

static bool find_worker(struct on *o, uint32_t span)
{
    bool meant = false;

    if (o->known[span])
        return o->known[span] == 2;
    sl_buf_clear(&o->path);
    sqlite3_bind_int64(o->above, 1, o->w->s.g.id.v[span]);
    while (sqlite3_step(o->above) == SQLITE_ROW) {
        const char *key = (const char *)sqlite3_column_text(o->above, 0),
                   *host = (const char *)sqlite3_column_text(o->above, 2);
        int64_t type = sqlite3_column_int64(o->above, 1);
        sl_buf_addf(&o->path, "%s%s", o->path.n ? "/" : "", key ? key : "");
        if (key && is_called(o, key)) {
            o->other = o->type && type != o->type ? type : o->other;
            o->type = o->type ? o->type : type;
            meant = true;
        }
        meant |= host && sl_lens_glob(o->name, host);
    }
    sqlite3_reset(o->above);
    o->known[span] = meant ? 2 : 1;
    return meant;
}

static void mark_workers(struct on *o, unsigned char *segment)
{
    for (size_t s = 0; s < o->w->seg.n; s++) {
        uint32_t worker = o->w->worker[o->w->seg.v[s].span];
        segment[s] = worker != SL_NO_INDEX && find_worker(o, worker);
    }
}

/* What ran there in tries whose host is told, whether a worker is known or not. */
static int mark_tries(const struct on *o, unsigned char *segment, struct sl_err *err)
{
    const struct sl_task_attrs *told;
    int rc = sl_task_attrs_load(&told, o->w, err);

    for (size_t i = 0; !rc && i < told->tries.n; i++) {
        const struct sl_try *y = &told->tries.v[i];
        const struct sl_task *t = &o->w->task[y->task];
        if (!y->host || !sl_lens_glob(o->name, sl_intern_text(&told->value, y->host) + 1)) /* after its type */
            continue;
        for (uint32_t s = t->seg; s < t->seg + t->nseg; s++)
            segment[s] |= o->w->seg.v[s].from_ns >= y->from_ns && o->w->seg.v[s].from_ns < y->to_ns;
    }
    return rc;
}

/* Is nothing meant? */
static int check_any(const struct on *o, const unsigned char *segment, struct sl_err *err)
{
    if (!o->w->seg.n || memchr(segment, 1, o->w->seg.n))
        return 0;
    return sl_err(err, SL_ENOTFOUND,
                  "nothing ran on a worker, manager, block, executor or host called '%.200s'%s%.200s%s", o->name,
                  o->path.n ? "; a worker is such as '" : "", o->path.n ? o->path.s : "", o->path.n ? "'" : "");
}

/* What fits two kinds of things is in doubt. */
static int check_types(const struct on *o, struct sl_err *err)
{
    sqlite3_stmt *q = NULL;
    struct sl_buf names[2] = {0};
    int rc = 0;

    for (int i = 0; i < 2 && o->other && sqlite3_prepare_v2(o->w->s.db, sql_type_name, -1, &q, NULL) == SQLITE_OK;
         i++) {
        sqlite3_bind_int64(q, 1, i ? o->other : o->type);
        if (sqlite3_step(q) == SQLITE_ROW)
            sl_buf_adds(&names[i], (const char *)sqlite3_column_text(q, 0));
        sqlite3_finalize(q);
    }
    if (o->other)
        rc = sl_err(err, SL_EUSAGE, "'on %.200s' can be a %s or a %s: say in what it lies, such as 'on NAME/%.200s'",
                    o->name, names[0].s, names[1].s, o->name);
    sl_buf_free(&names[0]);
    sl_buf_free(&names[1]);
    return rc;
}

int sl_changes_on(const struct sl_changes *c, const char *name, unsigned char *segment, struct sl_err *err)
{
    struct on o = {.w = c->w, .name = name};
    int rc = 0;

    if (sqlite3_prepare_v2(c->w->s.db, sql_above, -1, &o.above, NULL) != SQLITE_OK)
        return sl_err(err, SL_ESTORE, "%s", sl_sqlite_words(c->w->s.db));
    o.known = sl_alloc((size_t)c->w->s.g.n + 1);
    mark_workers(&o, segment);
    rc = check_types(&o, err);
    if (!rc)
        rc = mark_tries(&o, segment, err);
    if (!rc)
        rc = check_any(&o, segment, err);
    sqlite3_finalize(o.above);
    sl_buf_free(&o.path);
    free(o.known);
    return rc;
}
