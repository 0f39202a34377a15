/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/place.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has(const char *dir, const char *name)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path && access(path, R_OK) == 0;
}

static bool fits(char to[PATH_MAX], const char *a, const char *b)
{
    return snprintf(to, PATH_MAX, "%s/%s", a, b) < PATH_MAX;
}

static bool is_lib(char to[PATH_MAX], const char *prefix, const char *name)
{
    return fits(to, prefix, name) && (has(to, "libspanloom-trace.so") || has(to, "libspanloom-trace.a"));
}

/* SL_LIBDIR is what the build was told; lib, lib64 and lib/TRIPLET, where it was moved. */
static bool find_lib(char to[PATH_MAX], const char *prefix)
{
    char libs[PATH_MAX], name[300];
    bool found = is_lib(to, prefix, SL_LIBDIR) || is_lib(to, prefix, "lib") || is_lib(to, prefix, "lib64");
    struct dirent *e;
    DIR *d;

    if (found || !fits(libs, prefix, "lib") || !(d = opendir(libs)))
        return found;
    while (!found && (e = readdir(d))) {
        snprintf(name, sizeof name, "lib/%s", e->d_name);
        found = strstr(e->d_name, "-linux-") && is_lib(to, prefix, name);
    }
    closedir(d);
    return found;
}

static void up(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        *slash = 0;
}

/* This program's folder, and that above it. */
static int find_self(char here[PATH_MAX], char prefix[PATH_MAX], struct sl_err *err)
{
    ssize_t n = readlink("/proc/self/exe", here, PATH_MAX - 1);

    if (n <= 0)
        return sl_err(err, SL_EIO, "/proc/self/exe cannot be read, so that it is not known where Spanloom is");
    here[n] = 0;
    up(here);
    memcpy(prefix, here, PATH_MAX);
    up(prefix);
    return 0;
}

int place_find(struct place *p, struct sl_err *err)
{
    char here[PATH_MAX], prefix[PATH_MAX];

    *p = (struct place){0};
    if (find_self(here, prefix, err))
        return err->code;
    if (has(here, "build.ninja") && has(SL_SOURCE_DIR, "include/spanloom/trace.h")) { /* not installed */
        memcpy(p->lib, here, sizeof here);
        fits(p->include, SL_SOURCE_DIR, "include");
    } else if (find_lib(p->lib, prefix) && !fits(p->include, prefix, "include")) {
        p->include[0] = 0;
    }
    if (!has(p->lib, "libspanloom-trace.so") && !has(p->lib, "libspanloom-trace.a"))
        return sl_err(err, SL_ENOTFOUND, "libspanloom-trace is not there: neither beside %s/spanloom nor below %s/lib",
                      here, prefix);
    if (!has(p->include, "spanloom/trace.h"))
        return sl_err(err, SL_ENOTFOUND, "spanloom/trace.h is not below %s; install the headers too", p->include);
    return 0;
}

/* PREFIX/lib/python3.N/site-packages, or Debian's dist-packages. */
static bool find_package(char to[PATH_MAX], const char *prefix)
{
    static const char *const libs[] = {"lib", "lib64"}, *const packages[] = {"site-packages", "dist-packages"};
    char lib[PATH_MAX], name[300];
    bool found = false;
    struct dirent *e;
    DIR *d;

    for (int i = 0; i < 2 && !found; i++) {
        if (!fits(lib, prefix, libs[i]) || !(d = opendir(lib)))
            continue;
        while (!found && (e = readdir(d)))
            for (int j = 0; j < 2 && !found && !strncmp(e->d_name, "python3", 7); j++) {
                snprintf(name, sizeof name, "%s/%s", e->d_name, packages[j]);
                found = fits(to, lib, name) && has(to, "spanloom/_trace.py");
            }
        closedir(d);
    }
    return found;
}

int place_find_python(struct place_python *p, struct sl_err *err)
{
    char here[PATH_MAX], prefix[PATH_MAX];
    bool found;

    *p = (struct place_python){0};
    if (find_self(here, prefix, err))
        return err->code;
    if (has(here, "build.ninja") && has(SL_SOURCE_DIR, "python/spanloom")) { /* not installed */
        found = fits(p->package, SL_SOURCE_DIR, "python") && fits(p->c, here, "python");
    } else {
        found = find_package(p->package, prefix);
        memcpy(p->c, p->package, sizeof p->c);
    }
    if (!found || !fits(p->site, p->package, "spanloom/_site") || !has(p->site, "sitecustomize.py") ||
        !has(p->c, "_spanloom.abi3.so"))
        return sl_err(err, SL_ENOTFOUND,
                      "the Python package spanloom is not there: neither beside %s/spanloom nor below %s/lib", here,
                      prefix);
    return 0;
}
