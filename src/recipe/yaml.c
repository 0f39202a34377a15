/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe/yaml.h"
#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

struct tree {
    struct sl_yaml root; /* a copy of the root node; first, so that the root's address frees the tree */
    struct sl_arena arena;
};

struct build {
    struct tree *tree;
    yaml_document_t *doc;
    const char *name;
    struct sl_err *err;
    int depth, nodes;
};

enum { MAX_DEPTH = 40, MAX_NODES = 20000 }; /* a recipe is small: beyond these it is an attack or a mistake */

static struct sl_yaml *convert(struct build *b, int index)
{
    yaml_node_t *n = yaml_document_get_node(b->doc, index);
    struct sl_yaml *y = sl_arena_alloc(&b->tree->arena, sizeof *y);

    *y = (struct sl_yaml){.line = (int)n->start_mark.line + 1};
    if (++b->depth > MAX_DEPTH || ++b->nodes > MAX_NODES) {
        sl_err(b->err, SL_EFORMAT, "%s:%d: nested too deeply or too large", b->name, y->line);
        return NULL;
    }
    if (n->type == YAML_SCALAR_NODE) {
        y->kind = SL_YAML_SCALAR;
        y->quoted = n->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        y->n = n->data.scalar.length;
        y->text = sl_arena_copy(&b->tree->arena, n->data.scalar.value, y->n);
    } else if (n->type == YAML_SEQUENCE_NODE) {
        y->kind = SL_YAML_LIST;
        y->n = (size_t)(n->data.sequence.items.top - n->data.sequence.items.start);
        y->item = sl_arena_alloc(&b->tree->arena, (y->n + 1) * sizeof *y->item);
        for (size_t i = 0; i < y->n; i++)
            if (!(y->item[i] = convert(b, n->data.sequence.items.start[i])))
                return NULL;
    } else {
        y->kind = SL_YAML_MAP;
        y->n = (size_t)(n->data.mapping.pairs.top - n->data.mapping.pairs.start);
        y->item = sl_arena_alloc(&b->tree->arena, (y->n + 1) * sizeof *y->item);
        y->key = sl_arena_alloc(&b->tree->arena, (y->n + 1) * sizeof *y->key);
        for (size_t i = 0; i < y->n; i++) {
            yaml_node_pair_t *p = n->data.mapping.pairs.start + i;
            if (!(y->key[i] = convert(b, p->key)) || !(y->item[i] = convert(b, p->value)))
                return NULL;
            if (y->key[i]->kind != SL_YAML_SCALAR) {
                sl_err(b->err, SL_EFORMAT, "%s:%d: a key must be a plain word", b->name, y->key[i]->line);
                return NULL;
            }
            for (size_t j = 0; j < i; j++)
                if (!strcmp(y->key[i]->text, y->key[j]->text)) {
                    sl_err(b->err, SL_EFORMAT, "%s:%d: key '%s' stands twice (first in line %d); remove one", b->name,
                           y->key[i]->line, y->key[i]->text, y->key[j]->line);
                    return NULL;
                }
        }
    }
    b->depth--;
    return y;
}

/* libyaml says in one place that it had no memory, in others nothing at all. */
static bool load(yaml_parser_t *parser, yaml_document_t *doc)
{
    if (yaml_parser_load(parser, doc))
        return true;
    if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR)
        sl_no_memory(0);
    return false;
}

static bool indented_by_tab(const char *text, size_t n, size_t line)
{
    const char *s = text, *end = text + n;

    for (; s && line; line--)
        s = memchr(s, '\n', (size_t)(end - s)) ? (const char *)memchr(s, '\n', (size_t)(end - s)) + 1 : NULL;
    while (s && s < end && *s == ' ')
        s++;
    return s && s < end && *s == '\t';
}

int sl_yaml_parse(struct sl_yaml **out, const char *text, size_t n, const char *name, struct sl_err *err)
{
    struct tree *t = sl_alloc(sizeof *t);
    yaml_parser_t parser;
    yaml_document_t doc, rest;
    struct build b = {.tree = t, .doc = &doc, .name = name, .err = err};
    struct sl_yaml *root = NULL;
    int rc = SL_EFORMAT;

    *out = NULL;
    if (!yaml_parser_initialize(&parser))
        sl_no_memory(0);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    if (!load(&parser, &doc) && indented_by_tab(text, n, parser.problem_mark.line)) {
        sl_err(err, SL_EFORMAT, "%s:%zu: the line is indented by a tab; YAML takes blanks alone", name,
               parser.problem_mark.line + 1);
        goto out;
    }
    if (parser.error != YAML_NO_ERROR) {
        sl_err(err, SL_EFORMAT, "%s:%zu: not YAML: %s%s%s%s", name, parser.problem_mark.line + 1,
               parser.problem ? parser.problem : "unreadable", parser.context ? ", " : "",
               parser.context ? parser.context : "",
               parser.problem && strstr(parser.problem, "escape") ? "; write patterns in single quotes" : "");
        goto out;
    }
    if (!yaml_document_get_root_node(&doc)) {
        rc = sl_err(err, SL_EFORMAT, "%s: empty", name);
    } else if ((root = convert(&b, 1))) {
        /* what follows must be the end */
        if (!load(&parser, &rest)) {
            rc = sl_err(err, SL_EFORMAT, "%s:%zu: not YAML: %s", name, parser.problem_mark.line + 1,
                        parser.problem ? parser.problem : "unreadable");
        } else {
            rc = yaml_document_get_root_node(&rest)
                     ? sl_err(err, SL_EFORMAT, "%s: more than one document; one recipe a file", name)
                     : 0;
            yaml_document_delete(&rest);
        }
    }
    yaml_document_delete(&doc);
out:
    yaml_parser_delete(&parser);
    if (rc) {
        sl_arena_free(&t->arena);
        free(t);
        return rc;
    }
    t->root = *root;
    *out = &t->root;
    return 0;
}

/* ---- documents that were taken apart before ---- */

/* Of each node, from the root on: kind and quoted, line, n; then its text with a NUL, or its items, each behind its
 * key. */
struct packed {
    uint32_t line, n;
    uint8_t kind, quoted;
};

void sl_yaml_pack(struct sl_buf *to, const struct sl_yaml *y)
{
    struct packed p = {.line = (uint32_t)y->line, .n = (uint32_t)y->n, .kind = (uint8_t)y->kind, .quoted = y->quoted};

    sl_buf_add(to, &p, sizeof p);
    if (y->kind == SL_YAML_SCALAR)
        sl_buf_add(to, y->text, y->n + 1);
    for (size_t i = 0; y->kind != SL_YAML_SCALAR && i < y->n; i++) {
        if (y->kind == SL_YAML_MAP)
            sl_yaml_pack(to, y->key[i]);
        sl_yaml_pack(to, y->item[i]);
    }
}

static void unpack(struct sl_arena *a, struct sl_yaml *y, const char **at)
{
    struct packed p;

    memcpy(&p, *at, sizeof p);
    *at += sizeof p;
    *y = (struct sl_yaml){.kind = p.kind, .line = (int)p.line, .quoted = p.quoted, .n = p.n};
    if (y->kind == SL_YAML_SCALAR) {
        y->text = *at;
        *at += y->n + 1;
        return;
    }
    y->item = sl_arena_alloc(a, (y->n + 1) * sizeof *y->item);
    y->key = y->kind == SL_YAML_MAP ? sl_arena_alloc(a, (y->n + 1) * sizeof *y->key) : NULL;
    for (size_t i = 0; i < y->n; i++) {
        if (y->key)
            unpack(a, y->key[i] = sl_arena_alloc(a, sizeof *y), at);
        unpack(a, y->item[i] = sl_arena_alloc(a, sizeof *y), at);
    }
}

struct sl_yaml *sl_yaml_unpack(const char *packed)
{
    struct tree *t = sl_alloc(sizeof *t);

    unpack(&t->arena, &t->root, &packed);
    return &t->root;
}

void sl_yaml_free(struct sl_yaml *y)
{
    struct tree *t = (struct tree *)y;

    if (!t)
        return;
    sl_arena_free(&t->arena);
    free(t);
}

int sl_yaml_read(struct sl_buf *b, const char *path)
{
    FILE *f = fopen(path, "rb");
    char chunk[8192];
    size_t n;
    int rc = 0;

    if (!f)
        return errno;
    while (!rc && (n = fread(chunk, 1, sizeof chunk, f)) > 0) {
        sl_buf_add(b, chunk, n);
        rc = b->n > 16u << 20 ? EFBIG : 0;
    }
    if (!rc && ferror(f))
        rc = errno;
    fclose(f);
    return rc;
}

const struct sl_yaml *sl_yaml_get(const struct sl_yaml *y, const char *key)
{
    if (!y || y->kind != SL_YAML_MAP)
        return NULL;
    for (size_t i = 0; i < y->n; i++)
        if (!strcmp(y->key[i]->text, key))
            return y->item[i];
    return NULL;
}

void sl_yaml_fail(struct sl_yaml_check *c, const struct sl_yaml *y, const char *fmt, ...)
{
    char text[600];
    va_list ap;

    if (c->rc)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    c->rc = sl_err(c->err, SL_EFORMAT, "%s:%d: %s", c->path, y ? y->line : 1, text);
}

bool sl_yaml_is_map(struct sl_yaml_check *c, const struct sl_yaml *y, const char *must)
{
    if (y && y->kind != SL_YAML_MAP)
        sl_yaml_fail(c, y, "%s", must);
    return y && y->kind == SL_YAML_MAP;
}

bool sl_yaml_is_empty(const struct sl_yaml *y)
{
    return !y->n && !(y->kind == SL_YAML_SCALAR && y->quoted);
}

size_t sl_yaml_len(const struct sl_yaml *y)
{
    return !y ? 0 : y->kind == SL_YAML_LIST ? y->n : 1;
}

const struct sl_yaml *sl_yaml_item(const struct sl_yaml *y, size_t i)
{
    return y->kind == SL_YAML_LIST ? y->item[i] : y;
}
