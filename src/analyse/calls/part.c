/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/calls/part.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "base/buf.h"
#include "base/set.h"
#include "calls_part.sql.h"

#include <stdio.h>
#include <stdlib.h>

/* As the set has it: in the order of ids, and not 0, but for an id that no span has. */
static uint64_t member(int64_t id)
{
    return (uint64_t)id ^ (uint64_t)INT64_MIN;
}

static int row(void *to, sqlite3_value **v)
{
    struct sl_set *part = to;

    if (sqlite3_value_type(v[0]) == SQLITE_INTEGER) /* dnpcsql's users may link what does not exist, by texts */
        sl_set_add(part, member(sqlite3_value_int64(v[0])));
    return (int64_t)part->v.n > sqlite3_value_int64(v[1]);
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static char *list(const struct sl_set *part)
{
    uint64_t *v = sl_alloc((part->v.n + 1) * sizeof *v);
    struct sl_buf b = {0};

    if (part->v.n)
        memcpy(v, part->v.v, part->v.n * sizeof *v);
    qsort(v, part->v.n, sizeof *v, by_id);
    sl_buf_addc(&b, '[');
    for (size_t i = 0; i < part->v.n; i++)
        sl_buf_addf(&b, "%s%lld", i ? "," : "", (long long)member((int64_t)v[i]));
    sl_buf_addc(&b, ']');
    free(v);
    return b.s;
}

int sl_calls_part(char **ids, sqlite3 *db, const struct sl_calls_want *want, struct sl_err *err)
{
    static const char *const more[] = {sql_above, sql_beside};
    struct sl_set part = {0};
    char sql[300];
    int rc = want->nwithin == 0;

    *ids = NULL;
    for (size_t i = 0; i < want->nwithin && !rc; i++) {
        if (sl_set_has(&part, member(want->within[i])))
            continue;
        snprintf(sql, sizeof sql, sql_closure, (long long)want->within[i]);
        rc = sl_query_each(db, sql, row, &part, err);
    }
    for (size_t i = 0; i < sizeof more / sizeof *more && !rc; i++) {
        char *so_far = list(&part);
        rc = sl_query_each_of(db, more[i], so_far, row, &part, err);
        free(so_far);
    }
    if (!rc)
        *ids = list(&part);
    sl_set_free(&part);
    return rc < 0 ? rc : 0;
}
