/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures: of `spanloom plot`, and of the commands that have one and take -o. */
#ifndef SL_CLI_PICTURE_H
#define SL_CLI_PICTURE_H

#include "cli/cli.h"
#include "plot/plot.h"

/* clang-format off */
#define PICTURE_OPTION {"output", "FILE", "instead, a picture: FILE.html, .svg, .png, .pdf or .json (spanloom plot)"}
/* clang-format on */

/*
 * The plot of this name into the file of -o, with the arguments and options of a command that has PICTURE_OPTION: what
 * `spanloom plot NAME` does with them.  Those that mean nothing to the plot are refused.
 */
int cli_picture(const struct cli *cli, const char *name, int argc, char **argv);

/* The first half of it, for who has other words for the arguments: the plot, to be freed, and the form that -o says. */
int cli_picture_begin(const struct cli *cli, const char *name, struct sl_plot **p, enum sl_plot_form *form);

/* The same for a plot that is there already, of these arguments, to path, "-": the standard output. */
int cli_picture_of(const struct cli *cli, const struct sl_plot *p, int argc, char **argv, const char *path,
                   enum sl_plot_form form);

/*
 * For plots of the result "diff": opens what argv[0] and argv[1] name, compares, and leaves the first's store open,
 * with tables of the result (sl_result_temporary()).  Negative: err is filled, or its code 0, where it is said already.
 */
int cli_diff_tables(const struct cli *cli, int argc, char **argv, struct sl_store **st, struct sl_err *err);

/*
 * For plots of the result "calls": opens what argv[0] and argv[1] name, runs, stores or trace files, and with argc 0
 * the last two runs of the store; leaves a store open with the tables calls_a and calls_b, of call_tree().  As the
 * above.
 */
int cli_call_tables(const struct cli *cli, int argc, char **argv, struct sl_store **st, struct sl_err *err);

/* The form that the end of a file's name says; negative: none. */
int cli_picture_form(const char *path);

/* "START END [TYPE]" */
void cli_picture_usage(const struct sl_plot *p, struct sl_buf *b);

#endif
