/* SPDX-License-Identifier: Apache-2.0 */
/* `inputs:` of a recipe: which files it reads, by which reader, and what it tells that reader. */
#include "base/buf.h"
#include "recipe/compile/compile_internal.h"
#include "recipe/reader.h"

#include <stdio.h>

static const char input_keys[] = " files named reader holds begins whole zone head times text comment tables rows sep "
                                 "columns empty defaults json pairs ";

static void compile_times(struct sl_compile *c, struct sl_input *in, const struct sl_yaml *y)
{
    size_t n = 0;

    if (!sl_yaml_is_map(&c->check, y, "times must be a map {field: format}"))
        return;
    for (size_t i = 0; i < y->n; i++)
        n += sl_yaml_len(y->item[i]);
    in->time = sl_compile_alloc(c, n, sizeof *in->time);
    for (size_t i = 0; i < y->n; i++)
        for (size_t k = 0; k < sl_yaml_len(y->item[i]); k++) {
            const struct sl_yaml *v = sl_yaml_item(y->item[i], k);
            struct sl_time_of *t = &in->time[in->ntime++];
            t->field = sl_compile_field(c, y->key[i]->text, y->key[i]->n);
            if (!sl_time_format(&t->format, sl_compile_text(c, v, "a time format")))
                sl_yaml_fail(
                    &c->check, v,
                    "unknown time format '%s'; known: unix, unix_ms, unix_us, unix_ns, iso, or a pattern with %%",
                    v->text);
        }
}

static void compile_tables(struct sl_compile *c, struct sl_input *in, const struct sl_yaml *y)
{
    if (!sl_yaml_is_map(&c->check, y, "tables must be a map {table: {field: column}}"))
        return;
    in->table = sl_compile_alloc(c, y->n, sizeof *in->table);
    for (size_t i = 0; i < y->n; i++) {
        struct sl_input_table *t = &in->table[in->ntable++];
        const struct sl_yaml *m = y->item[i];
        t->name = y->key[i]->text;
        if (m->kind != SL_YAML_MAP) {
            sl_yaml_fail(&c->check, m, "table %s needs {field: column} (or {})", t->name);
            return;
        }
        t->rename = sl_compile_alloc(c, m->n, sizeof *t->rename);
        for (size_t k = 0; k < m->n; k++)
            t->rename[t->nrename++] = (struct sl_rename){sl_compile_field(c, m->key[k]->text, m->key[k]->n),
                                                         sl_compile_text(c, m->item[k], "a column")};
    }
}

static const char **compile_texts(struct sl_compile *c, int *n, const struct sl_yaml *y, const char *what)
{
    const char **v = sl_compile_alloc(c, sl_yaml_len(y) + 1, sizeof *v);

    for (size_t i = 0; i < sl_yaml_len(y); i++)
        v[(*n)++] = sl_compile_text(c, sl_yaml_item(y, i), what);
    return v;
}

static char compile_sep(struct sl_compile *c, const struct sl_yaml *y)
{
    const char *t = y ? sl_compile_text(c, y, "sep") : ",";

    if (!strcmp(t, "\\t"))
        return '\t';
    if (!*t || t[1] || *t == '"' || *t == '\n' || *t == '\r')
        sl_yaml_fail(&c->check, y,
                     "sep must be one character, and not a quote or a line end: \",\", \";\", \"|\" or \"\\t\"");
    return *t;
}

static void compile_row_pairs(struct sl_compile *c, struct sl_input *in, const struct sl_yaml *y)
{
    const struct sl_yaml *name = y ? sl_yaml_get(y, "name") : NULL, *value = y ? sl_yaml_get(y, "value") : NULL;

    if (!y)
        return;
    if (!name || !value || y->n != 2) {
        sl_yaml_fail(&c->check, y, "pairs needs {name: key, value: key}");
        return;
    }
    in->pair_name = sl_compile_text(c, name, "name");
    in->pair_value = sl_compile_text(c, value, "value");
}

/* The first input that fits a file reads it. */
static void check_files(struct sl_compile *c, const char *files, const struct sl_yaml *y)
{
    for (int i = 0; i < c->r->ninput; i++) {
        const struct sl_input *in = &c->r->input[i];
        for (int k = 0; k < in->nfiles && !in->named; k++)
            if (!strcmp(in->files_text[k], files))
                sl_yaml_fail(&c->check, y, "the input in line %d reads these files already", in->line);
    }
}

static void check_zone(struct sl_compile *c, const struct sl_input *in, const struct sl_yaml *zone)
{
    bool local = false;

    for (int i = 0; i < in->ntime; i++)
        local |= in->time[i].format.kind >= SL_TIME_ISO;
    if (zone && !local)
        sl_yaml_fail(&c->check, zone, "zone is for local times, and no format in times: is of such");
}

void sl_compile_input(struct sl_compile *c, struct sl_input *in, const struct sl_yaml *y)
{
    const struct sl_yaml *v;

    in->line = y->line;
    in->text = -1;
    sl_yaml_known_keys(&c->check, y, "an input", input_keys);
    sl_compile_filled(c, y, "an input");
    if (c->check.rc)
        return;
    v = sl_yaml_get(y, "files");
    if (!v)
        sl_yaml_fail(&c->check, y, "an input needs files:");
    in->files = sl_compile_alloc(c, sl_yaml_len(v), sizeof *in->files);
    in->files_text = sl_compile_alloc(c, sl_yaml_len(v), sizeof *in->files_text);
    for (size_t i = 0; i < sl_yaml_len(v) && !c->check.rc; i++, in->nfiles++) {
        in->files_text[i] = sl_compile_text(c, sl_yaml_item(v, i), "files");
        sl_compile_pattern(c, sl_pattern_compile_path, &in->files[i], v, in->files_text[i]);
        check_files(c, in->files_text[i], sl_yaml_item(v, i));
    }
    v = sl_yaml_get(y, "reader");
    in->reader = v ? sl_reader_find(sl_compile_text(c, v, "reader")) : NULL;
    if (!in->reader) {
        struct sl_buf known = {0};
        for (int i = 0; sl_readers[i]; i++)
            sl_buf_addf(&known, " %s", sl_readers[i]->name);
        sl_yaml_fail(&c->check, v ? v : y, "an input needs reader: one of%s", known.s);
        sl_buf_free(&known);
        return;
    }
    for (size_t i = 0; i < y->n; i++) {
        if (!sl_yaml_is_known(" files named reader holds begins whole zone times ", y->key[i]->text) &&
            !sl_yaml_is_known(in->reader->keys, y->key[i]->text))
            sl_yaml_fail(&c->check, y->key[i], "reader %s does not know '%s'; it knows:%s", in->reader->name,
                         y->key[i]->text, in->reader->keys);
    }
    v = sl_yaml_get(y, "head");
    in->head = sl_compile_alloc(c, sl_yaml_len(v), sizeof *in->head);
    in->bare = sl_compile_alloc(c, sl_yaml_len(v), sizeof *in->bare);
    for (size_t i = 0; i < sl_yaml_len(v) && !c->check.rc; i++, in->nhead++) {
        const char *t = sl_compile_text(c, sl_yaml_item(v, i), "head");
        if (*t != '^')
            sl_yaml_fail(&c->check, sl_yaml_item(v, i), "head must begin with ^: it says how a record begins");
        sl_compile_pattern(c, sl_pattern_compile, &in->head[i], sl_yaml_item(v, i), t);
        sl_compile_pattern(c, sl_pattern_compile_bare, &in->bare[i], sl_yaml_item(v, i), t);
    }
    compile_times(c, in, sl_yaml_get(y, "times"));
    if ((v = sl_yaml_get(y, "text")))
        in->text = sl_compile_field_of(c, v, "text");
    if ((v = sl_yaml_get(y, "comment")))
        in->comment = sl_compile_text(c, v, "comment");
    if ((v = sl_yaml_get(y, "rows")))
        in->rows = sl_compile_text(c, v, "rows");
    in->zone_s = INT32_MIN;
    if ((v = sl_yaml_get(y, "zone")) && (in->zone_s = sl_zone_offset(sl_compile_text(c, v, "zone"))) == INT32_MIN)
        sl_yaml_fail(&c->check, v, "zone must be an offset such as \"+05:30\" or Z");
    check_zone(c, in, v);
    in->whole = sl_compile_flag(c, sl_yaml_get(y, "whole"), "whole");
    in->named = sl_compile_flag(c, sl_yaml_get(y, "named"), "named");
    if ((v = sl_yaml_get(y, "begins")))
        in->begins = true;
    if (v && sl_yaml_get(y, "holds"))
        sl_yaml_fail(&c->check, v, "an input has either holds: or begins:");
    if (v || (v = sl_yaml_get(y, "holds")))
        in->holds = compile_texts(c, &in->nholds, v, "holds");
    for (int i = 0; i < in->nholds; i++)
        if (!*in->holds[i])
            sl_yaml_fail(&c->check, v, "holds: and begins: need a text");
    in->sep = compile_sep(c, sl_yaml_get(y, "sep"));
    in->empty = compile_texts(c, &in->nempty, sl_yaml_get(y, "empty"), "empty");
    in->columns = compile_texts(c, &in->ncolumns, sl_yaml_get(y, "columns"), "columns");
    in->json = compile_texts(c, &in->njson, sl_yaml_get(y, "json"), "json");
    compile_row_pairs(c, in, sl_yaml_get(y, "pairs"));
    if (sl_yaml_is_map(&c->check, v = sl_yaml_get(y, "defaults"), "defaults must be a map")) {
        in->defaults = sl_compile_alloc(c, v->n, sizeof *in->defaults);
        for (size_t i = 0; i < v->n; i++)
            in->defaults[in->ndefaults++] = (struct sl_default){sl_compile_field(c, v->key[i]->text, v->key[i]->n),
                                                                sl_compile_text(c, v->item[i], "a default")};
    }
    compile_tables(c, in, sl_yaml_get(y, "tables"));
}

void sl_compile_phase(struct sl_input *in)
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
