/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a run: the figures of all sections, as one JSON object and as a page that shows it. */
#ifndef SL_REPORT_RUN_H
#define SL_REPORT_RUN_H

#include "base/buf.h"
#include "findings/finding.h"
#include "report/section.h"
#include "result/table.h"
#include "store/store.h"

#include <stdint.h>
#include <stdio.h>

/* Of what others ask. */
struct sl_report_limit {
    int64_t rows;
    size_t bytes;
    bool hit; /* set: there was more */
};

/* Appends "rows": 2, "columns": ["a", ...], "data": {"a": [1, null], ...}; limit: NULL: all rows. */
int sl_report_add_table(struct sl_buf *json, struct sl_table *t, struct sl_report_limit *limit, struct sl_err *err);

/* What is told of: a run, or of a store without one what it holds. */
struct sl_report_run {
    struct sl_store *st;       /* with the analysis functions */
    int64_t workflow;          /* its span; 0: there is none */
    int64_t start_ns;          /* when it began, and */
    struct sl_result why;      /* what is found: filled by sl_report_add_run(); why is to be freed */
    struct sl_workflow *facts; /* while sl_report_add_run() goes on */
    const struct sl_findings *findings;
    struct sl_result plan; /* asked for once, while sl_report_add_run() goes on */
    bool planned;
};

/*
 * Appends the run's object to json (docs/report.md): {"run": ..., "sections": [...]}.  What a section could not be told
 * for is in the JSON and, a line each, in problems, which may be NULL.  The store keeps the tables of the run.
 */
int sl_report_add_run(struct sl_buf *json, struct sl_report_run *of, const struct sl_sections *sections,
                      const struct sl_findings *findings, struct sl_buf *problems, struct sl_err *err);
/* Appends the whole: {"spanloom": 1, "runs": [run, ...], "compared": {...}}, of one run or two. */
int sl_report_json(struct sl_buf *json, struct sl_report_run *run, int runs, const struct sl_sections *sections,
                   const struct sl_findings *findings, struct sl_buf *problems, struct sl_err *err);

/* Appends what the page is called: "Spanloom: parsl-htex". */
void sl_report_title(struct sl_buf *title, const struct sl_report_run *run, int runs);
/* The page at path (page/run.html, as page/build.mjs made it) with this JSON packed inside. */
int sl_report_page(FILE *out, const char *path, const char *title, const struct sl_buf *json, struct sl_err *err);

#endif
