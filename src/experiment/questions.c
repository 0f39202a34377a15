/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/questions.h"
#include "base/buf.h"

#include <stdlib.h>

/* Runs and rows that are kept, by what was asked for. */
struct kept_runs {
    char *key;
    struct sl_runs runs;
    struct kept_runs *next;
};
struct kept_rows {
    char *key;
    struct sl_rows rows;
    struct kept_rows *next;
};
static struct {
    sqlite3 *db; /* NULL: nothing is kept */
    struct kept_runs *runs;
    struct kept_rows *rows;
} kept;

static void add_text(struct sl_buf *b, const char *s)
{
    sl_buf_addf(b, "|%zu:%s", s ? strlen(s) : 0, s ? s : "");
}

/* What the runs of a question depend on. */
static void add_runs_key(struct sl_buf *b, const struct sl_question *q)
{
    sl_buf_addf(b, "%d%d%d%d%d%d", q->rate, q->coarse, q->verbatim, q->failed, q->log, q->limit > 0);
    add_text(b, q->experiment);
    add_text(b, q->where);
    add_text(b, q->split);
}

static char *key_of(const struct sl_experiment_fn *fn, const struct sl_question *q)
{
    const char *const texts[] = {fn->name, q->groups, q->order, q->of, q->by};
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%d%d%d%d %a %a %a ", q->interactions, q->no_time, q->every_event, q->elastic_net, q->alpha,
                q->lambda, q->limit);
    add_runs_key(&b, q);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(&b, texts[i]);
    return b.s;
}

static int ask_of(struct sl_rows *out, const struct sl_runs *r, const struct sl_experiment_fn *fn,
                  const struct sl_question *q, struct sl_err *err)
{
    int rc = fn->fill(out, r, q, err);

    if (rc)
        sl_rows_clear(out);
    return rc;
}

static int find_runs(const struct sl_runs **out, const struct sl_question *q, struct sl_err *err)
{
    struct sl_buf key = {0};
    struct kept_runs *k = kept.runs;
    int rc = 0;

    add_runs_key(&key, q);
    while (k && strcmp(k->key, key.s) != 0)
        k = k->next;
    if (!k) {
        k = sl_alloc(sizeof *k);
        if (!(rc = sl_runs_load(&k->runs, kept.db, q, err))) {
            *k = (struct kept_runs){sl_strdup(key.s), k->runs, kept.runs};
            kept.runs = k;
        } else {
            free(k);
        }
    }
    *out = rc ? NULL : &k->runs;
    sl_buf_free(&key);
    return rc;
}

static int ask_kept(struct sl_rows *out, const struct sl_experiment_fn *fn, const struct sl_question *q,
                    struct sl_err *err)
{
    const struct sl_runs *runs;
    char *key = key_of(fn, q);
    struct kept_rows *k = kept.rows;
    int rc = 0;

    while (k && strcmp(k->key, key) != 0)
        k = k->next;
    if (!k && !(rc = find_runs(&runs, q, err)) && !(rc = ask_of(out, runs, fn, q, err))) {
        k = sl_alloc(sizeof *k);
        *k = (struct kept_rows){key, {.columns = fn->row}, kept.rows};
        sl_rows_copy(&k->rows, out);
        kept.rows = k;
        return 0;
    }
    if (!rc)
        sl_rows_copy(out, &k->rows);
    free(key);
    return rc;
}

int sl_experiment_ask(struct sl_rows *out, sqlite3 *db, const struct sl_experiment_fn *fn,
                      const struct sl_question *question, struct sl_err *err)
{
    struct sl_question q = *question;
    struct sl_runs runs;
    int rc;

    q.failed |= fn->failed;
    q.coarse |= fn->coarse;
    if (kept.db == db)
        return ask_kept(out, fn, &q, err);
    if ((rc = sl_runs_load(&runs, db, &q, err)))
        return rc;
    rc = ask_of(out, &runs, fn, &q, err);
    sl_runs_free(&runs);
    return rc;
}

bool sl_experiment_remember(sqlite3 *db)
{
    if (kept.db == db)
        return false;
    sl_experiment_forget();
    kept.db = db;
    return true;
}

void sl_experiment_forget(void)
{
    kept.db = NULL;
    for (struct kept_rows *k; (k = kept.rows);) {
        kept.rows = k->next;
        sl_rows_free(&k->rows);
        free(k->key);
        free(k);
    }
    for (struct kept_runs *k; (k = kept.runs);) {
        kept.runs = k->next;
        sl_runs_free(&k->runs);
        free(k->key);
        free(k);
    }
}
