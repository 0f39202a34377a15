/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One recipe from YAML to what the engine runs.  Longer than 600 lines: there is one function for each key of the
 * language, all alike, and reading them in one place is how the language is learnt.
 */
#include "base/buf.h"
#include "recipe/reader.h"
#include "recipe/recipe_internal.h"

#include <stdio.h>
#include <stdlib.h>

struct compile {
    struct sl_recipes *set;
    struct sl_recipe *r;
    struct sl_err *err;
    char where[300];
    bool failed;
};

static void fail(struct compile *c, const struct sl_yaml *y, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void fail(struct compile *c, const struct sl_yaml *y, const char *fmt, ...)
{
    char text[600];
    va_list ap;

    if (c->failed)
        return; /* the first one counts */
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    sl_err(c->err, SL_EFORMAT, "%s:%d: %s", c->r->path, y ? y->line : 1, text);
    c->failed = true;
}

static const char *where(struct compile *c, const struct sl_yaml *y)
{
    snprintf(c->where, sizeof c->where, "%s:%d", c->r->path, y->line);
    return c->where;
}

/* Of the recipe, and zeroed. */
static void *room(struct compile *c, size_t n, size_t size)
{
    void *p = sl_arena_alloc(&c->r->arena, n * size);

    memset(p, 0, n * size);
    return p;
}

/* v, with room for one more behind its n: room doubles at powers of two. */
static void *grown(struct compile *c, void *v, int n, size_t size)
{
    void *more;

    if (n & (n - 1))
        return v;
    more = room(c, n ? 2 * (size_t)n : 1, size);
    if (n)
        memcpy(more, v, (size_t)n * size);
    return more;
}

static const char *text_of(struct compile *c, const struct sl_yaml *y, const char *what)
{
    if (y && y->kind == SL_YAML_SCALAR)
        return y->text;
    fail(c, y, "%s must be a text", what);
    return "";
}

/* A scalar counts as a list of one; nothing as a list of none. */
static size_t list_len(const struct sl_yaml *y)
{
    return !y ? 0 : y->kind == SL_YAML_LIST ? y->n : 1;
}

static const struct sl_yaml *list_item(const struct sl_yaml *y, size_t i)
{
    return y->kind == SL_YAML_LIST ? y->item[i] : y;
}

static void known_keys(struct compile *c, const struct sl_yaml *y, const char *what, const char *keys)
{
    if (y->kind != SL_YAML_MAP) {
        fail(c, y, "%s must be a map", what);
        return;
    }
    for (size_t i = 0; i < y->n; i++) {
        char word[64];
        snprintf(word, sizeof word, " %s ", y->key[i]->text);
        if (!strstr(keys, word))
            fail(c, y->key[i], "unknown key '%s' in %s; known:%s", y->key[i]->text, what, keys);
    }
}

static bool flag(struct compile *c, const struct sl_yaml *y, const char *what)
{
    const char *t = y ? text_of(c, y, what) : "false";

    if (strcmp(t, "true") != 0 && strcmp(t, "false") != 0)
        fail(c, y, "%s must be true or false", what);
    return !strcmp(t, "true");
}

/* ---- fields, templates, names ---- */

static int field(struct compile *c, const char *name, size_t n)
{
    return (int)sl_intern(&c->r->fields, name, n) - 1;
}

static int field_of(struct compile *c, const struct sl_yaml *y, const char *what)
{
    const char *name = text_of(c, y, what);
    return field(c, name, strlen(name));
}

static struct sl_template compile_template(struct compile *c, const struct sl_yaml *y, const char *s)
{
    struct sl_template t = {0};

    while (*s) {
        const char *open = strchr(s, '{'), *end = open ? strchr(open, '}') : NULL;
        /* JSON-like braces and quantifiers are plain text: a field is one word */
        size_t lit = open == s ? 0 : open ? (size_t)(open - s) : strlen(s);
        t.part = grown(c, t.part, t.n, sizeof *t.part);
        if (lit) {
            t.part[t.n++] = (struct sl_template_part){sl_arena_copy(&c->r->arena, s, lit), (uint32_t)lit, -1};
            s += lit;
            continue;
        }
        if (!end || end == open + 1) {
            fail(c, y, "'{' without a field and '}': %s", s);
            break;
        }
        t.part[t.n++] = (struct sl_template_part){NULL, 0, field(c, open + 1, (size_t)(end - open - 1))};
        s = end + 1;
    }
    return t;
}

/* The template that is this field alone. */
static const char *braced(struct compile *c, const char *field)
{
    size_t n = strlen(field);
    char *t = room(c, n + 3, 1);

    t[0] = '{';
    memcpy(t + 1, field, n);
    t[n + 1] = '}';
    return t;
}

static struct sl_named compile_name(struct compile *c, const struct sl_yaml *y, const char *s)
{
    struct sl_named n = {.t = compile_template(c, y, s)};

    if (n.t.n == 1 && n.t.part[0].field < 0)
        n.id = sl_intern(&c->set->names, s, strlen(s));
    else if (n.t.n == 0)
        fail(c, y, "an empty name");
    return n;
}

typedef int compile_fn(struct sl_pattern *p, const char *text, const char *where, struct sl_err *err);

/* p stays where it is, until the recipe is freed. */
static void compile_pattern(struct compile *c, compile_fn *compile, struct sl_pattern *p, const struct sl_yaml *y,
                            const char *text)
{
    if (c->failed)
        return;
    *sl_vec_add(&c->r->patterns) = p;
    c->failed = compile(p, text, where(c, y), c->err) != 0;
}

/* ---- mentions ---- */

static const struct sl_alias_decl *find_alias(struct compile *c, const char *alias)
{
    const struct sl_alias_decl *found = NULL;

    for (size_t i = 0; i < c->set->aliases.n; i++) {
        const struct sl_alias_decl *d = &c->set->aliases.v[i];
        if (!strcmp(d->alias, alias) && (d->only == c->r || (!d->only && !found)))
            found = d;
    }
    return found;
}

static int mention(struct compile *c, const struct sl_yaml *y, const char *alias, int depth)
{
    const struct sl_alias_decl *d = find_alias(c, alias);
    struct sl_mention m = {.parent = -1};

    for (int i = 0; i < c->r->nmention; i++)
        if (!strcmp(c->r->mention[i].alias, alias))
            return i;
    if (!d) {
        fail(c, y, "no span is called '%s'; declare it under spans: here or in a names file", alias);
        return 0;
    }
    if (depth > 30) {
        fail(c, y, "span %s lies in itself (in: goes round in a circle, %s)", alias, d->where);
        return 0;
    }
    m.alias = d->alias;
    if (d->in)
        m.parent = mention(c, y, d->in, depth + 1);
    m.type = compile_name(c, y, d->type);
    m.key = compile_template(c, y, d->key);
    if (d->otherwise)
        m.otherwise = compile_template(c, y, d->otherwise);
    if (m.key.n == 0)
        fail(c, y, "span %s has an empty key (%s)", alias, d->where);
    c->r->mention = grown(c, c->r->mention, c->r->nmention, sizeof m);
    c->r->mention[c->r->nmention] = m;
    return c->r->nmention++;
}

static struct sl_ref ref(struct compile *c, const struct sl_yaml *y, const char *text)
{
    bool weak = *text == '~';
    return (struct sl_ref){mention(c, y, text + weak, 0), weak};
}

/* ---- inputs ---- */

static const char input_keys[] = " files named reader holds begins whole zone head times text comment tables rows sep "
                                 "columns empty defaults json pairs ";

static void compile_times(struct compile *c, struct sl_input *in, const struct sl_yaml *y)
{
    size_t n = 0;

    if (!y)
        return;
    if (y->kind != SL_YAML_MAP) {
        fail(c, y, "times must be a map {field: format}");
        return;
    }
    for (size_t i = 0; i < y->n; i++)
        n += list_len(y->item[i]);
    in->time = room(c, n, sizeof *in->time);
    for (size_t i = 0; i < y->n; i++)
        for (size_t k = 0; k < list_len(y->item[i]); k++) {
            const struct sl_yaml *v = list_item(y->item[i], k);
            struct sl_time_of *t = &in->time[in->ntime++];
            t->field = field(c, y->key[i]->text, y->key[i]->n);
            if (!sl_time_format(&t->format, text_of(c, v, "a time format")))
                fail(c, v,
                     "unknown time format '%s'; known: unix, unix_ms, unix_us, unix_ns, iso, or a pattern with %%",
                     v->text);
        }
}

static void compile_tables(struct compile *c, struct sl_input *in, const struct sl_yaml *y)
{
    if (!y)
        return;
    if (y->kind != SL_YAML_MAP) {
        fail(c, y, "tables must be a map {table: {field: column}}");
        return;
    }
    in->table = room(c, y->n, sizeof *in->table);
    for (size_t i = 0; i < y->n; i++) {
        struct sl_input_table *t = &in->table[in->ntable++];
        const struct sl_yaml *m = y->item[i];
        t->name = y->key[i]->text;
        if (m->kind != SL_YAML_MAP) {
            fail(c, m, "table %s needs {field: column} (or {})", t->name);
            return;
        }
        t->rename = room(c, m->n, sizeof *t->rename);
        for (size_t k = 0; k < m->n; k++)
            t->rename[t->nrename++] =
                (struct sl_rename){field(c, m->key[k]->text, m->key[k]->n), text_of(c, m->item[k], "a column")};
    }
}

static const char **compile_texts(struct compile *c, int *n, const struct sl_yaml *y, const char *what)
{
    const char **v = room(c, list_len(y) + 1, sizeof *v);

    for (size_t i = 0; i < list_len(y); i++)
        v[(*n)++] = text_of(c, list_item(y, i), what);
    return v;
}

static char compile_sep(struct compile *c, const struct sl_yaml *y)
{
    const char *t = y ? text_of(c, y, "sep") : ",";

    if (!strcmp(t, "\\t"))
        return '\t';
    if (!*t || t[1] || *t == '"' || *t == '\n' || *t == '\r')
        fail(c, y, "sep must be one character, and not a quote or a line end: \",\", \";\", \"|\" or \"\\t\"");
    return *t;
}

static void compile_row_pairs(struct compile *c, struct sl_input *in, const struct sl_yaml *y)
{
    const struct sl_yaml *name = y ? sl_yaml_get(y, "name") : NULL, *value = y ? sl_yaml_get(y, "value") : NULL;

    if (!y)
        return;
    if (!name || !value || y->n != 2) {
        fail(c, y, "pairs needs {name: key, value: key}");
        return;
    }
    in->pair_name = text_of(c, name, "name");
    in->pair_value = text_of(c, value, "value");
}

static void compile_input(struct compile *c, struct sl_input *in, const struct sl_yaml *y)
{
    const struct sl_yaml *v;

    in->line = y->line;
    in->text = -1;
    known_keys(c, y, "an input", input_keys);
    if (c->failed)
        return;
    v = sl_yaml_get(y, "files");
    if (!v)
        fail(c, y, "an input needs files:");
    in->files = room(c, list_len(v), sizeof *in->files);
    in->files_text = room(c, list_len(v), sizeof *in->files_text);
    for (size_t i = 0; i < list_len(v) && !c->failed; i++, in->nfiles++) {
        in->files_text[i] = text_of(c, list_item(v, i), "files");
        compile_pattern(c, sl_pattern_compile_path, &in->files[i], v, in->files_text[i]);
    }
    v = sl_yaml_get(y, "reader");
    in->reader = v ? sl_reader_find(text_of(c, v, "reader")) : NULL;
    if (!in->reader) {
        struct sl_buf known = {0};
        for (int i = 0; sl_readers[i]; i++)
            sl_buf_addf(&known, " %s", sl_readers[i]->name);
        fail(c, v ? v : y, "an input needs reader: one of%s", known.s);
        sl_buf_free(&known);
        return;
    }
    for (size_t i = 0; i < y->n; i++) {
        char word[64];
        snprintf(word, sizeof word, " %s ", y->key[i]->text);
        if (!strstr(" files named reader holds begins whole zone times ", word) && !strstr(in->reader->keys, word))
            fail(c, y->key[i], "reader %s does not know '%s'; it knows:%s", in->reader->name, y->key[i]->text,
                 in->reader->keys);
    }
    v = sl_yaml_get(y, "head");
    in->head = room(c, list_len(v), sizeof *in->head);
    in->bare = room(c, list_len(v), sizeof *in->bare);
    for (size_t i = 0; i < list_len(v) && !c->failed; i++, in->nhead++) {
        const char *t = text_of(c, list_item(v, i), "head");
        if (*t != '^')
            fail(c, list_item(v, i), "head must begin with ^: it says how a record begins");
        compile_pattern(c, sl_pattern_compile, &in->head[i], list_item(v, i), t);
        compile_pattern(c, sl_pattern_compile_bare, &in->bare[i], list_item(v, i), t);
    }
    compile_times(c, in, sl_yaml_get(y, "times"));
    if ((v = sl_yaml_get(y, "text")))
        in->text = field_of(c, v, "text");
    if ((v = sl_yaml_get(y, "comment")))
        in->comment = text_of(c, v, "comment");
    if ((v = sl_yaml_get(y, "rows")))
        in->rows = text_of(c, v, "rows");
    in->zone_s = INT32_MIN;
    if ((v = sl_yaml_get(y, "zone")) && (in->zone_s = sl_zone_offset(text_of(c, v, "zone"))) == INT32_MIN)
        fail(c, v, "zone must be an offset such as \"+05:30\" or Z");
    in->whole = flag(c, sl_yaml_get(y, "whole"), "whole");
    in->named = flag(c, sl_yaml_get(y, "named"), "named");
    if ((v = sl_yaml_get(y, "begins")))
        in->begins = true;
    if (v && sl_yaml_get(y, "holds"))
        fail(c, v, "an input has either holds: or begins:");
    if (v || (v = sl_yaml_get(y, "holds")))
        in->holds = compile_texts(c, &in->nholds, v, "holds");
    for (int i = 0; i < in->nholds; i++)
        if (!*in->holds[i])
            fail(c, v, "holds: and begins: need a text");
    in->sep = compile_sep(c, sl_yaml_get(y, "sep"));
    in->empty = compile_texts(c, &in->nempty, sl_yaml_get(y, "empty"), "empty");
    in->columns = compile_texts(c, &in->ncolumns, sl_yaml_get(y, "columns"), "columns");
    in->json = compile_texts(c, &in->njson, sl_yaml_get(y, "json"), "json");
    compile_row_pairs(c, in, sl_yaml_get(y, "pairs"));
    if ((v = sl_yaml_get(y, "defaults"))) {
        if (v->kind != SL_YAML_MAP) {
            fail(c, v, "defaults must be a map");
            return;
        }
        in->defaults = room(c, v->n, sizeof *in->defaults);
        for (size_t i = 0; i < v->n; i++)
            in->defaults[in->ndefaults++] =
                (struct sl_default){field(c, v->key[i]->text, v->key[i]->n), text_of(c, v->item[i], "a default")};
    }
    compile_tables(c, in, sl_yaml_get(y, "tables"));
}

/* ---- rules ---- */

static const char rule_keys[] =
    " match when each span mention event attrs samples in facet after flow wrote keep look count share skip reject "
    "raw also ";

static void compile_when(struct compile *c, struct sl_rule *u, const struct sl_yaml *y)
{
    if (!y)
        return;
    if (y->kind != SL_YAML_MAP) {
        fail(c, y, "when must be a map {field: value, list or /pattern/}");
        return;
    }
    u->when = room(c, y->n, sizeof *u->when);
    for (size_t i = 0; i < y->n && !c->failed; i++) {
        struct sl_when *w = &u->when[u->nwhen++];
        const struct sl_yaml *v = y->item[i];
        w->field = field(c, y->key[i]->text, y->key[i]->n);
        if (v->kind == SL_YAML_SCALAR && v->n >= 2 && v->text[0] == '/' && v->text[v->n - 1] == '/') {
            char *re = sl_strndup(v->text + 1, v->n - 2);
            compile_pattern(c, sl_pattern_compile, &w->pattern, v, re);
            free(re);
            continue;
        }
        w->is = room(c, list_len(v) + 1, sizeof *w->is);
        for (size_t k = 0; k < list_len(v); k++)
            w->is[w->nis++] = text_of(c, list_item(v, k), "a condition");
        if (!w->nis)
            fail(c, v, "an empty condition is never true");
    }
}

static struct sl_rule_event event_at(struct compile *c, const struct sl_yaml *name, const struct sl_yaml *time)
{
    static const char what[] = "an event's time";
    struct sl_rule_event e = {compile_name(c, name, name->text), -1, -1};

    if (time->kind != SL_YAML_LIST) {
        e.time = field_of(c, time, what);
    } else if (time->n != 2) {
        fail(c, time, "an event's time is one field, or the later of two");
    } else {
        e.time = field_of(c, time->item[0], what);
        e.other = field_of(c, time->item[1], what);
    }
    return e;
}

static void compile_events(struct compile *c, struct sl_rule *u, const struct sl_yaml *y)
{
    if (!y)
        return;
    if (u->span.mention < 0)
        fail(c, y, "an event needs span: on which it happens");
    if (y->kind == SL_YAML_SCALAR) {
        u->event = room(c, 1, sizeof *u->event);
        u->event[u->nevent++] = (struct sl_rule_event){compile_name(c, y, y->text), -1, -1};
    } else if (y->kind == SL_YAML_MAP) {
        u->event = room(c, y->n, sizeof *u->event);
        for (size_t i = 0; i < y->n; i++)
            u->event[u->nevent++] = event_at(c, y->key[i], y->item[i]);
    } else {
        fail(c, y, "event must be a name or a map {name: time field or a list of two}");
    }
}

/* A list of fields, a map {name: template}, or "*". */
static void compile_pairs(struct compile *c, struct sl_rule *u, struct sl_pairs *p, const struct sl_yaml *y,
                          const char *what)
{
    struct sl_buf shape = {0};
    bool known = true;

    if (!y)
        return;
    if (u->span.mention < 0)
        fail(c, y, "%s need span: to which they belong", what);
    if (y->kind == SL_YAML_SCALAR && !strcmp(y->text, "*")) {
        p->all = true;
        return;
    }
    p->v = room(c, y->n + 1, sizeof *p->v);
    for (size_t i = 0; i < (y->kind == SL_YAML_MAP ? y->n : list_len(y)); i++) {
        struct sl_pair *v = &p->v[p->n++];
        if (y->kind == SL_YAML_MAP) {
            v->name = compile_name(c, y->key[i], y->key[i]->text);
            v->value = compile_template(c, y->item[i], text_of(c, y->item[i], what));
        } else {
            const char *t = text_of(c, list_item(y, i), what);
            v->name = compile_name(c, list_item(y, i), t);
            v->value = compile_template(c, list_item(y, i), braced(c, t));
        }
        if (v->name.id)
            sl_buf_add(&shape, sl_intern_text(&c->set->names, v->name.id),
                       sl_intern_len(&c->set->names, v->name.id) + 1);
        else
            known = false;
    }
    if (known && shape.n)
        p->shape = sl_intern(&c->set->shapes, shape.s, shape.n);
    sl_buf_free(&shape);
}

/* {child: parent or [parents]}: in the order in which the links are stored, left contains, or waited for, right. */
static void compile_relations(struct compile *c, struct sl_rule *u, enum sl_link_kind kind, const struct sl_yaml *y)
{
    if (!y)
        return;
    if (y->kind != SL_YAML_MAP) {
        fail(c, y, "in, facet, after and flow are maps {span: span}");
        return;
    }
    for (size_t i = 0; i < y->n; i++)
        for (size_t k = 0; k < list_len(y->item[i]); k++) {
            struct sl_ref a = ref(c, y->key[i], y->key[i]->text);
            struct sl_ref b = ref(c, y->item[i], text_of(c, list_item(y->item[i], k), "a span"));
            u->relation = grown(c, u->relation, u->nrelation, sizeof *u->relation);
            u->relation[u->nrelation++] =
                kind == SL_IN ? (struct sl_relation){kind, b, a} : (struct sl_relation){kind, a, b};
        }
}

static struct sl_keep *compile_keeps(struct compile *c, int *n, const struct sl_yaml *y)
{
    struct sl_keep *k;

    if (!y)
        return NULL;
    if (y->kind != SL_YAML_MAP) {
        fail(c, y, "keep, look and count are maps {field: by which field}");
        return NULL;
    }
    k = room(c, y->n, sizeof *k);
    for (size_t i = 0; i < y->n; i++) {
        const char *by = text_of(c, y->item[i], "a field, or a template of several");
        if (!strchr(by, '{'))
            by = braced(c, by);
        k[(*n)++] =
            (struct sl_keep){field(c, y->key[i]->text, y->key[i]->n), (int)sl_intern(&c->set->names, by, strlen(by)),
                             compile_template(c, y->item[i], by)};
    }
    return k;
}

static void compile_share(struct compile *c, struct sl_rule *u, const struct sl_yaml *y)
{
    if (!y)
        return;
    if (y->kind != SL_YAML_MAP) {
        fail(c, y, "share is a map {field: [value, scope]}");
        return;
    }
    u->share = room(c, y->n, sizeof *u->share);
    for (size_t i = 0; i < y->n; i++) {
        struct sl_share *s = &u->share[u->nshare++];
        const struct sl_yaml *v = y->item[i];
        if (v->kind != SL_YAML_LIST || v->n != 2) {
            fail(c, v, "share is a map {field: [value, scope]}");
            return;
        }
        s->field = sl_arena_copy(&c->set->arena, y->key[i]->text, y->key[i]->n);
        s->value = compile_template(c, v->item[0], text_of(c, v->item[0], "a value"));
        s->scope = compile_template(c, v->item[1], text_of(c, v->item[1], "a scope"));
    }
    c->r->shares = true;
}

static void compile_wrote(struct compile *c, struct sl_rule *u, const struct sl_yaml *y)
{
    if (!y)
        return;
    if (y->kind != SL_YAML_MAP) {
        fail(c, y, "wrote is a map {span: path of the file}");
        return;
    }
    for (size_t i = 0; i < y->n; i++)
        for (size_t k = 0; k < list_len(y->item[i]) && !c->failed; k++) {
            const struct sl_yaml *path = list_item(y->item[i], k);
            u->wrote = grown(c, u->wrote, u->nwrote, sizeof *u->wrote);
            u->wrote[u->nwrote++] = (struct sl_wrote){mention(c, y->key[i], y->key[i]->text, 0),
                                                      compile_template(c, path, text_of(c, path, "a path"))};
        }
}

static void compile_rule(struct compile *c, struct sl_rule *u, const struct sl_yaml *y, bool naming)
{
    const struct sl_yaml *v;
    char name[200];

    u->line = y->line;
    u->span.mention = -1;
    u->each_of = -1;
    known_keys(c, y, "a record", naming ? " match when each span mention look " : rule_keys);
    if (c->failed)
        return;
    snprintf(name, sizeof name, "%s:%d", c->r->name, y->line);
    u->name = sl_intern(&c->set->names, name, strlen(name));
    v = sl_yaml_get(y, "match");
    u->match = room(c, list_len(v), sizeof *u->match);
    for (size_t i = 0; i < list_len(v) && !c->failed; i++, u->nmatch++)
        compile_pattern(c, sl_pattern_compile, &u->match[i], list_item(v, i), text_of(c, list_item(v, i), "match"));
    compile_when(c, u, sl_yaml_get(y, "when"));
    if ((v = sl_yaml_get(y, "each"))) {
        const struct sl_yaml *of = sl_yaml_get(v, "of"), *find = sl_yaml_get(v, "find");
        if (!of || !find || v->n != 2) {
            fail(c, v, "each needs {of: field, find: pattern}");
            return;
        }
        u->each_of = field_of(c, of, "of");
        compile_pattern(c, sl_pattern_compile, &u->each, find, text_of(c, find, "find"));
    }
    if ((v = sl_yaml_get(y, "span")))
        u->span = ref(c, v, text_of(c, v, "span"));
    if (u->span.mention >= 0 && u->span.weak)
        fail(c, v, "span: cannot be weak (~): what a record is about exists");
    v = sl_yaml_get(y, "mention");
    u->mention = room(c, list_len(v), sizeof *u->mention);
    for (size_t i = 0; i < list_len(v); i++)
        u->mention[u->nmention++] = ref(c, list_item(v, i), text_of(c, list_item(v, i), "mention"));
    compile_events(c, u, sl_yaml_get(y, "event"));
    compile_pairs(c, u, &u->attrs, sl_yaml_get(y, "attrs"), "attrs");
    compile_pairs(c, u, &u->samples, sl_yaml_get(y, "samples"), "samples");
    compile_relations(c, u, SL_IN, sl_yaml_get(y, "in"));
    compile_relations(c, u, SL_FACET, sl_yaml_get(y, "facet"));
    compile_relations(c, u, SL_AFTER, sl_yaml_get(y, "after"));
    compile_relations(c, u, SL_FLOW, sl_yaml_get(y, "flow"));
    u->keep = compile_keeps(c, &u->nkeep, sl_yaml_get(y, "keep"));
    u->look = compile_keeps(c, &u->nlook, sl_yaml_get(y, "look"));
    u->count = compile_keeps(c, &u->ncount, sl_yaml_get(y, "count"));
    compile_share(c, u, sl_yaml_get(y, "share"));
    compile_wrote(c, u, sl_yaml_get(y, "wrote"));
    u->skip = flag(c, sl_yaml_get(y, "skip"), "skip");
    if ((v = sl_yaml_get(y, "reject")))
        u->reject = compile_template(c, v, text_of(c, v, "reject"));
    u->raw = flag(c, sl_yaml_get(y, "raw"), "raw");
    u->also = flag(c, sl_yaml_get(y, "also"), "also");
    if (naming && u->span.mention < 0 && !u->nmention)
        fail(c, y, "a naming rule needs span:");
}

static void compile_sample(struct compile *c, struct sl_sample_test *s, const struct sl_yaml *y)
{
    const struct sl_yaml *lines = sl_yaml_get(y, "lines"), *gives = sl_yaml_get(y, "gives"),
                         *zone = sl_yaml_get(y, "zone");

    s->line = y->line;
    known_keys(c, y, "a sample", " file zone lines rows gives ");
    s->file = text_of(c, sl_yaml_get(y, "file"), "a sample's file");
    s->rows = sl_yaml_get(y, "rows");
    if (zone)
        s->zone = text_of(c, zone, "zone");
    if (lines)
        s->text = text_of(c, lines, "lines");
    if (!lines == !s->rows)
        fail(c, y, "a sample has either lines: or rows:");
    if (s->rows && s->rows->kind != SL_YAML_LIST)
        fail(c, s->rows, "rows must be a list of maps");
    if (!gives)
        fail(c, y, "a sample needs gives: what the lines come to");
    s->gives = room(c, list_len(gives), sizeof *s->gives);
    for (size_t i = 0; i < list_len(gives); i++)
        s->gives[s->ngives++] = text_of(c, list_item(gives, i), "gives");
}

/* ---- the whole ---- */

static void bind_captures(struct sl_recipe *r, struct sl_pattern *p, bool *assigned)
{
    for (uint32_t i = 0; i < p->ncaptures; i++) {
        p->capture[i].slot = (int)sl_intern_find(&r->fields, p->capture[i].name, strlen(p->capture[i].name)) - 1;
        if (assigned && p->capture[i].slot >= 0)
            assigned[p->capture[i].slot] = true;
    }
}

static bool is_template_of(const struct sl_template *t, const bool *yes)
{
    for (int i = 0; i < t->n; i++)
        if (t->part[i].field >= 0 && !yes[t->part[i].field])
            return false;
    return true;
}

static void bind_fields(struct compile *c)
{
    struct sl_recipe *r = c->r;
    bool *assigned, all = r->else_raw;

    for (int i = 0; i < r->nrule; i++)
        all |= r->rule[i].attrs.all || r->rule[i].samples.all || r->rule[i].raw;
    r->wants_all = all;
    if (all) /* whoever keeps whole records wants every capture */
        for (int i = 0; i < r->ninput; i++)
            for (int k = 0; k < r->input[i].nhead; k++)
                for (uint32_t n = 0; n < r->input[i].head[k].ncaptures; n++)
                    field(c, r->input[i].head[k].capture[n].name, strlen(r->input[i].head[k].capture[n].name));
    r->field_text = field(c, "text", 4);
    r->field_file = field(c, "_file", 5);
    r->field_line = field(c, "_line", 5);
    r->field_row = field(c, "_row", 4);
    r->field_table = field(c, "table", 5);
    for (size_t i = 0; i < c->set->shared.n; i++)
        field(c, c->set->shared.v[i].field, strlen(c->set->shared.v[i].field)),
            field(c, c->set->shared.v[i].by, strlen(c->set->shared.v[i].by));
    r->nfields = (int)r->fields.of.n;
    r->is_int = room(c, (size_t)r->nfields + 1, 1);
    r->is_context = room(c, (size_t)r->nfields + 1, 1);
    assigned = sl_alloc((size_t)r->nfields + 1);
    for (size_t i = 0; i < c->set->ints.n; i++)
        if (!c->set->ints.v[i].only || c->set->ints.v[i].only == r) {
            uint32_t id = sl_intern_find(&r->fields, c->set->ints.v[i].field, strlen(c->set->ints.v[i].field));
            if (id)
                r->is_int[id - 1] = true;
        }
    for (int i = 0; i < r->ninput; i++) {
        struct sl_input *in = &r->input[i];
        for (int k = 0; k < in->nfiles; k++)
            bind_captures(r, &in->files[k], r->is_context);
        for (int k = 0; k < in->nhead; k++)
            bind_captures(r, &in->head[k], assigned);
        for (int k = 0; k < in->ntable; k++)
            for (int n = 0; n < in->table[k].nrename; n++)
                assigned[in->table[k].rename[n].field] = true;
    }
    for (int i = 0; i < r->nrule + r->nnaming; i++) {
        struct sl_rule *u = i < r->nrule ? &r->rule[i] : &r->naming[i - r->nrule];
        for (int k = 0; k < u->nmatch; k++)
            bind_captures(r, &u->match[k], assigned);
        for (int k = 0; k < u->nwhen; k++)
            if (!u->when[k].nis)
                bind_captures(r, &u->when[k].pattern, assigned);
        if (u->each_of >= 0)
            bind_captures(r, &u->each, assigned);
        for (int k = 0; k < u->nlook; k++)
            assigned[u->look[k].value] = true;
        for (int k = 0; k < u->ncount; k++)
            assigned[u->count[k].value] = true;
    }
    r->is_context[r->field_file] = true;
    for (size_t i = 0; i < c->set->shared.n; i++) { /* shared within what the path says; else it is a record's own */
        const struct sl_shared_field *s = &c->set->shared.v[i];
        r->is_context[sl_intern_find(&r->fields, s->field, strlen(s->field)) - 1] =
            r->is_context[sl_intern_find(&r->fields, s->by, strlen(s->by)) - 1];
    }
    for (int i = 0; i < r->nfields; i++)
        if (assigned[i])
            r->is_context[i] = false;
    for (int i = 0; i < r->nmention; i++) {
        struct sl_mention *m = &r->mention[i];
        m->of_context = is_template_of(&m->key, r->is_context) && is_template_of(&m->otherwise, r->is_context) &&
                        is_template_of(&m->type.t, r->is_context) &&
                        (m->parent < 0 || r->mention[m->parent].of_context);
    }
    free(assigned);
}

/* Inputs whose every record says both absolute and local time teach the zone of the others, and are read first. */
static void find_phase(struct sl_input *in)
{
    bool absolute = false, local = false, both = in->nhead > 0;

    for (int i = 0; i < in->ntime; i++) {
        bool naive = in->time[i].format.kind >= SL_TIME_ISO && in->zone_s == INT32_MIN;
        absolute |= !naive;
        local |= naive;
    }
    for (int h = 0; h < in->nhead; h++) {
        bool a = false, l = false;
        for (uint32_t k = 0; k < in->head[h].ncaptures; k++)
            for (int i = 0; i < in->ntime; i++)
                if (in->head[h].capture[k].slot == in->time[i].field) {
                    a |= in->time[i].format.kind < SL_TIME_ISO;
                    l |= in->time[i].format.kind >= SL_TIME_ISO;
                }
        both &= a && l;
    }
    in->teaches = absolute && local;
    in->phase = both ? 0 : absolute || !local ? 1 : 2;
}

static bool may_begin(const struct sl_rule *u, int byte)
{
    for (int i = 0; i < u->nmatch; i++) {
        const struct sl_pattern *m = &u->match[i];
        if (m->has_first ? byte < 256 && m->first[byte / 64] >> (byte % 64) & 1
                         : !m->prefix || (byte < 256 && (unsigned char)*m->literal == byte))
            return true;
    }
    return !u->nmatch;
}

/* A log has many lines of few kinds, and a recipe many rules: most need not be looked at. */
static void index_rules(struct compile *c)
{
    struct sl_recipe *r = c->r;
    uint16_t *list = room(c, ((size_t)r->nrule + 1) * 257, sizeof *list);

    for (int byte = 0; byte <= 256; byte++) {
        r->first[byte] = list;
        for (int i = 0; i < r->nrule; i++)
            if (may_begin(&r->rule[i], byte))
                *list++ = (uint16_t)i;
        *list++ = UINT16_MAX;
    }
}

int sl_recipe_compile(struct sl_recipes *set, struct sl_recipe *r, struct sl_err *err)
{
    struct compile c = {.set = set, .r = r, .err = err};
    const struct sl_yaml *y = r->yaml, *v;

    known_keys(
        &c, y, "a recipe",
        " recipe about component spans fields facets shared tables binds processes roles phases handovers inputs "
        "contexts in_writer records naming samples else ");
    r->about = sl_yaml_get(y, "about") ? text_of(&c, sl_yaml_get(y, "about"), "about") : "";
    r->component = sl_yaml_get(y, "component") ? text_of(&c, sl_yaml_get(y, "component"), "component") : r->name;
    v = sl_yaml_get(y, "inputs");
    if (!v || v->kind != SL_YAML_LIST || !v->n)
        fail(&c, v ? v : y, "a recipe needs inputs: a list of {files: ..., reader: ...}");
    else {
        r->input = room(&c, v->n, sizeof *r->input);
        for (size_t i = 0; i < v->n && !c.failed; i++, r->ninput++)
            compile_input(&c, &r->input[i], v->item[i]);
    }
    v = sl_yaml_get(y, "contexts");
    r->about_mention = room(&c, list_len(v), sizeof *r->about_mention);
    for (size_t i = 0; i < list_len(v) && !c.failed; i++)
        r->about_mention[r->nabout++] = mention(&c, list_item(v, i), text_of(&c, list_item(v, i), "contexts"), 0);
    v = sl_yaml_get(y, "in_writer");
    for (size_t i = 0; i < list_len(v) && !c.failed; i++) {
        int m = mention(&c, list_item(v, i), text_of(&c, list_item(v, i), "in_writer"), 0);
        if (!c.failed)
            r->mention[m].in_writer = true;
    }
    v = sl_yaml_get(y, "records");
    if (!c.failed && (!v || v->kind != SL_YAML_LIST))
        fail(&c, v ? v : y, "a recipe needs records: a list of rules");
    else if (!c.failed) {
        if (v->n >= UINT16_MAX)
            fail(&c, v, "too many records");
        r->rule = room(&c, v->n, sizeof *r->rule);
        for (size_t i = 0; i < v->n && !c.failed; i++, r->nrule++)
            compile_rule(&c, &r->rule[i], v->item[i], false);
    }
    v = sl_yaml_get(y, "naming");
    r->naming = room(&c, list_len(v), sizeof *r->naming);
    for (size_t i = 0; i < list_len(v) && !c.failed; i++, r->nnaming++)
        compile_rule(&c, &r->naming[i], list_item(v, i), true);
    v = sl_yaml_get(y, "samples");
    r->sample = room(&c, list_len(v), sizeof *r->sample);
    for (size_t i = 0; i < list_len(v) && !c.failed; i++, r->nsample++)
        compile_sample(&c, &r->sample[i], list_item(v, i));
    if ((v = sl_yaml_get(y, "else"))) {
        const char *t = text_of(&c, v, "else");
        if (strcmp(t, "raw") != 0 && strcmp(t, "skip") != 0)
            fail(&c, v, "else must be skip or raw");
        r->else_raw = !strcmp(t, "raw");
    }
    if (c.failed)
        return SL_EFORMAT;
    bind_fields(&c);
    for (int i = 0; i < r->ninput; i++)
        find_phase(&r->input[i]);
    index_rules(&c);
    return 0;
}

int sl_recipes_compile(struct sl_recipes *set, struct sl_err *err)
{
    for (size_t i = 0; i < set->n; i++) {
        int rc = sl_recipe_compile(set, set->v[i], err);
        if (rc)
            return rc;
    }
    return 0;
}

void sl_recipe_free(struct sl_recipe *r)
{
    for (size_t i = 0; i < r->patterns.n; i++)
        sl_pattern_free(r->patterns.v[i]);
    sl_vec_free(&r->patterns);
    sl_intern_free(&r->fields);
    sl_arena_free(&r->arena);
    free(r);
}
