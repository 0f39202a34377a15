/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A section of the report of a run, as a file: its title, and figures, each of which is rows that SQL yields, or a
 * table of an answer that is there already.  docs/report.md describes the files.
 */
#ifndef SL_REPORT_SECTION_H
#define SL_REPORT_SECTION_H

#include "recipe/catalogue.h"

#include <stdbool.h>
#include <stddef.h>

struct sl_figure {
    const char *name, *about;
    const char *sql;    /* NULL: `answer` has its rows */
    const char *answer; /* "why/findings": a table of an answer (report/run.h) */
    const char *note;   /* SQL of one text: how its rows were reduced; NULL: they were not */
};

struct sl_section {
    const char *name;  /* of its file, without .yaml */
    const char *path;  /* for messages; of ours "report/NAME.yaml" */
    const char *title; /* what people see */
    const char *about; /* what it shows, a line */
    const char *needs; /* what a store must hold for it, said where there are no rows; NULL: nothing */
    double place;      /* in the report, ascending */
    bool of_store;     /* else of a run, whose tables (docs/findings.md) it asks */
    SL_VEC(struct sl_figure) figure;
};

struct sl_sections {
    SL_VEC(struct sl_section) v; /* by place, then name */
    struct sl_catalogue files;
};

/* Ours and the user's.  On success *out is to be freed with sl_sections_free(). */
int sl_sections_load(struct sl_sections *out, struct sl_err *err);
void sl_sections_free(struct sl_sections *s);

#endif
