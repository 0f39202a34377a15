/* SPDX-License-Identifier: Apache-2.0 */
#include "unpack/archive.h"
#include "base/buf.h"
#include "base/mem.h"
#include "unpack/expands.h"
#include "unpack/library.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sl_archive_named(const char *path)
{
    static const char *const endings[] = {".tar",    ".tgz",     ".tzst",   ".txz",    ".tbz2",
                                          ".tar.gz", ".tar.zst", ".tar.xz", ".tar.bz2"};
    size_t n = strlen(path);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t k = strlen(endings[i]);
        if (n > k && !strcmp(path + n - k, endings[i]) && path[n - k - 1] != '/')
            return true;
    }
    return false;
}

#ifdef SL_ARCHIVE

enum { CHUNK = 256 * 1024 };

struct reading {
    const struct sl_archive_library *l;
    const struct sl_archive_reader *r;
    const char *path;
    struct sl_bytes *from;
    char *in;
    struct archive *a;
    int spool, error;
    uint64_t *at, out, read;
    struct sl_buf name, text;
};

static void problem(struct reading *x, const char *member, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void problem(struct reading *x, const char *member, const char *fmt, ...)
{
    char text[600];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    sl_buf_clear(&x->text);
    sl_buf_addf(&x->text, "%s%s", x->path, member ? "/" : "");
    if (member)
        sl_buf_add_utf8(&x->text, member, strlen(member));
    sl_buf_addf(&x->text, ": %s", text);
    x->r->problem(x->r->to, x->text.s);
}

static la_ssize_t more(struct archive *a, void *of, const void **to)
{
    struct reading *x = of;
    ssize_t n = sl_bytes_read(x->from, x->in, CHUNK);

    (void)a;
    *to = x->in;
    if (n < 0)
        x->error = errno;
    else
        x->read += (uint64_t)n;
    return n;
}

/* Where the library is in the archive; it does not know of one that it could not begin. */
static unsigned long long place(const struct reading *x)
{
    la_int64_t at = x->l->archive_filter_bytes(x->a, -1);
    return at > 0 ? (unsigned long long)at : x->read;
}

/* name as a path below the archive, in x->name; false: it leads out of it, or is none. */
static bool tidy(struct reading *x, const char *name)
{
    sl_buf_clear(&x->name);
    for (const char *s = name; *s;) {
        size_t n = strcspn(s, "/");
        if (n == 2 && !memcmp(s, "..", 2))
            return false;
        if (n && !(n == 1 && *s == '.')) {
            if (x->name.n)
                sl_buf_addc(&x->name, '/');
            sl_buf_add(&x->name, s, n);
        }
        s += n + (s[n] == '/');
    }
    return x->name.n > 0;
}

/* ARCHIVE_EOF: all of the member is there; else the rest of the archive cannot be read. */
static int unpack(struct reading *x, struct sl_archive_member *m)
{
    const void *block;
    size_t n;
    la_int64_t offset;
    int rc;

    m->region = (struct sl_region){x->spool, *x->at, 0};
    while ((rc = x->l->archive_read_data_block(x->a, &block, &n, &offset)) == ARCHIVE_OK || rc == ARCHIVE_WARN) {
        if (offset < 0 || (uint64_t)offset < m->region.n)
            return ARCHIVE_FATAL;
        x->out += n + ((uint64_t)offset - m->region.n); /* a hole costs who reads it */
        if (sl_expands_beyond(x->out, (uint64_t)x->l->archive_filter_bytes(x->a, -1))) {
            problem(x, m->name, "%s; what stands before it was imported", SL_EXPANDS);
            return ARCHIVE_FAILED;
        }
        if (!sl_write_at(x->spool, block, n, *x->at + (uint64_t)offset)) {
            problem(x, m->name, "cannot write it to a temporary file: %s; TMPDIR names a folder with more room",
                    strerror(errno));
            return ARCHIVE_FAILED;
        }
        m->region.n = (uint64_t)offset + n;
    }
    return rc;
}

static void damaged(struct reading *x, const char *member)
{
    const char *said = x->l->archive_error_string(x->a);

    if (!x->error && x->l->archive_errno(x->a) == ENOMEM)
        sl_no_memory(0);
    if (x->error)
        problem(x, member, "reading failed: %s; what stands before it was imported", strerror(x->error));
    else
        problem(x, member, "the archive is cut off or damaged at byte %llu%s%s%s; what stands before it was imported",
                place(x), said ? " (" : "", said ? said : "", said ? ")" : "");
}

/* 0: go on with the next one. */
static int one(struct reading *x, struct archive_entry *e)
{
    const struct sl_archive_library *l = x->l;
    const char *name = l->archive_entry_pathname_utf8(e), *to;
    struct sl_archive_member m = {0};
    int rc;

    name = name ? name : l->archive_entry_pathname(e);
    if (!name) {
        problem(x, NULL, "a member before byte %llu has a name that cannot be read, and was left out", place(x));
        return 0;
    }
    if (!tidy(x, name)) {
        if (strstr(name, ".."))
            problem(x, name, "this name leads out of the archive; the member was left out");
        return 0;
    }
    m.name = x->name.s;
    m.mtime_ns = (int64_t)l->archive_entry_mtime(e) * 1000000000 + l->archive_entry_mtime_nsec(e);
    if ((to = l->archive_entry_hardlink(e))) {
        struct sl_buf as = x->name;
        bool found;
        if (!x->r->want(x->r->to, m.name))
            return 0;
        x->name = (struct sl_buf){0};
        found = tidy(x, to) && x->r->linked(x->r->to, x->name.s, as.s);
        if (!found)
            problem(x, as.s, "a link to %.300s, which was not unpacked; it was left out", to);
        sl_buf_free(&as);
        return 0;
    }
    if (l->archive_entry_filetype(e) == AE_IFLNK && x->r->want(x->r->to, m.name))
        problem(x, m.name, "a link, which is not followed within an archive; it was left out");
    if (l->archive_entry_filetype(e) != AE_IFREG || !x->r->want(x->r->to, m.name))
        return 0;
    rc = unpack(x, &m);
    m.whole = rc == ARCHIVE_EOF;
    if (!m.whole && rc != ARCHIVE_FAILED)
        damaged(x, m.name);
    *x->at += m.region.n;
    if (m.whole || m.region.n)
        x->r->member(x->r->to, &m);
    return m.whole ? 0 : -1;
}

void sl_archive_read(const char *path, int spool, uint64_t *at, const struct sl_archive_reader *r)
{
    struct reading x = {.r = r, .path = path, .spool = spool, .at = at};
    struct sl_err err = {0};
    const char *why;
    struct archive_entry *e;
    int rc;

    if (!(x.l = sl_archive_library(&why))) {
        problem(&x, NULL, "%s", why);
        return;
    }
    if (sl_bytes_open(&x.from, path, NULL, true, &err)) {
        r->problem(r->to, err.text);
        return;
    }
    x.in = sl_realloc(NULL, CHUNK);
    x.a = sl_must(x.l->archive_read_new());
    x.l->archive_read_support_filter_gzip(x.a);
    x.l->archive_read_support_filter_zstd(x.a);
    x.l->archive_read_support_filter_xz(x.a);
    x.l->archive_read_support_filter_bzip2(x.a);
    x.l->archive_read_support_format_tar(x.a);
    if ((rc = x.l->archive_read_open(x.a, &x, NULL, more, NULL)) != ARCHIVE_OK)
        damaged(&x, NULL);
    while (rc == ARCHIVE_OK) {
        rc = x.l->archive_read_next_header(x.a, &e);
        if (rc == ARCHIVE_OK || rc == ARCHIVE_WARN)
            rc = one(&x, e) ? ARCHIVE_FAILED : ARCHIVE_OK; /* it was said why */
        else if (rc != ARCHIVE_EOF)
            damaged(&x, NULL);
    }
    x.l->archive_read_free(x.a);
    sl_bytes_close(x.from);
    free(x.in);
    sl_buf_free(&x.name);
    sl_buf_free(&x.text);
}

#else

void sl_archive_read(const char *path, int spool, uint64_t *at, const struct sl_archive_reader *r)
{
    struct sl_buf text = {0};

    (void)spool, (void)at;
    sl_buf_addf(
        &text,
        "%s: an archive, and this spanloom was built without libarchive; unpack it yourself, and import what came out",
        path);
    r->problem(r->to, text.s);
    sl_buf_free(&text);
}

#endif
