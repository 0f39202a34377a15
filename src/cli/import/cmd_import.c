/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/near.h"
#include "cli/lens_options.h"
#include "import_cmd_import.sql.h"
#include "ingest/import.h"
#include "recipe/time.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option_spec options[] = {
    {"recipe", "FILE", "also use this recipe (may be given more than once)"},
    {"zone", "+HH:MM", "what local times mean where no record tells (default: this machine's zone)"},
    {"campaign", "NAME", "a name of what these runs are part of"},
    {"jobs", "N", "reading threads (default: the processors)"},
    {"set", "FIELD=VALUE", "a field for all files, such as rundir=PATH"},
    {"dry-run", NULL, "only say which recipe would read what, and what nothing claims"},
    {"quiet", NULL, "no progress and no summary"},
    {NULL, NULL, NULL},
};

struct terminal {
    bool shown;
};

static void progress(void *to, uint64_t bytes, uint64_t of, uint64_t spans, uint64_t events, double seconds,
                     const char *file)
{
    struct terminal *t = to;
    double rate = seconds > 0 ? (double)bytes / seconds : 0;
    struct sl_buf line = {0}, clean = {0};
    char left[32], a[32], b[32];
    int room;

    if (!isatty(2))
        return;
    t->shown = true;
    sl_seconds_text(rate > 0 && of > bytes ? (double)(of - bytes) / rate : 0, left);
    sl_buf_addf(&line, "%.0f of %.0f MB, %.0f MB/s, %s left; %s spans, %s events", (double)bytes / 1e6,
                (double)of / 1e6, rate / 1e6, left, sl_show_count(spans, a), sl_show_count(events, b));
    room = cli_columns() - sl_show_width(line.s) - 3;
    if (room > 8) { /* of its path the end */
        sl_show_clean(&clean, file, strlen(file));
        sl_buf_adds(&line, "; ");
        sl_show_end(&line, clean.s, room);
    }
    fprintf(stderr, "\r\033[K%s", line.s);
    sl_buf_free(&line);
    sl_buf_free(&clean);
}

static void warn(void *to, const char *text)
{
    struct terminal *t = to;

    if (t->shown)
        fputs("\r\033[K", stderr);
    cli_say("%s", text);
}

/* Files that nothing claims are many, and alike: people get them by folder. */
static void by_folder(struct sl_result *r, sqlite3 *db, const struct sl_found_list *l)
{
    sqlite3_stmt *q;

    sqlite3_exec(db, "CREATE TABLE t (recipe, bytes, path, folder)", NULL, NULL, NULL);
    for (size_t i = 0; i < l->v.n; i++) {
        const struct sl_found *f = &l->v.v[i];
        const char *slash = strrchr(f->name, '/');
        char *sql = sqlite3_mprintf("INSERT INTO t VALUES (%Q, %llu, %Q, %.*Q)", f->recipe ? f->recipe->name : NULL,
                                    (unsigned long long)f->bytes, f->name, slash ? (int)(slash - f->name) : 0, f->name);
        sqlite3_exec(db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
    if (sqlite3_prepare_v2(db, sql_by_folder, -1, &q, NULL) != SQLITE_OK)
        abort(); /* the statement is ours */
    sl_result_query(r, "files", NULL, 0, q);
}

static int dry_run(const struct cli *cli, const struct sl_found_list *l)
{
    static const struct sl_column column[] = {{"recipe", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"bytes", SL_COLUMN_INTEGER, "bytes", NULL, 0},
                                              {"path", SL_COLUMN_TEXT, NULL, NULL, 0}};
    struct sl_result r = {0};
    sqlite3 *db = NULL;
    int rc;

    if (cli->format == SL_FORMAT_TABLE) {
        if (sqlite3_open(":memory:", &db) != SQLITE_OK)
            abort();
        by_folder(&r, db, l);
    } else {
        struct sl_table *t = sl_result_table(&r, "files", column, SL_COLUMNS(column));
        for (size_t i = 0; i < l->v.n; i++) {
            sl_table_add(t);
            sl_table_put_text(t, 0, l->v.v[i].recipe ? l->v.v[i].recipe->name : NULL);
            sl_table_put_int(t, 1, (int64_t)l->v.v[i].bytes);
            sl_table_put_text(t, 2, l->v.v[i].name);
        }
    }
    rc = cli_end(cli, NULL, &r, 0, NULL);
    sqlite3_close(db);
    return rc;
}

static void say_assumed(const struct sl_import_result *r)
{
    int32_t o = r->assumed_offset_s, abs = o < 0 ? -o : o;

    cli_say("local times of %llu root span%s were taken as UTC%c%02d:%02d, because no record says more; "
            "if that is wrong, make a new store and say --zone +HH:MM",
            (unsigned long long)r->assumed_zones, r->assumed_zones == 1 ? "" : "s", o < 0 ? '-' : '+', abs / 3600,
            abs / 60 % 60);
}

enum { MORE_FILES = 48 };

/* " and 2 more files", or nothing. */
static char *more_files(uint64_t n, char buf[MORE_FILES])
{
    *buf = 0;
    if (n > 1)
        snprintf(buf, MORE_FILES, " and %llu more file%s", (unsigned long long)n - 1, n > 2 ? "s" : "");
    return buf;
}

static void say_adrift(const struct sl_import_result *r)
{
    char more[MORE_FILES];

    cli_say("times in %s%s count from an unknown moment, such as the start of the machine, and appear near 1970",
            r->first_adrift, more_files(r->adrift, more));
}

static void say_unended(const struct sl_import_result *r)
{
    const char *example = r->unended > 1 ? "FILE.slt" : r->first_unended;

    char more[MORE_FILES];

    cli_say(
        "%s%s: %s not end in order, or still run%s; where a .pfw is wanted, this makes it: spanloom export chrome %s",
        r->first_unended, more_files(r->unended, more), r->unended > 1 ? "these processes did" : "its process did",
        r->unended > 1 ? "" : "s", example);
}

static int show_recipes(const struct cli *cli, const struct sl_import_result *r)
{
    bool people = cli->format == SL_FORMAT_TABLE;
    const struct sl_column column[] = {{"recipe", SL_COLUMN_TEXT, NULL, NULL, 0},
                                       {"files", SL_COLUMN_INTEGER, "files", NULL, 0},
                                       {"records", SL_COLUMN_INTEGER, "records", NULL, 0},
                                       {"used", SL_COLUMN_INTEGER, "records", NULL, 0},
                                       {"skipped", SL_COLUMN_INTEGER, "records", NULL, 0},
                                       {"rejects", SL_COLUMN_INTEGER, "records", NULL, 0},
                                       {people ? "new spans" : "spans", SL_COLUMN_INTEGER, "spans", NULL, 0},
                                       {"events", SL_COLUMN_INTEGER, "events", NULL, 0},
                                       {"seconds", SL_COLUMN_REAL, "s", NULL, 0}};
    struct sl_result result = {0};
    struct sl_table *t = sl_result_table(&result, "recipes", column, SL_COLUMNS(column));

    for (size_t i = 0; i < r->recipe.n; i++) {
        const struct sl_import_recipe *x = &r->recipe.v[i];
        const uint64_t counts[] = {x->files, x->records, x->used, x->skipped, x->rejected, x->spans, x->events};
        char seconds[32];
        sl_table_add(t);
        sl_table_put_text(t, 0, x->name);
        for (int k = 0; k < 7; k++)
            sl_table_put_int(t, k + 1, (int64_t)counts[k]);
        snprintf(seconds, sizeof seconds, "%.3f", x->seconds);
        if (people)
            sl_table_put_text(t, 8, seconds);
        else
            sl_table_put_real(t, 8, strtod(seconds, NULL));
    }
    return cli_end(cli, NULL, &result, 0, NULL);
}

static int summary(const struct cli *cli, const struct sl_import_result *r)
{
    char a[32], b[32], c[32];
    int rc = EXIT_DONE;

    if (cli->format != SL_FORMAT_TABLE)
        return show_recipes(cli, r);
    if (r->recipe.n) {
        rc = show_recipes(cli, r);
        putchar('\n');
    }
    printf("%s: %s new spans, %s events from %s file%s", cli->store_path, sl_show_count(r->spans, a),
           sl_show_count(r->events, b), sl_show_count(r->files, c), r->files == 1 ? "" : "s");
    if (r->known)
        printf(" (%s known already)", sl_show_count(r->known, a));
    printf(", %.2f s", r->seconds);
    if (r->seconds > 0.05 && r->bytes)
        printf(", %.0f MB/s", (double)r->bytes / 1e6 / r->seconds);
    putchar('\n');
    if (r->told_twice)
        printf("%s event%s stood in two forms of a log, such as text and JSON, and %s kept once\n",
               sl_show_count(r->told_twice, a), r->told_twice == 1 ? "" : "s", r->told_twice == 1 ? "was" : "were");
    if (r->assumed_zones)
        say_assumed(r);
    if (r->adrift)
        say_adrift(r);
    if (r->unended)
        say_unended(r);
    return rc;
}

/* The store may lie among the logs, under the name of something that can be imported. */
static void leave_out_store(struct sl_found_list *l, const char *store)
{
    struct stat a, b;
    size_t kept = 0;

    if (stat(store, &a) != 0)
        return;
    for (size_t i = 0; i < l->v.n; i++) {
        if (stat(l->v.v[i].path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
            sl_found_forget(&l->v.v[i]);
        } else {
            l->v.v[kept++] = l->v.v[i];
        }
    }
    l->v.n = kept;
}

/* A field that nothing asks for is a mistake; one that none of these files asks for may be one. */
static int check_fields(const struct cli *cli, const struct sl_recipes *set, const struct sl_found_list *l,
                        const char *const *fields, struct sl_err *err)
{
    struct sl_set_names {
        SL_VEC(const char *) v;
    } names = {0};
    int rc = 0;

    for (size_t i = 0; fields[i] && !rc; i += 2) {
        size_t n = strlen(fields[i]), best[SL_NEAR];
        bool asked = false, here = false, of_project = cli->project && i < cli->project->set.n;
        int near;
        for (size_t r = 0; r < set->n && !asked; r++)
            asked = sl_intern_find(&set->v[r]->fields, fields[i], n) != 0;
        for (size_t k = 0; k < l->v.n && !here; k++)
            here = l->v.v[k].recipe && sl_intern_find(&l->v.v[k].recipe->fields, fields[i], n) != 0;
        if (asked && !here && l->v.n)
            cli_say("the field '%s' (%s) is of no use: no recipe of the files found asks for it", fields[i],
                    of_project ? SL_PROJECT_FILE : "--set");
        if (asked)
            continue;
        for (size_t r = 0; r < set->n && n > 2; r++)
            for (int k = 0; k < set->v[r]->nfields; k++)
                if (set->v[r]->is_context[k]) {
                    const char *name = sl_intern_text(&set->v[r]->fields, (uint32_t)k + 1);
                    size_t at = 0;
                    while (at < names.v.n && strcmp(names.v.v[at], name) != 0)
                        at++;
                    if (at == names.v.n && *name != '_')
                        *sl_vec_add(&names.v) = name;
                }
        near = sl_near(names.v.v, names.v.n, fields[i], best);
        rc = sl_err(err, of_project ? SL_EFORMAT : SL_EUSAGE, "%s%sno recipe asks for a field '%s'%s%s%s",
                    of_project ? cli->project->path : "", of_project ? ": set: " : "", fields[i],
                    near ? "; did you mean " : "", near ? names.v.v[best[0]] : "", near ? "?" : "");
        sl_vec_free(&names.v);
    }
    return rc;
}

/* Bindings of the project that link nothing; one by hand says so when it is made. */
static void say_idle(struct sl_store *st)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_say_idle, NULL);

    while (q && sqlite3_step(q) == SQLITE_ROW)
        cli_say("%s: the binding '%s' links nothing", (const char *)sqlite3_column_text(q, 1),
                (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
}

/* Whether a recipe rejects records in just these words: it knows what is wrong with the whole log. */
static bool is_known_fault(const struct sl_recipes *set, const char *reason)
{
    for (size_t r = 0; r < set->n; r++)
        for (int i = 0; i < set->v[r]->nrule; i++) {
            const struct sl_template *t = &set->v[r]->rule[i].reject;
            if (t->n == 1 && t->part[0].field < 0 && strlen(reason) == t->part[0].len &&
                !memcmp(t->part[0].text, reason, t->part[0].len))
                return true;
        }
    return false;
}

/* Of what has been imported since then. */
static void say_faults(struct sl_store *st, const struct sl_recipes *set, int64_t since_ns)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_say_faults, NULL);

    if (q)
        sqlite3_bind_int64(q, 1, since_ns);
    while (q && sqlite3_step(q) == SQLITE_ROW)
        if (is_known_fault(set, (const char *)sqlite3_column_text(q, 0)))
            cli_say("%s: %s", (const char *)sqlite3_column_text(q, 1), (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
}

static int run_import(const struct cli *cli, struct sl_recipes *set, const struct sl_found_list *l,
                      struct sl_import_options *o, bool tell)
{
    struct sl_import_result r = {0};
    struct sl_store *st = NULL;
    struct sl_err err = {0};
    bool is_new = !tell && !cli_option(cli, "quiet") && access(cli->store_path, F_OK) != 0; /* by why and report */
    int64_t since_ns = sl_clock_now_ns();
    int rc = sl_store_open(&st, cli->store_path, SL_STORE_CREATE, &err);

    if (!rc)
        rc = sl_import(&r, st, set, l, o, &err);
    if (!rc && tell) {
        say_faults(st, set, since_ns);
        cli_say_lost_of(st, sql_is_new, (long long)since_ns);
        say_idle(st);
        cli_lens_say_idle(st);
    }
    is_new &= !rc && !sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM sl_span)", 1);
    sl_store_close(st);
    if (is_new)
        unlink(cli->store_path);
    if (((struct terminal *)o->to)->shown)
        fputs("\r\033[K", stderr);
    if (rc) {
        sl_vec_free(&r.recipe);
        return cli_fail(cli, &err);
    }
    if (tell)
        summary(cli, &r);
    sl_vec_free(&r.recipe);
    /* rejected records are normal; where nothing else was there, nothing was imported */
    return r.problems || (r.strange && r.strange == r.files && r.known == r.twins) ? EXIT_FAILED : EXIT_DONE;
}

int cli_import(struct cli *cli, int argc, char **argv, bool tell)
{
    struct sl_recipes *set;
    struct sl_found_list l = {0};
    struct sl_err err = {0};
    struct terminal t = {0};
    struct sl_import_options o = {
        .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN), .zone_s = INT32_MIN, .warn = warn, .to = &t};
    SL_VEC(const char *) fields = {0};
    struct sl_arena arena = {0};
    size_t claimed = 0;
    glob_t globbed = {0};
    const char *zone = cli_option(cli, "zone") ? cli_option(cli, "zone") : cli->project ? cli->project->zone : NULL;
    int rc;

    if (!argc && !(cli->project && cli->project->sources.n))
        return cli_usage(
            cli, cli->project
                     ? "import what? name a run directory, or files, or sources in " SL_PROJECT_FILE
                     : "import what? name a run directory, or files; or describe a project in " SL_PROJECT_FILE);
    o.hints = tell;
    if (cli_option(cli, "jobs") && (o.jobs = cli_number(cli_option(cli, "jobs"), 1)) < 1)
        return cli_usage(cli, "--jobs needs a number from 1 up");
    if (zone && (o.zone_s = sl_zone_offset(zone)) == INT32_MIN)
        return cli_usage(cli, "--zone needs an offset such as +05:30, -06:00 or Z");
    o.campaign = cli_option(cli, "campaign");
    if (!o.campaign && cli->project)
        o.campaign = cli->project->campaign;
    if (o.campaign && !*o.campaign)
        return cli_usage(cli, "--campaign needs a name");
    o.project = cli->project;
    for (size_t i = 0; cli->project && i < cli->project->set.n; i++)
        *sl_vec_add(&fields) = cli->project->set.v[i];
    for (int i = 0; i < cli->ngiven; i++)
        if (!strcmp(cli->given[i].spec->name, "set")) {
            const char *eq = strchr(cli->given[i].value, '=');
            char *real;
            if (!eq || eq == cli->given[i].value)
                return cli_usage(cli, "--set needs FIELD=VALUE");
            *sl_vec_add(&fields) = sl_arena_copy(&arena, cli->given[i].value, (size_t)(eq - cli->given[i].value));
            real = realpath(eq + 1, NULL); /* paths are compared with canonical ones */
            *sl_vec_add(&fields) = sl_arena_copy(&arena, real ? real : eq + 1, strlen(real ? real : eq + 1));
            free(real);
        }
    sl_vec_add(&fields);
    o.set = fields.v;
    if (!cli_option(cli, "quiet"))
        o.progress = progress;
    if (!argc) {
        for (size_t i = 0; i < cli->project->sources.n; i++)
            glob(cli->project->sources.v[i], GLOB_NOCHECK | (i ? GLOB_APPEND : 0), NULL, &globbed);
        argv = globbed.gl_pathv;
        argc = (int)globbed.gl_pathc;
    }
    set = sl_recipes_new();
    rc = cli_recipes(cli, set, &err);
    for (size_t i = 0; !rc && cli->project && i < cli->project->binds.n; i++)
        for (size_t k = 0; k < set->binds.n + set->orders.n && !rc; k++) {
            const char *name = k < set->binds.n ? set->binds.v[k].name : set->orders.v[k - set->binds.n].name;
            if (!strcmp(name, cli->project->binds.v[i].name))
                rc = sl_err(&err, SL_EFORMAT, "%s: there is a binding '%s' already; give this one another name",
                            cli->project->path, name);
        }
    if (!rc)
        sl_find(&l, set, argv, (size_t)argc, cli_option(cli, "dry-run") != NULL);
    leave_out_store(&l, cli->store_path);
    if (!rc)
        rc = check_fields(cli, set, &l, o.set, &err);
    for (size_t i = 0; i < l.notes.n; i++)
        warn(&t, l.notes.v[i]);
    for (size_t i = 0; i < l.problems.n; i++)
        warn(&t, l.problems.v[i]);
    for (size_t i = 0; i < l.v.n; i++)
        claimed += l.v.v[i].recipe != NULL;
    if (rc) {
        rc = cli_fail(cli, &err);
    } else if (cli_option(cli, "dry-run")) {
        rc = dry_run(cli, &l);
    } else if (!claimed && l.problems.n && !l.v.n) { /* it is said why there is nothing */
        rc = EXIT_FAILED;
    } else if (!claimed) {
        cli_say("no recipe knows any file below %s%s; see what there is with `spanloom import --dry-run`, "
                "and `spanloom recipes` for what is known",
                argv[0], argc > 1 ? " and the others" : "");
        rc = EXIT_FAILED;
    } else {
        rc = run_import(cli, set, &l, &o, tell);
    }
    if (l.problems.n && rc == EXIT_DONE)
        rc = EXIT_FAILED;
    globfree(&globbed);
    sl_found_free(&l);
    sl_recipes_free(set);
    sl_vec_free(&fields);
    sl_arena_free(&arena);
    return rc;
}

bool cli_import_knows(const struct cli *cli, char *path)
{
    struct sl_recipes *set = sl_recipes_new();
    struct sl_found_list l = {0};
    bool knows = false;

    if (!cli_recipes(cli, set, NULL)) {
        sl_find(&l, set, &path, 1, false);
        leave_out_store(&l, cli->store_path);
    }
    for (size_t i = 0; i < l.v.n; i++)
        knows |= l.v.v[i].recipe != NULL;
    sl_found_free(&l);
    sl_recipes_free(set);
    return knows;
}

static int run(struct cli *cli, int argc, char **argv)
{
    return cli_import(cli, argc, argv, !cli_option(cli, "quiet"));
}

const struct command cmd_import = {
    .name = "import",
    .args = "[PATH...]",
    .help = "read logs and databases into the store",
    .options = options,
    .run = run,
};
