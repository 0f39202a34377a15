/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spanloom-render svg|png|pdf|check BUNDLE [SCHEMAS]: draws the specification on stdin to stdout; with SCHEMAS
 * (schemas.json) it says on stderr what in it is not as the published schemas say, and with `check` it does no more.
 * `spanloom plot` runs it, so that the drawing engine, which is large, starts threads and may abort, is not in
 * `spanloom` itself.
 */
#include "render/engine.h"
#include "render/rasterize.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ADDRESS_SPACE (UINT64_C(6) << 30)

/* Of processor time, in seconds: a line of a million points as PNG would not end.  The kernel ends us then. */
enum { LONGEST = 120 };

static void limit_time(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_CPU, &limit) || (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= LONGEST))
        return;
    limit.rlim_cur = LONGEST;
    setrlimit(RLIMIT_CPU, &limit);
}

/* JavaScriptCore reserves address space, and aborts without a word where it gets less. */
static int check_address_space(struct sl_err *err)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= ADDRESS_SPACE)
        return 0;
    return sl_err(err, SL_EUSAGE,
                  "the drawing engine reserves %u GB of address space and `ulimit -v` leaves it %.1f: raise it "
                  "(`ulimit -v unlimited`), draw in a job, or write .html, which needs no engine",
                  (unsigned)(ADDRESS_SPACE >> 30), (double)limit.rlim_cur / (1 << 30));
}

static char *read_all(FILE *in, struct sl_err *err)
{
    GString *text = g_string_new(NULL);
    char part[1 << 16], *valid;
    size_t got;

    while ((got = fread(part, 1, sizeof part, in)) > 0)
        g_string_append_len(text, part, (gssize)got);
    valid = g_utf8_make_valid(text->str, (gssize)text->len); /* else JavaScriptCore takes it for an empty text */
    g_string_free(text, TRUE);
    if (ferror(in))
        sl_err(err, SL_EIO, "the specification cannot be read");
    return valid;
}

static int draw(struct engine *e, const char *form, const char *spec, FILE *out, struct sl_err *err)
{
    char *svg = engine_svg(e, spec, form, err);
    size_t n;
    int rc;

    if (!svg)
        return SL_EFORMAT;
    n = strlen(svg);
    rc = strcmp(form, "png") == 0   ? picture_png(out, svg, n, err)
         : strcmp(form, "pdf") == 0 ? picture_pdf(out, svg, n, err)
                                    : (fwrite(svg, 1, n, out), 0);
    g_free(svg);
    if (!rc && (fflush(out) || ferror(out)))
        rc = sl_err(err, SL_EIO, "the picture cannot be written");
    return rc;
}

static int render(const char *form, const char *bundle, const char *schemas, FILE *out, struct sl_err *err)
{
    struct engine *e;
    char *spec;
    int rc = check_address_space(err);

    if (rc)
        return rc;
    limit_time();
    spec = read_all(stdin, err);
    if (err->code || !(e = engine_new(bundle, stderr, err))) {
        g_free(spec);
        return err->code;
    }
    if (schemas)
        rc = engine_check(e, schemas, spec, err);
    if (!rc && strcmp(form, "check") != 0)
        rc = draw(e, form, spec, out, err);
    engine_free(e);
    g_free(spec);
    return rc;
}

static bool is_form(const char *s)
{
    static const char *const forms[] = {"svg", "png", "pdf", "check"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(s, forms[i]) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct sl_err err = {0};

    if (argc < 3 || argc > 4 || !is_form(argv[1])) {
        fputs("usage: spanloom-render svg|png|pdf|check BUNDLE [SCHEMAS] <SPECIFICATION >PICTURE\n", stderr);
        return 2;
    }
    setenv("TZ", "UTC", 1);
    if (render(argv[1], argv[2], argc > 3 ? argv[3] : NULL, stdout, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    /* Threads of the engine may still run; there is nothing left to tidy up for them. */
    _exit(0);
}
