/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/runs.h"

#include <stdio.h>

void sl_unit_of(struct sl_unit *u, const char *column)
{
    static const struct {
        const char *word, *unit;
        double per_s;
    } known[] = {{"usec", "us", 1e6}, {"us", "us", 1e6}, {"msec", "ms", 1e3}, {"ms", "ms", 1e3},  {"sec", "s", 1},
                 {"seconds", "s", 1}, {"s", "s", 1},     {"ns", "ns", 1e9},   {"nsec", "ns", 1e9}};
    const char *per = strstr(column, "_per_");

    u->rate_per = 1;
    snprintf(u->cost, sizeof u->cost, "%.60s", column);
    snprintf(u->rate, sizeof u->rate, "1/%.60s", column);
    for (size_t i = 0; per && i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == (size_t)(per - column) &&
            !strncmp(known[i].word, column, (size_t)(per - column))) {
            u->rate_per = known[i].per_s;
            snprintf(u->cost, sizeof u->cost, "%s/%.50s", known[i].unit, per + 5);
            snprintf(u->rate, sizeof u->rate, "%.50ss/s", per + 5);
        }
}

/* Of which a second has so many; 0: it is no unit of time. */
static double per_second(const char *unit, size_t n)
{
    static const struct {
        const char *name;
        double per_s;
    } known[] = {{"us", 1e6}, {"ms", 1e3}, {"ns", 1e9}, {"s", 1}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == n && !strncmp(known[i].name, unit, n))
            return known[i].per_s;
    return 0;
}

void sl_unit_stated(struct sl_unit *u, const char *column, const char *unit, bool more)
{
    const char *slash = unit ? strchr(unit, '/') : NULL;
    int over = slash ? (int)(slash - unit) : 0;
    double per_s = slash ? per_second(unit, (size_t)over) : 0;

    sl_unit_of(u, column);
    if (!unit && !more)
        return;
    unit = unit ? unit : column;
    u->rate_per = 1;
    snprintf(more ? u->rate : u->cost, sizeof u->cost, "%.60s", unit);
    if (more && slash && !strcmp(slash, "/s")) { /* tasks/s: ms/task */
        u->rate_per = 1e3;
        snprintf(u->cost, sizeof u->cost, "ms/%.*s", over > 1 && unit[over - 1] == 's' ? over - 1 : over, unit);
    } else if (per_s && !more) { /* us/task: tasks/s */
        u->rate_per = per_s;
        snprintf(u->rate, sizeof u->rate, "%.50ss/s", slash + 1);
    } else if (slash) {
        snprintf(more ? u->cost : u->rate, sizeof u->rate, "%.30s/%.*s", slash + 1, over < 30 ? over : 30, unit);
    } else {
        snprintf(more ? u->cost : u->rate, sizeof u->rate, "1/%.60s", unit);
    }
}
