/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seconds_text(s): a duration as people read it: '412 us', '3.2 s', '1 h 02 min'.
 * time_unit(most), time_unit_s(most): the unit, from ns to d, in which an axis that reaches to `most` seconds has short
 * numbers, and how many seconds it has.
 *
 *     SELECT duration_s / time_unit_s(max(duration_s) OVER ()) AS duration, time_unit(max(duration_s) OVER ()) AS unit
 *     FROM two_events('submitted', 'exec_done');
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/number.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/clock.h"

#include <math.h>

/* From so many seconds on. */
static const struct unit {
    double from, s;
    const char *name;
} units[] = {{259200, 86400, "d"}, {10800, 3600, "h"}, {300, 60, "min"}, {1, 1, "s"},
             {1e-3, 1e-3, "ms"},   {1e-6, 1e-6, "us"}, {0, 1e-9, "ns"}};
enum { SECONDS = 3 }; /* of 0 */

static bool get(sqlite3_context *ctx, int argc, sqlite3_value **argv, double *s)
{
    struct sl_number x;

    if (sl_number_any_null(argc, argv) || !sl_number_get(ctx, argv[0], &x))
        return false;
    *s = x.d;
    return true;
}

static const struct unit *unit_of(double most)
{
    size_t i = 0;

    if (most == 0)
        return &units[SECONDS];
    while (i + 1 < sizeof units / sizeof *units && fabs(most) < units[i].from)
        i++;
    return &units[i];
}

static void seconds_text(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    char text[SL_SECONDS_TEXT];
    double s;

    if (get(ctx, argc, argv, &s))
        sqlite3_result_text(ctx, sl_seconds_text(s, text), -1, SQLITE_TRANSIENT);
}

static void time_unit(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    double s;

    if (get(ctx, argc, argv, &s))
        sqlite3_result_text(ctx, unit_of(s)->name, -1, SQLITE_STATIC);
}

static void time_unit_s(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    double s;

    if (get(ctx, argc, argv, &s))
        sqlite3_result_double(ctx, unit_of(s)->s);
}

int sl_fn_seconds_text(sqlite3 *db)
{
    int rc = sl_number_register(db, "seconds_text", 1, false, seconds_text, NULL);

    if (!rc)
        rc = sl_number_register(db, "time_unit", 1, false, time_unit, NULL);
    if (!rc)
        rc = sl_number_register(db, "time_unit_s", 1, false, time_unit_s, NULL);
    return rc;
}
