/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/near.h"
#include "design/plan_internal.h"
#include "recipe/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- scalars ---- */

const char *sl_plan_text(struct sl_plan_parse *c, const struct sl_yaml *y, const char *what)
{
    if (y && y->kind == SL_YAML_SCALAR && y->n && strlen(y->text) == y->n)
        return sl_arena_copy(&c->p->arena, y->text, y->n);
    sl_yaml_fail(&c->check, y, "%s must be a text", what);
    return "";
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

static uint64_t whole(struct sl_plan_parse *c, const struct sl_yaml *y, const char *what, uint64_t least, uint64_t most)
{
    char *end = NULL;
    uint64_t n = y->kind == SL_YAML_SCALAR && y->n && strspn(y->text, "0123456789") == y->n && y->n < 19
                     ? strtoull(y->text, &end, 10)
                     : 0;

    if (!end || n < least || n > most)
        sl_yaml_fail(&c->check, y, "%s must be a whole number from %llu to %llu", what, (unsigned long long)least,
                     (unsigned long long)most);
    return end ? n : least;
}

static double seconds(struct sl_plan_parse *c, const struct sl_yaml *y, const char *what)
{
    double s = sl_plan_seconds(sl_plan_text(c, y, what));

    if (isnan(s))
        sl_yaml_fail(&c->check, y, "%s must be a time such as 90s, 15 min or 8h, not '%s'", what,
                     y->kind == SL_YAML_SCALAR ? y->text : "a list");
    return s;
}

static bool truth(struct sl_plan_parse *c, const struct sl_yaml *y, const char *what)
{
    const char *s = sl_plan_text(c, y, what);
    bool yes = !strcmp(s, "yes") || !strcmp(s, "true");

    if (!yes && strcmp(s, "no") != 0 && strcmp(s, "false") != 0)
        sl_yaml_fail(&c->check, y, "%s must be yes or no", what);
    return yes;
}

bool sl_plan_listed(const char *list, const char *key)
{
    size_t n = strlen(key);

    for (const char *s = list; n && (s = strstr(s, key)); s++)
        if (s > list && s[-1] == ' ' && s[n] == ' ')
            return !strchr(key, ' ');
    return false;
}

void sl_plan_unknown(struct sl_plan_parse *c, const struct sl_yaml *key, const char *of, const char *known)
{
    sl_plan_words words = {0};
    size_t best[SL_NEAR];
    struct sl_buf all = {0};
    int near;

    for (const char *s = known; *(s += strspn(s, " ")); s += strcspn(s, " ")) {
        *sl_vec_add(&words) = sl_arena_copy(&c->p->arena, s, strcspn(s, " "));
        sl_buf_addf(&all, "%s%s", words.n > 1 ? ", " : "", words.v[words.n - 1]);
    }
    near = sl_near(words.v, words.n, key->text, best);
    sl_yaml_fail(&c->check, key, "%s has no key '%.60s'%s%s%s; known: %s", of, key->text, near ? "; did you mean " : "",
                 near ? words.v[best[0]] : "", near ? "?" : "", all.s);
    sl_vec_free(&words);
    sl_buf_free(&all);
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

static void check_pattern(struct sl_plan_parse *c, const struct sl_yaml *y, const char *text)
{
    struct sl_pattern p;
    struct sl_err why = {0};
    char where[16] = "the pattern";

    if (sl_pattern_compile(&p, text, where, &why)) {
        sl_yaml_fail(&c->check, y, "regex: %s", why.text);
        return;
    }
    if (p.ngroups != 1)
        sl_yaml_fail(&c->check, y,
                     "regex needs one group, (...), around the number, and has %u; (?:...) groups without being one",
                     p.ngroups);
    sl_pattern_free(&p);
}

static void parse_score(struct sl_plan_parse *c, const struct sl_yaml *y)
{
    static const char known[] = " name unit regex json sql wall file better ideal overhead ";
    static const char *const from[] = {"wall", "regex", "json", "sql"};
    struct sl_plan_score *s = &c->p->score;
    int ways = 0;

    s->line = y->line;
    if (y->kind == SL_YAML_SCALAR && !strcmp(y->text, "wall"))
        return;
    if (!sl_yaml_is_map(&c->check, y, "score is `wall`, or a map such as {name: usec_per_task, regex: 'took (.*) us'}"))
        return;
    s->name = NULL;
    s->unit = NULL;
    for (size_t i = 0; i < y->n && !c->check.rc; i++) {
        const char *k = y->key[i]->text;
        const struct sl_yaml *v = y->item[i];
        int way = 0;
        while (way < 4 && strcmp(from[way], k) != 0)
            way++;
        if (way < 4) {
            ways++;
            s->from = (enum sl_score_from)way;
            s->text = sl_plan_text(c, v, k);
            if (way == SL_SCORE_REGEX && !c->check.rc)
                check_pattern(c, v, s->text);
            if (way == SL_SCORE_JSON && !c->check.rc && *s->text != '$')
                sl_yaml_fail(&c->check, v, "json is a path such as $.results[0].mean, and begins with $");
            if (way == SL_SCORE_WALL && strcmp(s->text, "yes") != 0)
                sl_yaml_fail(&c->check, v, "wall is yes, or is left out");
        } else if (!strcmp(k, "name")) {
            s->name = sl_plan_text(c, v, k);
        } else if (!strcmp(k, "unit")) {
            s->unit = sl_plan_text(c, v, k);
        } else if (!strcmp(k, "file")) {
            s->file = sl_plan_path(c, sl_plan_text(c, v, k));
        } else if (!strcmp(k, "better")) {
            s->more = !strcmp(sl_plan_text(c, v, k), "more");
            if (!s->more && strcmp(v->text ? v->text : "", "less") != 0)
                sl_yaml_fail(&c->check, v, "better is less (a cost) or more (a rate)");
        } else if (!strcmp(k, "ideal")) {
            s->ideal = sl_plan_number(c, v, k);
        } else if (!strcmp(k, "overhead")) {
            const char *how = sl_plan_text(c, v, k);
            s->overhead = !strcmp(how, "ratio") ? SL_OVERHEAD_RATIO : SL_OVERHEAD_DIFFERENCE;
            if (strcmp(how, "ratio") != 0 && strcmp(how, "difference") != 0)
                sl_yaml_fail(&c->check, v,
                             "overhead is difference (measured - ideal) or ratio (measured / ideal), not '%s'", how);
        } else {
            sl_plan_unknown(c, y->key[i], "score", known);
        }
    }
    if (!c->check.rc && ways != 1)
        sl_yaml_fail(&c->check, y, "score is read in one way: regex, json, sql, or wall: yes");
    if (!c->check.rc && s->file && s->from != SL_SCORE_REGEX && s->from != SL_SCORE_JSON)
        sl_yaml_fail(&c->check, sl_yaml_get(y, "file"), "file is where regex or json are read; leave it out");
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
    if (sl_plan_listed(sl_plan_reserved, s->name) || sl_plan_factor(c->p, s->name) >= 0)
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

static void parse_versions(struct sl_plan_parse *c, const struct sl_yaml *y)
{
    if (!sl_yaml_is_map(&c->check, y, "versions is a map {name: command}, such as {python: python3 --version}"))
        return;
    for (size_t i = 0; i < y->n; i++)
        *sl_vec_add(&c->p->version) =
            (struct sl_plan_pair){sl_plan_text(c, y->key[i], "a name"), sl_plan_text(c, y->item[i], "a command")};
}

static void parse_budget(struct sl_plan_parse *c, const struct sl_yaml *y)
{
    static const char must[] =
        "budget is a time (30s, 10min, 8h; a number alone is seconds), `200 runs`, or both: {time: 8h, runs: 200}";
    size_t digits = y->kind == SL_YAML_SCALAR ? strspn(y->text, "0123456789") : 0;

    if (digits && digits < 10 && (!strcmp(y->text + digits, " runs") || !strcmp(y->text + digits, " run")) &&
        strtoull(y->text, NULL, 10)) {
        c->p->budget_runs = strtoull(y->text, NULL, 10);
        return;
    }
    if (y->kind == SL_YAML_SCALAR) {
        c->p->budget_s = sl_plan_seconds(sl_plan_text(c, y, "budget"));
        if (isnan(c->p->budget_s))
            sl_yaml_fail(&c->check, y, "%s; not '%s'", must, y->text);
        return;
    }
    if (!sl_yaml_is_map(&c->check, y, must))
        return;
    for (size_t i = 0; i < y->n; i++)
        if (!strcmp(y->key[i]->text, "time"))
            c->p->budget_s = seconds(c, y->item[i], "time");
        else if (!strcmp(y->key[i]->text, "runs"))
            c->p->budget_runs = whole(c, y->item[i], "runs", 1, 1000000000);
        else
            sl_plan_unknown(c, y->key[i], "budget", " time runs ");
}

static void parse_command(struct sl_plan_parse *c, const struct sl_yaml *y)
{
    sl_plan_words *v = &c->p->command;

    c->p->shell = y->kind == SL_YAML_SCALAR;
    if (c->p->shell) {
        *sl_vec_add(v) = "/bin/sh";
        *sl_vec_add(v) = "-c";
        *sl_vec_add(v) = sl_plan_text(c, y, "command");
        sl_plan_program(c, y, "command", v->v[2], true);
        return;
    }
    if (y->kind != SL_YAML_LIST || !y->n)
        sl_yaml_fail(&c->check, y, "command is a text for the shell, or a list of words");
    for (size_t i = 0; y->kind == SL_YAML_LIST && i < y->n; i++)
        *sl_vec_add(v) = sl_plan_text(c, y->item[i], "a word of the command");
    if (v->n)
        sl_plan_program(c, y->item[0], "command", v->v[0], false);
}

static const char plan_keys[] = " experiment command " SL_PLAN_EFFECT_KEYS
                                " factors groups constraints score versions timeout budget repeats warmup seed trace ";

static void parse_key(struct sl_plan_parse *c, const struct sl_yaml *key, const struct sl_yaml *y)
{
    const char *k = key->text;
    struct sl_plan *p = c->p;

    if (!strcmp(k, "experiment")) {
        p->name = sl_plan_text(c, y, k);
        if (strpbrk(p->name, "/\n\r") || *p->name == '.' || strlen(p->name) > 100)
            sl_yaml_fail(&c->check, y, "an experiment is called by a word of at most 100 letters that names files");
    } else if (!strcmp(k, "command"))
        parse_command(c, y);
    else if (!strcmp(k, "score"))
        parse_score(c, y);
    else if (!strcmp(k, "versions"))
        parse_versions(c, y);
    else if (!strcmp(k, "timeout"))
        p->timeout_s = seconds(c, y, k);
    else if (!strcmp(k, "budget"))
        parse_budget(c, y);
    else if (!strcmp(k, "repeats"))
        p->repeats = (uint32_t)whole(c, y, k, 1, 100000);
    else if (!strcmp(k, "warmup"))
        p->warmup = (uint32_t)whole(c, y, k, 0, 1000);
    else if (!strcmp(k, "seed"))
        p->seed = whole(c, y, k, 0, UINT64_C(999999999999999999));
    else if (!strcmp(k, "trace"))
        p->trace = truth(c, y, k);
    else if (!strcmp(k, "factors"))
        sl_plan_factors(c, y);
    else if (strcmp(k, "groups") != 0 && strcmp(k, "constraints") != 0 && (!sl_plan_is_effect(k)))
        sl_plan_unknown(c, key, "an experiment", plan_keys);
}

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
    c->p->effects.command.n = 0; /* the command itself, which parse_command() reads */
    for (size_t i = 0; i < doc->n && !c->check.rc; i++)
        parse_key(c, doc->key[i], doc->item[i]);
    if (!c->check.rc && (y = sl_yaml_get(doc, "groups"))) /* these name factors, wherever they stand */
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
    struct sl_plan_parse c = {.p = out, .check = {.path = path, .err = err}};
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
