/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finding: something that makes workflows slow, as a file.  SQL over the tables of one run (facts.sql) or of traced
 * programs (programs.sql) looks for it, and its words say what was found.  docs/findings.md describes the files.
 */
#ifndef SL_FINDINGS_FINDING_H
#define SL_FINDINGS_FINDING_H

#include "recipe/catalogue.h"

#include <stdbool.h>
#include <stddef.h>

/* What has to change so that a finding goes, from what is cheap to what is dear. */
enum sl_repair { SL_REPAIR_NONE, SL_REPAIR_SETTING, SL_REPAIR_WORKFLOW, SL_REPAIR_APP, SL_REPAIR_NODES, SL_REPAIRS };

/* What is told where a column holds this. */
struct sl_finding_words {
    const char *column, *value, *text;
};

struct sl_finding {
    const char *name;               /* of its file, without .yaml */
    const char *path;               /* for messages; of ours "findings/NAME.yaml" */
    const char *about;              /* what it looks for, a line */
    const char *sql;                /* a row for each time that it is found */
    const char *text;               /* what is told of a row, "{column}" for its columns (words.c) */
    const char *advice, *command;   /* the same; NULL: none */
    struct sl_finding_words *words; /* of all three */
    size_t n_words;
    enum sl_repair repair; /* NONE: no step of a plan (planning.h) */
    double threshold;      /* of the makespan: what costs less is not told */
    double at_least_s;     /* nor what costs less than this */
    bool instead;          /* where it is found nothing else is told of the run; a note */
    bool programs;         /* it asks the tables of traced programs (programs.sql), else those of a workflow */
    bool tasks;            /* one of programs that is looked for in a traced task of a workflow, too */
    bool usual;            /* sound runs have it, too: nothing stands out for it */
    bool note;             /* it may have no seconds: what it tells of costs no time that could be told */
};

extern const char *const sl_repairs[]; /* by enum sl_repair, as files call it */

struct sl_findings {
    SL_VEC(struct sl_finding) v; /* by name */
    struct sl_catalogue files;
    bool
        followed; /* of a run that somebody watches: its logs are no copy, and their silence is waited out for longer */
    bool untold;  /* wanted as a table of sl_why(), as `findings`: what can be repaired, and costs little by itself */
};

/* Ours and the user's.  On success *out is to be freed with sl_findings_free(). */
int sl_findings_load(struct sl_findings *out, struct sl_err *err);
void sl_findings_free(struct sl_findings *f);

#endif
