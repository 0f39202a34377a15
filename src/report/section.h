/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A section of the report of a run, as a file: its title, and figures, each of which is rows that SQL yields, or a
 * table of an answer that is there already.  docs/report.md describes the files.
 */
#ifndef SL_REPORT_SECTION_H
#define SL_REPORT_SECTION_H

#include "base/err.h"
#include "base/mem.h"

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
    SL_VEC(struct sl_section) v;  /* by place, then name */
    SL_VEC(const char *) problem; /* of files of the user that are none, a text each */
    struct sl_arena arena;
};

/*
 * Ours, then the user's, $XDG_CONFIG_HOME/spanloom/report/NAME.yaml; of one name the user's counts.  On success *out is
 * to be freed with sl_sections_free().
 */
int sl_sections_load(struct sl_sections *out, struct sl_err *err);
/* One file more.  text: n bytes of YAML. */
int sl_sections_add(struct sl_sections *to, const char *path, const char *text, size_t n, struct sl_err *err);
void sl_sections_free(struct sl_sections *s);

#endif
