/* SPDX-License-Identifier: Apache-2.0 */
#include "design/run_log.h"
#include "base/clock.h"
#include "base/files/folder.h"
#include "base/json.h"
#include "ingest/import.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".runs.jsonl"

/* Columns that are no factors, beside those of versions. */
static const char covariates[] =
    "record,experiment,block,design,ended,outcome,why,exit_status,wall_s,cpu_s,max_rss_mb,kernel,"
    "cpus,load_1m,left,measured,ideal,logs,process";

/* ---- which files ---- */

char *sl_run_log_path(const struct sl_plan *p, const char *part)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s/%s%s%s" SUFFIX, p->folder, p->name, part ? "." : "", part ? part : "");
    return b.s;
}

int sl_run_logs_find(struct sl_run_logs_found *out, const struct sl_plan *p, struct sl_err *err)
{
    size_t name = strlen(p->name), suffix = strlen(SUFFIX);
    struct sl_folder_names in = {0};
    int rc = sl_folder_read(&in, p->folder, err);

    *out = (struct sl_run_logs_found){0};
    for (size_t i = 0; i < in.name.n && !rc; i++) {
        const char *file = in.name.v[i];
        size_t n = strlen(file);
        struct sl_buf path = {0};
        if (n < name + suffix || strncmp(file, p->name, name) != 0 || strcmp(file + n - suffix, SUFFIX) != 0 ||
            file[name] != '.')
            continue;
        sl_buf_addf(&path, "%s/%s", p->folder, file);
        *sl_vec_add(&out->path) = path.s;
    }
    sl_folder_free(&in);
    return rc == SL_ENOTFOUND ? 0 : rc;
}

void sl_run_logs_free(struct sl_run_logs_found *l)
{
    for (size_t i = 0; i < l->path.n; i++)
        free(l->path.v[i]);
    sl_vec_free(&l->path);
}

/* ---- reading ---- */

struct reading {
    struct sl_run_records *out;
    const struct sl_plan *plan;
    const char *path;
    int64_t line;
};

static bool is(const struct sl_json_text *t, const char *s)
{
    return t->n == strlen(s) && !memcmp(t->s, s, t->n);
}

static void take(struct reading *r, struct sl_run_record *to, const struct sl_json_text *key, const char *value,
                 char kind)
{
    int32_t f;
    char *name;

    if (is(key, "run"))
        to->run = value;
    else if (is(key, "block"))
        to->block = value;
    else if (is(key, "design"))
        to->design = value;
    else if (is(key, "wall_s"))
        to->wall_s = kind == '0' ? strtod(value, NULL) : NAN;
    else if (is(key, r->plan->score.name))
        to->score = kind == '0' ? strtod(value, NULL) : NAN;
    name = sl_strndup(key->s, key->n);
    if (kind == '"' && (f = sl_plan_factor(r->plan, name)) >= 0)
        to->setting[f] = sl_plan_level(r->plan, (uint32_t)f, value);
    free(name);
}

/* A line; what is no object, or no run, is passed over. */
static void read_line(struct reading *r, const char *s, size_t n)
{
    struct sl_json c = {.at = s, .end = s + n, .strict = true};
    struct sl_run_record record = {.score = NAN, .wall_s = NAN, .block = "", .design = "", .line = r->line};
    struct sl_json_text key, value;
    bool first = true, run = false, ours = false;
    enum sl_json_status st;

    sl_json_blank(&c);
    if (c.at == c.end || *c.at++ != '{')
        return;
    record.setting = memset(sl_arena_alloc(&r->out->arena, (r->plan->factor.n + 1) * sizeof *record.setting), 0,
                            (r->plan->factor.n + 1) * sizeof *record.setting);
    while ((st = sl_json_next(&c, '}', first)) == SL_JSON_OK) {
        size_t length;
        const char *text;
        first = false;
        if (sl_json_key(&c, &key) != SL_JSON_OK || sl_json_value(&c, &value, 1) != SL_JSON_OK)
            return;
        text = sl_json_unescape(&value, &r->out->arena, &length);
        text = sl_arena_copy(&r->out->arena, text, length);
        run |= is(&key, "record") && !strcmp(text, "run");
        ours |= is(&key, "experiment") && !strcmp(text, r->plan->name);
        take(r, &record, &key, text, value.kind);
    }
    if (st == SL_JSON_END && run && ours && record.run)
        *sl_vec_add(&r->out->v) = record;
}

static int read_log(struct reading *r, struct sl_err *err)
{
    FILE *f = fopen(r->path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int rc = 0;

    if (!f)
        return errno == ENOENT ? 0 : sl_err(err, SL_EIO, "cannot read %s: %s", r->path, strerror(errno));
    for (r->line = 1; (n = getline(&line, &room, f)) > 0; r->line++)
        if (line[n - 1] == '\n') /* else a kill cut it off */
            read_line(r, line, (size_t)n);
    if (!feof(f)) /* of no memory, ferror() says nothing */
        rc = sl_err(err, SL_EIO, "cannot read %s: %s", r->path, strerror(errno));
    free(line);
    fclose(f);
    return rc;
}

int sl_run_log_read(struct sl_run_records *out, const struct sl_plan *p, struct sl_err *err)
{
    struct sl_run_logs_found l;
    struct reading r = {.out = out, .plan = p};
    int rc;

    *out = (struct sl_run_records){0};
    rc = sl_run_logs_find(&l, p, err);
    for (size_t i = 0; i < l.path.n && !rc; i++) {
        r.path = l.path.v[i];
        rc = read_log(&r, err);
    }
    sl_run_logs_free(&l);
    return rc;
}

void sl_run_records_free(struct sl_run_records *r)
{
    sl_vec_free(&r->v);
    sl_arena_free(&r->arena);
}

/* ---- writing ---- */

static void put_text(struct sl_buf *b, const char *key, const char *value)
{
    sl_buf_adds(b, b->n > 1 ? ", " : "");
    sl_buf_add_json(b, key, strlen(key));
    sl_buf_adds(b, ": ");
    sl_buf_add_json(b, value, strlen(value));
}

static void put_number(struct sl_buf *b, const char *key, double x, bool null)
{
    char text[32];

    if (!isfinite(x) && !null)
        return;
    if (isfinite(x))
        sl_real_text(x, text);
    sl_buf_adds(b, ", ");
    sl_buf_add_json(b, key, strlen(key));
    sl_buf_addf(b, ": %s", isfinite(x) ? text : "null");
}

/* Three digits behind the point: what is known of times and sizes. */
static double milli(double x)
{
    return round(x * 1e3) / 1e3;
}

static int put_line(int fd, struct sl_buf *b, struct sl_err *err)
{
    size_t done = 0;

    sl_buf_adds(b, "}\n");
    while (done < b->n) {
        ssize_t n = write(fd, b->s + done, b->n - done);
        if (n < 0 && errno != EINTR)
            return sl_err(err, SL_EIO, "cannot write the log of the runs: %s", strerror(errno));
        done += n > 0 ? (size_t)n : 0;
    }
    return fdatasync(fd) && errno != EINVAL
               ? sl_err(err, SL_EIO, "cannot write the log of the runs: %s", strerror(errno))
               : 0;
}

/* What a kill left behind the last line. */
static int cut_off(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END), at = size;
    char chunk[4096];

    while (at > 0) {
        off_t from = at > (off_t)sizeof chunk ? at - (off_t)sizeof chunk : 0;
        ssize_t n = pread(fd, chunk, (size_t)(at - from), from);
        if (n != at - from) {
            errno = n < 0 ? errno : EIO;
            return -1;
        }
        for (ssize_t i = n; i-- > 0;)
            if (chunk[i] == '\n')
                return from + i + 1 < size ? ftruncate(fd, from + i + 1) : 0;
        at = from;
    }
    return size ? ftruncate(fd, 0) : 0;
}

static int put_header(int fd, const struct sl_trials *s, struct sl_err *err)
{
    const struct sl_plan *p = s->plan;
    struct sl_buf b = {0}, list = {0};
    char time[SL_TIME_TEXT];
    int rc;

    sl_buf_addc(&b, '{');
    put_text(&b, "record", "experiment");
    put_text(&b, "experiment", p->name);
    put_text(&b, "score", p->score.name);
    put_text(&b, "time", "began");
    put_text(&b, "run_key", "run");
    if (*p->score.unit)
        put_text(&b, "unit", p->score.unit);
    put_text(&b, "better", p->score.more ? "more" : "less");
    if (p->trace)
        put_text(&b, "logs", "logs");
    sl_buf_addf(&list, "%s%s", covariates, s->several ? "" : ",host");
    for (size_t i = 0; i < s->version.n; i++)
        sl_buf_addf(&list, ",version.%s", s->version.v[i].name);
    put_text(&b, "covariates", list.s);
    put_text(&b, "written", sl_time_text(sl_clock_now_ns(), time));
    for (size_t f = 0; f < p->factor.n; f++) {
        sl_buf_clear(&list);
        sl_buf_addf(&list, SL_RUN_LOG_BASE "%s", p->factor.v[f].name);
        put_text(&b, list.s, p->factor.v[f].level.v[0].name);
    }
    rc = put_line(fd, &b, err);
    sl_buf_free(&b);
    sl_buf_free(&list);
    return rc;
}

int sl_run_log_open(const char *path, const struct sl_trials *s, struct sl_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644), rc = 0;

    if (fd < 0 || cut_off(fd))
        rc = sl_err(err, SL_EIO, "cannot write %s: %s", path, strerror(errno));
    if (!rc)
        rc = put_header(fd, s, err);
    if (rc && fd >= 0)
        close(fd);
    return rc ? rc : fd;
}

int sl_run_log_add(int fd, const struct sl_trials *s, const char *run, const char *block, const struct sl_trial *t,
                   const char *const *columns, struct sl_err *err)
{
    static const char *const outcome[] = {"done", "failed", "timed out", "interrupted"};
    const struct sl_plan *p = s->plan;
    char time[SL_TIME_TEXT];
    struct sl_buf b = {0};
    int rc;

    sl_buf_addc(&b, '{');
    put_text(&b, "record", "run");
    put_text(&b, "experiment", p->name);
    put_text(&b, "run", run);
    put_text(&b, "began", sl_time_text(t->began_ns, time));
    put_number(&b, p->score.name, t->score, true);
    if (block && *block)
        put_text(&b, "block", block);
    for (size_t f = 0; f < p->factor.n; f++)
        put_text(&b, p->factor.v[f].name, p->factor.v[f].level.v[t->setting[f]].name);
    put_text(&b, "outcome", outcome[t->outcome]);
    if (*t->why)
        put_text(&b, "why", t->why);
    put_text(&b, "ended", sl_time_text(t->ended_ns, time));
    if (t->exit_status >= 0)
        put_number(&b, "exit_status", t->exit_status, false);
    put_number(&b, "wall_s", round(t->wall_s * 1e6) / 1e6, false);
    put_number(&b, "cpu_s", milli(t->cpu_s), false);
    put_number(&b, "max_rss_mb", milli(t->max_rss_mb), false);
    put_number(&b, "load_1m", milli(t->load_1m), false);
    if (t->left)
        put_number(&b, "left", t->left, false);
    if (p->score.overhead != SL_OVERHEAD_NONE) {
        put_number(&b, "measured", t->measured, false);
        put_number(&b, "ideal", t->ideal, false);
    }
    put_text(&b, "host", s->host);
    put_text(&b, "kernel", s->kernel);
    put_number(&b, "cpus", s->cpus, false);
    for (size_t i = 0; i < s->version.n; i++) {
        char name[128];
        snprintf(name, sizeof name, "version.%s", s->version.v[i].name);
        put_text(&b, name, s->version.v[i].value);
    }
    if (t->traces)
        put_text(&b, "logs", t->traces);
    if (*t->process)
        put_text(&b, "process", t->process);
    for (; columns && *columns; columns += 2)
        put_text(&b, columns[0], columns[1]);
    rc = put_line(fd, &b, err);
    sl_buf_free(&b);
    return rc;
}

/* ---- into a store ---- */

static void warn(void *to, const char *text)
{
    (void)to;
    fprintf(stderr, "spanloom: %s\n", text);
}

int sl_run_log_import(const struct sl_plan *p, const char *store, const char *traces, struct sl_err *err)
{
    struct sl_import_options o = {.jobs = 1, .zone_s = INT32_MIN, .warn = warn};
    struct sl_import_result r = {0};
    struct sl_recipes *set = sl_recipes_new();
    struct sl_found_list found = {0};
    struct sl_run_logs_found logs;
    struct sl_store *st = NULL;
    int rc = sl_run_logs_find(&logs, p, err);

    if (!rc)
        rc = sl_recipes_add_default(set, err);
    if (!rc)
        rc = sl_recipes_compile(set, err);
    if (traces && !access(traces, F_OK))
        *sl_vec_add(&logs.path) = sl_strdup(traces);
    if (!rc && logs.path.n)
        sl_find(&found, set, logs.path.v, logs.path.n, false);
    if (!rc)
        rc = sl_found_problem(&found, err);
    if (!rc && !found.v.n)
        rc = sl_err(err, SL_ENOTFOUND, "experiment %s has no log of runs in %s", p->name, p->folder);
    if (!rc)
        rc = sl_store_open(&st, store, SL_STORE_CREATE, err);
    if (!rc)
        rc = sl_import(&r, st, set, &found, &o, err);
    if (!rc && r.problems)
        rc = sl_err(err, SL_EIO, "not all logs of experiment %s could be read", p->name);
    sl_store_close(st);
    sl_vec_free(&r.recipe);
    sl_found_free(&found);
    sl_run_logs_free(&logs);
    sl_recipes_free(set);
    return rc;
}
