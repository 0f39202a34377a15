/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs that are planned, in the order in which they are made: NAME.design.csv beside the plan, a row a run, with
 * its id, its block, the design that it is of, and a column a factor.  People may change it, or write it.
 */
#ifndef SL_DESIGN_SETTINGS_SCHEDULE_H
#define SL_DESIGN_SETTINGS_SCHEDULE_H

#include "design/run_log.h"
#include "design/settings/designs.h"

struct sl_planned {
    const char *run, *block, *design;
    int32_t *setting;  /* -1: a level that the plan has no more, of a run that was made */
    const char **text; /* these levels, of each factor; NULL: there are none */
};

struct sl_schedule {
    SL_VEC(struct sl_planned) v;
    long last_run, last_block; /* the largest numbers that the logs have: these ids are not given again */
    struct sl_arena arena;
};

char *sl_schedule_path(const struct sl_plan *p); /* the caller frees it */

/*
 * Reads a schedule; *out is to be freed in any case.  A file that is not there has no runs; factors that it has no
 * column of, which came later, are at their base.  SL_EFORMAT, with path:line: a column that is no factor, a level that
 * there is none of, or a setting that constraints forbid, of a run that was not made, a run that is there twice.
 * by_hand: it needs no columns but those of factors, and its runs get ids, from next_id on.
 */
int sl_schedule_read(struct sl_schedule *out, const struct sl_plan *p, const char *path, bool by_hand,
                     struct sl_err *err);
/* Writes it in the place of what was there. */
int sl_schedule_write(const struct sl_schedule *s, const struct sl_plan *p, const char *path, struct sl_err *err);
void sl_schedule_free(struct sl_schedule *s);

/* Adds each setting `repeats` times: a replicate is a block, with its runs in random order. */
void sl_schedule_add(struct sl_schedule *s, const struct sl_settings *settings, uint32_t repeats, const char *design,
                     uint64_t seed);

/* done[i]: planned run i is in the records, under its id.  To be freed. */
bool *sl_schedule_done(const struct sl_schedule *s, const struct sl_run_records *r);

#endif
