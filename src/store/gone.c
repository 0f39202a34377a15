/* SPDX-License-Identifier: Apache-2.0 */
#include "store/gone.h"

static const char begin_sql[] = "CREATE TEMP TABLE sl_gone (id INTEGER PRIMARY KEY);"
                                "CREATE TEMP TABLE sl_named (id INTEGER PRIMARY KEY)";

static const char rows_sql[] =
    "INSERT INTO sl_old_event SELECT e.source, e.place, e.time_ns, n.name || ' ' || s.key, m.name FROM sl_event e "
    "JOIN sl_span s ON s.id = e.span JOIN sl_name n ON n.id = s.type JOIN sl_name m ON m.id = e.type "
    "WHERE e.source IN (SELECT id FROM sl_source WHERE replaced_by IS NOT NULL AND id IN (SELECT id FROM "
    "temp.sl_gone));"
    "DELETE FROM sl_event WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_attr WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_sample WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_raw WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_reject WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_root WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_wrote WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_written WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_link_off WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_weak WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_link_also WHERE source IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_link WHERE source IN (SELECT id FROM temp.sl_gone);"
    /* the next of those who assert the link takes its place */
    "INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, rule, source, place, weak) "
    "SELECT left_span, kind, right_span, rule, source, place, weak FROM sl_link_also ORDER BY source;"
    "DELETE FROM sl_link_also WHERE EXISTS (SELECT 1 FROM sl_link l WHERE l.left_span = sl_link_also.left_span "
    "AND l.kind = sl_link_also.kind AND l.right_span = sl_link_also.right_span AND l.source = sl_link_also.source)";

/* What speaks for a span: events, values, links of a record that knows it, and children that are spoken for. */
static const char spans_sql[] =
    "CREATE TEMP TABLE sl_live (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE sl_dead (id INTEGER PRIMARY KEY);"
    "INSERT INTO temp.sl_dead SELECT id FROM sl_span WHERE source IN (SELECT id FROM temp.sl_gone);"
    "INSERT INTO temp.sl_live WITH RECURSIVE up(id) AS ("
    " SELECT id FROM temp.sl_dead AS d WHERE id IN (SELECT id FROM temp.sl_named) "
    "  OR EXISTS (SELECT 1 FROM sl_event WHERE span = d.id) OR EXISTS (SELECT 1 FROM sl_attr WHERE span = d.id) "
    "  OR EXISTS (SELECT 1 FROM sl_sample WHERE span = d.id) OR EXISTS (SELECT 1 FROM sl_root WHERE root = d.id) "
    "  OR EXISTS (SELECT 1 FROM sl_link WHERE left_span = d.id AND source IS NOT NULL AND ifnull(weak, 0) NOT IN (1, "
    "3)) "
    "  OR EXISTS (SELECT 1 FROM sl_link WHERE right_span = d.id AND source IS NOT NULL AND ifnull(weak, 0) NOT IN (2, "
    "3)) "
    "  OR EXISTS (SELECT 1 FROM sl_span k WHERE k.parent = d.id AND k.source NOT IN (SELECT id FROM temp.sl_gone)) "
    " UNION SELECT s.parent FROM up JOIN sl_span s ON s.id = up.id WHERE s.parent IN (SELECT id FROM temp.sl_dead)) "
    "SELECT id FROM up;"
    "DELETE FROM temp.sl_dead WHERE id IN (SELECT id FROM temp.sl_live);"
    /* the dead: their weak links wait again */
    "INSERT OR IGNORE INTO sl_weak (left_span, kind, right_span, rule, source, place, weak) "
    "SELECT left_span, kind, right_span, rule, source, place, weak FROM sl_link WHERE source IS NOT NULL AND weak > 0 "
    "AND (left_span IN (SELECT id FROM temp.sl_dead) OR right_span IN (SELECT id FROM temp.sl_dead));"
    "DELETE FROM sl_link WHERE left_span IN (SELECT id FROM temp.sl_dead) OR right_span IN (SELECT id FROM "
    "temp.sl_dead);"
    "DELETE FROM sl_link_also WHERE left_span IN (SELECT id FROM temp.sl_dead) OR right_span IN (SELECT id FROM "
    "temp.sl_dead);"
    "DELETE FROM sl_zone WHERE root IN (SELECT id FROM temp.sl_dead);"
    "DELETE FROM sl_root WHERE root IN (SELECT id FROM temp.sl_dead);"
    "DELETE FROM sl_wrote WHERE span IN (SELECT id FROM temp.sl_dead);"
    "DELETE FROM sl_written WHERE span IN (SELECT id FROM temp.sl_dead);"
    "DELETE FROM sl_doubt WHERE left_span IN (SELECT id FROM temp.sl_dead) OR right_span IN (SELECT id FROM "
    "temp.sl_dead);"
    "INSERT OR IGNORE INTO sl_ghost SELECT id, type, key, parent FROM sl_span WHERE id IN (SELECT id FROM "
    "temp.sl_dead);"
    "DELETE FROM sl_span WHERE id IN (SELECT id FROM temp.sl_dead);"
    /* the living: a source that is there */
    "UPDATE sl_span SET source = coalesce("
    " (SELECT source FROM sl_event WHERE span = sl_span.id LIMIT 1), (SELECT source FROM sl_attr WHERE span = "
    "sl_span.id LIMIT 1),"
    " (SELECT source FROM sl_link WHERE right_span = sl_span.id AND source IS NOT NULL AND ifnull(weak, 0) NOT IN (2, "
    "3) "
    "LIMIT 1),"
    " (SELECT source FROM sl_link WHERE left_span = sl_span.id AND source IS NOT NULL AND ifnull(weak, 0) NOT IN (1, "
    "3) "
    "LIMIT 1),"
    " (SELECT source FROM sl_root WHERE root = sl_span.id LIMIT 1),"
    " source) WHERE id IN (SELECT id FROM temp.sl_live);"
    /* then those of which only what lies in them is known */
    "UPDATE sl_span SET source = coalesce("
    " (WITH RECURSIVE d(id) AS (SELECT sl_span.id UNION SELECT k.id FROM d JOIN sl_span k ON k.parent = d.id) "
    "  SELECT k.source FROM d JOIN sl_span k ON k.id = d.id WHERE k.source NOT IN (SELECT id FROM temp.sl_gone) LIMIT "
    "1),"
    " (SELECT replaced_by FROM sl_source WHERE id = sl_span.source),"
    " iif(id IN (SELECT id FROM temp.sl_named), source, NULL),"
    " (SELECT min(id) FROM sl_source WHERE id > 0 AND replaced_by IS NULL AND id NOT IN (SELECT id FROM "
    "temp.sl_gone)), source)"
    " WHERE id IN (SELECT id FROM temp.sl_live) AND source IN (SELECT id FROM temp.sl_gone)";

static const char end_sql[] = "DROP TABLE IF EXISTS temp.sl_gone; DROP TABLE IF EXISTS temp.sl_named;"
                              "DROP TABLE IF EXISTS temp.sl_live; DROP TABLE IF EXISTS temp.sl_dead";

int sl_gone_begin(struct sl_store *st, struct sl_err *err)
{
    int rc = sl_gone_end(st, err);
    return rc ? rc : sl_store_exec(st, begin_sql, err);
}

int sl_gone_rows(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, rows_sql, err);
}

int sl_gone_spans(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, spans_sql, err);
}

int sl_gone_end(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, end_sql, err);
}
