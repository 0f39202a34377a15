/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions (PCRE2) with named captures, and what can be said of a subject without running them.
 * Compiled patterns are shared by threads; each thread matches with its own sl_match.
 */
#ifndef SL_RECIPE_PATTERN_H
#define SL_RECIPE_PATTERN_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/err.h"

#include <pcre2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_pattern {
    struct sl_pattern_code *code; /* what PCRE2 makes of it */
    char *literal;                /* a piece that every match contains; NULL if none is known */
    uint32_t nliteral;
    bool prefix, suffix; /* the literal stands at the very beginning, or end, of the subject */
    bool has_first;
    uint64_t first[4];           /* bytes that a match begins with, where has_first; else a prefix may say so */
    uint32_t ngroups, ncaptures; /* ncaptures: groups that have names */
    struct sl_capture {
        char *name;
        uint32_t group;
        int slot; /* the recipe's field; -1: nobody reads it */
    } * capture;
};

/*
 * Compiles text.  Messages begin with `where` (file:line).  where is NULL: it is known to be right, as those of our own
 * recipes, and is compiled when it has to be run.  Machine code is made of each when it is run for the first time.
 */
int sl_pattern_compile(struct sl_pattern *p, const char *text, const char *where, struct sl_err *err);
/* The same without captures where the pattern does not refer to them: a quarter faster, to find out whether it matches.
 */
int sl_pattern_compile_bare(struct sl_pattern *p, const char *text, const char *where, struct sl_err *err);
void sl_pattern_free(struct sl_pattern *p);

struct sl_match; /* one a thread */
struct sl_match *sl_match_new(void);
void sl_match_free(struct sl_match *m);

/*
 * Looks for p in s[0..n) from offset `at`.  The offsets of the groups, or NULL where it is not there (or gave up: a
 * pattern that backtracks without end counts as no match).  Valid until the next call with m.
 */
const size_t *sl_pattern_match(const struct sl_pattern *p, struct sl_match *m, const char *s, size_t n, size_t at);

/* Turns a path pattern of a recipe ("{rundir}/{executor}/block-{block}/worker_{worker}.log") into a pattern. */
int sl_pattern_compile_path(struct sl_pattern *p, const char *files, const char *where, struct sl_err *err);

#endif
