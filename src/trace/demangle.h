/* SPDX-License-Identifier: Apache-2.0 */
/* C++ names as people write them. */
#ifndef SL_TRACE_DEMANGLE_H
#define SL_TRACE_DEMANGLE_H

#include "trace/decode.h"

/*
 * The symbol demangled, without parameters, as PerfFlowAspect's names are (which end at the first bracket, so that what
 * lies within a function has the function's name there); lambdas are "{lambda}", since compilers number them
 * differently.  As it stands where that cannot be done.  What is allocated is pushed on *owned: a chain, each with the
 * next one's address in its first bytes.
 */
struct sl_text_ref sl_demangle(struct sl_text_ref symbol, char **owned);

/* The same of a demangled name s, put to `to`, which has three times as much room.  Returns the length. */
size_t sl_without_parameters(const char *s, char *to);

#endif
