/* SPDX-License-Identifier: Apache-2.0 */
/* Are the commands there that a plan names?  For before anything runs. */
#ifndef SL_DESIGN_PLAN_FIND_PROGRAMS_H
#define SL_DESIGN_PLAN_FIND_PROGRAMS_H

#include "base/buf.h"
#include "design/plan/plan.h"

/*
 * Looks for the first word of each command, wrapper, setup and teardown: in PATH, or a PATH that the plan sets, or as a
 * path from the plan's folder.  What only the shell can tell is passed over, and, where something sets runs up, paths,
 * which that may make.  SL_ENOTFOUND: the line of the plan, and what may help.
 */
int sl_programs_check(const struct sl_plan *p, struct sl_err *err);

/* The program of the plan's command: its first word; "sh" where only a shell can tell. */
void sl_programs_name(struct sl_buf *b, const struct sl_plan *p);

#endif
