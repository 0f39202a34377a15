/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/embed.h"
#include "base/mem.h"
#include "base/near.h"
#include "cli/cli.h"
#include "engine/check.h"
#include "recipe/reader.h"

#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    {"test", NULL, "run the samples of all recipes, or of FILE; with LOG, show what each record came to"},
    {NULL, NULL, NULL},
};

/* For people: a line each. */
static void list_short(struct sl_result *result, const struct sl_recipes *set)
{
    static const struct sl_column column[] = {{"recipe", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"readers", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"about", SL_COLUMN_TEXT, NULL, NULL, 0}};
    struct sl_table *t = sl_result_table(result, "recipes", column, SL_COLUMNS(column));

    for (size_t i = 0; i < set->n; i++) {
        const struct sl_recipe *r = set->v[i];
        const char *end = strstr(r->about ? r->about : "", ". ");
        char *about = end ? sl_strndup(r->about, (size_t)(end - r->about)) : sl_strdup(r->about ? r->about : "");
        struct sl_buf readers = {0};
        sl_buf_adds(&readers, "");
        for (int k = 0; k < r->ninput; k++)
            if (!strstr(readers.s, r->input[k].reader->name))
                sl_buf_addf(&readers, "%s%s", readers.n ? ", " : "", r->input[k].reader->name);
        if (*about && about[strlen(about) - 1] == '.')
            about[strlen(about) - 1] = 0;
        sl_table_add(t);
        sl_table_put_text(t, 0, r->name);
        sl_table_put_text(t, 1, readers.s);
        sl_table_put_text(t, 2, about);
        sl_buf_free(&readers);
        free(about);
    }
}

static int list(const struct cli *cli, const struct sl_recipes *set)
{
    static const struct sl_column column[] = {{"recipe", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"reader", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"files", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"about", SL_COLUMN_TEXT, NULL, NULL, 0}};
    struct sl_result result = {0};
    struct sl_table *t;
    int rc;

    if (cli->format == SL_FORMAT_TABLE) {
        list_short(&result, set);
        rc = cli_end(cli, NULL, &result, 0, NULL);
        puts("\nwhich files: spanloom recipes --format csv; all of one: spanloom recipes NAME");
        return rc;
    }
    t = sl_result_table(&result, "recipes", column, SL_COLUMNS(column));
    for (size_t i = 0; i < set->n; i++) {
        const struct sl_recipe *r = set->v[i];
        for (int k = 0; k < r->ninput; k++)
            for (int f = 0; f < r->input[k].nfiles; f++) {
                sl_table_add(t);
                sl_table_put_text(t, 0, r->name);
                sl_table_put_text(t, 1, r->input[k].reader->name);
                sl_table_put_text(t, 2, r->input[k].files_text[f]);
                sl_table_put_text(t, 3, r->about);
            }
    }
    return cli_end(cli, NULL, &result, 0, NULL);
}

/* The names that recipes refer to: the first of the documents. */
static void show_names(void)
{
    for (const struct sl_embedded *e = sl_embedded_recipes; e->name; e++)
        if (!strcmp(e->name, "names.yaml"))
            fputs(e->data, stdout);
}

static void comment(const char *before, struct sl_buf *lines)
{
    for (char *s = lines->s ? strtok(lines->s, "\n") : NULL; s; s = strtok(NULL, "\n"))
        printf("# %s%s\n", before, s);
}

static bool test_sample(struct sl_recipes *set, const struct sl_recipe *r, int k, int number, struct sl_cover *cover)
{
    struct sl_buf out = {0}, missing = {0};
    struct sl_err err = {0};
    int bad = sl_check_sample(set, r, k, &out, &missing, cover, &err);

    printf("%s %d - %s: sample in line %d\n", bad ? "not ok" : "ok", number, r->name, r->sample[k].line);
    if (bad < 0)
        printf("# %s\n", err.text);
    if (bad > 0) {
        comment("misses: ", &missing);
        comment("got:    ", &out);
    }
    sl_buf_free(&out);
    sl_buf_free(&missing);
    return !bad;
}

/* TAP, so that the project's tests can count them. */
static int test_samples(struct sl_recipes *set, const char *only, int *n, int *failed)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct sl_recipe *r = set->v[i];
        struct sl_cover cover = {0};
        struct sl_buf missing = {0};
        if (only && strcmp(r->path, only) != 0)
            continue;
        if (!r->nsample && only) {
            printf("# %s has no samples: lines of the log, and what they give, keep a recipe right\n", r->name);
        } else if (!r->nsample) {
            printf("not ok %d - %s has no samples\n", ++*n, r->name);
            ++*failed;
        }
        for (int k = 0; k < r->nsample; k++)
            *failed += !test_sample(set, r, k, ++*n, &cover);
        if (r->nsample && sl_cover_missing(&cover, r, &missing))
            comment("", &missing);
        sl_buf_free(&missing);
        sl_cover_free(&cover);
    }
    return EXIT_DONE;
}

struct tally {
    long records, used, unknown, rejected;
};

static void show_line(void *to, int64_t place, const char *text, size_t n, const char *came_to, int rule_line)
{
    struct tally *t = to;
    const char *end = memchr(text, '\n', n);
    struct sl_buf clean = {0};
    bool rejected = strstr(came_to, "reject ") == came_to || strstr(came_to, "\nreject ");

    t->records++;
    t->rejected += rejected;
    t->used += rule_line && !rejected;
    t->unknown += !rule_line && !rejected;
    sl_show_clean(&clean, text, end && (size_t)(end - text) < 160 ? (size_t)(end - text) : n < 160 ? n : 160);
    printf("%lld: %s\n", (long long)place, clean.s ? clean.s : "");
    if (rule_line)
        printf("    by the rule in line %d\n", rule_line);
    for (const char *s = came_to; *s;) {
        size_t len = strcspn(s, "\n");
        sl_buf_clear(&clean);
        sl_show_clean(&clean, s, len);
        printf("    %s\n", clean.s ? clean.s : "");
        s += len + (s[len] == '\n');
    }
    sl_buf_free(&clean);
}

static int test_log(const struct cli *cli, struct sl_recipes *set, const char *recipe, const char *log)
{
    struct tally t = {0};
    struct sl_err err = {0};
    struct sl_recipe *r = NULL;
    char *real = realpath(log, NULL);
    bool by_path;
    int rc;

    for (size_t i = 0; i < set->n; i++)
        if (!strcmp(set->v[i]->path, recipe))
            r = set->v[i];
    if (!r) {
        cli_say("%s holds no recipe", recipe);
        free(real);
        return EXIT_FAILED;
    }
    rc = sl_check_log(set, r, real ? real : log, &by_path, show_line, &t, &err);
    if (!by_path)
        cli_say("no files: pattern of %s takes %s: import would pass it over", recipe, log);
    printf("%ld records: %ld used, %ld unknown to all rules, %ld rejected\n", t.records, t.used, t.unknown, t.rejected);
    free(real);
    return rc ? cli_fail(cli, &err) : t.rejected ? EXIT_FAILED : EXIT_DONE;
}

static int no_recipe(const struct sl_recipes *set, const char *name)
{
    SL_VEC(const char *) names = {0};
    struct sl_buf near = {0};

    for (size_t i = 0; i < set->n; i++)
        *sl_vec_add(&names) = set->v[i]->name;
    sl_near_add(&near, names.v, names.n, name);
    cli_say("no recipe is called %s%s see them with: spanloom recipes", name, near.n ? near.s : ";");
    sl_buf_free(&near);
    sl_vec_free(&names);
    return EXIT_FAILED;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_recipes *set = sl_recipes_new();
    bool test = cli_option(cli, "test");
    struct sl_err err = {0};
    int rc, n = 0, failed = 0;

    set->samples = test;
    rc = sl_recipes_add_default(set, &err);
    if (!rc && test && argc)
        rc = sl_recipes_add_file(set, argv[0], &err);
    if (!rc)
        rc = sl_recipes_compile(set, &err);
    if (rc) {
        rc = cli_fail(cli, &err);
    } else if (argc > (test ? 2 : 1)) {
        rc = cli_usage(cli, "too many arguments");
    } else if (!test && !argc) {
        rc = list(cli, set);
    } else if (!test && !strcmp(argv[0], "names")) {
        show_names();
    } else if (!test) {
        const struct sl_recipe *r = sl_recipes_find(set, argv[0]);
        if (r) {
            fputs(r->text, stdout);
        } else {
            rc = no_recipe(set, argv[0]);
        }
    } else if (argc == 2) {
        rc = test_log(cli, set, argv[0], argv[1]);
    } else {
        test_samples(set, argc ? argv[0] : NULL, &n, &failed);
        printf("1..%d\n", n);
        rc = failed ? EXIT_FAILED : EXIT_DONE;
    }
    sl_recipes_free(set);
    return rc;
}

const struct command cmd_recipes = {
    .name = "recipes",
    .args = "[NAME | names | --test [FILE [LOG]]]",
    .help = "what formats are known; test your own",
    .options = options,
    .run = run,
};
