/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be put into a function: what an annotation says, in PerfFlowAspect's grammar. */
#ifndef SL_WEAVE_ADVICE_H
#define SL_WEAVE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

struct sl_advice {
    char pointcut[16]; /* before, after, around, or one of them with _async */
    char flow[8];      /* in, out, inout, outin or NA */
    char scope[1024];  /* "NA" where none is said */
};

/* What plugins put into a function for it. */
struct sl_weaving {
    bool before, after; /* a call at its entry; at each way out */
    bool async;
    bool span; /* sl_span_begin() and sl_span_end(); else perfflow_weave_before() and _after() */
    const char *flow_before, *flow_after;
};

enum sl_advice_kind {
    SL_ADVICE,        /* an annotation that is ours */
    SL_ADVICE_OTHERS, /* of some other tool */
    SL_ADVICE_BAD,    /* meant for us, and not understood */
};

/* text: an annotation, "@critical_path(pointcut='around', scope='x', flow='in')".  Fills in *a; where it is BAD, why
 * (of n bytes) says what is wrong. */
enum sl_advice_kind sl_advice_parse(const char *text, struct sl_advice *a, char *why, size_t n);
/* As an annotation without arguments. */
void sl_advice_default(struct sl_advice *a);
bool sl_advice_is_pointcut(const char *word);

#define SL_LINE_WOVEN 0x80000000u /* in `line` of struct sl_site, include/spanloom/trace.h */

/* A warning, with the name of the function and one of the reasons. */
#define SL_NOT_WOVEN "%s is %s"
#define SL_IS_COROUTINE "a coroutine, which is not woven: spans between its suspensions can be put in by hand"
#define SL_IS_NAKED "naked, and so not woven"
#define SL_IS_RESOLVER "what an ifunc calls before the program is relocated, and so not woven"

struct sl_weaving sl_advice_weaving(const struct sl_advice *a);

#endif
