/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/lens/rules.h"
#include "analyse/ext.h"
#include "analyse/lens/lens.h"
#include "analyse/load/fast_rows.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- patterns ---- */

bool sl_lens_glob(const char *p, const char *s)
{
    const char *star = NULL, *from = NULL;

    while (*s) {
        if (*p == '*') { /* first it stands for nothing; for more, as long as the rest does not match */
            star = p++;
            from = s;
        } else if (*p == *s) {
            p++;
            s++;
        } else if (star) {
            p = star + 1;
            s = ++from;
        } else {
            return false;
        }
    }
    return !p[strspn(p, "*")];
}

bool sl_lens_rule_hits(struct sl_lens_rule *r, const char *type, const char *both)
{
    bool any = false;

    for (size_t i = 0; i < r->pattern.n; i++) {
        struct sl_lens_pattern *p = &r->pattern.v[i];
        /* only one that has a slash may look across the slash: else a.*.end would find a.b/x.end */
        bool hit = sl_lens_glob(p->text, type) || (p->both && sl_lens_glob(p->text, both));
        p->hit |= hit;
        any |= hit;
    }
    return any;
}

/* ---- rows ---- */

static int bad(const struct sl_lens_rule *r, const char *why, struct sl_err *err)
{
    return sl_err(err, SL_EUSAGE, "%s.sl_lens, id %lld: %s; see: man spanloom-lens", r->temp ? "temp" : "main",
                  (long long)r->id, why);
}

static void add_pattern(struct sl_lens_rules *all, struct sl_lens_rule *r, const char *s, size_t n)
{
    const char *text = sl_arena_copy(&all->text, s, n);

    *sl_vec_add(&r->pattern) = (struct sl_lens_pattern){text, strchr(text, '/') != NULL, false};
}

static void add_patterns(struct sl_lens_rules *all, struct sl_lens_rule *r, const char *s)
{
    static const char blank[] = " \t\n";

    if (r->what != SL_LENS_MERGE) {
        if (*s)
            add_pattern(all, r, s, strlen(s));
        return;
    }
    for (s += strspn(s, blank); *s; s += strspn(s, blank)) {
        size_t n = strcspn(s, blank);
        add_pattern(all, r, s, n);
        s += n;
    }
}

/* TYPE/EVENT sets both; without a slash it is an event, or the type where whole types are renamed. */
static int become(struct sl_lens_rules *all, struct sl_lens_rule *r, const char *s, struct sl_err *err)
{
    const char *slash = s ? strchr(s, '/') : NULL;

    if (!s || !*s)
        return bad(r, "it lacks the new name (becomes)", err);
    if (strchr(s, '*'))
        return bad(r, "the new name may not have a *", err);
    if (slash && (slash == s || !slash[1]))
        return bad(r, "the new name is TYPE/EVENT, with both", err);
    s = sl_arena_copy(&all->text, s, strlen(s));
    slash = strchr(s, '/');
    if (slash) {
        r->type = sl_arena_copy(&all->text, s, (size_t)(slash - s));
        r->event = slash + 1;
    } else if (r->what == SL_LENS_RENAME && !r->pattern.v[0].both) {
        r->type = s;
    } else {
        r->event = s;
    }
    return 0;
}

static void forget_rules(struct sl_lens_rules *all)
{
    for (size_t i = 0; i < all->rule.n; i++)
        sl_vec_free(&all->rule.v[i].pattern);
    sl_vec_clear(&all->rule);
}

/* v: id, kind, what, becomes, within_ns */
static int add_rule(struct sl_lens_rules *all, bool temp, sqlite3_stmt *q, struct sl_err *err)
{
    static const char *const kinds[] = {"ignore", "rename", "merge"};
    const char *kind = (const char *)sqlite3_column_text(q, 1), *what = (const char *)sqlite3_column_text(q, 2);
    struct sl_lens_rule r = {.id = sqlite3_column_int64(q, 0), .temp = temp}, *added;
    int k = 0;

    if (kind && !strcmp(kind, "none")) {
        forget_rules(all);
        return 0;
    }
    while (k < 3 && (!kind || strcmp(kind, kinds[k]) != 0))
        k++;
    if (k == 3)
        return bad(&r, "kind is one of ignore, rename, merge, none", err);
    r.what = (enum sl_lens_what)k;
    r.within_ns = SL_LENS_WITHIN_NS;
    if (sqlite3_column_type(q, 4) != SQLITE_NULL) {
        if (sqlite3_column_int64(q, 4) < 0)
            return bad(&r, "within_ns is negative", err);
        r.within_ns = (uint64_t)sqlite3_column_int64(q, 4);
    }
    added = sl_vec_add(&all->rule);
    *added = r;
    add_patterns(all, added, what ? what : "");
    if (!added->pattern.n)
        return bad(&r, "it does not say of which events (what)", err);
    return r.what == SL_LENS_IGNORE ? 0 : become(all, added, (const char *)sqlite3_column_text(q, 3), err);
}

static int read_table(struct sl_lens_rules *all, sqlite3 *db, bool temp, struct sl_err *err)
{
    const char *schema = temp ? "temp" : "main";
    sqlite3_stmt *q = NULL;
    char sql[160];
    int rc, step;

    snprintf(sql, sizeof sql, "SELECT 1 FROM %s.sqlite_schema WHERE name = 'sl_lens'", schema);
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
        return sl_query_err(db, err);
    step = sqlite3_step(q);
    rc = step == SQLITE_ROW || step == SQLITE_DONE ? 0 : sl_query_err(db, err);
    sqlite3_finalize(q);
    if (step != SQLITE_ROW)
        return rc;
    snprintf(sql, sizeof sql, "SELECT id, kind, what, becomes, within_ns FROM %s.sl_lens ORDER BY id", schema);
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
        return sl_query_err(db, err);
    while (!rc && (step = sqlite3_step(q)) == SQLITE_ROW)
        rc = add_rule(all, temp, q, err);
    if (!rc && step != SQLITE_DONE)
        rc = sl_query_err(db, err);
    sqlite3_finalize(q);
    return rc;
}

int sl_lens_rules_read(struct sl_lens_rules *out, sqlite3 *db, struct sl_err *err)
{
    int rc;

    *out = (struct sl_lens_rules){0};
    rc = read_table(out, db, false, err);
    if (!rc)
        rc = read_table(out, db, true, err);
    if (rc)
        sl_lens_rules_free(out);
    return rc;
}

void sl_lens_rules_free(struct sl_lens_rules *r)
{
    forget_rules(r);
    sl_vec_free(&r->rule);
    sl_arena_free(&r->text);
}
