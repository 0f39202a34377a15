/* SPDX-License-Identifier: Apache-2.0 */
/* A plot as one HTML file. */
#ifndef SL_PLOT_HTML_H
#define SL_PLOT_HTML_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>

/* page: the path of page.html, which has all but the specification and the look. */
int sl_plot_html(FILE *out, const char *spec, size_t n, const char *page, struct sl_err *err);

#endif
