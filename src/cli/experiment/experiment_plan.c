/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/experiment/experiment_plan.h"
#include "design/plan/find_programs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_experiment_plan(const struct cli *cli, struct sl_plan *p, struct sl_err *err)
{
    const char *given = cli_option(cli, "plan");

    *p = (struct sl_plan){0};
    if (!given && access(CLI_EXPERIMENT_FILE, F_OK))
        return sl_err(err, SL_ENOTFOUND,
                      "there is no " CLI_EXPERIMENT_FILE " here, which says what is run and varied; see "
                      "spanloom-experiment.yaml(5), or name one: --plan FILE");
    return sl_plan_load(p, given ? given : CLI_EXPERIMENT_FILE, err);
}

static void say_undone(const struct sl_trials *s)
{
    if (!s->undone && !s->torn_down)
        return;
    fputs("spanloom: a run was killed before it could clean up: ", stderr);
    if (s->torn_down)
        fprintf(stderr, "its teardown was run%s%s%s", *s->torn_why ? ", and failed (" : "", s->torn_why,
                *s->torn_why ? ")" : "");
    if (s->undone)
        fprintf(stderr, "%s%d file%s put back", s->torn_down ? "; " : "", s->undone,
                s->undone == 1 ? " was" : "s were");
    fputc('\n', stderr);
}

int cli_experiment_open(struct sl_trials *s, const struct sl_plan *p, const char *state, struct sl_err *err)
{
    int rc = sl_trials_open(s, p, state, err);

    if (!rc || s->undone || s->torn_down)
        say_undone(s);
    if (!rc && (rc = sl_programs_check(p, err)))
        sl_trials_close(s);
    return rc;
}

void cli_experiment_score(struct sl_buf *b, const struct sl_plan *p)
{
    const struct sl_plan_score *s = &p->score;
    const char *file = s->file && strrchr(s->file, '/') ? strrchr(s->file, '/') + 1 : s->file;

    sl_buf_addf(b, "%s%s%s, %s is better; ", s->name, *s->unit && s->from != SL_SCORE_WALL ? " in " : "",
                s->from != SL_SCORE_WALL ? s->unit : "", s->more ? "more" : "less");
    if (s->from == SL_SCORE_WALL)
        sl_buf_addf(b, "the time of the command%s", s->line ? "" : " (no `score:` is given)");
    else if (s->from == SL_SCORE_SQL)
        sl_buf_adds(b, "SQL over the traces of the run");
    else
        sl_buf_addf(b, "a %s of %s", s->from == SL_SCORE_JSON ? "path" : "pattern", file ? file : "what it prints");
    if (s->overhead != SL_OVERHEAD_NONE)
        sl_buf_addf(b, ", %s the ideal", s->overhead == SL_OVERHEAD_RATIO ? "as a multiple of" : "less");
}

static int vary_word(const struct sl_plan *p, const char *word, bool *vary, int32_t *high, struct sl_err *err)
{
    const char *equal = strchr(word, '=');
    char *name = sl_strndup(word, equal ? (size_t)(equal - word) : strlen(word));
    int32_t f = sl_plan_factor(p, name), level;
    int rc = 0;

    if (f >= 0) {
        vary[f] = true;
        level = equal ? sl_plan_level(p, (uint32_t)f, equal + 1) : high[f];
        if (level <= 0)
            rc = sl_err(err, SL_EUSAGE, "factor %s has no level '%s' beside its base", name, equal ? equal + 1 : "");
        high[f] = level;
    } else {
        size_t g = 0;
        while (g < p->group.n && strcmp(p->group.v[g].name, name) != 0)
            g++;
        if (g == p->group.n)
            rc = sl_err(err, SL_EUSAGE, "%s has no factor and no group '%s' (--factors)", p->path, name);
        for (size_t i = 0; !rc && i < p->group.v[g].factor.n; i++)
            vary[p->group.v[g].factor.v[i]] = true;
    }
    free(name);
    return rc;
}

int cli_experiment_vary(const struct cli *cli, const struct sl_plan *p, bool *vary, int32_t *high, struct sl_err *err)
{
    const char *list = cli_option(cli, "factors");
    int rc = 0;

    if (!p->factor.n)
        return sl_err(err, SL_EUSAGE, "%s varies nothing: add `factors:`", p->path);
    for (size_t f = 0; f < p->factor.n; f++) {
        vary[f] = !list;
        high[f] = (int32_t)p->factor.v[f].level.n - 1;
    }
    for (const char *s = list; s && !rc; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
        char *word = sl_strndup(s, strcspn(s, ","));
        rc = vary_word(p, word, vary, high, err);
        free(word);
    }
    return rc;
}

int cli_experiment_whole(const struct cli *cli, const char *name, uint64_t least, uint64_t *to)
{
    const char *s = cli_option(cli, name);

    if (!s)
        return EXIT_DONE;
    if (!*s || s[strspn(s, "0123456789")] || strlen(s) > 18 || strtoull(s, NULL, 10) < least)
        return cli_usage(cli, "--%s takes a whole number from %llu up, not '%s'", name, (unsigned long long)least, s);
    *to = strtoull(s, NULL, 10);
    return EXIT_DONE;
}
