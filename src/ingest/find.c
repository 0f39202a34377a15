/* SPDX-License-Identifier: Apache-2.0 */
#include "ingest/find.h"
#include "base/buf.h"
#include "base/files/folder.h"
#include "base/files/temporary.h"
#include "ingest/file_contents.h"
#include "ingest/sniff.h"
#include "recipe/reader.h"
#include "unpack/archive.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_phase(const void *x, const void *y)
{
    const struct sl_found *a = x, *b = y;
    int pa = a->recipe ? a->input->phase : 3, pb = b->recipe ? b->input->phase : 3, c;

    if (pa != pb)
        return pa - pb;
    c = strcmp(a->path, b->path);
    return c || !a->recipe || !b->recipe ? c : strcmp(a->recipe->name, b->recipe->name);
}

/* And of members of one name in an archive the last first, as unpacking leaves that. */
static int in_order(const void *x, const void *y)
{
    const struct sl_found *a = x, *b = y;
    int c = by_phase(x, y);

    if (c || !a->region || !b->region)
        return c;
    return a->region->at > b->region->at ? -1 : a->region->at < b->region->at;
}

/* stem: recipes see so much of path; 0: all of it. */
static void add(struct sl_found_list *out, struct sl_found f, const char *path, size_t stem,
                const struct sl_region *region)
{
    struct sl_buf b = {0};

    sl_buf_add_utf8(&b, path, strlen(path));
    f.path = f.log = sl_strdup(path);
    f.name = b.s;
    if (stem)
        f.log = sl_strndup(path, stem);
    if (region) {
        f.region = sl_alloc(sizeof *f.region);
        *f.region = *region;
    }
    *sl_vec_add(&out->v) = f;
}

/* Size and time of what a database has written, but not into its own file yet. */
static void add_wal(struct sl_found *f, const char *path)
{
    struct sl_buf wal = {0};
    struct stat sb;

    sl_buf_addf(&wal, "%s-wal", path);
    if (stat(wal.s, &sb) == 0 && sb.st_size > 0) {
        int64_t t = (int64_t)sb.st_mtim.tv_sec * 1000000000 + sb.st_mtim.tv_nsec;
        f->bytes += (uint64_t)sb.st_size;
        f->mtime_ns = t > f->mtime_ns ? t : f->mtime_ns;
    }
    sl_buf_free(&wal);
}

/* What of a file's path may be its recipes': all of it, or first that and then what stands before .gz and the like. */
static const struct sl_pattern *matching(const struct sl_input *in, struct sl_match *m, const char *path, bool named,
                                         size_t *stem)
{
    size_t n = strlen(path), log = sl_bytes_stem(path);

    *stem = 0;
    if (in->named && !named)
        return NULL;
    for (int k = 0; k < in->nfiles; k++)
        if (sl_pattern_match(&in->files[k], m, path, n, 0))
            return &in->files[k];
    for (int k = 0; k < in->nfiles && log < n && !in->named; k++)
        if (sl_pattern_match(&in->files[k], m, path, log, 0)) {
            *stem = log;
            return &in->files[k];
        }
    return NULL;
}

/*
 * sb: NULL where nothing is added.  region: of a member of an archive.  named: the user gave the path of this file
 * itself.  Does a recipe want it?  With sb NULL: whatever it holds?
 */
static bool claim(struct sl_found_list *out, const struct sl_recipes *set, struct sl_match *m, const char *path,
                  const struct stat *sb, const struct sl_region *region, bool named, bool unclaimed)
{
    struct sl_found f = {0};
    bool any = false, known = false; /* known: whatever it holds */
    size_t stem;

    if (sb) {
        f.bytes = (uint64_t)sb->st_size;
        f.mtime_ns = (int64_t)sb->st_mtim.tv_sec * 1000000000 + sb->st_mtim.tv_nsec;
    }
    for (size_t r = 0; r < set->n; r++) {
        const struct sl_recipe *recipe = set->v[r];
        bool here = false;
        for (int i = 0; i < recipe->ninput && !here; i++) {
            struct sl_found one = f;
            if (!(one.files = matching(&recipe->input[i], m, path, named, &stem)))
                continue;
            here = any = true;
            known |= !recipe->input[i].nholds;
            one.recipe = recipe;
            one.input = &recipe->input[i];
            if (sb && !region && !stem && one.input->reader->tables)
                add_wal(&one, path);
            if (sb)
                add(out, one, path, stem, region);
        }
    }
    if (!known && unclaimed && sb) /* goes again where it holds what some recipe looks for */
        add(out, f, path, 0, region);
    return sb ? any : known;
}

static void problem(struct sl_found_list *out, const char *text)
{
    for (size_t i = 0; i < out->problems.n; i++) /* several recipes may ask for what a file holds */
        if (!strcmp(out->problems.v[i], text))
            return;
    *sl_vec_add(&out->problems) = sl_strdup(text);
}

static void unseen(struct sl_found_list *out, const char *path, int error)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s: %s", path, strerror(error));
    problem(out, b.s);
    sl_buf_free(&b);
}

static void note(struct sl_found_list *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void note(struct sl_found_list *out, const char *fmt, ...)
{
    char text[4600];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < out->notes.n; i++) /* several recipes may claim a file */
        if (!strcmp(out->notes.v[i], text))
            return;
    *sl_vec_add(&out->notes) = sl_strdup(text);
}

static bool asks(const struct sl_found *f)
{
    return f->recipe && f->input->nholds;
}

void sl_found_forget(struct sl_found *f)
{
    if (f->log != f->path)
        free(f->log);
    free(f->path);
    free(f->name);
    free(f->region);
    free(f->wal);
}

/* Takes out the claims of inputs that ask for a text which is not in the file, or of which nobody knows. */
static void drop_absent(struct sl_found_list *out)
{
    SL_VEC(struct sl_sniff) asked = {0};
    size_t kept = 0, at = 0;

    for (size_t i = 0; i < out->v.n; i++)
        if (asks(&out->v.v[i]))
            *sl_vec_add(&asked) =
                (struct sl_sniff){.path = out->v.v[i].path, .region = out->v.v[i].region, .input = out->v.v[i].input};
    sl_sniff(asked.v, asked.n);
    for (size_t i = 0; i < out->v.n; i++)
        if (asks(&out->v.v[i]) && !asked.v[at++].holds)
            sl_found_forget(&out->v.v[i]);
        else
            out->v.v[kept++] = out->v.v[i];
    out->v.n = kept;
    for (size_t i = 0; i < asked.n; i++) {
        if (asked.v[i].problem)
            problem(out, asked.v[i].problem);
        free(asked.v[i].problem);
    }
    sl_vec_free(&asked);
}

/* A file that nothing seemed to claim is none where a text that it holds claims it. */
static void drop_claimed(struct sl_found_list *out)
{
    SL_VEC(const char *) ours = {0};
    size_t kept = 0;

    for (size_t i = 0; i < out->v.n; i++)
        if (asks(&out->v.v[i]))
            *sl_vec_add(&ours) = out->v.v[i].path;
    for (size_t i = 0; i < out->v.n; i++) {
        struct sl_found *f = &out->v.v[i];
        size_t k = 0;
        while (!f->recipe && k < ours.n && strcmp(ours.v[k], f->path) != 0)
            k++;
        if (!f->recipe && k < ours.n)
            sl_found_forget(f);
        else
            out->v.v[kept++] = *f;
    }
    out->v.n = kept;
    sl_vec_free(&ours);
}

/*
 * gzip -k and the like leave the log beside what they make of it: its records are told once, by the one that holds more
 * of them.  What has only the name in common, such as a log that began anew, is read, too.
 */
static void drop_packed_twins(struct sl_found_list *out)
{
    bool *drop = sl_alloc((out->v.n + 1) * sizeof *drop);
    size_t kept = 0;

    for (size_t i = 0; i < out->v.n; i++) {
        struct sl_found *f = &out->v.v[i], plain = {.path = f->log, .log = f->log};
        struct sl_err err = {0};
        int how = SL_FIRST_BEGINS;
        size_t k = 0;
        if (f->log == f->path)
            continue;
        while (k < out->v.n && (!out->v.v[k].region != !f->region || out->v.v[k].recipe != f->recipe ||
                                strcmp(out->v.v[k].path, f->log) != 0))
            k++;
        if (k == out->v.n && (f->region || sl_is_gone(f->log)))
            continue;
        if (f->input && f->input->reader->grows)
            how = sl_found_compare(f, k < out->v.n ? &out->v.v[k] : &plain, &err);
        if (how < 0) { /* whether it tells the same once more, the next import may know */
            problem(out, err.text);
            drop[i] = true;
        } else if (how == SL_BOTH_SAME || how == SL_FIRST_BEGINS) {
            note(out, "%s: passed over, since %s lies beside it", f->name, strrchr(f->log, '/') + 1);
            drop[i] = true;
        } else if (how == SL_SECOND_BEGINS && k < out->v.n) {
            note(out, "%s: passed over, since %s, which lies beside it, holds more", out->v.v[k].name,
                 strrchr(f->path, '/') + 1);
            drop[k] = true;
        }
    }
    for (size_t i = 0; i < out->v.n; i++)
        if (drop[i])
            sl_found_forget(&out->v.v[i]);
        else
            out->v.v[kept++] = out->v.v[i];
    out->v.n = kept;
    free(drop);
}

/* ---- archives ---- */

struct opened {
    struct sl_found_list *out;
    const struct sl_recipes *set;
    struct sl_match *m;
    const char *archive, *within; /* within: the folder or member that was asked for; "": all */
    struct sl_buf path;           /* of the member at hand */
    SL_VEC(struct sl_wal {
        char *path;
        struct sl_region region;
    })
    wal;
    bool unclaimed, any;
};

static const char *member_path(struct opened *o, const char *name)
{
    sl_buf_clear(&o->path);
    sl_buf_addf(&o->path, "%s/%s", o->archive, name);
    return o->path.s;
}

/* The part of name before "-wal", where a recipe reads that as a database; 0: none. */
static size_t database_of(struct opened *o, const char *path)
{
    size_t n = strlen(path), stem;
    char *db;

    if (n < 5 || strcmp(path + n - 4, "-wal") != 0)
        return 0;
    db = sl_strndup(path, n - 4);
    n = 0;
    for (size_t r = 0; r < o->set->n && !n; r++)
        for (int i = 0; i < o->set->v[r]->ninput && !n; i++)
            if (o->set->v[r]->input[i].reader->tables && matching(&o->set->v[r]->input[i], o->m, db, false, &stem))
                n = strlen(db);
    free(db);
    return n;
}

static bool want(void *to, const char *name)
{
    struct opened *o = to;
    size_t n = strlen(o->within), stem;
    const char *path = member_path(o, name);
    bool wanted = database_of(o, path) > 0;

    if (n && (strncmp(name, o->within, n) != 0 || (name[n] && name[n] != '/' && strcmp(name + n, "-wal") != 0)))
        return false;
    o->any = true;
    for (size_t r = 0; r < o->set->n && !wanted; r++)
        for (int i = 0; i < o->set->v[r]->ninput && !wanted; i++)
            wanted = matching(&o->set->v[r]->input[i], o->m, path, false, &stem) != NULL;
    if (!wanted && o->unclaimed)
        add(o->out, (struct sl_found){0}, path, 0, NULL);
    return wanted;
}

static void take(struct opened *o, const char *path, const struct sl_archive_member *m)
{
    struct stat sb = {.st_size = (off_t)m->region.n};

    sb.st_mtim.tv_sec = m->mtime_ns / 1000000000;
    sb.st_mtim.tv_nsec = m->mtime_ns % 1000000000;
    if (database_of(o, path))
        *sl_vec_add(&o->wal) = (struct sl_wal){sl_strndup(path, strlen(path) - 4), m->region};
    else
        claim(o->out, o->set, o->m, path, &sb, &m->region, false, o->unclaimed);
}

static void member(void *to, const struct sl_archive_member *m)
{
    struct opened *o = to;
    take(o, member_path(o, m->name), m);
}

static bool linked(void *to, const char *name, const char *as)
{
    struct opened *o = to;
    const char *path = member_path(o, name);

    for (size_t i = o->out->v.n; i-- > 0;) {
        const struct sl_found *f = &o->out->v.v[i];
        if (f->region && !strcmp(f->path, path)) {
            struct sl_archive_member m = {as, *f->region, f->mtime_ns, true};
            member(o, &m);
            return true;
        }
    }
    return false;
}

static void told(void *to, const char *text)
{
    problem(((struct opened *)to)->out, text);
}

/* Each database gets its -wal. */
static void join_wals(struct opened *o, size_t from)
{
    for (size_t i = 0; i < o->wal.n; i++) {
        const struct sl_wal *w = &o->wal.v[i];
        for (size_t k = from; k < o->out->v.n && w->region.n; k++) {
            struct sl_found *f = &o->out->v.v[k];
            if (!f->region || !f->recipe || f->wal || !f->input->reader->tables || strcmp(f->path, w->path) != 0)
                continue;
            f->wal = sl_alloc(sizeof *f->wal);
            *f->wal = w->region;
            f->bytes += w->region.n;
        }
        free(w->path);
    }
    sl_vec_free(&o->wal);
}

static void open_archive(struct sl_found_list *out, const struct sl_recipes *set, struct sl_match *m, const char *path,
                         const char *within, bool unclaimed)
{
    struct opened o = {.out = out, .set = set, .m = m, .archive = path, .within = within, .unclaimed = unclaimed};
    struct sl_archive_reader r = {want, member, linked, told, &o};
    size_t from = out->v.n, before = out->problems.n;
    struct sl_err err = {0};

    if (!out->spooled) {
        if ((out->spool = sl_temporary_file(&err)) < 0) {
            told(&o, err.text);
            return;
        }
        out->spooled = 1; /* the file is there */
    }
    sl_archive_read(path, out->spool, &out->spooled, &r);
    if (*within && !o.any && out->problems.n == before) {
        sl_buf_clear(&o.path);
        sl_buf_addf(&o.path, "%s/%s: the archive holds no such member", path, within);
        told(&o, o.path.s);
    }
    join_wals(&o, from);
    sl_buf_free(&o.path);
}

/* A path that leads into an archive, as the archive's canonical path and the rest of it; false: it does not. */
static bool leads_into(const char *path, char **archive, const char **rest)
{
    struct stat sb;

    *archive = NULL;
    *rest = path;
    while (!*archive && (*rest = strchr(*rest, '/'))) {
        char *above = sl_strndup(path, (size_t)(*rest - path));
        if (sl_archive_named(above) && stat(above, &sb) == 0 && S_ISREG(sb.st_mode))
            *archive = realpath(above, NULL);
        free(above);
        ++*rest;
    }
    return *archive != NULL;
}

struct given { /* a file that the user gave the path of */
    char *path;
    const char *as;
    bool known;
};

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct given *)a)->path, ((const struct given *)b)->path);
}

/* given: in order of the path.  Files that are in the list; not yet those that only may be known, by what they hold. */
static void find_given(const struct sl_found_list *l, struct given *given, size_t n, bool all)
{
    for (size_t i = 0; i < l->v.n && n; i++) {
        struct given it = {.path = l->v.v[i].path}, *of = bsearch(&it, given, n, sizeof *given, by_path);
        if (of && (all || !asks(&l->v.v[i])))
            of->known = true;
    }
}

/* Where no file at all is known, that is told of them together. */
static void note_unknown(struct sl_found_list *out, const struct given *given, size_t n)
{
    const char *first = NULL;
    size_t unknown = 0;

    for (size_t i = 0; i < n && out->v.n; i++)
        if (!given[i].known && !unknown++)
            first = given[i].as;
    if (unknown == 1)
        note(out, "%s: no recipe knows this file", first);
    else if (unknown)
        note(out, "%s and %zu more: no recipe knows these files", first, unknown - 1);
}

struct walk {
    struct sl_found_list *out;
    const struct sl_recipes *set;
    struct sl_match *m;
    bool unclaimed;
    SL_VEC(struct given) given;
    char *first_closed; /* of archives that are not looked into */
    size_t closed;
};

static void walk_file(struct walk *w, const char *path, const struct stat *sb, const char *as, bool link)
{
    if (link || !sl_archive_named(path) || claim(w->out, w->set, w->m, path, NULL, NULL, false, false)) {
        claim(w->out, w->set, w->m, path, sb, NULL, as != NULL, w->unclaimed);
        if (as)
            *sl_vec_add(&w->given) = (struct given){sl_strdup(path), as, false};
    } else if (as) {
        open_archive(w->out, w->set, w->m, path, "", w->unclaimed);
    } else if (!w->closed++) {
        w->first_closed = sl_strdup(path);
    }
}

/* A file, or all that is below a folder.  as: what the user called it; NULL: it was found. */
static void walk(struct walk *w, const char *path, const char *as)
{
    struct stat sb;
    int why = lstat(path, &sb) ? errno : 0;
    bool link = !why && S_ISLNK(sb.st_mode);

    if (link && stat(path, &sb) != 0) { /* it leads nowhere: nothing is missed where no recipe wants it */
        why = errno;
        if (!claim(w->out, w->set, w->m, path, NULL, NULL, false, false))
            return;
    }
    if (why) {
        unseen(w->out, path, why);
    } else if (S_ISREG(sb.st_mode)) {
        walk_file(w, path, &sb, as, link);
    } else if (S_ISDIR(sb.st_mode) && !link) { /* links to folders may go round in circles */
        struct sl_folder_names in = {0};
        struct sl_buf below = {0};
        struct sl_err err;
        if (sl_folder_read(&in, path, &err))
            problem(w->out, err.text);
        for (size_t i = 0; i < in.name.n; i++) {
            sl_buf_clear(&below);
            sl_buf_addf(&below, "%s/%s", strcmp(path, "/") != 0 ? path : "", in.name.v[i]);
            walk(w, below.s, NULL);
        }
        sl_buf_free(&below);
        sl_folder_free(&in);
    }
}

void sl_find(struct sl_found_list *out, const struct sl_recipes *set, char *const *paths, size_t n, bool unclaimed)
{
    struct walk w = {.out = out, .set = set, .m = sl_match_new(), .unclaimed = unclaimed};
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        char *real = realpath(paths[i], NULL), *archive;
        int why = errno;
        const char *rest;
        if (real) {
            walk(&w, real, paths[i]);
        } else if (leads_into(paths[i], &archive, &rest)) {
            open_archive(out, set, w.m, archive, rest, unclaimed);
            free(archive);
        } else {
            unseen(out, paths[i], why); /* the others can still be read */
        }
        free(real);
    }
    sl_match_free(w.m);
    if (w.closed == 1)
        note(out, "%s: not looked into; name an archive, and what it holds is imported", w.first_closed);
    else if (w.closed)
        note(out, "%s and %zu more: not looked into; name an archive, and what it holds is imported", w.first_closed,
             w.closed - 1);
    free(w.first_closed);
    if (out->v.n)
        qsort(out->v.v, out->v.n, sizeof *out->v.v, in_order);
    for (size_t i = 0; i < out->v.n; i++) { /* paths given twice, or one below the other */
        if (kept && by_phase(&out->v.v[kept - 1], &out->v.v[i]) == 0) {
            sl_found_forget(&out->v.v[i]);
            continue;
        }
        out->v.v[kept++] = out->v.v[i];
    }
    out->v.n = kept;
    kept = 0;
    if (w.given.n)
        qsort(w.given.v, w.given.n, sizeof *w.given.v, by_path);
    for (size_t i = 0; i < w.given.n; i++)
        if (kept && !strcmp(w.given.v[i].path, w.given.v[kept - 1].path))
            free(w.given.v[i].path);
        else
            w.given.v[kept++] = w.given.v[i];
    w.given.n = kept;
    find_given(out, w.given.v, w.given.n, false); /* a twin that is left out is known */
    drop_packed_twins(out);
    drop_absent(out);
    drop_claimed(out);
    find_given(out, w.given.v, w.given.n, true);
    note_unknown(out, w.given.v, w.given.n);
    for (size_t i = 0; i < w.given.n; i++)
        free(w.given.v[i].path);
    sl_vec_free(&w.given);
}

int sl_found_problem(const struct sl_found_list *l, struct sl_err *err)
{
    return l->problems.n ? sl_err(err, SL_EIO, "%s", l->problems.v[0]) : 0;
}

void sl_found_free(struct sl_found_list *l)
{
    for (size_t i = 0; i < l->v.n; i++)
        sl_found_forget(&l->v.v[i]);
    for (size_t i = 0; i < l->problems.n; i++)
        free(l->problems.v[i]);
    for (size_t i = 0; i < l->notes.n; i++)
        free(l->notes.v[i]);
    sl_vec_free(&l->v);
    sl_vec_free(&l->problems);
    sl_vec_free(&l->notes);
    if (l->spooled)
        close(l->spool);
}
