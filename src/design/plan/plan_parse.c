/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "design/plan/plan_internal.h"
#include "recipe/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- scalars ---- */

const char *sl_plan_text(struct sl_plan_parse *c, const struct sl_yaml *y, const char *what)
{
    return sl_yaml_text(&c->check, y, what);
}

double sl_plan_number(struct sl_plan_parse *c, const struct sl_yaml *y, const char *what)
{
    char *end;
    double x = y->kind == SL_YAML_SCALAR && y->n ? strtod(y->text, &end) : NAN;

    if (isnan(x) || end == y->text || *end || !isfinite(x)) {
        sl_yaml_fail(&c->check, y, "%s must be a number", what);
        return NAN;
    }
    return x;
}

static double seconds(struct sl_yaml_check *c, const struct sl_yaml *y, const char *what)
{
    double s = sl_plan_seconds(sl_yaml_text(c, y, what));

    if (isnan(s))
        sl_yaml_fail(c, y, "%s must be a time such as 90s, 15 min or 8h, not '%s'", what,
                     y->kind == SL_YAML_SCALAR ? y->text : "a list");
    return s;
}

const char *sl_plan_path(struct sl_plan_parse *c, const char *path)
{
    struct sl_buf b = {0};
    const char *out;

    if (*path == '/')
        return path;
    sl_buf_addf(&b, "%s/%s", c->p->folder, path);
    out = sl_arena_copy(&c->p->arena, b.s, b.n);
    sl_buf_free(&b);
    return out;
}

void sl_plan_program(struct sl_plan_parse *c, const struct sl_yaml *at, const char *key, const char *text, bool shell)
{
    for (size_t i = 0; i < c->p->program.n; i++)
        if (c->p->program.v[i].line == at->line && !strcmp(c->p->program.v[i].text, text))
            return;
    *sl_vec_add(&c->p->program) =
        (struct sl_plan_program){text, shell, sl_arena_copy(&c->p->arena, key, strlen(key)), at->line};
}

/* ---- the score ---- */

static void check_pattern(struct sl_yaml_check *c, const struct sl_yaml *y, const char *text)
{
    struct sl_pattern p;
    struct sl_err why = {0};
    char where[16] = "the pattern";

    if (sl_pattern_compile(&p, text, where, &why)) {
        sl_yaml_fail(c, y, "regex: %s", why.text);
        return;
    }
    if (p.ngroups != 1)
        sl_yaml_fail(c, y,
                     "regex needs one group, (...), around the number, and has %u; (?:...) groups without being one",
                     p.ngroups);
    sl_pattern_free(&p);
}

/* A score is read in one of these ways. */
static void read_way(struct sl_plan_score *s, struct sl_yaml_check *c, const struct sl_yaml *y, enum sl_score_from from,
                     const char *key)
{
    if (s->text)
        sl_yaml_fail(c, y, "score is read in one way: regex, json, sql, or wall: yes");
    s->from = from;
    s->text = sl_yaml_text(c, y, key);
}

static void read_wall(struct sl_yaml_check *c, const struct sl_yaml *y, void *score)
{
    read_way(score, c, y, SL_SCORE_WALL, "wall");
    if (strcmp(((struct sl_plan_score *)score)->text, "yes") != 0)
        sl_yaml_fail(c, y, "wall is yes, or is left out");
}

static void read_regex(struct sl_yaml_check *c, const struct sl_yaml *y, void *score)
{
    read_way(score, c, y, SL_SCORE_REGEX, "regex");
    if (!c->rc)
        check_pattern(c, y, ((struct sl_plan_score *)score)->text);
}

static void read_json(struct sl_yaml_check *c, const struct sl_yaml *y, void *score)
{
    read_way(score, c, y, SL_SCORE_JSON, "json");
    if (*((struct sl_plan_score *)score)->text != '$')
        sl_yaml_fail(c, y, "json is a path such as $.results[0].mean, and begins with $");
}

static void read_sql(struct sl_yaml_check *c, const struct sl_yaml *y, void *score)
{
    read_way(score, c, y, SL_SCORE_SQL, "sql");
}

static void read_overhead(struct sl_yaml_check *c, const struct sl_yaml *y, void *score)
{
    const char *how = sl_yaml_text(c, y, "overhead");
    bool ratio = !strcmp(how, "ratio");

    ((struct sl_plan_score *)score)->overhead = ratio ? SL_OVERHEAD_RATIO : SL_OVERHEAD_DIFFERENCE;
    if (!ratio && strcmp(how, "difference") != 0)
        sl_yaml_fail(c, y, "overhead is difference (measured - ideal) or ratio (measured / ideal), not '%s'", how);
}

static void read_score(struct sl_yaml_check *c, const struct sl_yaml *y, void *plan)
{
    static const struct sl_yaml_key keys[] = {
        SL_YAML_KEY("name", TEXT, struct sl_plan_score, name),
        SL_YAML_KEY("unit", TEXT, struct sl_plan_score, unit),
        {.name = "regex", .as = SL_YAML_READ, .read = read_regex},
        {.name = "json", .as = SL_YAML_READ, .read = read_json},
        {.name = "sql", .as = SL_YAML_READ, .read = read_sql},
        {.name = "wall", .as = SL_YAML_READ, .read = read_wall},
        SL_YAML_KEY("file", TEXT, struct sl_plan_score, file),
        SL_YAML_KEY("better", BOOL, struct sl_plan_score, more, .words = {"less", "more"}),
        SL_YAML_KEY("ideal", REAL, struct sl_plan_score, ideal),
        {.name = "overhead", .as = SL_YAML_READ, .read = read_overhead},
    };
    struct sl_plan_score *s = &((struct sl_plan *)plan)->score;

    s->line = y->line;
    if (y->kind == SL_YAML_SCALAR && !strcmp(y->text, "wall"))
        return;
    if (!sl_yaml_is_map(c, y, "score is `wall`, or a map such as {name: usec_per_task, regex: 'took (.*) us'}"))
        return;
    s->name = s->unit = NULL;
    sl_yaml_keys(c, y, "score", keys, sizeof keys / sizeof *keys, s);
    if (!s->text)
        sl_yaml_fail(c, y, "score is read in one way: regex, json, sql, or wall: yes");
    if (s->file && s->from != SL_SCORE_REGEX && s->from != SL_SCORE_JSON)
        sl_yaml_fail(c, sl_yaml_get(y, "file"), "file is where regex or json are read; leave it out");
    if (s->file)
        s->file = sl_plan_path((struct sl_plan_parse *)c, s->file);
    s->name = s->name ? s->name : s->from == SL_SCORE_WALL ? "time_s" : "score";
    s->unit = s->unit ? s->unit : s->from == SL_SCORE_WALL ? "s" : "";
}

static bool any_ideal(const struct sl_plan *p)
{
    for (size_t f = 0; f < p->factor.n; f++)
        for (size_t i = 0; i < p->factor.v[f].level.n; i++)
            if (!isnan(p->factor.v[f].level.v[i].ideal))
                return true;
    return !isnan(p->score.ideal);
}

/* What can only be said when all of it was read. */
static void check_score(struct sl_plan_parse *c, const struct sl_yaml *doc)
{
    struct sl_plan_score *s = &c->p->score;
    const struct sl_yaml *y = sl_yaml_get(doc, "score");

    if (s->name[strspn(s->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
        sl_yaml_fail(&c->check, y, "'%s' cannot be the name of a score: letters, digits and _", s->name);
    if (sl_yaml_is_known(sl_plan_reserved, s->name) || sl_plan_factor(c->p, s->name) >= 0)
        sl_yaml_fail(&c->check, y,
                     "score cannot be called '%s': the log of runs has another column of that name; call it my_%s, say",
                     s->name, s->name);
    if (any_ideal(c->p) && s->overhead == SL_OVERHEAD_NONE)
        s->overhead = SL_OVERHEAD_DIFFERENCE;
    if (s->overhead != SL_OVERHEAD_NONE && !any_ideal(c->p))
        sl_yaml_fail(&c->check, y, "overhead against what? Say ideal: of the score, or of each level of a factor");
    if (s->overhead != SL_OVERHEAD_NONE && s->more)
        sl_yaml_fail(&c->check, y, "overhead against an ideal needs a score of which less is better");
    if (s->overhead == SL_OVERHEAD_RATIO && s->ideal <= 0)
        sl_yaml_fail(&c->check, y, "no ratio to an ideal of %g: it must be above 0", s->ideal);
    if (s->from == SL_SCORE_SQL && !c->p->trace)
        sl_yaml_fail(&c->check, y, "sql is asked of the traces of each run: add `trace: yes`");
}

/* ---- the document ---- */

static void read_name(struct sl_yaml_check *c, const struct sl_yaml *y, void *plan)
{
    const char *name = ((struct sl_plan *)plan)->name = sl_yaml_text(c, y, "experiment");

    if (strpbrk(name, "/\n\r") || *name == '.' || strlen(name) > 100)
        sl_yaml_fail(c, y, "an experiment is called by a word of at most 100 letters that names files");
}

static void read_versions(struct sl_yaml_check *c, const struct sl_yaml *y, void *plan)
{
    struct sl_plan *p = plan;

    if (sl_yaml_is_map(c, y, "versions is a map {name: command}, such as {python: python3 --version}"))
        for (size_t i = 0; i < y->n; i++)
            *sl_vec_add(&p->version) =
                (struct sl_plan_pair){sl_yaml_text(c, y->key[i], "a name"), sl_yaml_text(c, y->item[i], "a command")};
}

static void read_timeout(struct sl_yaml_check *c, const struct sl_yaml *y, void *plan)
{
    ((struct sl_plan *)plan)->timeout_s = seconds(c, y, "timeout");
}

static void read_budget_time(struct sl_yaml_check *c, const struct sl_yaml *y, void *plan)
{
    ((struct sl_plan *)plan)->budget_s = seconds(c, y, "time");
}

static void read_budget(struct sl_yaml_check *c, const struct sl_yaml *y, void *plan)
{
    static const char must[] =
        "budget is a time (30s, 10min, 8h; a number alone is seconds), `200 runs`, or both: {time: 8h, runs: 200}";
    static const struct sl_yaml_key keys[] = {
        {.name = "time", .as = SL_YAML_READ, .read = read_budget_time},
        SL_YAML_KEY("runs", INTEGER, struct sl_plan, budget_runs, .least = 1, .most = 1000000000),
    };
    struct sl_plan *p = plan;
    size_t digits = y->kind == SL_YAML_SCALAR ? strspn(y->text, "0123456789") : 0;

    if (digits && digits < 10 && (!strcmp(y->text + digits, " runs") || !strcmp(y->text + digits, " run")) &&
        strtoull(y->text, NULL, 10)) {
        p->budget_runs = strtoull(y->text, NULL, 10);
    } else if (y->kind == SL_YAML_SCALAR) {
        p->budget_s = sl_plan_seconds(sl_yaml_text(c, y, "budget"));
        if (isnan(p->budget_s))
            sl_yaml_fail(c, y, "%s; not '%s'", must, y->text);
    } else if (sl_yaml_is_map(c, y, must)) {
        sl_yaml_keys(c, y, "budget", keys, sizeof keys / sizeof *keys, p);
    }
}

static void read_command(struct sl_yaml_check *check, const struct sl_yaml *y, void *plan)
{
    struct sl_plan_parse *c = (struct sl_plan_parse *)check;
    struct sl_plan *p = plan;
    sl_plan_words *v = &p->command;

    p->shell = y->kind == SL_YAML_SCALAR;
    if (p->shell) {
        *sl_vec_add(v) = "/bin/sh";
        *sl_vec_add(v) = "-c";
        *sl_vec_add(v) = sl_plan_text(c, y, "command");
        sl_plan_program(c, y, "command", v->v[2], true);
        return;
    }
    if (y->kind != SL_YAML_LIST || !y->n)
        sl_yaml_fail(check, y, "command is a text for the shell, or a list of words");
    for (size_t i = 0; y->kind == SL_YAML_LIST && i < y->n; i++)
        *sl_vec_add(v) = sl_plan_text(c, y->item[i], "a word of the command");
    if (v->n)
        sl_plan_program(c, y->item[0], "command", v->v[0], false);
}

static void read_factors(struct sl_yaml_check *c, const struct sl_yaml *y, void *plan)
{
    (void)plan;
    sl_plan_factors((struct sl_plan_parse *)c, y);
}

static const struct sl_yaml_key plan_keys[] = {
    {.name = "experiment", .as = SL_YAML_READ, .read = read_name},
    {.name = "command", .as = SL_YAML_READ, .read = read_command},
    {.name = "environment", .as = SL_YAML_ELSEWHERE}, /* effects: sl_plan_effects() */
    {.name = "argument", .as = SL_YAML_ELSEWHERE},
    {.name = "wrapper", .as = SL_YAML_ELSEWHERE},
    {.name = "edit", .as = SL_YAML_ELSEWHERE},
    {.name = "patch", .as = SL_YAML_ELSEWHERE},
    {.name = "setup", .as = SL_YAML_ELSEWHERE},
    {.name = "teardown", .as = SL_YAML_ELSEWHERE},
    {.name = "factors", .as = SL_YAML_READ, .read = read_factors},
    {.name = "groups", .as = SL_YAML_ELSEWHERE}, /* these name factors, wherever they stand */
    {.name = "constraints", .as = SL_YAML_ELSEWHERE},
    {.name = "score", .as = SL_YAML_READ, .read = read_score},
    {.name = "versions", .as = SL_YAML_READ, .read = read_versions},
    {.name = "timeout", .as = SL_YAML_READ, .read = read_timeout},
    {.name = "budget", .as = SL_YAML_READ, .read = read_budget},
    SL_YAML_KEY("repeats", INTEGER, struct sl_plan, repeats, .least = 1, .most = 100000),
    SL_YAML_KEY("warmup", INTEGER, struct sl_plan, warmup, .most = 1000),
    SL_YAML_KEY("seed", INTEGER, struct sl_plan, seed, .most = UINT64_C(999999999999999999)),
    SL_YAML_KEY("trace", BOOL, struct sl_plan, trace),
};

static void check_constraints(struct sl_plan_parse *c)
{
    struct sl_buf b = {0};
    int line = 1;

    if (sl_plan_conflict(&b, c->p, NULL, &line)) {
        struct sl_yaml at = {.line = line};
        sl_yaml_fail(&c->check, &at, "no setting is left by the constraints: %s; relax one of them", b.s);
    }
    sl_buf_free(&b);
}

static void parse_document(struct sl_plan_parse *c, const struct sl_yaml *doc)
{
    const struct sl_yaml *y;

    if (!sl_yaml_is_map(&c->check, doc, "an experiment is a map with the keys experiment, command, factors, score"))
        return;
    sl_plan_effects(c, &c->p->effects, doc, NULL);
    c->p->effects.command.n = 0; /* the command itself, which read_command() reads */
    sl_yaml_keys(&c->check, doc, "an experiment", plan_keys, sizeof plan_keys / sizeof *plan_keys, c->p);
    if (!c->check.rc && (y = sl_yaml_get(doc, "groups")))
        sl_plan_groups(c, y);
    if (!c->check.rc && (y = sl_yaml_get(doc, "constraints")))
        sl_plan_constraints(c, y);
    if (!c->check.rc && !c->p->name)
        sl_yaml_fail(&c->check, doc, "what is it called? Add `experiment: NAME`");
    if (!c->check.rc && !c->p->command.n)
        sl_yaml_fail(&c->check, doc, "what is to be run? Add `command: ...`");
    if (!c->check.rc)
        check_score(c, doc);
    if (!c->check.rc)
        check_constraints(c);
}

static void set_folder(struct sl_plan *p)
{
    const char *slash = strrchr(p->path, '/');
    char *given = slash ? sl_strndup(p->path, slash == p->path ? 1 : (size_t)(slash - p->path)) : sl_strdup("."),
         *real = realpath(given, NULL);

    p->folder = sl_arena_copy(&p->arena, real ? real : given, strlen(real ? real : given));
    free(real);
    free(given);
}

int sl_plan_parse(struct sl_plan *out, const char *path, const char *text, size_t n, struct sl_err *err)
{
    struct sl_plan_parse c = {.check = {.path = path, .err = err, .arena = &out->arena}, .p = out};
    struct sl_yaml *doc;

    *out = (struct sl_plan){.score = {.name = "time_s", .unit = "s", .from = SL_SCORE_WALL, .ideal = NAN},
                            .timeout_s = INFINITY,
                            .budget_s = INFINITY,
                            .budget_runs = UINT64_MAX,
                            .repeats = 1,
                            .seed = 1};
    out->path = sl_arena_copy(&out->arena, path, strlen(path));
    set_folder(out);
    if ((c.check.rc = sl_yaml_parse(&doc, text, n, path, err)))
        return c.check.rc;
    parse_document(&c, doc);
    sl_yaml_free(doc);
    return c.check.rc;
}
