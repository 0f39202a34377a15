/* SPDX-License-Identifier: Apache-2.0 */
#include "export/spool.h"
#include "base/hash.h"
#include "export_spool.sql.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sqlite_words.h" /* behind SQLite */

/* ---- statements ---- */

static int fail(struct sl_spool *p, struct sl_err *err)
{
    return sl_err(err, SL_ESTORE, "%s: %s", p->path, sl_sqlite_words(p->db));
}

/* i an int64_t, t a text or NULL, d a double. */
static sqlite3_stmt *prepare(struct sl_spool *p, const char *sql, const char *types, ...)
{
    sqlite3_stmt *q = NULL;
    va_list ap;

    if (sqlite3_prepare_v2(p->db, sql, -1, &q, NULL) != SQLITE_OK)
        return NULL;
    va_start(ap, types);
    for (int i = 0; types[i]; i++) {
        if (types[i] == 'i')
            sqlite3_bind_int64(q, i + 1, va_arg(ap, int64_t));
        else if (types[i] == 'd')
            sqlite3_bind_double(q, i + 1, va_arg(ap, double));
        else
            sqlite3_bind_text(q, i + 1, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
    }
    va_end(ap);
    return q;
}

/* Takes q.  1: it gave a row; 0: none; negative: failed. */
static int finish(struct sl_spool *p, sqlite3_stmt *q, struct sl_err *err)
{
    int rc = q ? sqlite3_step(q) : SQLITE_ERROR;

    rc = rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : fail(p, err);
    sqlite3_finalize(q);
    return rc;
}

static char *text(sqlite3_stmt *q, int column)
{
    const char *s = (const char *)sqlite3_column_text(q, column);

    return s ? sl_strdup(s) : NULL;
}

/* ---- the file ---- */

static int make_folder(char *path, struct sl_err *err)
{
    for (char *s = path + 1;; s++) {
        char was = *s;
        if (was && was != '/')
            continue;
        *s = 0;
        if (mkdir(path, 0700) && errno != EEXIST)
            return sl_err(err, SL_EIO, "%s: cannot be made: %s; XDG_STATE_HOME says where to keep what waits", path,
                          strerror(errno));
        *s = was;
        if (!was)
            return 0;
    }
}

char *sl_spool_folder(struct sl_err *err)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct sl_buf b = {0};

    if (state && *state == '/')
        sl_buf_addf(&b, "%s/spanloom", state);
    else
        sl_buf_addf(&b, "%s/.local/state/spanloom", home && *home == '/' ? home : "/tmp");
    if (!make_folder(b.s, err))
        return b.s;
    sl_buf_free(&b);
    return NULL;
}

char *sl_spool_own(const char *folder)
{
    struct sl_buf b = {0};
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    for (char *s = host; *s; s++)
        *s = *s == '/' ? '_' : *s;
    sl_buf_addf(&b, "%s/mlflow-%s.db", folder, *host ? host : "host");
    return b.s;
}

int sl_spool_open(struct sl_spool *p, const char *path, struct sl_err *err)
{
    mode_t mask = umask(077);
    int rc;

    *p = (struct sl_spool){.path = sl_strdup(path), .lock = -1};
    rc = sqlite3_open_v2(path, &p->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    umask(mask);
    sqlite3_busy_timeout(p->db, 60000);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(p->db, sql_schema, NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return fail(p, err);
    return 0;
}

bool sl_spool_lock(struct sl_spool *p)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s.lock", p->path);
    p->lock = open(b.s, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    sl_buf_free(&b);
    if (p->lock >= 0 && flock(p->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        close(p->lock);
        p->lock = -1;
        return false;
    }
    return true;
}

void sl_spool_close(struct sl_spool *p)
{
    sqlite3_close(p->db);
    if (p->lock >= 0)
        close(p->lock);
    free(p->path);
}

/* ---- what waits ---- */

static void hash_of(const struct sl_mlflow_settings *s, const struct sl_mlflow_export *e, char hash[33])
{
    struct sl_buf b = {0};
    XXH128_hash_t h;

    sl_buf_addf(&b, "%s\n%s\n%s\n%s\n%s\n", s->uri, s->run_id ? s->run_id : "", s->experiment ? s->experiment : "",
                s->experiment_id ? s->experiment_id : "", e->artifact ? e->artifact : "");
    for (size_t i = 0; i < e->metrics.n; i++)
        sl_buf_addf(&b, "%s %.17g %" PRId64 " %" PRId64 "\n", e->metrics.v[i].key, e->metrics.v[i].value,
                    e->metrics.v[i].step, e->metrics.v[i].timestamp_ms);
    sl_buf_add(&b, e->content.s, e->content.n);
    h = XXH3_128bits(b.s, b.n);
    snprintf(hash, 33, "%016" PRIx64 "%016" PRIx64, (uint64_t)h.high64, (uint64_t)h.low64);
    sl_buf_free(&b);
}

static int put_all(struct sl_spool *p, const char *hash, const struct sl_mlflow_settings *s,
                   const struct sl_mlflow_export *e, struct sl_err *err)
{
    int rc = finish(p, prepare(p, sql_refused_before, "t", hash), err);

    if (!rc)
        rc = finish(p,
                    prepare(p, sql_put, "tttttttt", hash, s->uri, s->run_id, s->experiment, s->experiment_id, e->name,
                            e->artifact, e->content.s),
                    err);
    for (size_t i = 0; i < e->metrics.n && !rc; i++) {
        const struct sl_mlflow_metric *m = &e->metrics.v[i];
        rc = finish(p, prepare(p, sql_put_metric, "ttiid", hash, m->key, m->step, m->timestamp_ms, m->value), err);
    }
    return rc;
}

int sl_spool_put(struct sl_spool *p, const struct sl_mlflow_settings *s, const struct sl_mlflow_export *e,
                 bool *already, struct sl_err *err)
{
    char hash[33];
    int rc;

    hash_of(s, e, hash);
    if (sqlite3_exec(p->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        return fail(p, err);
    rc = finish(p, prepare(p, sql_sent_before, "t", hash), err);
    *already = rc == 1;
    if (!rc)
        rc = finish(p, prepare(p, sql_waits, "t", hash), err);
    if (!rc)
        rc = put_all(p, hash, s, e, err);
    if (sqlite3_exec(p->db, rc < 0 ? "ROLLBACK" : "COMMIT", NULL, NULL, NULL) != SQLITE_OK && rc >= 0)
        rc = fail(p, err);
    return rc < 0 ? rc : 0;
}

int sl_spool_next(struct sl_spool *p, int64_t after, struct sl_spool_item *item, struct sl_err *err)
{
    sqlite3_stmt *q = prepare(p, sql_next, "i", after);
    int rc = q ? sqlite3_step(q) : SQLITE_ERROR;

    *item = (struct sl_spool_item){0};
    if (rc == SQLITE_ROW)
        *item = (struct sl_spool_item){sqlite3_column_int64(q, 0),
                                       text(q, 1),
                                       text(q, 2),
                                       text(q, 3),
                                       text(q, 4),
                                       text(q, 5),
                                       text(q, 6),
                                       text(q, 7),
                                       sqlite3_column_int(q, 8),
                                       sqlite3_column_int(q, 9),
                                       sqlite3_column_int(q, 10)};
    rc = rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : fail(p, err);
    sqlite3_finalize(q);
    return rc;
}

void sl_spool_item_free(struct sl_spool_item *i)
{
    free(i->hash), free(i->uri), free(i->run_id), free(i->experiment);
    free(i->experiment_id), free(i->name), free(i->artifact);
    *i = (struct sl_spool_item){0};
}

int sl_spool_run(struct sl_spool *p, int64_t id, const char *run_id, bool ours, struct sl_err *err)
{
    return finish(p, prepare(p, sql_run, "iti", id, run_id, (int64_t)ours), err);
}

int sl_spool_tried(struct sl_spool *p, int64_t id, struct sl_err *err)
{
    return finish(p, prepare(p, sql_tried, "i", id), err);
}

int sl_spool_batch(struct sl_spool *p, const struct sl_spool_item *item, struct sl_buf *body, int *n,
                   struct sl_err *err)
{
    int rc = finish(p, prepare(p, sql_take_batch, "ii", item->id, (int64_t)SL_MLFLOW_BATCH), err);
    sqlite3_stmt *q = rc ? NULL : prepare(p, sql_batch, "i", item->id);

    *n = 0;
    sl_buf_adds(body, "{\"run_id\":");
    sl_buf_add_json(body, item->run_id, strlen(item->run_id));
    sl_buf_adds(body, ",\"metrics\":[");
    while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        const char *key = (const char *)sqlite3_column_text(q, 0);
        sl_buf_adds(body, (*n)++ ? ",{\"key\":" : "{\"key\":");
        sl_buf_add_json(body, key, strlen(key));
        sl_buf_addf(body, ",\"value\":%.17g,\"timestamp\":%lld,\"step\":%lld}", sqlite3_column_double(q, 1),
                    (long long)sqlite3_column_int64(q, 2), (long long)sqlite3_column_int64(q, 3));
    }
    sl_buf_adds(body, "]}");
    sqlite3_finalize(q);
    return rc == SQLITE_DONE ? 0 : rc < 0 ? rc : fail(p, err);
}

int sl_spool_batch_sent(struct sl_spool *p, int64_t id, struct sl_err *err)
{
    return finish(p, prepare(p, sql_batch_sent, "i", id), err);
}

int sl_spool_there(struct sl_spool *p, int64_t id, const char *key, const char *history, struct sl_err *err)
{
    return finish(p, prepare(p, sql_there, "itt", id, key, history), err);
}

static char *one_text(struct sl_spool *p, sqlite3_stmt *q)
{
    char *s = q && sqlite3_step(q) == SQLITE_ROW ? text(q, 0) : NULL;

    (void)p;
    sqlite3_finalize(q);
    return s;
}

char *sl_spool_key(struct sl_spool *p, int64_t id, const char *after)
{
    return one_text(p, prepare(p, sql_key, "it", id, after));
}

int sl_spool_content(struct sl_spool *p, int64_t id, struct sl_buf *content, struct sl_err *err)
{
    char *s = one_text(p, prepare(p, sql_content, "i", id));

    (void)err;
    sl_buf_adds(content, s ? s : "");
    free(s);
    return 0;
}

int sl_spool_artifact_sent(struct sl_spool *p, int64_t id, struct sl_err *err)
{
    return finish(p, prepare(p, sql_artifact_sent, "i", id), err);
}

int sl_spool_done(struct sl_spool *p, int64_t id, const char *why, struct sl_err *err)
{
    int rc = finish(p, prepare(p, sql_done, "it", id, why), err);

    return rc ? rc : finish(p, prepare(p, sql_forget_metrics, "i", id), err);
}

char *sl_spool_json(struct sl_spool *p, const char *json, const char *path)
{
    return one_text(p, prepare(p, "SELECT json_extract(?1, ?2) WHERE json_valid(?1)", "tt", json, path));
}
