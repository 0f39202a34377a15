/* SPDX-License-Identifier: Apache-2.0 */
/* HTML of reports.  What comes out of a store is only ever put in by these, so that none of it is taken for HTML. */
#ifndef SL_REPORT_HTML_TEXT_H
#define SL_REPORT_HTML_TEXT_H

#include "base/buf.h"

/* Appends s so that it stands there as it is; what is no UTF-8, and control characters, as \xNN. */
void sl_html_text(struct sl_buf *b, const char *s);
/* The same as a name, which may be in any script and of any length: the text around it keeps its direction. */
void sl_html_name(struct sl_buf *b, const char *name);
/*
 * Appends html with each % as the next text (%% is a percent sign), each & as the next name: these end with NULL.
 *
 *     sl_html_add(b, "<p>& is in % of them, %%</p>", name, "7", NULL);
 *
 * Entities are therefore told as characters.
 */
void sl_html_add(struct sl_buf *b, const char *html, ...) __attribute__((sentinel));

#endif
