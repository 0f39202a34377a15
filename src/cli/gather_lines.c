/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gather_lines.h"
#include "base/buf.h"
#include "base/set.h"
#include "cli_gather_lines.sql.h"
#include "ingest/log_lines.h"

#include <stdlib.h>

struct gather {
    struct sl_store *st;
    sqlite3_stmt *insert;
    struct sl_set below; /* the spans wanted, if not all: lines of others are not kept */
    bool all, failed;
};

static int want(void *to, sqlite3_stmt *row, struct sl_err *err)
{
    struct gather *g = to;
    uint32_t span = (uint32_t)sqlite3_column_int64(row, 0);

    (void)err;
    if (span)
        sl_set_add(&g->below, span);
    return 0;
}

static void take_line(void *to, const struct sl_line *l)
{
    struct gather *g = to;
    struct sl_buf clean = {0};

    for (size_t i = 0; i < l->nspans; i++) {
        if (!g->all && !sl_set_has(&g->below, l->span[i]))
            continue;
        if (!clean.s)
            sl_buf_add_utf8(&clean, l->text, l->n);
        sqlite3_bind_int64(g->insert, 1, l->span[i]);
        sqlite3_bind_int64(g->insert, 2, l->source);
        sqlite3_bind_int64(g->insert, 3, l->place);
        if (l->timed)
            sqlite3_bind_int64(g->insert, 4, l->time_ns);
        else
            sqlite3_bind_null(g->insert, 4);
        sqlite3_bind_text(g->insert, 5, clean.s, (int)clean.n, SQLITE_STATIC);
        g->failed |= sqlite3_step(g->insert) != SQLITE_DONE;
        sqlite3_reset(g->insert);
    }
    sl_buf_free(&clean);
}

int cli_gather_lines(const struct cli *cli, struct sl_store *st, int64_t span, struct sl_err *err)
{
    struct sl_recipes *set = sl_recipes_new();
    struct gather g = {.st = st, .all = !span};
    struct sl_buf which = {0};
    int rc = cli_recipes(cli, set, err);

    if (!rc) /* temporary tables are not the store: query_only would forbid them, too */
        rc = sl_store_exec(st,
                           "PRAGMA query_only = 0; PRAGMA temp.journal_mode = OFF; CREATE TEMP TABLE sl_line (span "
                           "INTEGER, source INTEGER, place INTEGER, "
                           "time_ns INTEGER, text TEXT, PRIMARY KEY (span, source, place)) WITHOUT ROWID",
                           err);
    if (!rc && !(g.insert = sl_store_prepare(st, "INSERT OR IGNORE INTO temp.sl_line VALUES (?, ?, ?, ?, ?)", err)))
        rc = SL_ESTORE;
    if (!rc && span)
        rc = sl_store_each(st, "SELECT span FROM descendants(?1)", want, &g, err, "i", span);
    if (!rc)
        rc = sl_store_exec(st, "BEGIN", err);
    if (span) /* the files that say something below it, and what lies in the same run directory */
        sl_buf_addf(&which, sql_sources_near, (long long)span);
    else
        sl_buf_adds(&which, "SELECT id FROM sl_source");
    if (!rc)
        rc = sl_lines(st, set, cli->project, which.s, g.all ? NULL : &g.below, take_line, cli_warn, &g, err);
    if (!rc && g.failed)
        rc = sl_store_err(st, "cannot keep the lines", err);
    sqlite3_finalize(g.insert);
    sl_store_exec(st, "COMMIT", NULL);
    sl_set_free(&g.below);
    sl_store_exec(st, "PRAGMA query_only = 1", NULL);
    sl_recipes_free(set);
    sl_buf_free(&which);
    return rc;
}
