/* SPDX-License-Identifier: Apache-2.0 */
#include "store/forms.h"

static const char join_sql[] = "INSERT OR IGNORE INTO sl_event SELECT * FROM sl_event_also;"
                               "DELETE FROM sl_event_also;"
                               "INSERT OR IGNORE INTO sl_sample SELECT * FROM sl_sample_also;"
                               "DELETE FROM sl_sample_also";

/* Hardly any store holds a log in two forms; the others are not searched. */
static const char any_sql[] = "SELECT 1 FROM sl_source WHERE replaced_by IS NULL AND input IS NOT NULL "
                              "GROUP BY recipe HAVING min(input) < max(input) LIMIT 1";

static const char part_sql[] =
    "INSERT INTO sl_event_also SELECT e.span, e.time_ns, e.type, e.source, e.place, e.zone "
    "FROM sl_event e CROSS JOIN sl_source s ON s.id = e.source WHERE s.input > 0 AND EXISTS "
    "(SELECT 1 FROM sl_event f CROSS JOIN sl_source o ON o.id = f.source WHERE f.span = e.span "
    "AND f.time_ns = e.time_ns AND f.type = e.type AND o.recipe = s.recipe AND o.input < s.input);"
    "DELETE FROM sl_event WHERE EXISTS (SELECT 1 FROM sl_event_also a WHERE a.span = sl_event.span "
    "AND a.time_ns = sl_event.time_ns AND a.type = sl_event.type AND a.source = sl_event.source "
    "AND a.place = sl_event.place);"
    "INSERT INTO sl_sample_also SELECT e.span, e.time_ns, e.shape, e.source, e.place, e.zone, e.vals "
    "FROM sl_sample e CROSS JOIN sl_source s ON s.id = e.source WHERE s.input > 0 AND EXISTS "
    "(SELECT 1 FROM sl_sample f CROSS JOIN sl_source o ON o.id = f.source WHERE f.span = e.span "
    "AND f.time_ns = e.time_ns AND f.shape = e.shape AND f.vals = e.vals AND o.recipe = s.recipe "
    "AND o.input < s.input);"
    "DELETE FROM sl_sample WHERE EXISTS (SELECT 1 FROM sl_sample_also a WHERE a.span = sl_sample.span "
    "AND a.time_ns = sl_sample.time_ns AND a.shape = sl_sample.shape AND a.source = sl_sample.source "
    "AND a.place = sl_sample.place)";

int sl_forms_join(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, join_sql, err);
}

int sl_forms_part(struct sl_store *st, struct sl_err *err)
{
    return sl_store_int(st, any_sql, 0) ? sl_store_exec(st, part_sql, err) : 0;
}

int64_t sl_forms_waiting(struct sl_store *st)
{
    return sl_store_int(st, "SELECT count(*) FROM sl_event_also", 0);
}
