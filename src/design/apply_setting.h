/* SPDX-License-Identifier: Apache-2.0 */
/* What a setting does to a run: the words of its command, its environment, files that are other ones. */
#ifndef SL_DESIGN_APPLY_SETTING_H
#define SL_DESIGN_APPLY_SETTING_H

#include "base/buf.h"
#include "design/plan/plan.h"
#include "design/undo.h"

struct sl_applied_setting {
    const struct sl_plan *plan;
    char **argv, **environment; /* end with NULL */
    sl_plan_words setup, teardown, patch;
    SL_VEC(struct sl_plan_edit) edit;
    struct sl_arena arena;
};

/* Are all texts there that levels replace?  For when no setting is applied.  SL_EFORMAT names the line of the plan. */
int sl_apply_check(const struct sl_plan *p, struct sl_err *err);

/* traces: a folder for what the run records, which is made; NULL: none.  To be ended in any case. */
int sl_apply_begin(struct sl_applied_setting *a, const struct sl_plan *p, const int32_t *setting, const char *traces,
                   struct sl_err *err);
/* Changes the files; u puts them back, also after an error. */
int sl_apply_files(const struct sl_applied_setting *a, struct sl_undo *u, struct sl_err *err);
/* A script for /bin/sh that tears the setting down, for when nobody else can; "": there is nothing to do. */
void sl_apply_teardown_script(struct sl_buf *b, const struct sl_applied_setting *a);
void sl_apply_end(struct sl_applied_setting *a);

#endif
