/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view/install_paths.h"
#include "base/buf.h"

#include <dirent.h>
#include <glob.h>
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

/* The folder of Python's packages that has this file: below the prefix, or the prefix itself (pip install --target). */
static bool find_packages(char to[PATH_MAX], const char *prefix, const char *file)
{
    static const char *const places[] = {"lib*/python3*/site-packages", "lib*/python3*/dist-packages", ""};
    struct sl_buf pattern = {0};
    bool found = false;

    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
        glob_t g = {0};
        sl_buf_clear(&pattern);
        for (const char *s = prefix; *s; s++)
            sl_buf_addf(&pattern, strchr("*?[\\", *s) ? "\\%c" : "%c", *s);
        sl_buf_addf(&pattern, "%s%s", *places[i] ? "/" : "", places[i]);
        if (glob(pattern.s, 0, NULL, &g) == 0)
            for (size_t k = 0; k < g.gl_pathc && !found; k++)
                found = snprintf(to, PATH_MAX, "%s", g.gl_pathv[k]) < PATH_MAX && has(to, file);
        globfree(&g);
    }
    sl_buf_free(&pattern);
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
    char here[PATH_MAX], prefix[PATH_MAX], packages[PATH_MAX];

    *p = (struct place){0};
    if (find_self(here, prefix, err))
        return err->code;
    if (has(here, "build.ninja") && has(SL_SOURCE_DIR, "include/spanloom/trace.h")) { /* not installed */
        memcpy(p->lib, here, sizeof here);
        fits(p->include, SL_SOURCE_DIR, "include");
        if (!fits(p->plugins, here, "src/weave"))
            p->plugins[0] = 0;
    } else if (find_lib(p->lib, prefix)) {
        if (!fits(p->include, prefix, "include"))
            p->include[0] = 0;
        if (!fits(p->plugins, p->lib, "spanloom"))
            p->plugins[0] = 0;
    } else if (find_packages(packages, prefix, "spanloom/libspanloom-trace.so")) { /* a wheel */
        if (!fits(p->lib, packages, "spanloom") || !fits(p->include, p->lib, "include"))
            p->include[0] = 0;
    }
    if (!has(p->lib, "libspanloom-trace.so") && !has(p->lib, "libspanloom-trace.a"))
        return sl_err(err, SL_ENOTFOUND, "libspanloom-trace is not there: neither beside %s/spanloom nor below %s/lib",
                      here, prefix);
    if (!has(p->include, "spanloom/trace.h"))
        return sl_err(err, SL_ENOTFOUND, "spanloom/trace.h is not below %s; install the headers too", p->include);
    return 0;
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
        found = find_packages(p->package, prefix, "spanloom/_trace.py");
        memcpy(p->c, p->package, sizeof p->c);
    }
    if (!found || !fits(p->site, p->package, "spanloom/_site") || !has(p->site, "sitecustomize.py") ||
        !has(p->c, "_spanloom.abi3.so"))
        return sl_err(err, SL_ENOTFOUND,
                      "the Python package spanloom is not there: neither beside %s/spanloom nor below %s/lib", here,
                      prefix);
    return 0;
}

/* NAME among what `make plots` makes: page/dist in a build tree. */
static bool find_page(char to[PATH_MAX], const char *here, const char *prefix, const char *name)
{
    char dir[PATH_MAX], packages[PATH_MAX];

    if (has(here, "build.ninja") && has(SL_SOURCE_DIR, "page/package.json")) /* not installed */
        return fits(dir, SL_SOURCE_DIR, "page/dist") && fits(to, dir, name) && has(dir, name);
    if (fits(dir, prefix, SL_LIBEXECDIR "/spanloom") && fits(to, dir, name) && has(dir, name))
        return true;
    return find_packages(packages, prefix, "spanloom/page/page.html") && fits(dir, packages, "spanloom/page") &&
           fits(to, dir, name) && has(dir, name); /* a wheel */
}

static bool find_helper(char to[PATH_MAX], const char *here, const char *prefix)
{
    bool built = has(here, "build.ninja");

    return fits(to, built ? here : prefix, built ? "spanloom-render" : SL_LIBEXECDIR "/spanloom/spanloom-render") &&
           access(to, X_OK) == 0;
}

int place_find_report(char to[PATH_MAX], const char *page, struct sl_err *err)
{
    char here[PATH_MAX], prefix[PATH_MAX];

    if (find_self(here, prefix, err))
        return err->code;
    return find_page(to, here, prefix, page)
               ? 0
               : sl_err(
                     err, SL_ENOTFOUND,
                     "what shows a report is not there: `make plots` in Spanloom's sources builds it (Debian: nodejs "
                     "npm)");
}

int place_find_plot(struct sl_plot_parts *p, enum sl_plot_form form, bool check, struct sl_err *err)
{
    char here[PATH_MAX], prefix[PATH_MAX];
    bool draws;

    *p = (struct sl_plot_parts){0};
    if (form == SL_PLOT_JSON && !check)
        return 0;
    if (find_self(here, prefix, err))
        return err->code;
    draws = find_helper(p->helper, here, prefix) && find_page(p->bundle, here, prefix, "headless.js");
    if (!check || !draws || !find_page(p->schemas, here, prefix, "schemas.json"))
        *p->schemas = 0;
    if (form == SL_PLOT_JSON)
        return 0;
    if (form == SL_PLOT_HTML)
        return find_page(p->page, here, prefix, "page.html")
                   ? 0
                   : sl_err(
                         err, SL_ENOTFOUND,
                         "what draws HTML pictures is not there: `make plots` in Spanloom's sources builds it (Debian: "
                         "nodejs npm); .json writes the specification with its data");
    if (!draws)
        return sl_err(err, SL_ENOTFOUND,
                      "what draws .%s is not there: `make plots` in Spanloom's sources builds it (Debian: nodejs npm "
                      "libjavascriptcoregtk-4.1-dev librsvg2-dev); .json writes the specification with its data",
                      sl_plot_forms[form]);
    return 0;
}
