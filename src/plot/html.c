/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.html is made by page/build.mjs and allows its own scripts and nothing else, by their hashes.  What comes from a
 * store stands in blocks of JSON, which no browser runs.
 */
#include "plot/html.h"
#include "base/buf.h"
#include "base/embed.h"

#include <errno.h>
#include <string.h>

/* `<` is in JSON only inside of texts; as an escape it can neither end the script that it is in nor begin a comment. */
void sl_plot_script_json(struct sl_buf *out, const char *s, size_t n)
{
    const char *end = s + n, *lt;

    for (; (lt = memchr(s, '<', (size_t)(end - s))); s = lt + 1) {
        sl_buf_add(out, s, (size_t)(lt - s));
        sl_buf_adds(out, "\\u003c");
    }
    sl_buf_add(out, s, (size_t)(end - s));
}

static int read_page(struct sl_buf *page, const char *path, struct sl_err *err)
{
    FILE *f = fopen(path, "re");
    char part[1 << 16];
    size_t n;
    int rc = 0;

    if (!f)
        return sl_err(err, SL_EIO, "%s: %s", path, strerror(errno));
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        sl_buf_add(page, part, n);
    if (ferror(f))
        rc = sl_err(err, SL_EIO, "%s: %s", path, strerror(errno));
    fclose(f);
    return rc;
}

/* The page up to mark; then what follows it is what is left of the page. */
static int put_until(FILE *out, const char **page, const char *end, const char *mark)
{
    const char *at = memmem(*page, (size_t)(end - *page), mark, strlen(mark));

    if (!at)
        return SL_EFORMAT;
    fwrite(*page, 1, (size_t)(at - *page), out);
    *page = at + strlen(mark);
    return 0;
}

int sl_plot_page(FILE *out, const char *path, const struct sl_page_part *part, size_t parts, struct sl_err *err)
{
    struct sl_buf page = {0}, json = {0};
    const struct sl_embedded *look = sl_embedded_plots;
    const char *at, *end;
    int rc = read_page(&page, path, err);

    while (look->name && strcmp(look->name, "look.json") != 0)
        look++;
    sl_plot_script_json(&json, look->name ? look->data : "{}", look->name ? look->size : 2);
    at = page.s;
    end = page.s + page.n;
    for (size_t i = 0; i < parts && !rc; i++)
        if (!(rc = put_until(out, &at, end, part[i].mark)))
            fwrite(part[i].text, 1, part[i].n, out);
    if (!rc && !(rc = put_until(out, &at, end, "@LOOK@"))) {
        fwrite(json.s, 1, json.n, out);
        fwrite(at, 1, (size_t)(end - at), out);
        if (ferror(out))
            rc = sl_err(err, SL_EIO, "cannot write: %s", strerror(errno));
    }
    if (rc == SL_EFORMAT)
        sl_err(err, rc, "%s is not a page of ours; `make plots` makes it anew", path);
    sl_buf_free(&page);
    sl_buf_free(&json);
    return rc;
}

int sl_plot_html(FILE *out, const char *spec, size_t n, const char *path, struct sl_err *err)
{
    struct sl_buf json = {0};
    int rc;

    sl_plot_script_json(&json, spec, n);
    rc = sl_plot_page(out, path, &(struct sl_page_part){"@SPEC@", json.s, json.n}, 1, err);
    sl_buf_free(&json);
    return rc;
}
