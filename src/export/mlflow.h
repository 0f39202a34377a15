/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics and a file for a run of an MLflow tracking server, by its REST interface
 * (https://mlflow.org/docs/latest/rest-api.html, version 2.0).  What is to be sent is first written into a file of this
 * host in a folder of the user (spool.h), and is there until the server has it: an away server loses nothing, and a
 * later call sends it, never twice: where it is not known whether a request arrived, the server is asked.
 */
#ifndef SL_EXPORT_MLFLOW_H
#define SL_EXPORT_MLFLOW_H

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "export/http.h"

#include <stdbool.h>
#include <stdint.h>

enum { SL_MLFLOW_BATCH = 1000 }; /* metrics in a request: what MLflow takes */

/* What MLflow's own client reads from the environment; borrowed from there, but for the uri. */
struct sl_mlflow_settings {
    char *uri;                              /* MLFLOW_TRACKING_URI, without user, password and last slash */
    char *user, *password;                  /* of the uri, or MLFLOW_TRACKING_USERNAME, _PASSWORD; NULL: none */
    const char *run_id;                     /* MLFLOW_RUN_ID */
    const char *experiment, *experiment_id; /* MLFLOW_EXPERIMENT_NAME, _ID */
    struct sl_http_options http; /* MLFLOW_TRACKING_TOKEN, _INSECURE_TLS, _SERVER_CERT_PATH, _CLIENT_CERT_PATH */
};
/* SL_EUSAGE: there is no address, or it is none of a server. */
int sl_mlflow_settings(struct sl_mlflow_settings *s, struct sl_err *err);
void sl_mlflow_settings_free(struct sl_mlflow_settings *s);

struct sl_mlflow_metric {
    char *key; /* the export's */
    double value;
    int64_t step, timestamp_ms;
};
struct sl_mlflow_export {
    const char *name; /* of the run, where it is to be made */
    SL_VEC(struct sl_mlflow_metric) metrics;
    const char *artifact; /* its name, such as spanloom-nodes.json; NULL: none */
    struct sl_buf content;
};
void sl_mlflow_add(struct sl_mlflow_export *e, const char *key, double value, int64_t step, int64_t timestamp_ms);
void sl_mlflow_export_free(struct sl_mlflow_export *e);

struct sl_mlflow_outcome {
    int sent, waiting, refused;
    char away[256]; /* a server that gave no answer: it is not asked again in this call */
};
/*
 * Writes e (NULL: nothing) into the spool, and sends what waits there for any server.  tell() is called for what people
 * should know.  *already: the very same had been sent before, and is not again.  0, also where the server is away;
 * negative where e could not be kept.
 */
int sl_mlflow_send(const struct sl_mlflow_settings *s, const struct sl_mlflow_export *e, bool *already,
                   struct sl_mlflow_outcome *outcome, void (*tell)(void *to, const char *text), void *to,
                   struct sl_err *err);

#endif
