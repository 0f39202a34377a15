/* SPDX-License-Identifier: Apache-2.0 */
#include "export/mlflow.h"
#include "base/json_out.h"
#include "export/spool.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

/* ---- settings ---- */

static const char *variable(const char *name)
{
    const char *s = getenv(name);

    return s && *s ? s : NULL;
}

/* What stands before an @ in the address are credentials: they go into no file. */
static void split_uri(struct sl_mlflow_settings *s, const char *uri)
{
    size_t scheme = (size_t)(strstr(uri, "://") + 3 - uri), authority = strcspn(uri + scheme, "/"), n;
    const char *at = memrchr(uri + scheme, '@', authority), *colon;
    struct sl_buf b = {0};

    sl_buf_add(&b, uri, scheme);
    sl_buf_adds(&b, at ? at + 1 : uri + scheme);
    for (n = b.n; n && b.s[n - 1] == '/'; n--)
        b.s[n - 1] = 0;
    s->uri = b.s;
    if (!at)
        return;
    colon = memchr(uri + scheme, ':', (size_t)(at - uri) - scheme);
    s->user = sl_strndup(uri + scheme, (size_t)((colon ? colon : at) - uri) - scheme);
    s->password = colon ? sl_strndup(colon + 1, (size_t)(at - colon) - 1) : NULL;
}

int sl_mlflow_settings(struct sl_mlflow_settings *s, struct sl_err *err)
{
    const char *uri = variable("MLFLOW_TRACKING_URI"), *insecure = variable("MLFLOW_TRACKING_INSECURE_TLS"),
               *timeout = variable("MLFLOW_HTTP_REQUEST_TIMEOUT"), *name;

    *s = (struct sl_mlflow_settings){0};
    if (!uri)
        return sl_err(err, SL_EUSAGE,
                      "MLFLOW_TRACKING_URI is not set; it is the address of the tracking server, such "
                      "as http://127.0.0.1:5000");
    if (strncasecmp(uri, "http://", 7) != 0 && strncasecmp(uri, "https://", 8) != 0)
        return sl_err(err, SL_EUSAGE,
                      "MLFLOW_TRACKING_URI is '%.200s'; only servers (http://, https://) can be sent to", uri);
    split_uri(s, uri);
    if (!s->user && (name = variable("MLFLOW_TRACKING_USERNAME")))
        s->user = sl_strdup(name);
    if (!s->password && (name = variable("MLFLOW_TRACKING_PASSWORD")))
        s->password = sl_strdup(name);
    s->run_id = variable("MLFLOW_RUN_ID");
    s->experiment = variable("MLFLOW_EXPERIMENT_NAME");
    s->experiment_id = variable("MLFLOW_EXPERIMENT_ID");
    s->http = (struct sl_http_options){
        .user = s->user,
        .password = s->password,
        .token = variable("MLFLOW_TRACKING_TOKEN"),
        .ca_file = variable("MLFLOW_TRACKING_SERVER_CERT_PATH"),
        .client_cert = variable("MLFLOW_TRACKING_CLIENT_CERT_PATH"),
        .insecure = insecure && (!strcasecmp(insecure, "true") || !strcmp(insecure, "1")),
        .timeout_s = timeout && atol(timeout) > 0 ? atol(timeout) : 120,
    };
    return 0;
}

void sl_mlflow_settings_free(struct sl_mlflow_settings *s)
{
    free(s->uri);
    free(s->user);
    free(s->password);
    *s = (struct sl_mlflow_settings){0};
}

void sl_mlflow_add(struct sl_mlflow_export *e, const char *key, double value, int64_t step, int64_t timestamp_ms)
{
    if (value - value == 0) /* JSON has no others */
        *sl_vec_add(&e->metrics) = (struct sl_mlflow_metric){sl_strdup(key), value, step, timestamp_ms};
}

void sl_mlflow_export_free(struct sl_mlflow_export *e)
{
    for (size_t i = 0; i < e->metrics.n; i++)
        free(e->metrics.v[i].key);
    sl_vec_free(&e->metrics);
    sl_buf_free(&e->content);
}

/* ---- requests ---- */

struct sending {
    struct sl_spool *spool;
    struct sl_http *http;
    struct sl_spool_item *item;
    struct sl_buf reply;
    long status;
    bool refused; /* the server will never take it */
};

/* What the server said of it, in one line. */
static int complain(struct sending *s, const char *what, struct sl_err *err)
{
    char *message = sl_spool_json(s->spool, s->reply.s, "$.message");
    const char *text = message ? message : s->reply.s;
    int rc;

    s->refused = s->status >= 400 && s->status < 500 && s->status != 401 && s->status != 403 && s->status != 408 &&
                 s->status != 429;
    rc = sl_err(err, SL_EIO, "%s: %s: HTTP %ld: %.*s", s->item->uri, what, s->status, (int)strcspn(text, "\n"), text);
    free(message);
    return rc;
}

/* path: behind /api/2.0/.  0 with the answer in s->reply; *missing, may be NULL: a 404 is no error. */
static int ask(struct sending *s, const char *method, const char *path, const struct sl_buf *body, bool *missing,
               struct sl_err *err)
{
    struct sl_buf url = {0};
    int rc;

    sl_buf_addf(&url, "%s/api/2.0/%s", s->item->uri, path);
    sl_buf_clear(&s->reply);
    s->status = 0;
    rc = sl_http_request(s->http, method, url.s, body, &s->status, &s->reply, err);
    sl_buf_free(&url);
    if (rc)
        return sl_err_wrap(err, "%s", s->item->uri);
    if (missing)
        *missing = s->status == 404;
    if (s->status == 200 || (missing && *missing))
        return 0;
    return complain(s, path, err);
}

/* The experiment's id, to be freed; made if it is not there. */
static char *find_experiment(struct sending *s, struct sl_err *err)
{
    struct sl_buf path = {0}, body = {0};
    bool missing = false;
    char *id = NULL;

    if (s->item->experiment_id || !s->item->experiment)
        return sl_strdup(s->item->experiment_id ? s->item->experiment_id : "0"); /* 0: MLflow's "Default" */
    sl_buf_adds(&path, "mlflow/experiments/get-by-name?experiment_name=");
    sl_http_escape(&path, s->item->experiment);
    if (!ask(s, "GET", path.s, NULL, &missing, err) && !missing)
        id = sl_spool_json(s->spool, s->reply.s, "$.experiment.experiment_id");
    if (missing) {
        sl_json_open(&body, NULL, '{');
        sl_json_text(&body, "name", s->item->experiment);
        sl_json_close(&body, '}');
        if (!ask(s, "POST", "mlflow/experiments/create", &body, NULL, err))
            id = sl_spool_json(s->spool, s->reply.s, "$.experiment_id");
    }
    if (!id && s->status == 200)
        sl_err(err, SL_EIO, "%s: the answer is none of MLflow's", s->item->uri);
    sl_buf_free(&path);
    sl_buf_free(&body);
    return id;
}

/* One that a request made before whose answer never came. */
static char *find_made_run(struct sending *s, const char *experiment, struct sl_err *err)
{
    struct sl_buf body = {0}, filter = {0};
    char *id = NULL;

    sl_buf_addf(&filter, "tags.`spanloom.export` = '%s'", s->item->hash);
    sl_json_open(&body, NULL, '{');
    sl_json_open(&body, "experiment_ids", '[');
    sl_json_text(&body, NULL, experiment);
    sl_json_close(&body, ']');
    sl_json_text(&body, "filter", filter.s);
    sl_json_int(&body, "max_results", 1);
    sl_json_close(&body, '}');
    if (!ask(s, "POST", "mlflow/runs/search", &body, NULL, err))
        id = sl_spool_json(s->spool, s->reply.s, "$.runs[0].info.run_id");
    sl_buf_free(&filter);
    sl_buf_free(&body);
    return id;
}

static char *make_run(struct sending *s, const char *experiment, struct sl_err *err)
{
    struct sl_buf body = {0};
    char *id = NULL;

    sl_json_open(&body, NULL, '{');
    sl_json_text(&body, "experiment_id", experiment);
    sl_json_int(&body, "start_time", time(NULL) * 1000);
    sl_json_text(&body, "run_name", s->item->name ? s->item->name : "spanloom");
    sl_json_open(&body, "tags", '[');
    sl_json_open(&body, NULL, '{');
    sl_json_text(&body, "key", "spanloom.export");
    sl_json_text(&body, "value", s->item->hash);
    sl_buf_adds(&body, "}]}");
    if (!ask(s, "POST", "mlflow/runs/create", &body, NULL, err))
        id = sl_spool_json(s->spool, s->reply.s, "$.run.info.run_id");
    if (!id && s->status == 200)
        sl_err(err, SL_EIO, "%s: the answer is none of MLflow's", s->item->uri);
    sl_buf_free(&body);
    return id;
}

static int have_run(struct sending *s, struct sl_err *err)
{
    char *experiment, *id = NULL;
    int rc;

    if (s->item->run_id)
        return 0;
    if (!(experiment = find_experiment(s, err)))
        return SL_EIO;
    err->code = 0;
    if (s->item->tried)
        id = find_made_run(s, experiment, err);
    if (!id && !err->code && !(rc = sl_spool_tried(s->spool, s->item->id, err)))
        id = make_run(s, experiment, err);
    free(experiment);
    if (!id)
        return err->code ? err->code : SL_EIO;
    s->item->run_id = id;
    s->item->ours = true;
    return sl_spool_run(s->spool, s->item->id, id, true, err);
}

/* What came of a request whose answer never came: these metrics need not go again. */
static int find_there(struct sending *s, struct sl_err *err)
{
    char *key = NULL, *next, *token;
    int rc = 0;

    while (!rc && (next = sl_spool_key(s->spool, s->item->id, key ? key : ""))) {
        free(key);
        key = next;
        token = NULL;
        do {
            struct sl_buf path = {0};
            sl_buf_adds(&path, "mlflow/metrics/get-history?max_results=25000&run_id=");
            sl_http_escape(&path, s->item->run_id);
            sl_buf_adds(&path, "&metric_key=");
            sl_http_escape(&path, key);
            if (token) {
                sl_buf_adds(&path, "&page_token=");
                sl_http_escape(&path, token);
            }
            free(token);
            token = NULL;
            rc = ask(s, "GET", path.s, NULL, NULL, err);
            sl_buf_free(&path);
            if (!rc)
                rc = sl_spool_there(s->spool, s->item->id, key, s->reply.s, err);
            if (!rc)
                token = sl_spool_json(s->spool, s->reply.s, "$.next_page_token");
        } while (token && *token);
        free(token);
    }
    free(key);
    return rc;
}

static int send_metrics(struct sending *s, struct sl_err *err)
{
    int rc = s->item->tried ? find_there(s, err) : sl_spool_tried(s->spool, s->item->id, err), n = 1;

    while (!rc) {
        struct sl_buf body = {0};
        rc = sl_spool_batch(s->spool, s->item, &body, &n, err);
        if (!rc && n)
            rc = ask(s, "POST", "mlflow/runs/log-batch", &body, NULL, err);
        sl_buf_free(&body);
        if (rc || !n)
            break;
        rc = sl_spool_batch_sent(s->spool, s->item->id, err);
    }
    return rc;
}

/* mlflow-artifacts:/1/RUN/artifacts: through the server.  What lies elsewhere, only MLflow's own client can reach. */
static int send_artifact(struct sending *s, void (*tell)(void *to, const char *text), void *to, struct sl_err *err)
{
    struct sl_buf path = {0}, content = {0}, note = {0};
    char *uri = NULL, *rest;
    int rc;

    if (!s->item->artifact || s->item->artifact_sent)
        return 0;
    sl_buf_adds(&path, "mlflow/runs/get?run_id=");
    sl_http_escape(&path, s->item->run_id);
    rc = ask(s, "GET", path.s, NULL, NULL, err);
    uri = rc ? NULL : sl_spool_json(s->spool, s->reply.s, "$.run.info.artifact_uri");
    sl_buf_clear(&path);
    if (uri && !strncmp(uri, "mlflow-artifacts:/", 18)) {
        rest = uri + 18;
        if (*rest == '/') /* //host/path */
            rest += 1 + strcspn(rest + 1, "/");
        rest += *rest == '/';
        sl_buf_addf(&path, "mlflow-artifacts/artifacts/%s/%s", rest, s->item->artifact);
        rc = sl_spool_content(s->spool, s->item->id, &content, err);
        if (!rc)
            rc = ask(s, "PUT", path.s, &content, NULL, err);
    } else if (!rc) {
        sl_buf_addf(&note,
                    "the run keeps its files in %.200s, which the server does not pass on (mlflow server "
                    "--serve-artifacts): %s is not there; spanloom metrics --reports prints it",
                    uri ? uri : "(nowhere)", s->item->artifact);
        tell(to, note.s);
    }
    free(uri);
    sl_buf_free(&path);
    sl_buf_free(&content);
    sl_buf_free(&note);
    return rc ? rc : sl_spool_artifact_sent(s->spool, s->item->id, err);
}

static int end_run(struct sending *s, const char *status, struct sl_err *err)
{
    struct sl_buf body = {0};
    int rc;

    if (!s->item->ours)
        return 0;
    sl_json_open(&body, NULL, '{');
    sl_json_text(&body, "run_id", s->item->run_id);
    sl_json_text(&body, "status", status);
    sl_json_int(&body, "end_time", time(NULL) * 1000);
    sl_json_close(&body, '}');
    rc = ask(s, "POST", "mlflow/runs/update", &body, NULL, err);
    sl_buf_free(&body);
    return rc;
}

/* ---- all that waits ---- */

static int send_item(struct sending *s, void (*tell)(void *to, const char *text), void *to, struct sl_err *err)
{
    int rc = have_run(s, err);

    if (!rc)
        rc = send_metrics(s, err);
    if (!rc)
        rc = send_artifact(s, tell, to, err);
    if (!rc)
        rc = end_run(s, "FINISHED", err);
    return rc ? rc : sl_spool_done(s->spool, s->item->id, NULL, err);
}

/* Credentials are of the server that the environment names, and go to no other. */
static int send_one(struct sl_spool *p, struct sl_spool_item *item, const struct sl_mlflow_settings *settings,
                    struct sl_mlflow_outcome *outcome, void (*tell)(void *to, const char *text), void *to,
                    struct sl_err *err)
{
    struct sl_http_options options = settings->http;
    struct sending s = {.spool = p, .item = item};
    struct sl_err own = {0};
    struct sl_buf note = {0};
    int rc;

    if (!strncmp(item->uri, outcome->away, sizeof outcome->away - 1)) {
        outcome->waiting++;
        return 0;
    }
    if (strcmp(item->uri, settings->uri) != 0)
        options = (struct sl_http_options){.timeout_s = options.timeout_s};
    if ((rc = sl_http_open(&s.http, &options, err)))
        return rc;
    rc = send_item(&s, tell, to, &own);
    if (!rc) {
        outcome->sent++;
        sl_buf_addf(&note, "sent to run %s of %s", item->run_id, item->uri);
    } else if (s.refused) {
        outcome->refused++;
        if (item->run_id)
            end_run(&s, "FAILED", NULL);
        rc = sl_spool_done(p, item->id, own.text, err);
        sl_buf_addf(&note, "%s", own.text);
    } else {
        outcome->waiting++;
        if (!s.status)
            snprintf(outcome->away, sizeof outcome->away, "%s", item->uri);
        rc = 0;
        sl_buf_addf(&note, "%s", own.text);
    }
    tell(to, note.s);
    sl_buf_free(&note);
    sl_buf_free(&s.reply);
    sl_http_close(s.http);
    return rc;
}

static int send_spool(const char *path, const struct sl_mlflow_settings *settings, struct sl_mlflow_outcome *outcome,
                      void (*tell)(void *to, const char *text), void *to, struct sl_err *err)
{
    struct sl_spool_item item = {0};
    struct sl_spool p;
    int64_t after = 0;
    int rc = sl_spool_open(&p, path, err);

    if (!rc && sl_spool_lock(&p))
        while ((rc = sl_spool_next(&p, after, &item, err)) > 0) {
            after = item.id;
            rc = send_one(&p, &item, settings, outcome, tell, to, err);
            sl_spool_item_free(&item);
            if (rc)
                break;
        }
    sl_spool_close(&p);
    return rc;
}

int sl_mlflow_send(const struct sl_mlflow_settings *s, const struct sl_mlflow_export *e, bool *already,
                   struct sl_mlflow_outcome *outcome, void (*tell)(void *to, const char *text), void *to,
                   struct sl_err *err)
{
    char *folder = sl_spool_folder(err), *own, *pattern = NULL;
    struct sl_spool p;
    glob_t found = {0};
    int rc = 0;

    *outcome = (struct sl_mlflow_outcome){0};
    *already = false;
    if (!folder)
        return SL_EIO;
    own = sl_spool_own(folder);
    if (e) {
        rc = sl_spool_open(&p, own, err);
        if (!rc)
            rc = sl_spool_put(&p, s, e, already, err);
        sl_spool_close(&p);
    }
    if (asprintf(&pattern, "%s/mlflow-*.db", folder) < 0)
        sl_no_memory(0);
    if (!rc && !glob(pattern, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc && !rc; i++)
            rc = send_spool(found.gl_pathv[i], s, outcome, tell, to, err);
    globfree(&found);
    free(pattern);
    free(own);
    free(folder);
    return rc;
}
