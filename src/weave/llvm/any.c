/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libWeavePass.so, for any clang: loads the plugin that was built for the LLVM of this process, which lies beside it as
 * spanloom_llvm_VERSION.so.  So a command line has one path for all of them, and a clang for which there is none is
 * told so, where LLVM would end in a crash.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As llvm/Passes/PassPlugin.h has it: C, but for the type of what the last one takes. */
struct plugin {
    uint32_t version;
    const char *name, *release;
    void (*add_to)(void *pass_builder);
};

__attribute__((visibility("default"))) struct plugin llvmGetPassPluginInfo(void);

/* 0: unknown. */
static unsigned llvm_version(void)
{
    void (*get_version)(unsigned *, unsigned *, unsigned *) = NULL; /* there is from LLVM 16 on */
    void *f = dlsym(RTLD_DEFAULT, "LLVMGetVersion"), *any = dlsym(RTLD_DEFAULT, "LLVMContextCreate");
    unsigned major = 0, minor, patch;
    const char *p;
    Dl_info info;

    memcpy(&get_version, &f, sizeof f);
    if (get_version)
        get_version(&major, &minor, &patch);
    else if (any && dladdr(any, &info) && (p = strstr(info.dli_fname, "libLLVM-")))
        major = (unsigned)strtoul(p + 8, NULL, 10);
    return major;
}

static struct plugin (*get)(void);
static char why[PATH_MAX + 200];

/* When it is loaded, since options of a command line are those of plugins that are there before it is read. */
static __attribute__((constructor)) void find(void)
{
    unsigned version = llvm_version();
    char path[PATH_MAX + 64], *slash;
    void *f = NULL, *library = NULL;
    Dl_info self;

    snprintf(why, sizeof why, "the version of this compiler's LLVM is unknown");
    if (!version || !dladdr((void *)(uintptr_t)llvmGetPassPluginInfo, &self) || strlen(self.dli_fname) >= PATH_MAX)
        return;
    strcpy(path, self.dli_fname);
    slash = strrchr(path, '/');
    snprintf(slash ? slash + 1 : path, 64, "spanloom_llvm_%u.so", version);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    f = library ? dlsym(library, "llvmGetPassPluginInfo") : NULL;
    if (!f)
        snprintf(why, sizeof why, "this compiler is of LLVM %u, for which there is no plugin: %s", version, dlerror());
    memcpy(&get, &f, sizeof f);
}

struct plugin llvmGetPassPluginInfo(void)
{
    if (get)
        return get();
    fprintf(stderr, "spanloom: %s\n", why);
    return (struct plugin){0, "spanloom", "", NULL}; /* refused, since no interface has version 0 */
}
