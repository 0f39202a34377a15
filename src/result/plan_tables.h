/* SPDX-License-Identifier: Apache-2.0 */
/* What `spanloom plan` says (findings/plan/planning.h), as rows. */
#ifndef SL_RESULT_PLAN_TABLES_H
#define SL_RESULT_PLAN_TABLES_H

#include "result/table.h"

/* clang-format off */
#define PLAN_STEP(COLUMN, row) \
    COLUMN(row, INTEGER, step, NULL, "from 1, in the order in which to make them") \
    COLUMN(row, TEXT, finding, NULL, "of findings/FINDING.yaml, which it removes") \
    COLUMN(row, TEXT, repair, NULL, "what has to change: setting, workflow, app, nodes") \
    COLUMN(row, REAL, gain_s, "s", "how much shorter the run is with it than with the steps before") \
    COLUMN(row, REAL, gain_low_s, "s", "of 90 % of the replays with durations drawn anew the least, less 2 % of makespan_s") \
    COLUMN(row, REAL, gain_high_s, "s", "of these the most, and 2 % more") \
    COLUMN(row, REAL, makespan_s, "s", "how long the run takes with it and the steps before") \
    COLUMN(row, REAL, low_s, "s", "as gain_low_s") \
    COLUMN(row, REAL, high_s, "s", "as gain_high_s") \
    COLUMN(row, REAL, nodes, "nodes", "that it needs then") \
    COLUMN(row, REAL, node_hours, "h", "which these are held for") \
    COLUMN(row, TEXT, changes, NULL, "of this step, as what-if takes them") \
    COLUMN(row, TEXT, all_changes, NULL, "of all steps so far") \
    COLUMN(row, TEXT, what, NULL, "what the finding tells") \
    COLUMN(row, TEXT, edit, NULL, "what could be done") \
    COLUMN(row, TEXT, at, NULL, "lines of the script that what and edit name, as FILE:LINE: TEXT; NULL: it is not at hand") \
    COLUMN(row, TEXT, assumed, NULL, "of workers, in words; NULL: their number is what it was")
#define PLAN_RUN(COLUMN, row) \
    COLUMN(row, TEXT, name, NULL, NULL) \
    COLUMN(row, TEXT, state, NULL, "ended, done, goes on, cut short, driver silent; NULL: its kind does not tell") \
    COLUMN(row, INTEGER, tasks, "tasks", NULL) \
    COLUMN(row, REAL, makespan_s, "s", "how long it took") \
    COLUMN(row, REAL, nodes, "nodes", "on which workers were; NULL: no log tells") \
    COLUMN(row, REAL, node_hours, "h", "from the first worker of each to the last; NULL: no log tells") \
    COLUMN(row, REAL, path_s, "s", "the longest chain of tasks that wait for each other, of their computing alone") \
    COLUMN(row, REAL, work_s, "s", "what all tasks computed, over the places on workers") \
    COLUMN(row, REAL, bias, NULL, "as of what_if()") \
    COLUMN(row, INTEGER, replays, "replays", "that the search took") \
    COLUMN(row, TEXT, ends, NULL, "why there are no more steps: target, nothing, limit") \
    COLUMN(row, INTEGER, refused, NULL, "candidates that --budget or --keep ruled out") \
    COLUMN(row, INTEGER, checked, NULL, "earlier predictions for runs of this script that --check has kept") \
    COLUMN(row, INTEGER, checked_near, NULL, "nine of ten of these") \
    COLUMN(row, REAL, checked_off, NULL, "which were off by so much of what came, at most; NULL: there are none")
#define PLAN_OPTION(COLUMN, row) \
    COLUMN(row, REAL, makespan_s, "s", "how long the run takes") \
    COLUMN(row, REAL, node_hours, "h", "for as many") \
    COLUMN(row, TEXT, findings, NULL, "that are removed") \
    COLUMN(row, TEXT, changes, NULL, "as what-if takes them; empty: the run as it was")
#define PLAN_OTHER(COLUMN, row) \
    COLUMN(row, TEXT, finding, NULL, NULL) \
    COLUMN(row, TEXT, repair, NULL, NULL) \
    COLUMN(row, REAL, seconds, "s", "that it costs by itself: by replay, of others by estimate") \
    COLUMN(row, TEXT, what, NULL, NULL) \
    COLUMN(row, TEXT, edit, NULL, NULL)
#define PLAN_CHECK(COLUMN, row) \
    COLUMN(row, TEXT, run, NULL, "of --check") \
    COLUMN(row, INTEGER, step, NULL, "with it and those before; 0: with none; NULL: with those that were made") \
    COLUMN(row, INTEGER, made, NULL, "1: that run no longer has its finding, or for a third of its gain at most; 0: it has") \
    COLUMN(row, TEXT, changes, NULL, "of these steps, as what-if takes them; NULL: none") \
    COLUMN(row, REAL, makespan_s, "s", "how long the run should take then") \
    COLUMN(row, REAL, came_s, "s", "how long it took") \
    COLUMN(row, REAL, off, NULL, "how much less than that was said (less than 0), or more: a part of what came") \
    COLUMN(row, INTEGER, within, NULL, "1: it lies in the interval of the step")
#define PLAN_PART(COLUMN, row) \
    COLUMN(row, TEXT, what, NULL, "a part of the critical path, as of `why`") \
    COLUMN(row, REAL, was_s, "s", "in the run of the plan; NULL: it has none") \
    COLUMN(row, REAL, came_s, "s", "in that of --check; NULL: it has none") \
    COLUMN(row, REAL, change_s, "s", NULL)
#define PLAN_PROBLEM(COLUMN, row) \
    COLUMN(row, TEXT, finding, NULL, "that could not be looked for") \
    COLUMN(row, TEXT, problem, NULL, NULL)
/* clang-format on */
SL_ROW(plan_problem, PLAN_PROBLEM);
SL_ROW(plan_check, PLAN_CHECK);
SL_ROW(plan_part, PLAN_PART);
SL_ROW(plan_step, PLAN_STEP);
SL_ROW(plan_run, PLAN_RUN);
SL_ROW(plan_option, PLAN_OPTION);
SL_ROW(plan_other, PLAN_OTHER);

#endif
