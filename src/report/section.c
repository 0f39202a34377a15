/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section.h"
#include "recipe/yaml_keys.h"

#include <stdlib.h>

/* A section that says nothing of its place is behind all of ours. */
enum { LAST_PLACE = 1000 };

static void read_figures(struct sl_yaml_check *c, const struct sl_yaml *y, void *section)
{
    static const struct sl_yaml_key keys[] = {
        SL_YAML_KEY("about", TEXT, struct sl_figure, about, .needed = true),
        SL_YAML_KEY("sql", TEXT, struct sl_figure, sql),
        SL_YAML_KEY("answer", TEXT, struct sl_figure, answer),
        SL_YAML_KEY("note", TEXT, struct sl_figure, note),
    };
    struct sl_section *s = section;

    if (!sl_yaml_is_map(c, y, "'figures' is a map, by their names"))
        return;
    for (size_t i = 0; i < y->n && !c->rc; i++) {
        struct sl_figure *f = sl_vec_add(&s->figure);
        f->name = sl_yaml_text(c, y->key[i], "a figure's name");
        sl_yaml_keys(c, y->item[i], "a figure", keys, sizeof keys / sizeof *keys, f);
        if (!f->sql == !f->answer)
            sl_yaml_fail(c, y->item[i], "a figure has sql, or answer");
    }
}

static const struct sl_yaml_key keys[] = {
    SL_YAML_KEY("title", TEXT, struct sl_section, title, .needed = true),
    SL_YAML_KEY("about", TEXT, struct sl_section, about, .needed = true),
    SL_YAML_KEY("needs", TEXT, struct sl_section, needs),
    SL_YAML_KEY("place", REAL, struct sl_section, place),
    SL_YAML_KEY("of", BOOL, struct sl_section, of_store, .words = {"run", "store"}),
    {.name = "figures", .as = SL_YAML_READ, .needed = true, .read = read_figures},
};

static bool is_before(const struct sl_section *a, const struct sl_section *b)
{
    return a->place != b->place ? a->place < b->place : strcmp(a->name, b->name) < 0;
}

/* In its place; of one name the last counts.  Was there another? */
static bool put(struct sl_sections *to, const struct sl_section *s)
{
    size_t at = 0;
    bool another;

    while (at < to->v.n && strcmp(to->v.v[at].name, s->name) != 0)
        at++;
    another = at < to->v.n;
    if (another) {
        sl_vec_free(&to->v.v[at].figure);
        memmove(&to->v.v[at], &to->v.v[at + 1], (--to->v.n - at) * sizeof *to->v.v);
    }
    sl_vec_add(&to->v);
    for (at = to->v.n - 1; at > 0 && is_before(s, &to->v.v[at - 1]); at--)
        to->v.v[at] = to->v.v[at - 1];
    to->v.v[at] = *s;
    return another;
}

static int add(void *sections, const char *path, const char *text, size_t n, struct sl_err *err)
{
    struct sl_sections *to = sections;
    struct sl_yaml_check c = {.path = path, .err = err, .arena = &to->files.arena};
    struct sl_section s = {.name = sl_catalogue_name(&to->files, path),
                           .path = sl_arena_copy(&to->files.arena, path, strlen(path)),
                           .place = LAST_PLACE};
    struct sl_yaml *y = NULL;
    int rc = sl_yaml_parse(&y, text, n, path, err);

    if (rc)
        return rc;
    sl_yaml_keys(&c, y, "a section", keys, sizeof keys / sizeof *keys, &s);
    sl_yaml_free(y);
    if (!c.rc)
        return put(to, &s);
    sl_vec_free(&s.figure);
    return c.rc;
}

int sl_sections_load(struct sl_sections *out, struct sl_err *err)
{
    int rc = sl_catalogue_load(&out->files, sl_embedded_report, "report", add, out, err);

    if (rc)
        sl_sections_free(out);
    return rc;
}

void sl_sections_free(struct sl_sections *s)
{
    for (size_t i = 0; i < s->v.n; i++)
        sl_vec_free(&s->v.v[i].figure);
    sl_vec_free(&s->v);
    sl_catalogue_free(&s->files);
}
