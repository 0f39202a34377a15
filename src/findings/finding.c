/* SPDX-License-Identifier: Apache-2.0 */
#include "findings/finding.h"
#include "recipe/yaml_keys.h"

#include <stdlib.h>

/* {COLUMN: {VALUE: TEXT}} */
static void read_words(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    struct sl_finding *f = to;
    size_t n = 0;

    if (!sl_yaml_is_map(c, y, "'words' must be a map of columns"))
        return;
    for (size_t i = 0; i < y->n; i++)
        if (sl_yaml_is_map(c, y->item[i], "words of a column must be a map of what it may hold"))
            n += y->item[i]->n;
    f->words = sl_arena_alloc(c->arena, (n + 1) * sizeof *f->words);
    for (size_t i = 0; i < y->n && !c->rc; i++)
        for (size_t k = 0; k < y->item[i]->n; k++)
            f->words[f->n_words++] =
                (struct sl_finding_words){.column = sl_yaml_text(c, y->key[i], "a column"),
                                          .value = sl_yaml_text(c, y->item[i]->key[k], "what a column holds"),
                                          .text = sl_yaml_text(c, y->item[i]->item[k], "words of a column")};
}

const char *const sl_repairs[] = {"", "setting", "workflow", "app", "nodes"};

static void read_repair(struct sl_yaml_check *c, const struct sl_yaml *y, void *finding)
{
    const char *word = sl_yaml_text(c, y, "a repair");
    struct sl_finding *f = finding;

    for (int i = SL_REPAIR_SETTING; i < SL_REPAIRS && word; i++)
        if (!strcmp(word, sl_repairs[i]))
            f->repair = (enum sl_repair)i;
    if (word && !f->repair)
        sl_yaml_fail(c, y, "a repair is setting, workflow, app or nodes, not '%s'", word);
}

static const struct sl_yaml_key keys[] = {
    SL_YAML_KEY("about", TEXT, struct sl_finding, about, .needed = true),
    SL_YAML_KEY("sql", TEXT, struct sl_finding, sql, .needed = true),
    SL_YAML_KEY("text", TEXT, struct sl_finding, text, .needed = true),
    SL_YAML_KEY("advice", TEXT, struct sl_finding, advice),
    SL_YAML_KEY("command", TEXT, struct sl_finding, command),
    {.name = "repair", .as = SL_YAML_READ, .read = read_repair},
    {.name = "words", .as = SL_YAML_READ, .read = read_words},
    SL_YAML_KEY("threshold", REAL, struct sl_finding, threshold, .unit = "%", .unit_is = 0.01),
    SL_YAML_KEY("at least", REAL, struct sl_finding, at_least_s, .unit = "s"),
    SL_YAML_KEY("instead", BOOL, struct sl_finding, instead),
    SL_YAML_KEY("note", BOOL, struct sl_finding, note),
    SL_YAML_KEY("usual", BOOL, struct sl_finding, usual),
    SL_YAML_KEY("of", BOOL, struct sl_finding, programs, .words = {"workflows", "programs"}),
    SL_YAML_KEY("tasks", BOOL, struct sl_finding, tasks),
};

static int add(void *findings, const char *path, const char *text, size_t n, struct sl_err *err)
{
    struct sl_findings *to = findings;
    struct sl_yaml_check c = {.path = path, .err = err, .arena = &to->files.arena};
    struct sl_finding f = {.name = sl_catalogue_name(&to->files, path),
                           .path = sl_arena_copy(&to->files.arena, path, strlen(path)),
                           .threshold = 0.02};
    struct sl_yaml *y = NULL;
    size_t at = 0;
    bool another;
    int rc = sl_yaml_parse(&y, text, n, path, err);

    if (rc)
        return rc;
    sl_yaml_keys(&c, y, "a finding", keys, sizeof keys / sizeof *keys, &f);
    f.note |= f.instead | f.usual;
    if (f.tasks && !f.programs)
        sl_yaml_fail(&c, sl_yaml_get(y, "tasks"), "'tasks' is for findings of programs");
    sl_yaml_free(y);
    if (c.rc)
        return c.rc;
    while (at < to->v.n && strcmp(to->v.v[at].name, f.name) < 0)
        at++;
    another = at == to->v.n || strcmp(to->v.v[at].name, f.name) != 0;
    if (another) {
        sl_vec_add(&to->v);
        memmove(&to->v.v[at + 1], &to->v.v[at], (to->v.n - 1 - at) * sizeof *to->v.v);
    }
    to->v.v[at] = f;
    return !another;
}

int sl_findings_load(struct sl_findings *out, struct sl_err *err)
{
    int rc = sl_catalogue_load(&out->files, sl_embedded_findings, "findings", add, out, err);

    if (rc)
        sl_findings_free(out);
    return rc;
}

void sl_findings_free(struct sl_findings *f)
{
    sl_vec_free(&f->v);
    sl_catalogue_free(&f->files);
    *f = (struct sl_findings){0};
}
