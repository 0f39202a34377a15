/* SPDX-License-Identifier: Apache-2.0 */
/* SVG as pixels and pages. */
#ifndef SL_RENDER_RASTERIZE_H
#define SL_RENDER_RASTERIZE_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>

/* Two pixels for each of CSS. */
int picture_png(FILE *out, const char *svg, size_t n, struct sl_err *err);
/* One page; its date is that of SOURCE_DATE_EPOCH, or else 1970, so that the same picture is the same file. */
int picture_pdf(FILE *out, const char *svg, size_t n, struct sl_err *err);

#endif
