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
    pcre2_code *code;
    char *literal; /* a piece that every match contains; "" if none is known */
    uint32_t nliteral;
    bool jit;
    bool prefix; /* the literal stands at the very beginning of the subject */
    bool anchored;
    uint64_t first[4]; /* bytes that a match may begin with, where anchored and has_first */
    bool has_first;
    uint32_t ncaptures;
    struct sl_capture {
        char *name;
        uint32_t group;
        int slot; /* the recipe's field; -1: nobody reads it */
    } * capture;
};

/* Compiles text.  Messages begin with `where` (file:line). */
int sl_pattern_compile(struct sl_pattern *p, const char *text, const char *where, struct sl_err *err);
/* The same without captures where the pattern does not refer to them: a quarter faster, to find out whether it matches.
 */
int sl_pattern_compile_bare(struct sl_pattern *p, const char *text, const char *where, struct sl_err *err);
/* Makes machine code of it, which takes as long as a hundred matches without: before threads share it. */
void sl_pattern_jit(struct sl_pattern *p);
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
