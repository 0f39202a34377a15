/* SPDX-License-Identifier: Apache-2.0 */
/* How wide texts are, in the fonts that librsvg will draw them with. */
#ifndef SL_RENDER_FONTS_H
#define SL_RENDER_FONTS_H

#include "base/err.h"

struct fonts;

/* NULL where no font is installed. */
struct fonts *fonts_new(struct sl_err *err);
void fonts_free(struct fonts *f);

/* In pixels of CSS.  family, weight and style as in CSS: "DejaVu Sans, sans-serif", "bold" or "600", "italic". */
double fonts_width(struct fonts *f, const char *text, const char *family, double size_px, const char *weight,
                   const char *style);

#endif
