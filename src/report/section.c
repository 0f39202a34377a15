/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section.h"
#include "base/buf.h"
#include "base/embed.h"
#include "base/user_folder.h"
#include "recipe/yaml.h"

#include <stdlib.h>
#include <string.h>

static void check_keys(struct sl_yaml_check *c, const struct sl_yaml *y, const char *const *keys)
{
    struct sl_buf all = {0};

    for (size_t k = 0; keys[k]; k++)
        sl_buf_addf(&all, "%s%s", k ? ", " : "", keys[k]);
    for (size_t i = 0; i < y->n; i++) {
        size_t k = 0;
        while (keys[k] && strcmp(keys[k], y->key[i]->text) != 0)
            k++;
        if (!keys[k])
            sl_yaml_fail(c, y->key[i], "there is no key '%s'; there are %s", y->key[i]->text, all.s);
    }
    sl_buf_free(&all);
}

static const char *text_of(struct sl_sections *to, struct sl_yaml_check *c, const struct sl_yaml *y, const char *key,
                           bool needed)
{
    const struct sl_yaml *v = sl_yaml_get(y, key);
    size_t n = v && v->kind == SL_YAML_SCALAR ? v->n : 0;

    while (n && (v->text[n - 1] == '\n' || v->text[n - 1] == ' '))
        n--;
    if (n)
        return sl_arena_copy(&to->arena, v->text, n);
    if (v || needed)
        sl_yaml_fail(c, v ? v : y, "'%s' is a text", key);
    return NULL;
}

static void add_figure(struct sl_sections *to, struct sl_section *s, struct sl_yaml_check *c,
                       const struct sl_yaml *name, const struct sl_yaml *y)
{
    static const char *const keys[] = {"about", "sql", "answer", "note", NULL};
    struct sl_figure *f;

    if (!sl_yaml_is_map(c, y, "a figure is a map with about, and sql or answer"))
        return;
    check_keys(c, y, keys);
    f = sl_vec_add(&s->figure);
    *f = (struct sl_figure){.name = sl_arena_copy(&to->arena, name->text, name->n),
                            .about = text_of(to, c, y, "about", true),
                            .sql = text_of(to, c, y, "sql", false),
                            .answer = text_of(to, c, y, "answer", false),
                            .note = text_of(to, c, y, "note", false)};
    if (!f->sql == !f->answer)
        sl_yaml_fail(c, y, "a figure has sql, or answer");
}

static double place_of(struct sl_yaml_check *c, const struct sl_yaml *y)
{
    const struct sl_yaml *v = sl_yaml_get(y, "place");
    char *end = NULL;
    double d = v && v->kind == SL_YAML_SCALAR ? strtod(v->text, &end) : 0;

    if (v && (!end || end == v->text || *end || d - d != 0))
        sl_yaml_fail(c, v, "'place' is a number");
    return v ? d : 1000;
}

static bool is_of_store(struct sl_yaml_check *c, const struct sl_yaml *y)
{
    const struct sl_yaml *v = sl_yaml_get(y, "of");
    bool store = v && v->kind == SL_YAML_SCALAR && !strcmp(v->text, "store");

    if (v && !store && (v->kind != SL_YAML_SCALAR || strcmp(v->text, "run") != 0))
        sl_yaml_fail(c, v, "'of' is run or store");
    return store;
}

static bool is_before(const struct sl_section *a, const struct sl_section *b)
{
    return a->place != b->place ? a->place < b->place : strcmp(a->name, b->name) < 0;
}

/* In its place; of one name the last counts. */
static void put(struct sl_sections *to, const struct sl_section *s)
{
    size_t at = 0;

    while (at < to->v.n && strcmp(to->v.v[at].name, s->name) != 0)
        at++;
    if (at < to->v.n) {
        sl_vec_free(&to->v.v[at].figure);
        memmove(&to->v.v[at], &to->v.v[at + 1], (--to->v.n - at) * sizeof *to->v.v);
    }
    sl_vec_add(&to->v);
    for (at = to->v.n - 1; at > 0 && is_before(s, &to->v.v[at - 1]); at--)
        to->v.v[at] = to->v.v[at - 1];
    to->v.v[at] = *s;
}

int sl_sections_add(struct sl_sections *to, const char *path, const char *text, size_t n, struct sl_err *err)
{
    static const char *const keys[] = {"title", "about", "needs", "place", "of", "figures", NULL};
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct sl_yaml_check c = {.path = path, .err = err};
    const struct sl_yaml *figures;
    struct sl_yaml *y = NULL;
    struct sl_section s;
    int rc = sl_yaml_parse(&y, text, n, path, err);

    if (rc)
        return rc;
    if (!sl_yaml_is_map(&c, y, "a section is a map with title, about and figures")) {
        sl_yaml_free(y);
        return c.rc;
    }
    check_keys(&c, y, keys);
    s = (struct sl_section){.name = sl_arena_copy(&to->arena, base, strcspn(base, ".")),
                            .path = sl_arena_copy(&to->arena, path, strlen(path)),
                            .title = text_of(to, &c, y, "title", true),
                            .about = text_of(to, &c, y, "about", true),
                            .needs = text_of(to, &c, y, "needs", false),
                            .place = place_of(&c, y),
                            .of_store = is_of_store(&c, y)};
    figures = sl_yaml_get(y, "figures");
    if (!figures)
        sl_yaml_fail(&c, y, "'figures' is missing: a map, by their names");
    else if (sl_yaml_is_map(&c, figures, "'figures' is a map, by their names"))
        for (size_t i = 0; i < figures->n; i++)
            add_figure(to, &s, &c, figures->key[i], figures->item[i]);
    sl_yaml_free(y);
    if (c.rc)
        sl_vec_free(&s.figure);
    else
        put(to, &s);
    return c.rc;
}

static int add_file(struct sl_sections *to, const char *path, struct sl_err *err)
{
    struct sl_buf b = {0};
    int why = sl_yaml_read(&b, path);
    int rc = why ? sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(why))
                 : sl_sections_add(to, path, b.n ? b.s : "", b.n, err);

    sl_buf_free(&b);
    return rc;
}

int sl_sections_load(struct sl_sections *out, struct sl_err *err)
{
    struct sl_buf folder = {0}, path = {0};
    struct sl_folder_names in = {0};
    int rc = 0;

    for (const struct sl_embedded *f = sl_embedded_report; f->name && !rc; f++) {
        sl_buf_clear(&path);
        sl_buf_addf(&path, "report/%s", f->name);
        rc = sl_sections_add(out, path.s, f->data, f->size, err);
    }
    if (!rc)
        rc = sl_user_folder_read(&in, &folder, "report", err);
    for (size_t i = 0; i < in.name.n && !rc; i++) {
        size_t n = strlen(in.name.v[i]);
        struct sl_err one = {0};
        if (*in.name.v[i] == '.' || n <= 5 || strcmp(in.name.v[i] + n - 5, ".yaml") != 0)
            continue;
        sl_buf_clear(&path);
        sl_buf_addf(&path, "%s/%s", folder.s, in.name.v[i]);
        if (add_file(out, path.s, &one))
            *sl_vec_add(&out->problem) = sl_arena_copy(&out->arena, one.text, strlen(one.text));
    }
    sl_folder_free(&in);
    sl_buf_free(&folder);
    sl_buf_free(&path);
    if (rc)
        sl_sections_free(out);
    return rc;
}

void sl_sections_free(struct sl_sections *s)
{
    for (size_t i = 0; i < s->v.n; i++)
        sl_vec_free(&s->v.v[i].figure);
    sl_vec_free(&s->v);
    sl_vec_free(&s->problem);
    sl_arena_free(&s->arena);
    *s = (struct sl_sections){0};
}
