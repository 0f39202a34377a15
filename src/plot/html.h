/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that draw: HTML with plots in it. */
#ifndef SL_PLOT_HTML_H
#define SL_PLOT_HTML_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <stdio.h>

/* What stands in the place of a mark of the page, @MARK@; in the order in which the page has these. */
struct sl_page_part {
    const char *mark, *text;
    size_t n;
};

/*
 * Writes the page at path (page/page.html, page/report.html, as page/build.mjs made it) with these parts and the look,
 * which is its last.
 */
int sl_plot_page(FILE *out, const char *path, const struct sl_page_part *part, size_t parts, struct sl_err *err);
/* Appends JSON so that it can stand in a script of HTML. */
void sl_plot_script_json(struct sl_buf *out, const char *json, size_t n);

/* page: the path of page.html, which has all but the specification and the look. */
int sl_plot_html(FILE *out, const char *spec, size_t n, const char *page, struct sl_err *err);

#endif
