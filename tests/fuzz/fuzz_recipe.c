/* SPDX-License-Identifier: Apache-2.0 */
/* The recipe loader: the input is YAML.  What compiles is run over its own samples and a few fixed records. */
#include "base/embed.h"
#include "engine/check.h"
#include "fuzz.h"

#include <fcntl.h>

static const char names[] = "spans:\n"
                            "  run: {type: run, key: \"{run_id}\", or: \"{dir}\"}\n"
                            "  job: {type: job, key: \"{job}\", in: run}\n"
                            "  step: {type: \"step.{kind}\", key: \"{step}\", in: job}\n"
                            "fields: {job: int}\n"
                            "facets: [[run, run], {pair: [job, step], under: [run, run]}]\n"
                            "shared: {run_id: dir}\n";

static const char lines[] = "1795162290.5 2026-11-20 08:11:30.537 one-7: job 5 begins step 3 with a=1, b=22\n"
                            "  goes on\n"
                            "# a comment\n"
                            "[20/Nov/2026:08:11:31 +0100] job 05 ends {\"x\": [1, 2]}\r\n"
                            "1795162291 12 34 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n"
                            "\xff\xfe not UTF-8\n"
                            "cut";

static const char json[] =
    "{\"ts\": 1795162290.25, \"job\": 5, \"name\": \"begin\", \"args\": {\"a\": [1, {\"b\": 2}]}}\n"
    "{\"ts\": \"2026-11-20T08:11:30Z\", \"job\": \"x\", \"text\": \"job 5 ends\", \"run_id\": null}\n"
    "[1]\n";

static const char *database(void)
{
    static char path[80];
    sqlite3 *db;

    if (*path)
        return path;
    snprintf(path, sizeof path, "%s/spanloom-fuzz-recipe-%ld.db", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
             (long)getpid());
    unlink(path);
    MUST(
        sqlite3_open(path, &db) == SQLITE_OK &&
        sqlite3_exec(db,
                     "CREATE TABLE job (job, ts, name, x); INSERT INTO job VALUES (5, '2026-11-20 08:11:30', 'a', 1.5),"
                     "('x', NULL, x'ff00', -1), (NULL, 1795162290.5, '', 9e99)",
                     NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
    return path;
}

static void drop_database(void)
{
    unlink(database());
}

static void use(struct sl_recipes *set)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct sl_recipe *r = set->v[i];
        struct sl_cover cover = {0};
        struct sl_buf uncovered = {0};
        for (int k = 0; k < r->nsample && k < 4; k++) {
            struct sl_buf out = {0}, missing = {0};
            struct sl_err err = {0};
            int rc = sl_check_sample(set, r, k, &out, &missing, &cover, &err);
            MUST((rc < 0) == (err.code < 0) && rc <= r->sample[k].ngives);
            sl_buf_free(&out);
            sl_buf_free(&missing);
        }
        MUST(sl_cover_missing(&cover, r, &uncovered) == 0 || uncovered.n);
        sl_buf_free(&uncovered);
        sl_cover_free(&cover);
        for (int k = 0; k < r->ninput && k < 4; k++) {
            const struct sl_input *in = &r->input[k];
            struct fuzz_totals t = {.set = set};
            const char *extra[] = {"dir", "/r", "job", "7", NULL};
            struct sl_err err = {0};
            for (int mode = SL_PARSE_IMPORT; mode <= SL_PARSE_NAMING; mode++) {
                struct sl_parse p = {.recipe = r, .input = in, .set = set, .mode = mode, .emit = fuzz_batch, .to = &t};
                const char *path = !strcmp(in->reader->name, "lines")   ? fuzz_file(lines, sizeof lines - 1)
                                   : !strcmp(in->reader->name, "jsonl") ? fuzz_file(json, sizeof json - 1)
                                                                        : database();
                if (sl_parse_start(&p, &in->files[0], "/r/5/run.log", mode ? NULL : extra))
                    MUST(in->reader->run(&p, path, &err) <= 0);
                sl_parse_finish(&p);
            }
            MUST(t.read == t.used + t.skipped + t.rejected);
        }
    }
}

/* Ours, so that pieces of our recipes mean something, and the short ones above. */
static struct sl_recipes *with_names(void)
{
    struct sl_recipes *set = sl_recipes_new();

    for (const struct sl_embedded *e = sl_embedded_recipes; e->name; e++)
        if (!strcmp(e->name, "names.yaml"))
            MUST(sl_recipes_add(set, "names.yaml", e->data, e->size, NULL) == 0);
    MUST(sl_recipes_add(set, "more.yaml", names, sizeof names - 1, NULL) == 0);
    return set;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool registered;
    struct sl_recipes *set = with_names();
    char *text = malloc(size ? size : 1); /* no NUL behind it */
    struct sl_err err = {0};
    int rc;

    if (!*database())
        return 0;
    if (!registered)
        atexit(drop_database);
    registered = true;
    memcpy(text, data, size);
    rc = sl_recipes_add(set, "fuzz.yaml", text, size, &err);
    MUST((rc < 0) == (err.code < 0) && (!rc || strstr(err.text, "fuzz.yaml")));
    if (!rc) {
        struct sl_recipes *twice = with_names();
        rc = sl_recipes_compile(set, &err);
        MUST((rc < 0) == (err.code < 0));
        /* a recipe may be replaced by itself; a file of names declares them twice */
        sl_recipes_add(twice, "fuzz.yaml", text, size, NULL);
        if (set->n) {
            MUST(sl_recipes_add(twice, "fuzz.yaml", text, size, NULL) == 0 && twice->n == 1);
            MUST(sl_recipes_compile(twice, NULL) == rc);
        }
        sl_recipes_free(twice);
    }
    if (!rc)
        use(set);
    sl_recipes_free(set);
    free(text);
    return 0;
}
