/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that the command and what it starts records goes into a folder beside the store, also what processes leave that
 * are killed.  The command's own exit status is ours, whatever becomes of the traces; only where it could not be
 * started because of us, it is CHILD_FAILED.
 */
#include "cli/trace/traced_command.h"
#include "analyse/analyse.h"
#include "base/buf.h"
#include "base/files/folder.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "collect/child_process.h"
#include "collect/process.h"
#include "collect/shell_trace.h"
#include "export/out.h"
#include "ingest/import.h"
#include "result/profile_tables.h"
#include "show/print_profile.h"
#include "trace/decode.h"
#include "trace_traced_command.sql.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TOP = 10, PATIENCE_MS = 300 };

struct job {
    const struct cli *cli;
    char dir[PATH_MAX]; /* absolute */
    bool keep;
    const char *nothing; /* to say where no program recorded anything */
    struct timespec began;
};

/* ---- before ---- */

/* Options are told apart by colons, so that none may be in the path. */
static int make_dir(struct job *j, struct sl_err *err)
{
    const char *given = cli_option(j->cli, "dir"), *slash = strrchr(j->cli->store_path, '/');
    char path[PATH_MAX];
    bool made;

    if (given) {
        made =
            snprintf(path, sizeof path, "%s", given) < (int)sizeof path && (mkdir(path, 0777) == 0 || errno == EEXIST);
    } else {
        made = snprintf(path, sizeof path, "%.*sspanloom-run.XXXXXX", slash ? (int)(slash - j->cli->store_path + 1) : 0,
                        j->cli->store_path) < (int)sizeof path &&
               mkdtemp(path);
    }
    if (!made || !realpath(path, j->dir))
        return sl_err(err, SL_EIO, "cannot make a folder for the traces: %s: %s", path, strerror(errno));
    if (strchr(j->dir, ':')) {
        if (!given)
            rmdir(j->dir);
        return sl_err(err, SL_EUSAGE, "a folder for traces cannot have ':' in its path (%s); say --dir", j->dir);
    }
    j->keep = given || cli_option(j->cli, "keep");
    return 0;
}

/* What the user set, but for what we set. */
static void set_options(const struct job *j)
{
    static const char *const ours[] = {"log-dir=", "log-format=", "log-filename-include=", NULL};
    const char *was = getenv("SPANLOOM_OPTIONS");
    struct sl_buf b = {0};

    for (const char *p = was ? was : ""; *p; p += strcspn(p, ":"), p += *p == ':') {
        int i = 0;
        while (ours[i] && strncmp(p, ours[i], strlen(ours[i])) != 0)
            i++;
        if (!ours[i] && strcspn(p, ":"))
            sl_buf_addf(&b, "%.*s:", (int)strcspn(p, ":"), p);
    }
    sl_buf_addf(&b, "log-dir=%s:log-format=binary:log-filename-include=hostname,pid", j->dir);
    setenv("SPANLOOM_OPTIONS", b.s, 1);
    sl_buf_free(&b);
}

/* ---- after ---- */

static int import(const struct job *j, struct sl_err *err)
{
    struct sl_import_options o = {.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN), .zone_s = INT32_MIN, .warn = cli_warn};
    struct sl_import_result r = {0};
    struct sl_recipes *set = sl_recipes_new();
    struct sl_found_list found = {0};
    struct sl_store *st = NULL;
    char *paths[] = {(char *)j->dir};
    int rc = cli_recipes(j->cli, set, err);

    if (!rc)
        sl_find(&found, set, paths, 1, false);
    if (!rc)
        rc = sl_found_problem(&found, err);
    if (!rc && !found.v.n)
        rc = sl_err(err, SL_ENOTFOUND, "no trace was written");
    if (!rc)
        rc = sl_store_open(&st, j->cli->store_path, SL_STORE_CREATE, err);
    if (!rc)
        rc = sl_import(&r, st, set, &found, &o, err);
    if (!rc && r.problems)
        rc = sl_err(err, SL_EIO, "not all traces could be read");
    sl_store_close(st);
    sl_vec_free(&r.recipe);
    sl_found_free(&found);
    sl_recipes_free(set);
    return rc;
}

static void remove_dir(const char *dir)
{
    struct sl_folder_names in = {0};
    char path[2 * PATH_MAX];

    sl_folder_read(&in, dir, NULL);
    for (size_t i = 0; i < in.name.n; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, in.name.v[i]);
        unlink(path);
    }
    sl_folder_free(&in);
    rmdir(dir);
}

/* The process of a trace file has not ended, as far as we can see. */
static bool still_runs(const char *path)
{
    const char *why, *host;
    struct sl_decoded *d = sl_decode_open(path, &why);
    const struct sl_trace_process *p = d ? sl_decode_process(d) : NULL;
    bool runs = false;

    if (p && !p->ended && (host = sl_decode_fact(d, "hostname")))
        runs = shell_process_is(host, strlen(host), (pid_t)p->pid, p->start_ns);
    sl_decode_free(d);
    return runs;
}

static unsigned count_running(const char *dir)
{
    struct sl_folder_names in = {0};
    char path[2 * PATH_MAX];
    unsigned n = 0;

    sl_folder_read(&in, dir, NULL); /* what fails is told by the import */
    for (size_t i = 0; i < in.name.n; i++) {
        size_t length = strlen(in.name.v[i]);
        snprintf(path, sizeof path, "%s/%s", dir, in.name.v[i]);
        n += length > 4 && !strcmp(in.name.v[i] + length - 4, ".slt") && still_runs(path);
    }
    sl_folder_free(&in);
    return n;
}

/* What was killed with the command takes a moment to be gone. */
static unsigned wait_for_the_dying(const char *dir)
{
    unsigned n = count_running(dir);

    for (int ms = 0; n && ms < PATIENCE_MS; ms += 10) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        n = count_running(dir);
    }
    return n;
}

/* The processes whose traces lay in the folder: descent alone would miss those whose environment was cleared. */
static int processes(const struct job *j, struct sl_store *st, int64_t **ids, size_t *n, struct sl_err *err)
{
    SL_VEC(int64_t) v = {0};
    sqlite3_stmt *q = sl_store_prepare(st, sql_processes, err);
    int rc = q ? 0 : SL_ESTORE;

    if (q)
        sqlite3_bind_text(q, 1, j->dir, -1, SQLITE_STATIC);
    while (q && (rc = sl_store_step(st, q, err)) > 0)
        *sl_vec_add(&v) = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    *ids = v.v;
    *n = v.n;
    return rc;
}

static int report(const struct job *j, struct sl_err *err)
{
    const char *file = cli_option(j->cli, "report");
    struct sl_profile_want want = {.flat = true, .tree = true};
    struct sl_result r = {0};
    struct sl_store *st = cli_open(j->cli);
    int64_t *ids = NULL;
    struct sl_out out = {.f = stderr};
    int rc;

    if (!st)
        return sl_err(err, SL_ESTORE, "there is no profile");
    if (file && (rc = sl_out_open(&out, file, err))) {
        sl_store_close(st);
        return rc;
    }
    rc = processes(j, st, &ids, &want.calls.nwithin, err);
    want.calls.within = ids;
    if (!rc && want.calls.nwithin)
        rc = sl_result_profile(&r, st, &want, err);
    if (!rc && want.calls.nwithin)
        rc = sl_show_profile(out.f, &r, TOP, shell_process_lives, err);
    sl_result_free(&r);
    if (rc >= 0 && want.calls.nwithin <= 1)
        cli_say("only the command itself is known: %s", j->nothing);
    if (rc >= 0)
        cli_say_lost_of(st, sql_is_of_folder, j->dir, j->dir);
    if (file)
        rc = sl_out_close(&out, rc < 0 ? rc : 0, err);
    sl_store_close(st);
    free(ids);
    return rc < 0 ? rc : 0;
}

static bool is_empty(const char *dir)
{
    struct sl_folder_names in = {0};
    bool is = !sl_folder_read(&in, dir, NULL) && !in.name.n;

    sl_folder_free(&in);
    return is;
}

/* Where traces go that others than our runtime write: PerfFlowAspect's own. */
static const char *others_dir(char to[PATH_MAX])
{
    const char *options = getenv("PERFFLOW_OPTIONS");

    to[0] = '.', to[1] = 0;
    for (const char *p = options ? options : ""; *p; p += strcspn(p, ":"), p += *p == ':')
        if (!strncmp(p, "log-dir=", 8) && strcspn(p, ":") > 8)
            snprintf(to, PATH_MAX, "%.*s", (int)(strcspn(p, ":") - 8), p + 8);
    return to;
}

/* Traces that were not imported, since what wrote them is not our runtime, or did not hear of the folder. */
static void tell_of_others(const struct job *j)
{
    char dir[PATH_MAX], name[NAME_MAX + 1] = "";
    char path[2 * PATH_MAX];
    struct sl_folder_names in = {0};
    struct sl_err err;
    struct stat s;
    unsigned n = 0;
    int rc = sl_folder_read(&in, others_dir(dir), &err);

    if (rc && rc != SL_ENOTFOUND)
        cli_say("%s; whether there are traces in it, too, is not known", err.text);
    for (size_t i = 0; i < in.name.n; i++) {
        const char *file = in.name.v[i];
        snprintf(path, sizeof path, "%s/%s", dir, file);
        if (strncmp(file, "perfflow.", 9) != 0 || strcmp(file + strlen(file) - 4, ".pfw") != 0 || stat(path, &s) ||
            s.st_mtim.tv_sec < j->began.tv_sec ||
            (s.st_mtim.tv_sec == j->began.tv_sec && s.st_mtim.tv_nsec < j->began.tv_nsec))
            continue;
        if (!n++)
            snprintf(name, sizeof name, "%s", file);
    }
    sl_folder_free(&in);
    if (n)
        cli_say("not imported: %s/%s%s, written meanwhile, as PerfFlowAspect's own package and library "
                "do; spanloom import reads it, and spanloom-python(7) says how ours takes its place",
                dir, name, n > 1 ? " and others" : "");
}

static void finish(const struct job *j)
{
    if (cli_option(j->cli, "no-import"))
        return;
    const struct sl_err *wrong = j->cli->project_err;
    unsigned running = wait_for_the_dying(j->dir); /* before the import: what ends meanwhile is not in it as a whole */
    struct sl_err err = {0};

    if (is_empty(j->dir)) {
        cli_say("nothing was recorded; do PERFFLOW_OPTIONS or SPANLOOM_OPTIONS say log-enable=False?");
    } else if (wrong ? sl_err(&err, wrong->code, "%s", wrong->text) : import(j, &err)) {
        cli_say("%s; the traces are kept: spanloom import %s", err.text, j->dir);
        return;
    } else if (!cli_option(j->cli, "quiet") && report(j, &err)) {
        cli_say("%s", err.text);
    }
    tell_of_others(j);
    if (running)
        cli_say("%u process%s still run%s; %s in %s; import %s when %s ended: spanloom import %s", running,
                running == 1 ? "" : "es", running == 1 ? "s" : "", running == 1 ? "its trace is" : "their traces are",
                j->dir, running == 1 ? "it" : "them", running == 1 ? "it has" : "they have", j->dir);
    else if (!j->keep)
        remove_dir(j->dir);
    else if (!cli_option(j->cli, "dir"))
        cli_say("the traces are in %s", j->dir);
}

/* ---- all of it ---- */

int traced_command(struct cli *cli, const char *name, char *const *argv, const char *nothing)
{
    struct job j = {.cli = cli, .nothing = nothing};
    struct shell_trace t = {.fd = -1, .quiet = true}; /* of options: the programs say it */
    struct sl_err err = {0};
    const char *slash = strrchr(name, '/');
    struct stat store;
    struct child c;

    if (cli_option(cli, "no-import") && !cli_option(cli, "dir"))
        sl_err(&err, SL_EUSAGE, "--no-import leaves the traces where? Say --dir DIRECTORY");
    else if (!stat(cli->store_path, &store) && !S_ISREG(store.st_mode))
        sl_err(&err, SL_EIO, "%s is a %s, not a store; name a file with -d, such as -d %s%sspanloom.db",
               cli->store_path, S_ISDIR(store.st_mode) ? "directory" : "device or pipe",
               S_ISDIR(store.st_mode) ? cli->store_path : "", S_ISDIR(store.st_mode) ? "/" : "");
    if (err.code || make_dir(&j, &err)) {
        cli_fail(cli, &err);
        return CHILD_FAILED;
    }
    set_options(&j);
    clock_gettime(CLOCK_REALTIME_COARSE, &j.began); /* that which files have */
    if (shell_trace_open(&t, getpid(), true, &err))
        cli_say("%s", err.text);
    shell_trace_command(&t, slash && slash[1] ? slash + 1 : name, "", argv, &c);
    if (c.error) {
        if (!j.keep)
            remove_dir(j.dir);
        return child_end_like(&c);
    }
    finish(&j);
    return child_end_like(&c);
}
