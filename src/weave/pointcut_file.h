/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is woven beside what is annotated: a file of rules, one a line, for those who do not own the source.
 *
 *   # everything in src/ but what is called often
 *   include  module=heat_?.f90  function=solve*  pointcut=around
 *   exclude  class=Grid  function=at
 *
 * The last rule that matches a function decides; where none does, its annotation.  Keys are globs (fnmatch), matched
 * as a whole: module against the source file as the compiler was told it, or its last component; function against the
 * name in the trace, that without template arguments, or what it has behind its last "::"; class against what it has
 * before that (in Fortran: the module), or the last component of it.  One that is missing matches all.  pointcut and
 * scope, of an include, are as in annotations; a function that is annotated keeps what its annotation says.  Values
 * with blanks are quoted: "...".
 */
#ifndef SL_WEAVE_POINTCUT_FILE_H
#define SL_WEAVE_POINTCUT_FILE_H

#include "weave/advice.h"
#include "weave/function_name.h"

enum { SL_POINTCUT_GLOBS = 3 }; /* module, function, class */

struct sl_pointcut_rule {
    bool include;
    unsigned line;
    char *globs[SL_POINTCUT_GLOBS]; /* NULL: not given */
    struct sl_advice advice;
    bool hit_module; /* its module key is that of this module */
    unsigned hits;   /* functions that it matched */
    struct sl_pointcut_rule *next;
};

struct sl_pointcuts {
    const char *file;
    struct sl_pointcut_rule *rules; /* the first one first */
};

/* file: kept.  False: why says what, with file and line.  NULL or "": what SPANLOOM_POINTCUTS names, if anything.
 * Either way, sl_pointcuts_free(). */
bool sl_pointcuts_read(const char *file, struct sl_pointcuts *p, char *why, size_t n);
void sl_pointcuts_free(struct sl_pointcuts *p);

/* The rule that decides on this function, or NULL. */
const struct sl_pointcut_rule *sl_pointcuts_find(struct sl_pointcuts *p, const char *module,
                                                 const struct sl_function_name *name);

/*
 * What is woven goes into the file that SPANLOOM_WOVEN names, if it does: for a function of this module, by a rule or,
 * where that is NULL, by its annotation, "MODULE<tab>FUNCTION<tab>FILE:LINE", or annotation.
 */
void sl_pointcuts_woven(const struct sl_pointcuts *p, const char *module, const char *function,
                        const struct sl_pointcut_rule *by);

/* After the last function of a module: calls warn for each rule that names this module and matched nothing in it; and
 * each rule has a line in SPANLOOM_WOVEN, without a function, and with the number of those that it matched. */
void sl_pointcuts_unused(const struct sl_pointcuts *p, const char *module, void (*warn)(const char *text, void *data),
                         void *data);

#endif
