/* SPDX-License-Identifier: Apache-2.0 */
#include "findings/finding.h"
#include "base/buf.h"
#include "base/embed.h"
#include "base/user_folder.h"
#include "recipe/yaml.h"

#include <stdlib.h>
#include <string.h>

static const char *const keys[] = {"about",    "sql",  "text",    "advice", "command", "threshold",
                                   "at least", "note", "instead", "tasks",  "usual",   "of"};

static const char *text_of(struct sl_findings *to, struct sl_yaml_check *c, const struct sl_yaml *y, const char *key,
                           bool needed)
{
    const struct sl_yaml *v = sl_yaml_get(y, key);

    if (v && v->kind == SL_YAML_SCALAR && v->n)
        return sl_arena_copy(&to->arena, v->text, v->n);
    if (v || needed)
        sl_yaml_fail(c, v, "'%s' is a text", key);
    return NULL;
}

/* "5 %" or "0.05" of the makespan, or seconds, "10 s". */
static double number_of(struct sl_yaml_check *c, const struct sl_yaml *y, const char *key, const char *unit,
                        double unit_is, double otherwise)
{
    const struct sl_yaml *v = sl_yaml_get(y, key);
    const char *s = v && v->kind == SL_YAML_SCALAR ? v->text : NULL;
    char *end;
    double d;

    if (!v)
        return otherwise;
    d = s ? strtod(s, &end) : -1;
    if (s && end != s && d >= 0) {
        while (*end == ' ')
            end++;
        if (!strcmp(end, unit))
            return d * unit_is;
    }
    sl_yaml_fail(c, v, "'%s' is a number of '%s', such as 5 %s", key, unit, unit);
    return otherwise;
}

static bool truth_of(struct sl_yaml_check *c, const struct sl_yaml *y, const char *key)
{
    static const char *const words[] = {"no", "false", "yes", "true"};
    const struct sl_yaml *v = sl_yaml_get(y, key);

    if (!v)
        return false;
    for (int i = 0; i < 4 && v->kind == SL_YAML_SCALAR; i++)
        if (!strcmp(v->text, words[i]))
            return i >= 2;
    sl_yaml_fail(c, v, "'%s' is yes or no", key);
    return false;
}

/* What its SQL asks. */
static bool is_of_programs(struct sl_yaml_check *c, const struct sl_yaml *y)
{
    const struct sl_yaml *v = sl_yaml_get(y, "of");
    bool programs = v && v->kind == SL_YAML_SCALAR && !strcmp(v->text, "programs");

    if (v && !programs && (v->kind != SL_YAML_SCALAR || strcmp(v->text, "workflows") != 0))
        sl_yaml_fail(c, v, "'of' is workflows or programs");
    return programs;
}

static void check_keys(struct sl_yaml_check *c, const struct sl_yaml *y)
{
    for (size_t i = 0; i < y->n; i++) {
        size_t k = 0, n = sizeof keys / sizeof *keys;
        while (k < n && strcmp(keys[k], y->key[i]->text) != 0)
            k++;
        if (k == n)
            sl_yaml_fail(c, y->key[i],
                         "there is no key '%s'; there are about, of, sql, text, advice, command, threshold, at least, "
                         "note, instead, tasks, usual",
                         y->key[i]->text);
    }
}

int sl_findings_add(struct sl_findings *to, const char *path, const char *text, size_t n, struct sl_err *err)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct sl_yaml_check c = {.path = path, .err = err};
    struct sl_yaml *y = NULL;
    struct sl_finding f;
    size_t at = 0;
    int rc = sl_yaml_parse(&y, text, n, path, err);

    if (rc)
        return rc;
    if (!sl_yaml_is_map(&c, y, "a finding is a map with about, sql and text")) {
        sl_yaml_free(y);
        return c.rc;
    }
    check_keys(&c, y);
    f = (struct sl_finding){.name = sl_arena_copy(&to->arena, base, strcspn(base, ".")),
                            .path = sl_arena_copy(&to->arena, path, strlen(path)),
                            .about = text_of(to, &c, y, "about", true),
                            .sql = text_of(to, &c, y, "sql", true),
                            .text = text_of(to, &c, y, "text", true),
                            .advice = text_of(to, &c, y, "advice", false),
                            .command = text_of(to, &c, y, "command", false),
                            .threshold = number_of(&c, y, "threshold", "%", 0.01, 0.02),
                            .at_least_s = number_of(&c, y, "at least", "s", 1, 0),
                            .instead = truth_of(&c, y, "instead"),
                            .note = truth_of(&c, y, "note"),
                            .usual = truth_of(&c, y, "usual"),
                            .tasks = truth_of(&c, y, "tasks"),
                            .programs = is_of_programs(&c, y)};
    f.note |= f.instead | f.usual;
    if (f.tasks && !f.programs)
        sl_yaml_fail(&c, sl_yaml_get(y, "tasks"), "'tasks' is for findings of programs");
    sl_yaml_free(y);
    if (c.rc)
        return c.rc;
    while (at < to->v.n && strcmp(to->v.v[at].name, f.name) < 0)
        at++;
    if (at == to->v.n || strcmp(to->v.v[at].name, f.name) != 0) {
        sl_vec_add(&to->v);
        memmove(&to->v.v[at + 1], &to->v.v[at], (to->v.n - 1 - at) * sizeof *to->v.v);
    }
    to->v.v[at] = f;
    return 0;
}

static int add_file(struct sl_findings *to, const char *path, struct sl_err *err)
{
    struct sl_buf b = {0};
    int why = sl_yaml_read(&b, path);
    int rc = why ? sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(why))
                 : sl_findings_add(to, path, b.n ? b.s : "", b.n, err);

    sl_buf_free(&b);
    return rc;
}

/* words: behind the path. */
static void notice(struct sl_findings *to, const char *path, const char *words)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s %s", path, words);
    *sl_vec_add(&to->notice) = sl_arena_copy(&to->arena, b.s, b.n);
    sl_buf_free(&b);
}

int sl_findings_load(struct sl_findings *out, struct sl_err *err)
{
    struct sl_buf folder = {0}, path = {0};
    struct sl_folder_names in = {0};
    size_t before;
    int rc = 0;

    for (const struct sl_embedded *f = sl_embedded_findings; f->name && !rc; f++) {
        sl_buf_clear(&path);
        sl_buf_addf(&path, "findings/%s", f->name);
        rc = sl_findings_add(out, path.s, f->data, f->size, err);
    }
    if (!rc)
        rc = sl_user_folder_read(&in, &folder, "findings", err);
    for (size_t i = 0; i < in.name.n && !rc; i++) {
        size_t n = strlen(in.name.v[i]);
        struct sl_err one = {0};
        if (*in.name.v[i] == '.')
            continue;
        sl_buf_clear(&path);
        sl_buf_addf(&path, "%s/%s", folder.s, in.name.v[i]);
        if (n <= 5 || strcmp(in.name.v[i] + n - 5, ".yaml") != 0) {
            notice(out, path.s, "is not read: findings are files NAME.yaml");
            continue;
        }
        before = out->v.n;
        if (add_file(out, path.s, &one))
            *sl_vec_add(&out->problem) = sl_arena_copy(&out->arena, one.text, strlen(one.text));
        else if (out->v.n == before)
            notice(out, path.s, "takes the place of the finding of that name");
    }
    sl_folder_free(&in);
    sl_buf_free(&folder);
    sl_buf_free(&path);
    if (rc)
        sl_findings_free(out);
    return rc;
}

void sl_findings_free(struct sl_findings *f)
{
    sl_vec_free(&f->v);
    sl_vec_free(&f->problem);
    sl_vec_free(&f->notice);
    sl_arena_free(&f->arena);
    *f = (struct sl_findings){0};
}
