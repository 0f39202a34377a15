/* SPDX-License-Identifier: Apache-2.0 */
/* Vega in JavaScriptCore: a specification with its data becomes SVG. */
#ifndef SL_RENDER_ENGINE_H
#define SL_RENDER_ENGINE_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>

/*
 * The SVG of a Vega or Vega-Lite specification, UTF-8, to be freed by g_free(); NULL: err says why there is none.
 * bundle: the path of headless.js.  What is doubtful in the specification is said on `warnings`, a line each.
 */
char *engine_svg(const char *bundle, const char *spec, size_t n, FILE *warnings, struct sl_err *err);

#endif
