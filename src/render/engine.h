/* SPDX-License-Identifier: Apache-2.0 */
/* Vega in JavaScriptCore: a specification with its data becomes SVG.  Specifications are UTF-8, ended by a NUL. */
#ifndef SL_RENDER_ENGINE_H
#define SL_RENDER_ENGINE_H

#include "base/err.h"

#include <stdio.h>

struct engine;

/* bundle: the path of headless.js.  What is doubtful in a specification is said on `warnings`, a line each. */
struct engine *engine_new(const char *bundle, FILE *warnings, struct sl_err *err);
void engine_free(struct engine *e);

/* Warns of what is not as the published schemas say; schemas: the path of schemas.json. */
int engine_check(struct engine *e, const char *schemas, const char *spec, struct sl_err *err);

/*
 * The SVG of a Vega or Vega-Lite specification, UTF-8, to be freed by g_free(); NULL: err says why there is none.
 * form: svg, png or pdf, what it is for.
 */
char *engine_svg(struct engine *e, const char *spec, const char *form, struct sl_err *err);

#endif
