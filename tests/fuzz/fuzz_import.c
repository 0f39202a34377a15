/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An import of a small run: lines of `===` part the input into parsl.log, interchange.log, manager.log and
 * worker_0.log. The same again must change nothing; file by file in the other order, and half of each file before the
 * whole, must give the same.
 */
#include "base/hash.h"
#include "fuzz.h"
#include "ingest/import.h"
#include "ingest/log_lines.h"

#include <fcntl.h>
#include <sys/stat.h>

static char root[64];
static const char *const names[] = {"000/parsl.log", "000/htex/interchange.log", "000/htex/block-0/abc123/manager.log",
                                    "000/htex/block-0/abc123/worker_0.log"};
enum { FILES = 4 };

static void clean_up(void)
{
    static const char *const folders[] = {"000/htex/block-0/abc123", "000/htex/block-0", "000/htex", "000", ""};
    char path[200];

    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        unlink(path);
    }
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        rmdir(path);
    }
}

static void make_root(void)
{
    char path[200];

    snprintf(root, sizeof root, "%s/spanloom-fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    MUST(mkdtemp(root));
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        for (char *s = path + strlen(root) + 1; (s = strchr(s, '/')); *s++ = '/') {
            *s = 0;
            mkdir(path, 0700);
        }
    }
    atexit(clean_up);
}

/* How many files there are; of each only the first `share` halves. */
static int write_files(const char *data, size_t size, int share)
{
    const char *end = data + size;
    char path[200];
    int n = 0;

    for (int i = 0; i < FILES; i++) {
        const char *sep = data ? memmem(data, (size_t)(end - data), "===\n", 4) : NULL, *to = sep ? sep : end;
        int fd;
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        if (!data || to == data) {
            unlink(path);
        } else {
            fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            MUST(fd >= 0 && write(fd, data, (size_t)(to - data) * (size_t)share / 2) >= 0 && close(fd) == 0);
            n++;
        }
        data = sep ? sep + 4 : NULL;
    }
    return n;
}

static struct sl_store *open_store(void)
{
    struct sl_store *st;
    struct sl_err err = {0};

    if (sl_store_open(&st, "", SL_STORE_CREATE, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return st;
}

static struct sl_import_result import(struct sl_store *st, struct sl_recipes *set, const char *what)
{
    struct sl_import_options o = {.jobs = 1, .zone_s = 3600};
    struct sl_import_result r = {0};
    struct sl_found_list l = {0};
    struct sl_err err = {0};
    char path[200], *one[] = {path};

    snprintf(path, sizeof path, "%s/%s", root, what);
    if (access(path, F_OK) == 0)
        sl_find(&l, set, one, 1, false);
    if (l.v.n && sl_import(&r, st, set, &l, &o, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    sl_found_free(&l);
    return r;
}

/* What a store says, without its numbers: every row by the path of its span, in order. */
static const char dump_sql[] =
    "WITH RECURSIVE p(id, path) AS ("
    "  SELECT s.id, n.name || ' ' || s.key FROM sl_span s JOIN sl_name n ON n.id = s.type WHERE s.parent IS NULL"
    "  UNION ALL SELECT s.id, p.path || ' / ' || n.name || ' ' || s.key"
    "  FROM p JOIN sl_span s ON s.parent = p.id JOIN sl_name n ON n.id = s.type) "
    "SELECT 'span ' || path FROM p UNION ALL "
    "SELECT 'event ' || p.path || ' ' || e.time_ns || ' ' || e.type || ' ' || s.path || ':' || e.place"
    "  FROM events e JOIN p ON p.id = e.span JOIN sl_source s ON s.id = e.source UNION ALL "
    "SELECT 'link ' || l.kind || ' ' || min(a.path, b.path) || ' ' || max(a.path, b.path) || (l.kind <> 'facet' AND "
    "a.path < b.path)"
    "  FROM links l JOIN p a ON a.id = l.left_span JOIN p b ON b.id = l.right_span UNION ALL "
    "SELECT 'attr ' || p.path || ' ' || a.name || ' ' || a.value || ' ' || s.path || ':' || a.place"
    "  FROM attributes a JOIN p ON p.id = a.span JOIN sl_source s ON s.id = a.source UNION ALL "
    "SELECT 'reject ' || path || ':' || place || ' ' || reason || ' ' || text FROM rejects UNION ALL "
    "SELECT 'source ' || path || ' ' || records || ' ' || used || ' ' || skipped || ' ' || rejected FROM sl_source "
    "ORDER BY 1";

static void dump(struct sl_store *st, struct sl_buf *out)
{
    sqlite3_stmt *q = sl_store_prepare(st, dump_sql, NULL);

    MUST(q);
    sl_buf_clear(out);
    while (sqlite3_step(q) == SQLITE_ROW) {
        sl_buf_adds(out, (const char *)sqlite3_column_text(q, 0));
        sl_buf_addc(out, '\n');
    }
    MUST(sqlite3_finalize(q) == SQLITE_OK);
}

static void same(const struct sl_buf *a, const struct sl_buf *b)
{
    if (a->n != b->n || (a->n && memcmp(a->s, b->s, a->n) != 0)) {
        fprintf(stderr, "--- one\n%s--- other\n%s", a->s ? a->s : "", b->s ? b->s : "");
        abort();
    }
}

static void sound(struct sl_store *st)
{
    static const char *const none[] = {
        "SELECT 1 FROM sl_source WHERE records <> used + skipped + rejected",
        "SELECT 1 FROM sl_event WHERE span NOT IN (SELECT id FROM sl_span) OR type NOT IN (SELECT id FROM sl_name) "
        "OR source NOT IN (SELECT id FROM sl_source) OR (zone NOT NULL AND zone NOT IN (SELECT id FROM sl_zone))",
        "SELECT 1 FROM sl_link WHERE left_span NOT IN (SELECT id FROM sl_span) OR right_span NOT IN (SELECT id FROM "
        "sl_span) "
        "OR kind NOT BETWEEN 1 AND 4 OR rule NOT IN (SELECT id FROM sl_name) OR left_span = right_span",
        "SELECT 1 FROM sl_span WHERE parent NOT IN (SELECT id FROM sl_span) OR type NOT IN (SELECT id FROM sl_name) "
        "OR source NOT IN (SELECT id FROM sl_source) OR parent >= id",
        "SELECT 1 FROM sl_span GROUP BY type, key, parent HAVING count(*) > 1",
        "SELECT 1 FROM sl_attr WHERE span NOT IN (SELECT id FROM sl_span) OR shape NOT IN (SELECT id FROM sl_shape) "
        "OR NOT json_valid(vals)",
        "SELECT 1 FROM sl_alike WHERE source NOT IN (SELECT id FROM sl_source) OR shape NOT IN (SELECT id FROM "
        "sl_shape) "
        "OR NOT json_valid(vals)",
        "SELECT 1 FROM sl_weak WHERE left_span NOT IN (SELECT id FROM sl_span UNION SELECT id FROM sl_ghost) "
        "OR right_span NOT IN (SELECT id FROM sl_span UNION SELECT id FROM sl_ghost)",
        "SELECT 1 FROM sl_ghost WHERE id IN (SELECT id FROM sl_span)",
        "SELECT 1 FROM sl_zone WHERE root NOT IN (SELECT id FROM sl_span WHERE parent IS NULL)",
        "SELECT 1 FROM pragma_foreign_key_check",
    };

    if (st->fresh)
        return; /* nothing came into it */
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (sl_store_int(st, none[i], 0)) {
            fprintf(stderr, "there are rows: %s\n", none[i]);
            abort();
        }
}

static void one_line(void *to, const struct sl_line *l)
{
    MUST(l->nspans && l->source && l->place > 0);
    for (size_t i = 0; i < l->nspans; i++)
        MUST(l->span[i]);
    ++*(size_t *)to;
}

static void problem(void *to, const char *text)
{
    (void)to;
    fprintf(stderr, "%s\n", text);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sl_recipes *set;
    static unsigned runs;
    struct sl_store *st;
    struct sl_import_result r;
    struct sl_buf first = {0}, other = {0};
    size_t lines = 0;
    uint64_t read = 0, sum = 0;

    if (!*root)
        make_root();
    if (set && ++runs % 1024 == 0) {
        sl_recipes_free(set);
        set = NULL;
    }
    if (!set)
        set = fuzz_recipes(NULL);
    if (size > 16384 || !write_files((const char *)data, size, 2))
        return 0;

    st = open_store();
    r = import(st, set, "");
    for (size_t i = 0; i < r.recipe.n; i++) {
        read += r.recipe.v[i].records;
        sum += r.recipe.v[i].used + r.recipe.v[i].skipped + r.recipe.v[i].rejected;
    }
    MUST(read == sum && r.problems == 0);
    sl_vec_free(&r.recipe);
    sound(st);
    dump(st, &first);
    r = import(st, set, "");
    MUST(r.spans == 0 && r.files == r.strange); /* these are read again */
    sl_vec_free(&r.recipe);
    dump(st, &other);
    same(&first, &other);
    MUST(sl_lines(st, set, NULL, "SELECT id FROM sl_source", NULL, one_line, problem, &lines, NULL) == 0);
    sl_store_close(st);

    st = open_store();
    for (int i = FILES; i-- > 0;) {
        r = import(st, set, names[i]);
        sl_vec_free(&r.recipe);
        sound(st);
    }
    dump(st, &other);
    same(&first, &other);
    sl_store_close(st);
    st = open_store();
    write_files((const char *)data, size, 1);
    r = import(st, set, "");
    sl_vec_free(&r.recipe);
    sound(st);
    write_files((const char *)data, size, 2);
    r = import(st, set, "");
    sl_vec_free(&r.recipe);
    sound(st);
    dump(st, &other);
    same(&first, &other);
    sl_store_close(st);
    sl_buf_free(&first);
    sl_buf_free(&other);
    return 0;
}
