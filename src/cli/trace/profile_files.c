/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An import into a scratch store, whose calls are added up while they are read.  Which of them have to be kept depends
 * on which process started which: where the first reading shows that any did, a second one goes by that.  Where calls
 * cannot be added up, all of them go into the scratch store.
 */
#include "cli/trace/profile_files.h"
#include "analyse/analyse.h"
#include "ingest/import.h"
#include "recipe/reader.h"
#include "trace_profile_files.sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool profile_is_files(const struct cli *cli, int argc, char *const *argv)
{
    const char *dot = argc ? strrchr(argv[0], '.') : NULL;
    struct stat s;
    int there = 0;

    if (!argc || cli->store_given)
        return false;
    for (int i = 0; i < argc; i++)
        there += stat(argv[i], &s) == 0;
    return there == argc || strchr(argv[0], '/') || (dot && (!strcmp(dot, ".slt") || !strcmp(dot, ".pfw")));
}

/* Of the first reading: which process lies in which, and when they were there. */
static int relation(void *to, sqlite3_stmt *q, struct sl_err *err)
{
    enum { KEY, IN, START, LATEST, END };
    struct sl_call_sums *s = to;
    const char *key = sl_store_text(q, KEY), *in = sl_store_text(q, IN);
    struct sl_call_process *p = sl_vec_add(&s->processes);

    (void)err;
    *p = (struct sl_call_process){
        .key = sl_intern(&s->texts, key, strlen(key)),
        .container = *in ? sl_intern(&s->texts, in, strlen(in)) : UINT32_MAX,
        .start_ns = sqlite3_column_int64(q, START),
        .latest_ns = sqlite3_column_int64(q, LATEST),
        .end_ns = sqlite3_column_type(q, END) == SQLITE_NULL ? INT64_MAX : sqlite3_column_int64(q, END),
    };
    return 0;
}

static int load_relations(struct sl_store *st, struct sl_call_sums *s, struct sl_err *err)
{
    bool any = false;
    int rc = sl_store_each(st, sql_relations, relation, s, err, "");

    for (size_t i = 0; i < s->processes.n; i++) { /* from texts to places */
        uint32_t in = s->processes.v[i].container, k = 0;
        any |= in != UINT32_MAX;
        while (k < s->processes.n && s->processes.v[k].key != in)
            k++;
        s->processes.v[i].container = k < s->processes.n ? k : UINT32_MAX;
    }
    if (!any)
        s->processes.n = 0;
    return rc;
}

static int read_into(struct sl_store **st, struct sl_recipes *set, const struct sl_found_list *l,
                     struct sl_call_sums *sums, struct sl_err *err)
{
    struct sl_import_options o = {.jobs = 1, .zone_s = INT32_MIN, .warn = *st ? NULL : cli_warn, .sums = sums};
    struct sl_import_result r = {0};
    int rc;

    sl_store_close(*st); /* of an earlier reading, which has told what cannot be read */
    *st = NULL;
    rc = sl_store_open(st, "trace files", SL_STORE_SCRATCH, err);
    if (!rc)
        rc = sl_import(&r, *st, set, l, &o, err);
    cli_not_all |= r.problems || (r.strange && r.strange == r.files);
    sl_vec_free(&r.recipe);
    return rc;
}

/* Only traces: what else lies in the folders is not read. */
static void leave_out_others(struct sl_found_list *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->v.n; i++) {
        const char *reader = l->v.v[i].recipe ? l->v.v[i].input->reader->name : "";
        if (!strcmp(reader, "chrome") || !strcmp(reader, "trace")) {
            l->v.v[kept++] = l->v.v[i];
            continue;
        }
        sl_found_forget(&l->v.v[i]);
    }
    l->v.n = kept;
}

int profile_read_files(const struct cli *cli, int argc, char *const *argv, struct sl_store **st,
                       struct sl_call_sums *sums, struct sl_err *err)
{
    struct sl_recipes *set = sl_recipes_new();
    struct sl_found_list l = {0};
    int rc = cli_recipes(cli, set, err);

    *st = NULL;
    if (!rc) {
        sl_find(&l, set, argv, (size_t)argc, false);
        for (size_t i = 0; i < l.problems.n; i++)
            cli_warn(NULL, l.problems.v[i]);
        leave_out_others(&l);
        if (!l.v.n)
            rc = sl_err(err, SL_ENOTFOUND, "no trace file below %s%s; what there is, spanloom import --dry-run says",
                        argv[0], argc > 1 ? " and the others" : "");
    }
    if (!rc)
        rc = read_into(st, set, &l, sums, err);
    if (!rc && !sums->unfit && !(rc = load_relations(*st, sums, err)) && sums->processes.n) {
        sl_call_sums_clear(sums);
        rc = read_into(st, set, &l, sums, err);
    }
    if (!rc && sums->unfit) {
        sl_call_sums_clear(sums);
        rc = read_into(st, set, &l, NULL, err);
    }
    cli_not_all |= l.problems.n > 0;
    if (!rc && sl_analyse_register((*st)->db) != SQLITE_OK)
        rc = sl_store_err(*st, "cannot register the analysis functions", err);
    sl_found_free(&l);
    sl_recipes_free(set);
    return rc;
}
