/* SPDX-License-Identifier: Apache-2.0 */
#include "design/settings/schedule.h"
#include "analyse/kernels/random.h"
#include "base/hash.h"
#include "base/map.h"
#include "recipe/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *sl_schedule_path(const struct sl_plan *p)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s/%s.design.csv", p->folder, p->name);
    return b.s;
}

void sl_schedule_free(struct sl_schedule *s)
{
    sl_vec_free(&s->v);
    sl_arena_free(&s->arena);
}

/* ---- reading ---- */

struct reading {
    const struct sl_plan *plan;
    const char *path;
    int line;
    SL_VEC(int32_t) column; /* a factor; negative: one of those below */
    SL_VEC(const char *) cell;
    struct sl_schedule *out;
    struct sl_map by_run;
    SL_VEC(struct bad {
        size_t run;     /* of out->v */
        int32_t factor; /* whose level there is none of; -1: constraints forbid it */
        int line;
    })
    bad; /* what counts where the run was not made */
    bool by_hand;
};

enum { RUN = -1, BLOCK = -2, DESIGN = -3 };

/* The cells of the next row; false: there is none. */
static bool next_row(struct reading *r, const char **at)
{
    struct sl_buf cell = {0};
    const char *s = *at;
    bool quoted = false;

    sl_vec_clear(&r->cell);
    for (; *s == '\n' || *s == '\r'; s++)
        r->line += *s == '\n';
    if (!*s)
        return false;
    r->line++;
    for (;; s++) {
        if (quoted && *s == '"' && s[1] == '"') {
            sl_buf_addc(&cell, *s++);
        } else if (*s == '"' && (quoted || !cell.n)) {
            quoted = !quoted;
        } else if (!*s || (!quoted && strchr(",\n", *s))) {
            while (cell.n && cell.s[cell.n - 1] == '\r')
                cell.n--;
            *sl_vec_add(&r->cell) = sl_arena_copy(&r->out->arena, cell.n ? cell.s : "", cell.n);
            sl_buf_clear(&cell);
            if (*s != ',')
                break;
        } else {
            sl_buf_addc(&cell, *s);
        }
    }
    *at = s + (*s == '\n');
    sl_buf_free(&cell);
    return true;
}

static int header(struct reading *r, struct sl_err *err)
{
    static const char *const own[] = {"run", "block", "design"};

    for (size_t i = 0; i < r->cell.n; i++) {
        const char *name = r->cell.v[i] + (i || strncmp(r->cell.v[i], "\xEF\xBB\xBF", 3) != 0 ? 0 : 3);
        int32_t column = sl_plan_factor(r->plan, name);
        for (int k = 0; k < 3; k++)
            column = strcmp(name, own[k]) != 0 ? column : -1 - k;
        if (column == -1 && strcmp(name, "run") != 0)
            return sl_err(err, SL_EFORMAT, "%s:%d: column '%s' is no factor of %s; add it there, or remove the column",
                          r->path, r->line, name, r->plan->path);
        for (size_t k = 0; k < i; k++)
            if (r->column.v[k] == column)
                return sl_err(err, SL_EFORMAT, "%s:%d: two columns have the name %s", r->path, r->line, name);
        *sl_vec_add(&r->column) = column;
    }
    for (size_t i = 0; !r->by_hand && i < 1; i++)
        if (!r->cell.n || r->column.v[0] != RUN)
            return sl_err(err, SL_EFORMAT, "%s:%d: its first column must be run", r->path, r->line);
    return 0;
}

static int add_run(struct reading *r, const struct sl_planned *run, struct sl_err *err)
{
    uint64_t hash = sl_hash(run->run, strlen(run->run));
    size_t at = hash;

    for (uint32_t i; sl_map_next(&r->by_run, hash, &at, &i);)
        if (!strcmp(r->out->v.v[i].run, run->run))
            return sl_err(err, SL_EFORMAT, "%s:%d: run %s is there twice", r->path, r->line, run->run);
    sl_map_add(&r->by_run, hash, (uint32_t)r->out->v.n);
    *sl_vec_add(&r->out->v) = *run;
    return 0;
}

/* A level that there is none of. */
static int unknown_level(struct reading *r, struct sl_planned *run, int32_t factor, const char *text,
                         struct sl_err *err)
{
    size_t n = r->plan->factor.n;

    if (r->by_hand)
        return sl_err(err, SL_EFORMAT, "%s:%d: factor %s has no level '%s' in %s", r->path, r->line,
                      r->plan->factor.v[factor].name, text, r->plan->path);
    if (!run->text)
        run->text = memset(sl_arena_alloc(&r->out->arena, n * sizeof *run->text), 0, n * sizeof *run->text);
    run->text[factor] = text;
    *sl_vec_add(&r->bad) = (struct bad){r->out->v.n, factor, r->line};
    return 0;
}

static int row(struct reading *r, struct sl_err *err)
{
    size_t bytes = (r->plan->factor.n + 1) * sizeof(int32_t);
    struct sl_planned run = {"", "", "", memset(sl_arena_alloc(&r->out->arena, bytes), 0, bytes), NULL};
    const struct sl_plan_constraint *broken;
    char id[32];
    int rc;

    if (r->cell.n != r->column.n)
        return sl_err(err, SL_EFORMAT, "%s:%d: %zu cells, where the header has %zu", r->path, r->line, r->cell.n,
                      r->column.n);
    for (size_t i = 0; i < r->cell.n; i++) {
        int32_t c = r->column.v[i];
        const char *text = r->cell.v[i];
        if (c == RUN)
            run.run = text;
        else if (c == BLOCK)
            run.block = text;
        else if (c == DESIGN)
            run.design = text;
        else if (*text && (run.setting[c] = sl_plan_level(r->plan, (uint32_t)c, text)) < 0 &&
                 (rc = unknown_level(r, &run, c, text, err)))
            return rc;
    }
    broken = run.text ? NULL : sl_plan_broken(r->plan, run.setting);
    if (broken && !r->by_hand)
        *sl_vec_add(&r->bad) = (struct bad){r->out->v.n, -1, r->line};
    else if (broken)
        return sl_err(err, SL_EFORMAT, "%s:%d: %s:%d forbids this run: %s", r->path, r->line, r->plan->path,
                      broken->line, broken->text);
    if (!*run.run && !r->by_hand)
        return sl_err(err, SL_EFORMAT, "%s:%d: this run has no id", r->path, r->line);
    snprintf(id, sizeof id, "%zu", r->out->v.n + 1);
    run.run = *run.run ? run.run : sl_arena_copy(&r->out->arena, id, strlen(id));
    return add_run(r, &run, err);
}

/* The plan has changed since the run was planned. */
static int outdated(const struct reading *r, const struct bad *b, const bool *done, struct sl_err *err)
{
    const struct sl_planned *run = &r->out->v.v[b->run];
    const struct sl_plan_constraint *broken = b->factor < 0 ? sl_plan_broken(r->plan, run->setting) : NULL;
    struct sl_buf has = {0};
    size_t rows = 0;
    int rc;

    for (size_t i = 0; i < r->bad.n; i++)
        rows += !done[r->bad.v[i].run] && (!i || r->bad.v[i].run != r->bad.v[i - 1].run);
    for (size_t i = 0; b->factor >= 0 && i < r->plan->factor.v[b->factor].level.n; i++)
        sl_buf_addf(&has, "%s%s", i ? ", " : "", r->plan->factor.v[b->factor].level.v[i].name);
    if (broken)
        rc = sl_err(err, SL_EFORMAT,
                    "%s:%d: %s:%d forbids this run: %s; change the constraint, or remove the rows of runs that it "
                    "forbids (of runs that were not made: %zu)",
                    r->path, b->line, r->plan->path, broken->line, broken->text, rows);
    else
        rc = sl_err(
            err, SL_EFORMAT,
            "%s:%d: run %s is planned with %s=%s, and %s:%d has no such level any more: there are %.200s; put it "
            "back, beside these, or remove the rows that have it (of runs that were not made: %zu) and plan "
            "others with: spanloom experiment design; runs that were made stay in the log, as they were",
            r->path, b->line, run->run, r->plan->factor.v[b->factor].name, run->text[b->factor], r->plan->path,
            r->plan->factor.v[b->factor].line, has.s, rows);
    sl_buf_free(&has);
    return rc;
}

static long number_of(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    return *text && !*end && n > 0 ? n : 0;
}

/* What the logs say of planned runs. */
static int beside_logs(struct reading *r, struct sl_err *err)
{
    struct sl_run_records made;
    int rc = sl_run_log_read(&made, r->plan, err);
    bool *done = rc ? NULL : sl_schedule_done(r->out, &made);

    for (size_t i = 0; i < r->bad.n && !rc; i++)
        if (!done[r->bad.v[i].run])
            rc = outdated(r, &r->bad.v[i], done, err);
    for (size_t i = 0; i < made.v.n; i++) {
        long run = number_of(made.v.v[i].run), block = run ? number_of(made.v.v[i].block) : 0;
        r->out->last_run = run > r->out->last_run ? run : r->out->last_run;
        r->out->last_block = block > r->out->last_block ? block : r->out->last_block;
    }
    free(done);
    sl_run_records_free(&made);
    return rc;
}

int sl_schedule_read(struct sl_schedule *out, const struct sl_plan *p, const char *path, bool by_hand,
                     struct sl_err *err)
{
    struct reading r = {.plan = p, .path = path, .out = out, .by_hand = by_hand};
    struct sl_buf text = {0};
    const char *at;
    int rc = sl_yaml_read(&text, path);

    *out = (struct sl_schedule){0};
    if (rc) {
        sl_buf_free(&text);
        return rc == ENOENT && !by_hand ? beside_logs(&r, err)
                                        : sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(rc));
    }
    sl_buf_add(&text, "", 0);
    at = text.s ? text.s : "";
    if (next_row(&r, &at))
        rc = header(&r, err);
    else
        rc = sl_err(err, SL_EFORMAT, "%s is empty: it needs a row with the names of its columns", path);
    while (!rc && next_row(&r, &at))
        rc = row(&r, err);
    if (!rc && !by_hand)
        rc = beside_logs(&r, err);
    sl_vec_free(&r.bad);
    sl_vec_free(&r.column);
    sl_vec_free(&r.cell);
    sl_map_free(&r.by_run);
    sl_buf_free(&text);
    return rc;
}

/* ---- writing ---- */

static void put_cell(struct sl_buf *b, const char *s)
{
    sl_buf_adds(b, b->n && b->s[b->n - 1] != '\n' ? "," : "");
    if (!s[strcspn(s, ",\"\r\n;\t")]) {
        sl_buf_adds(b, s);
        return;
    }
    sl_buf_addc(b, '"');
    for (; *s; s++) {
        sl_buf_addc(b, *s);
        if (*s == '"')
            sl_buf_addc(b, '"');
    }
    sl_buf_addc(b, '"');
}

int sl_schedule_write(const struct sl_schedule *s, const struct sl_plan *p, const char *path, struct sl_err *err)
{
    struct sl_buf b = {0};
    int rc;

    sl_buf_adds(&b, "run,block,design");
    for (size_t f = 0; f < p->factor.n; f++)
        put_cell(&b, p->factor.v[f].name);
    sl_buf_addc(&b, '\n');
    for (size_t i = 0; i < s->v.n; i++) {
        const struct sl_planned *r = &s->v.v[i];
        put_cell(&b, r->run);
        put_cell(&b, r->block);
        put_cell(&b, r->design);
        for (size_t f = 0; f < p->factor.n; f++)
            put_cell(&b, r->setting[f] < 0 ? r->text[f] : p->factor.v[f].level.v[r->setting[f]].name);
        sl_buf_addc(&b, '\n');
    }
    rc = sl_undo_write(path, b.s, b.n, err);
    sl_buf_free(&b);
    return rc;
}

/* ---- more runs ---- */

static long largest(const struct sl_schedule *s, bool block)
{
    long most = block ? s->last_block : s->last_run;

    for (size_t i = 0; i < s->v.n; i++) {
        long n = number_of(block ? s->v.v[i].block : s->v.v[i].run);
        most = n > most ? n : most;
    }
    return most;
}

static const char *number(struct sl_schedule *s, long n)
{
    char text[24];

    snprintf(text, sizeof text, "%ld", n);
    return sl_arena_copy(&s->arena, text, strlen(text));
}

void sl_schedule_add(struct sl_schedule *s, const struct sl_settings *settings, uint32_t repeats, const char *design,
                     uint64_t seed)
{
    size_t n = sl_settings_n(settings), bytes = settings->factors * sizeof(int32_t),
           *order = sl_alloc((n + 1) * sizeof *order);
    long run = largest(s, false), block = largest(s, true);
    const char *kept = sl_arena_copy(&s->arena, design, strlen(design));

    seed = sl_hash_mix(seed, (uint64_t)run);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t k = 0; k < repeats; k++) {
        const char *its = number(s, ++block);
        for (size_t i = n; i > 1; i--) { /* Fisher and Yates */
            size_t other = sl_random_below(&seed, i), was = order[i - 1];
            order[i - 1] = order[other];
            order[other] = was;
        }
        for (size_t i = 0; i < n; i++)
            *sl_vec_add(&s->v) = (struct sl_planned){
                number(s, ++run), its, kept,
                memcpy(sl_arena_alloc(&s->arena, bytes + 1), sl_setting(settings, order[i]), bytes), NULL};
    }
    free(order);
}

bool *sl_schedule_done(const struct sl_schedule *s, const struct sl_run_records *r)
{
    bool *done = sl_alloc(s->v.n + 1);
    struct sl_map by_run = {0};

    for (size_t i = 0; i < s->v.n; i++)
        sl_map_add(&by_run, sl_hash(s->v.v[i].run, strlen(s->v.v[i].run)), (uint32_t)i);
    for (size_t k = 0; k < r->v.n; k++) {
        uint64_t hash = sl_hash(r->v.v[k].run, strlen(r->v.v[k].run));
        size_t at = hash;
        for (uint32_t i; sl_map_next(&by_run, hash, &at, &i);)
            done[i] |= !strcmp(s->v.v[i].run, r->v.v[k].run);
    }
    sl_map_free(&by_run);
    return done;
}
