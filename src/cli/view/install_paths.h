/* SPDX-License-Identifier: Apache-2.0 */
/* Where the parts of Spanloom are that other programs are given. */
#ifndef SL_CLI_INSTALL_PATHS_H
#define SL_CLI_INSTALL_PATHS_H

#include "base/err.h"
#include "plot/plot.h"

#include <limits.h>

struct place {
    char include[PATH_MAX], lib[PATH_MAX];
    char plugins[PATH_MAX]; /* of compilers; there may be none */
};

/* From where this program is: beside it in a build tree, or below PREFIX of PREFIX/bin/spanloom; in a Python package
 * there. */
int place_find(struct place *p, struct sl_err *err);

/* The folders with Python's packages spanloom and _spanloom, and that of the first one's sitecustomize. */
struct place_python {
    char package[PATH_MAX], c[PATH_MAX], site[PATH_MAX];
};
int place_find_python(struct place_python *p, struct sl_err *err);

/*
 * What draws a picture in this form, and, with `check`, what checks specifications, if it is there.  SL_ENOTFOUND says
 * what is missing and how it is made.
 */
int place_find_plot(struct sl_plot_parts *p, enum sl_plot_form form, bool check, struct sl_err *err);

/* The page that reports are put into: "report.html" of experiments, "run.html" of runs. */
int place_find_report(char to[PATH_MAX], const char *page, struct sl_err *err);

#endif
