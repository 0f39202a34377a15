/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What waits to be sent, in $XDG_STATE_HOME/spanloom/mlflow-HOST.db: an SQLite file of each host, as a home may be
 * shared by many.  A lock beside it lets one process at a time send.
 */
#ifndef SL_EXPORT_SPOOL_H
#define SL_EXPORT_SPOOL_H

#include "export/mlflow.h"

#include <sqlite3.h>

struct sl_spool {
    sqlite3 *db;
    char *path;
    int lock; /* descriptor; -1: not taken */
};

/* The folder, made if need be; to be freed. */
char *sl_spool_folder(struct sl_err *err);
char *sl_spool_own(const char *folder); /* the path of this host's */
int sl_spool_open(struct sl_spool *p, const char *path, struct sl_err *err);
/* False: another process is sending. */
bool sl_spool_lock(struct sl_spool *p);
void sl_spool_close(struct sl_spool *p);

/* Keeps e; *already: it is there, sent. */
int sl_spool_put(struct sl_spool *p, const struct sl_mlflow_settings *s, const struct sl_mlflow_export *e,
                 bool *already, struct sl_err *err);

/* One of those that wait.  Texts are to be freed by sl_spool_item_free(). */
struct sl_spool_item {
    int64_t id;
    char *hash, *uri, *run_id, *experiment, *experiment_id, *name, *artifact;
    bool ours, tried, artifact_sent; /* ours: the run was made for it */
};
/* The first with an id above `after`; 1, or 0: there is none. */
int sl_spool_next(struct sl_spool *p, int64_t after, struct sl_spool_item *item, struct sl_err *err);
void sl_spool_item_free(struct sl_spool_item *item);

int sl_spool_run(struct sl_spool *p, int64_t id, const char *run_id, bool ours, struct sl_err *err);
int sl_spool_tried(struct sl_spool *p, int64_t id, struct sl_err *err);
/* The request that logs the next of its metrics (at most SL_MLFLOW_BATCH) in run_id, to *body; *n: how many, 0: none.
 */
int sl_spool_batch(struct sl_spool *p, const struct sl_spool_item *item, struct sl_buf *body, int *n,
                   struct sl_err *err);
int sl_spool_batch_sent(struct sl_spool *p, int64_t id, struct sl_err *err); /* those of the last batch */
/* A page of a metric's history, as the server gave it: what is there need not be sent. */
int sl_spool_there(struct sl_spool *p, int64_t id, const char *key, const char *history, struct sl_err *err);
/* Distinct keys that wait, one after another: the first above `after`; NULL: no more.  To be freed. */
char *sl_spool_key(struct sl_spool *p, int64_t id, const char *after);
int sl_spool_content(struct sl_spool *p, int64_t id, struct sl_buf *content, struct sl_err *err);
int sl_spool_artifact_sent(struct sl_spool *p, int64_t id, struct sl_err *err);
/* All is there, or (why) the server will never take it: only what it was is remembered. */
int sl_spool_done(struct sl_spool *p, int64_t id, const char *why, struct sl_err *err);

/* A text of a JSON document by its path ($.run.info.run_id); NULL: there is none.  To be freed. */
char *sl_spool_json(struct sl_spool *p, const char *json, const char *path);

#endif
