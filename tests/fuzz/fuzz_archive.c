/* SPDX-License-Identifier: Apache-2.0 */
/* Archives and compressed files: members lie one behind the other, no name leads out, what is wrong is said. */
#include "base/files/temporary.h"
#include "fuzz.h"
#include "unpack/archive.h"

struct seen {
    uint64_t end, members, problems;
};

static bool want(void *to, const char *name)
{
    (void)to;
    for (const char *s = name; *s; s += strcspn(s, "/"), s += *s == '/') {
        size_t n = strcspn(s, "/");
        MUST(n && strncmp(s, ".", n) != 0 && (n != 2 || memcmp(s, "..", 2) != 0));
    }
    MUST(*name && *name != '/' && name[strlen(name) - 1] != '/');
    return name[strlen(name) - 1] != 'x';
}

static void member(void *to, const struct sl_archive_member *m)
{
    struct seen *s = to;
    MUST(m->region.at >= s->end && (m->whole || m->region.n));
    s->end = m->region.at + m->region.n;
    s->members++;
}

static bool linked(void *to, const char *name, const char *as)
{
    (void)want(to, name);
    (void)want(to, as);
    return false;
}

static void problem(void *to, const char *text)
{
    MUST(strlen(text) > 10 && sl_utf8_valid(text, strlen(text)) == strlen(text));
    ((struct seen *)to)->problems++;
}

static uint64_t read_all(const char *path, bool *damaged)
{
    static char buf[1 << 16];
    struct sl_bytes *b;
    uint64_t got = 0;
    ssize_t n;

    MUST(sl_bytes_open(&b, path, NULL, false, NULL) == 0);
    while ((n = sl_bytes_read(b, buf, sizeof buf)) > 0)
        got += (uint64_t)n;
    MUST(n == 0 && sl_bytes_read(b, buf, sizeof buf) == 0);
    *damaged = sl_bytes_damage(b) != NULL;
    MUST(!*damaged || sl_bytes_packed(b));
    MUST(sl_bytes_packed(b) || got == sl_bytes_size(b));
    sl_bytes_close(b);
    return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int spool = -1;
    struct seen s[2] = {{0}, {0}};
    const char *path = fuzz_file(data, size);
    bool damaged[2];

    if (spool < 0)
        spool = sl_temporary_file(NULL);
    MUST(spool >= 0);
    for (int i = 0; i < 2; i++) {
        struct sl_archive_reader r = {want, member, linked, problem, &s[i]};
        uint64_t at = 0;
        MUST(ftruncate(spool, 0) == 0);
        sl_archive_read(path, spool, &at, &r);
        MUST(at == s[i].end || !s[i].members);
    }
    MUST(!memcmp(&s[0], &s[1], sizeof s[0]));
    MUST(read_all(path, &damaged[0]) == read_all(path, &damaged[1]) && damaged[0] == damaged[1]);
    return 0;
}
