/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a replay changes (simulate.h), as users write it: "WHAT xFACTOR, ...", the factor from 0 to a million.  WHAT, in
 * which * is any text, is
 *
 *   - a component, a state, COMPONENT/STATE or "COMPONENT, STATE", the type of the span whose event began the state or
 *     TYPE/EVENT: what is spent in such states; what lies over such a state is meant, too.  So is "driver", and its
 *     states, and "workers/start-up": from the beginning of the workflow until workers were there, the parts of which
 *     are "blocks/before the first", "blocks/asked for later", "blocks/in the queue" and "workers/starting" (places.h);
 *   - an app, where no such thing is called so, or "app NAME"; "task KEY..."; NAME=PATTERN, of an attribute: what these
 *     tasks spend on workers;
 *   - "on NAME", or "app APP on NAME": what these tasks spend on that worker, on workers of that manager, block or
 *     executor, or on that host; NAME may have keys of what it lies in before it: "htex/0";
 *   - "failed tries", or "failed tries KEY..." of these tasks: what tries took that another one followed, or after
 * which their task failed, from their queue on, also where they never ran; with x0 they take no worker either;
 *   - "dependencies on KEY...", with x0 alone: tasks that depend on these do not wait for them; "dependencies on KEY...
 *     = 1": where several of an app depend on the same, each waits for one of these, in order;
 *   - "longest first", without a factor: of tasks that wait for a place on a worker the longest gets it;
 *   - "barriers", with x0 alone: the driver does not wait for tasks before it submits others;
 *   - "workers", or "workers.EXECUTOR": how many there are, also as "workers = 8"; "workers +60 s" where further ones
 *     are there so much later than those of the run.
 *
 * Where several mean the same time, factors multiply.
 */
#ifndef SL_ANALYSE_TASKS_CHANGES_CHANGES_H
#define SL_ANALYSE_TASKS_CHANGES_CHANGES_H

#include "analyse/tasks/apps.h"
#include "analyse/tasks/path.h"
#include "analyse/tasks/places.h"

struct sl_changes;

/*
 * On success *out is to be freed; it borrows apps, which it loads if it has to.  SL_EUSAGE: the text is none;
 * SL_ENOTFOUND: nothing in w is meant by it, err says what there is.
 */
int sl_changes_parse(struct sl_changes **out, const struct sl_workflow *w, const struct sl_places *p,
                     struct sl_apps *apps, const char *text, struct sl_err *err);
void sl_changes_free(struct sl_changes *c);
/* Is the text one of changes, of whatever workflow?  0, or SL_EUSAGE. */
int sl_changes_check(const char *changes, struct sl_err *err);

double sl_changes_factor(const struct sl_changes *c, uint32_t seg);
double sl_changes_driver(const struct sl_changes *c, enum sl_driver_why why);
/* Factors of what passes until workers are there, by enum sl_arrival. */
const double *sl_changes_arrival(const struct sl_changes *c);
/* Does a task not wait for another one that it depends on? */
bool sl_changes_ignores(const struct sl_changes *c, uint32_t waits, uint32_t on);
bool sl_changes_no_barriers(const struct sl_changes *c);
bool sl_changes_longest_first(const struct sl_changes *c);
/* By pool; NULL: as many as there were. */
const uint32_t *sl_changes_workers(const struct sl_changes *c);
/* By pool, how much later further ones are there; NULL: when those of the run are. */
const int64_t *sl_changes_later(const struct sl_changes *c);
/* Does a run take no worker at all? */
bool sl_changes_drops(const struct sl_changes *c, uint32_t run);
/* Of workers, in words; free() it.  NULL: their number is what it was. */
char *sl_changes_assumed(const struct sl_changes *c);

#endif
