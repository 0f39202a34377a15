/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C++ library of the process does it, if there is one: a program with mangled names has it.  It is looked for by
 * name, so that we need not be linked to it.
 */
#include "trace/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *mangled, char *buffer, size_t *n, int *status);

static demangler *find(void)
{
    void *f = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = f ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    demangler *to = NULL;

    if (library)
        f = dlsym(library, "__cxa_demangle");
    memcpy(&to, &f, sizeof to);
    return to;
}

static const char anonymous[] = "(anonymous namespace)", lambda[] = "{lambda}";

static bool is_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Behind the bracket that closes the one at s. */
static const char *closing(const char *s)
{
    int depth = 0;

    for (; *s; s++) {
        depth += strchr("({[", *s) != NULL;
        depth -= strchr(")}]", *s) != NULL;
        if (depth == 0)
            return s + 1;
    }
    return s;
}

/* Behind a lambda, which every compiler calls otherwise: {lambda(int)#1}, 'lambda0'(int), $_0; NULL: there is none. */
static const char *behind_lambda(const char *s)
{
    size_t n = strspn(s + 2 * !strncmp(s, "$_", 2), "0123456789");

    if (!strncmp(s, "{lambda(", 8))
        return closing(s);
    if (!strncmp(s, "'lambda", 7)) {
        s += strcspn(s + 1, "'") + 1;
        s += *s == '\'';
        return *s == '(' ? closing(s) : s;
    }
    return !strncmp(s, "$_", 2) && n && !is_name(s[2 + n]) ? s + 2 + n : NULL;
}

/* Behind an operator's name, whose brackets are none; s: no operator. */
static const char *behind_operator(const char *s)
{
    if (strncmp(s, "operator", 8) != 0 || is_name(s[8]))
        return s;
    s += 8;
    return !strncmp(s, "()", 2) || !strncmp(s, "[]", 2) ? s + 2 : s + strspn(s, "<>=-");
}

/* Behind what follows parameters and is no name: const, &, and so on. */
static const char *behind_qualifiers(const char *s)
{
    static const char *const known[] = {" const", " volatile", " &", "&", " noexcept"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(s, known[i], strlen(known[i])))
            return behind_qualifiers(s + strlen(known[i]));
    return s;
}

/*
 * The name in what returns a pointer or reference to a function or array, "void (*name(int))(char)", of which s is the
 * first bracket; NULL: s is another's.
 */
static const char *name_in_declarator(const char *s)
{
    const char *end = closing(s), *name = s + 1, *member;

    if (*end != '(' && strncmp(end, " [", 2) != 0)
        return NULL;
    if (*name != '*' && *name != '&') {
        member = strstr(s, "::*");
        name = member && member < end ? member + 2 : s;
    }
    name += strspn(name, "*& ");
    return name > s && *name != '(' && *name != ')' ? name : NULL;
}

/* Without parameters of functions, be they of this one or of those that it is within. */
size_t sl_without_parameters(const char *s, char *to)
{
    char *p = to;
    int depth = 0, round = 0; /* in template arguments; in brackets in them, where < and > compare */

    while (*s) {
        const char *end = p == to || !is_name(p[-1]) ? behind_lambda(s) : NULL;
        if (end) {
            p = stpcpy(p, lambda);
            s = end;
            continue;
        }
        end = p == to || !is_name(p[-1]) ? behind_operator(s) : s;
        if (end == s && !strncmp(s, anonymous, sizeof anonymous - 1))
            end = s + sizeof anonymous - 1;
        else if (end == s && (!strncmp(s, "decltype (", 10) || !strncmp(s, "decltype(", 9)))
            end = closing(s + strcspn(s, "("));
        if (end == s && *s == '(' && !depth) {
            const char *name = name_in_declarator(s);
            end = closing(s);
            if (name) {
                p = to;
                s = name;
                continue;
            }
            if (*end != '(') { /* else a part of the type in operator int (*)(int)() */
                s = behind_qualifiers(end);
                if (strncmp(s, "::", 2) != 0)
                    break;
                continue;
            }
        }
        if (end == s) {
            if (*s == '>' && depth && p[-1] == '>') /* as libstdc++ has it, and LLVM's demangler not */
                *p++ = ' ';
            round += *s == '(' && depth;
            round -= *s == ')' && round;
            depth += *s == '<' && !round;
            depth -= *s == '>' && depth && !round;
            end = s + 1;
        }
        memcpy(p, s, (size_t)(end - s));
        p += end - s;
        s = end;
    }
    return (size_t)(p - to);
}

struct sl_text_ref sl_demangle(struct sl_text_ref symbol, char **owned)
{
    demangler *demangle;
    char *text, *plain, *kept;
    size_t n;

    if (symbol.n < 2 || memcmp(symbol.s, "_Z", 2) || !(demangle = find()) || !(text = strndup(symbol.s, symbol.n)))
        return symbol;
    plain = demangle(text, NULL, NULL, &(int){0});
    free(text);
    if (!plain)
        return symbol;
    kept = malloc(sizeof kept + 3 * strlen(plain) + 1);
    if (kept) {
        memcpy(kept, owned, sizeof *owned); /* the one before */
        n = sl_without_parameters(plain, kept + sizeof kept);
        *owned = kept;
        symbol = (struct sl_text_ref){kept + sizeof kept, (uint32_t)n};
    }
    free(plain);
    return symbol;
}
