/* SPDX-License-Identifier: Apache-2.0 */
/* What a function is called in traces, the same whichever compiler wove it. */
#ifndef SL_WEAVE_FUNCTION_NAME_H
#define SL_WEAVE_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct sl_function_name {
    char full[1024];      /* as in the trace: demangled, without parameters, cut if longer */
    char function[1024];  /* full without return type and template arguments */
    char qualifier[1024]; /* what function has before its last "::"; "" if nothing */
    const char *last;     /* what it has behind that */
};

/*
 * symbol: as linkers know it.  demangle: gives a demangled name that is to be freed, for what libstdc++ does not know,
 * which is what compilers have learned after it was made; or NULL.
 */
void sl_function_name(const char *symbol, char *(*demangle)(const char *symbol), struct sl_function_name *to);
/* name: as it is to be in the trace. */
void sl_function_name_set(const char *name, struct sl_function_name *to);

/*
 * Whether the function `symbol`, which calls `callee`, is only another way into that: constructors and destructors have
 * several symbols (Itanium C++ ABI, 5.1.4.3), of which compilers let some call the others, each its own.
 */
bool sl_function_delegates(const char *symbol, const char *callee);

/*
 * Whether a compiler has made the function, which is in no source: initializers of globals, thunks of virtual
 * functions, wrappers of thread_local variables, what makes a pointer of a lambda.  Each has others.
 */
bool sl_function_is_made(const char *symbol);

/* Whether this function of libc ends the process without unwinding. */
bool sl_ends_process(const char *callee);

#endif
