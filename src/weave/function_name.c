/* SPDX-License-Identifier: Apache-2.0 */
#include "weave/function_name.h"
#include "trace/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(char *to, size_t room, const char *s, size_t n)
{
    n = n < room ? n : room - 1;
    memcpy(to, s, n);
    to[n] = 0;
}

/* Copies without what stands in angle brackets, which operators have in their names, too. */
static void without_arguments(const char *s, char *to, size_t room)
{
    int depth = 0, round = 0; /* in brackets within them, < and > compare */
    size_t n = 0;

    for (; *s && n + 1 < room; s++) {
        if (!depth && !strncmp(s, "operator", 8)) {
            size_t op = 8 + strspn(s + 8, "<>=-"); /* <, <<, <=>, ->, ... */
            for (size_t i = 0; i < op && n + 1 < room; i++)
                to[n++] = s[i];
            s += op - 1;
            s += !strncmp(s + 1, " <", 2); /* operator<< <int> */
            continue;
        }
        round += *s == '(' && depth;
        round -= *s == ')' && round;
        depth += *s == '<' && !round;
        if (!depth)
            to[n++] = *s;
        depth -= *s == '>' && depth && !round;
    }
    to[n] = 0;
}

void sl_function_name_set(const char *name, struct sl_function_name *to)
{
    char plain[sizeof to->function], *p, *blank, *colons = NULL;

    put(to->full, sizeof to->full, name, strlen(name));
    without_arguments(name, plain, sizeof plain);
    p = plain;
    /* A return type ends with the last blank that is no part of "(anonymous namespace)" or "operator new". */
    for (blank = plain; *blank && strncmp(blank, "operator", 8) != 0; blank++)
        if (*blank == ' ' && strncmp(blank, " namespace)", 11) != 0)
            p = blank + 1;
    strcpy(to->function, p);
    for (p = to->function; *p && strncmp(p, "operator", 8) != 0; p++)
        if (p[0] == ':' && p[1] == ':')
            colons = p;
    put(to->qualifier, sizeof to->qualifier, to->function, colons ? (size_t)(colons - to->function) : 0);
    to->last = colons ? colons + 2 : to->function;
}

static char *demangled_by(char *(*demangle)(const char *symbol), const char *symbol)
{
    char *text = demangle && !strncmp(symbol, "_Z", 2) ? demangle(symbol) : NULL;
    char *plain = text && strcmp(text, symbol) != 0 ? malloc(3 * strlen(text) + 1) : NULL;

    if (plain)
        plain[sl_without_parameters(text, plain)] = 0;
    free(text);
    return plain;
}

/* full ends with no NUL. */
static char *copied(struct sl_text_ref full)
{
    char *s = malloc((size_t)full.n + 1);

    if (s) {
        memcpy(s, full.s, full.n);
        s[full.n] = 0;
    }
    return s;
}

void sl_function_name(const char *symbol, char *(*demangle)(const char *symbol), struct sl_function_name *to)
{
    char *owned = NULL, *name;
    struct sl_text_ref full = sl_demangle((struct sl_text_ref){symbol, (uint32_t)strlen(symbol)}, &owned);

    if (full.s == symbol &&
        full.n > 0) /* in C: compilers number what is within functions, and clones, behind a point */
        full.n = 1 + (uint32_t)strcspn(symbol + 1, ".");
    name = full.s == symbol ? demangled_by(demangle, symbol) : NULL;
    if (!name)
        name = copied(full); /* be it longer than what is kept of it */
    sl_function_name_set(name ? name : symbol, to);
    free(name);
    while (owned) {
        char *next;
        memcpy(&next, owned, sizeof next);
        free(owned);
        owned = next;
    }
}

bool sl_function_delegates(const char *symbol, const char *callee)
{
    size_t i = 0;

    if (strncmp(symbol, "_Z", 2) != 0 || strlen(symbol) != strlen(callee))
        return false;
    while (symbol[i] && symbol[i] == callee[i])
        i++;
    return i > 2 && symbol[i] && strchr("CD", symbol[i - 1]) && strchr("0123", symbol[i]) &&
           strchr("0123", callee[i]) && !strcmp(symbol + i + 1, callee + i + 1);
}

/* As pointers to functions they have two members more. */
static bool makes_pointer_of_lambda(const char *symbol)
{
    const char *number = strstr(symbol, "$_"); /* clang's, of what is local to a file */

    number = number ? number + 2 + strspn(number + 2, "0123456789") : "";
    return !strncmp(symbol, "_ZZ", 3) && (strstr(symbol, "8__invokeE") || strstr(symbol, "4_FUNE") ||
                                          strstr(symbol, "E_cvP") || !strncmp(number, "cvP", 3));
}

bool sl_function_is_made(const char *symbol)
{
    static const char *const made[] = {"_ZT",
                                       "_GLOBAL__",
                                       "__cxx_global_",
                                       "__tls_init",
                                       "__clang_call_terminate",
                                       "_Z41__static_initialization_and_destruction_0ii"};

    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (!strncmp(symbol, made[i], strlen(made[i])))
            return true;
    return makes_pointer_of_lambda(symbol);
}

bool sl_ends_process(const char *callee)
{
    static const char *const known[] = {"exit", "_exit", "_Exit", "quick_exit", "abort"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(callee, known[i]))
            return true;
    return false;
}
