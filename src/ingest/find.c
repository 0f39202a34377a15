/* SPDX-License-Identifier: Apache-2.0 */
#include "ingest/find.h"
#include "base/buf.h"
#include "ingest/sniff.h"
#include "recipe/reader.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int by_phase(const void *x, const void *y)
{
    const struct sl_found *a = x, *b = y;
    int pa = a->recipe ? a->input->phase : 3, pb = b->recipe ? b->input->phase : 3, c;

    if (pa != pb)
        return pa - pb;
    c = strcmp(a->path, b->path);
    return c || !a->recipe || !b->recipe ? c : strcmp(a->recipe->name, b->recipe->name);
}

static void add(struct sl_found_list *out, struct sl_found f, const char *path)
{
    struct sl_buf b = {0};

    sl_buf_add_utf8(&b, path, strlen(path));
    f.path = sl_strdup(path);
    f.name = b.s;
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

/*
 * sb: NULL where the file is known to be unreadable; it is a problem only if a recipe wants it.  named: the user gave
 * the path of this file itself.
 */
static bool claim(struct sl_found_list *out, const struct sl_recipes *set, struct sl_match *m, const char *path,
                  const struct stat *sb, bool named, bool unclaimed)
{
    struct sl_found f = {0};
    size_t n = strlen(path);
    bool any = false, known = false; /* known: whatever it holds */

    if (sb) {
        f.bytes = (uint64_t)sb->st_size;
        f.mtime_ns = (int64_t)sb->st_mtim.tv_sec * 1000000000 + sb->st_mtim.tv_nsec;
    }
    for (size_t r = 0; r < set->n; r++) {
        const struct sl_recipe *recipe = set->v[r];
        bool here = false;
        for (int i = 0; i < recipe->ninput && !here; i++)
            for (int k = 0; k < recipe->input[i].nfiles && !here; k++) {
                struct sl_found one = f;
                if ((recipe->input[i].named && !named) || !sl_pattern_match(&recipe->input[i].files[k], m, path, n, 0))
                    continue;
                here = any = true;
                known |= !recipe->input[i].nholds;
                one.recipe = recipe;
                one.input = &recipe->input[i];
                one.files = &recipe->input[i].files[k];
                if (sb && one.input->reader->tables)
                    add_wal(&one, path);
                if (sb)
                    add(out, one, path);
            }
    }
    if (!known && unclaimed && sb) /* goes again where it holds what some recipe looks for */
        add(out, f, path);
    return sb ? any : known;
}

static void problem(struct sl_found_list *out, const char *path, int error)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s: %s", path, strerror(error));
    *sl_vec_add(&out->problems) = b.s;
}

static bool asks(const struct sl_found *f)
{
    return f->recipe && f->input->nholds;
}

static void forget(struct sl_found *f)
{
    free(f->path);
    free(f->name);
}

/* Takes out the claims of inputs that ask for a text which is not in the file. */
static void drop_absent(struct sl_found_list *out)
{
    SL_VEC(struct sl_sniff) asked = {0};
    size_t kept = 0, at = 0;

    for (size_t i = 0; i < out->v.n; i++)
        if (asks(&out->v.v[i]))
            *sl_vec_add(&asked) = (struct sl_sniff){.path = out->v.v[i].path, .input = out->v.v[i].input};
    sl_sniff(asked.v, asked.n);
    for (size_t i = 0; i < out->v.n; i++)
        if (asks(&out->v.v[i]) && !asked.v[at++].holds)
            forget(&out->v.v[i]);
        else
            out->v.v[kept++] = out->v.v[i];
    out->v.n = kept;
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
            forget(f);
        else
            out->v.v[kept++] = *f;
    }
    out->v.n = kept;
    sl_vec_free(&ours);
}

static bool claims_some(const struct sl_found_list *l, const struct sl_recipe *r)
{
    for (size_t i = 0; i < l->v.n; i++)
        if (l->v.v[i].recipe == r)
            return true;
    return false;
}

void sl_find(struct sl_found_list *out, const struct sl_recipes *set, char *const *paths, size_t n, bool unclaimed)
{
    struct sl_match *m = sl_match_new();
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        char *real = realpath(paths[i], NULL);
        char *one[] = {real, NULL};
        FTSENT *e;
        FTS *walk;
        if (!real) { /* the others can still be read */
            problem(out, paths[i], errno);
            continue;
        }
        walk = fts_open(one, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
        while (walk && (e = fts_read(walk))) {
            struct stat sb;
            switch (e->fts_info) {
            case FTS_F: claim(out, set, m, e->fts_path, e->fts_statp, e->fts_level == FTS_ROOTLEVEL, unclaimed); break;
            case FTS_SL: /* links to files are followed, links to folders may go round in circles */
                if (stat(e->fts_path, &sb) != 0) {
                    int why = errno;
                    if (claim(out, set, m, e->fts_path, NULL, false, false))
                        problem(out, e->fts_path, why);
                } else if (S_ISREG(sb.st_mode)) {
                    claim(out, set, m, e->fts_path, &sb, false, unclaimed);
                }
                break;
            case FTS_DNR:
            case FTS_ERR:
            case FTS_NS: problem(out, e->fts_path, e->fts_errno); break;
            default: break;
            }
        }
        if (walk)
            fts_close(walk);
        free(real);
    }
    sl_match_free(m);
    if (out->v.n)
        qsort(out->v.v, out->v.n, sizeof *out->v.v, by_phase);
    for (size_t i = 0; i < out->v.n; i++) { /* paths given twice, or one below the other */
        if (kept && by_phase(&out->v.v[kept - 1], &out->v.v[i]) == 0) {
            forget(&out->v.v[i]);
            continue;
        }
        out->v.v[kept++] = out->v.v[i];
    }
    out->v.n = kept;
    drop_absent(out);
    drop_claimed(out);
    for (size_t r = 0; r < set->n; r++)
        if (claims_some(out, set->v[r]))
            sl_recipe_jit(set->v[r]);
}

void sl_found_free(struct sl_found_list *l)
{
    for (size_t i = 0; i < l->v.n; i++)
        forget(&l->v.v[i]);
    for (size_t i = 0; i < l->problems.n; i++)
        free(l->problems.v[i]);
    sl_vec_free(&l->v);
    sl_vec_free(&l->problems);
}
