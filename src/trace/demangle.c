/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C++ library of the process does it, if there is one: a program with mangled names has it.  It is looked for by
 * name, so that we need not be linked to it.
 */
#include "trace/demangle.h"

#include <dlfcn.h>
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

/* Where the arguments begin: the first bracket that is no part of a name. */
static size_t arguments(const char *s)
{
    static const char *const names[] = {"(anonymous namespace)", "operator()"};
    size_t i = 0;

    while (s[i] && s[i] != '(') {
        size_t skip = 1;
        if (!strncmp(s + i, names[1], strlen(names[1])))
            skip = strlen(names[1]);
        i += skip;
        while (!strncmp(s + i, names[0], strlen(names[0])))
            i += strlen(names[0]);
    }
    return i;
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
    n = !strncmp(plain, "(anonymous namespace)", 21) ? 21 + arguments(plain + 21) : arguments(plain);
    kept = malloc(sizeof kept + n + 1);
    if (kept) {
        memcpy(kept, owned, sizeof *owned); /* the one before */
        memcpy(kept + sizeof kept, plain, n);
        *owned = kept;
        symbol = (struct sl_text_ref){kept + sizeof kept, (uint32_t)n};
    }
    free(plain);
    return symbol;
}
