/* SPDX-License-Identifier: Apache-2.0 */
#include "unpack/library.h"

#ifdef SL_ARCHIVE

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static struct sl_archive_library library;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const char *const names[] = {
#define SL_NAME(name) #name,
        SL_ARCHIVE_FUNCTIONS(SL_NAME)
#undef SL_NAME
    };
    void *from = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL), **to = (void **)&library;

    _Static_assert(sizeof library == sizeof names, "a function a name");
    missing = from ? NULL
                   : "there is no libarchive.so.13 on this machine (Debian has it in libarchive13); unpack it "
                     "yourself, and import what came out";
    for (size_t i = 0; i < sizeof names / sizeof *names && !missing; i++)
        if (!(to[i] = dlsym(from, names[i])))
            missing = "the libarchive of this machine is too old; unpack it yourself, and import what came out";
}

const struct sl_archive_library *sl_archive_library(const char **why)
{
    pthread_once(&once, load);
    *why = missing;
    return missing ? NULL : &library;
}

#endif
