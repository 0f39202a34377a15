/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments: what treatments do to a score, from many runs of the same workload. */
#include "base/buf.h"
#include "base/near.h"
#include "cli/experiment.h"
#include "cli/picture.h"
#include "cli/workflow.h"
#include "recipe/project.h"
#include "result/experiment.h"
#include "show/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    {"score", "COLUMN|REGEX", "import: what was measured; compare, history: where it stands in the output"},
    {"time", "COLUMN", "import: when a run began, as seconds since 1970 or a date"},
    {"key", "COLUMNS", "import: what tells runs apart, such as host,number (default: the time)"},
    {"logs", "COLUMN", "import: the directory of each run's logs, which is imported, too"},
    {"name", "NAME", "the experiment (import: default the name of the file)"},
    {"where", "CONDITION", "only runs where this SQL holds: 'cfg_encrypted = 0'"},
    {"split", "OLD=NEW,NEW", "a factor that became several: old runs had all of these, or none"},
    {"cost", NULL, "scores as they were measured, such as us/task (the default)"},
    {"rate", NULL, "scores as rates, such as tasks/s"},
    {"vs", "CONDITION", "means: beside all runs those where this holds"},
    {"interactions", NULL, "model, fit: every pair of treatments, too"},
    {"elastic-net", NULL, "model: shrunk, also where there are more runs than terms"},
    {"alpha", "A", "--elastic-net: from 0, ridge, to 1, lasso (default 0.5)"},
    {"lambda", "L", "--elastic-net: how far it shrinks (default: by cross-validation)"},
    {"limit", "SCORE", "model: failed runs are so bad or worse; worst: as the worst"},
    {"log", NULL, "model, tiles, fit, variance, enough: of the logarithm; scatter -o: the axes"},
    {"no-time", NULL, "models without the time of the run"},
    {"transitions", NULL, "parts: steps from event to event, not the critical path"},
    {"every-event", NULL, "parts: also by events that are told under some settings alone"},
    {"beside", "means", "model: beside the means"},
    {"greedy", NULL, "sequence, shapley: what helps most first (the default)"},
    {"groups", "PATTERNS", "sequence, shapley: by groups, such as 'sys_*,app_*;cfg_*'"},
    {"order", "NAMES", "sequence, shapley: these treatments, in this order"},
    {"colour", "FACTOR|log2", "scatter: split by this factor's level, or by after / before"},
    {"all", NULL, "every row, also of what is less sure"},
    {"plan", "FILE", "design, run, status, compare, ...: instead of experiment.yaml"},
    {"factors", "NAMES", "only these factors and groups vary; design: FACTOR=LEVEL: its high level"},
    {"resolution", "III|IV|V", "design fraction: the fewest runs that have it (default IV)"},
    {"runs", "N", "design fraction, tune: with so many runs; run, suggest: so many now"},
    {"repeats", "N", "design: so many replicates, each a block (default: the plan's)"},
    {"seed", "N", "of what is random (design: default the plan's)"},
    {"dry-run", NULL, "design: say what it would be, and write nothing"},
    {"again", NULL, "run: also what failed, once more"},
    {"trace", NULL, "run: each run is traced, as spanloom run does"},
    {"block", "NAME", "run: only the runs of this block"},
    {"part", "NAME", "--block: a name for its own log and lock, for several at once"},
    {"launcher", "slurm", "run: as an array job, with a block of runs a node"},
    {"sbatch", "OPTIONS", "--launcher: more options of sbatch, such as '-p short -t 60'"},
    {"wait", NULL, "--launcher: until the job has ended"},
    {"no-import", NULL, "run, tune: only the log; a store reads it later: spanloom import"},
    {"fail-on", "N%", "compare: exit with 3 where the new one is worse by more than this"},
    {"within", "N%", "compare, history: an interval of +- so much is narrow enough"},
    {"pairs", "N", "compare: at most so many (default 200)"},
    {"budget", "TIME", "compare, tune, history: begin no run after 90s, 10min, 2h"},
    {"timeout", "TIME", "compare, history: of a run of a command"},
    {"add", NULL, "suggest: plan these runs, so that run makes them"},
    {"build", "COMMAND", "history: how a commit is built, in its folder"},
    {"first", "N", "history: so many commits are measured first (default 8)"},
    {"rounds", "N", "history: at most so many now (default 50)"},
    PICTURE_OPTION,
    {NULL, NULL, NULL},
};

typedef void show_fn(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);

/* options: those it takes beside --name, --where, --split, --cost and --rate; plot: of -o. */
static const struct sub {
    const char *name, *options;
    enum sl_answer_of answer;
    show_fn *show;
    const char *plot;
} subs[] = {
    {"factors", "", SL_ANSWER_FACTORS, sl_show_factors, NULL},
    {"means", " vs ", SL_ANSWER_MEANS, sl_show_means, "experiment-means"},
    {"deltas", " all ", SL_ANSWER_DELTAS, sl_show_deltas, "experiment-strip"},
    {"scatter", " colour log ", SL_ANSWER_SCATTER, sl_show_scatter, "experiment-scatter"},
    {"strip", "", SL_ANSWER_DELTAS, sl_show_strip, "experiment-strip"},
    {"model", " interactions log no-time beside all elastic-net alpha lambda limit ", SL_ANSWER_MODEL, sl_show_model,
     "experiment-model"},
    {"tiles", " log no-time all elastic-net alpha lambda limit ", SL_ANSWER_TILES, sl_show_tiles, "experiment-tiles"},
    {"fit", " interactions log no-time all elastic-net alpha lambda ", SL_ANSWER_FIT, sl_show_fit, "experiment-fit"},
    {"sequence", " greedy groups order no-time ", SL_ANSWER_SEQUENCE, sl_show_sequence, "experiment-sequence"},
    {"shapley", " greedy groups order no-time ", SL_ANSWER_SHAPLEY, sl_show_shapley, "experiment-shapley"},
    {"pca", " no-time all ", SL_ANSWER_PCA, sl_show_components, "experiment-biplot"},
    {"variance", " log no-time ", SL_ANSWER_VARIANCE, sl_show_variance, "experiment-variance"},
    {"failures", "", SL_ANSWER_FAILURES, sl_show_failures, "experiment-failures"},
    {"drift", " interactions ", SL_ANSWER_DRIFT, sl_show_drift, "experiment-drift"},
    {"enough", " log no-time ", SL_ANSWER_ENOUGH, sl_show_enough, "experiment-enough"},
    {"logs", "", SL_ANSWER_LOGS, sl_show_logs, NULL},
    {"parts", " transitions every-event no-time all ", SL_ANSWER_PARTS, sl_show_parts, "experiment-parts"},
    {"report", " greedy groups output ", SL_ANSWERS, NULL, NULL},
    {"import", " score time key logs ", SL_ANSWERS, NULL, NULL},
    {"export", "", SL_ANSWERS, NULL, NULL},
    {"design", " plan factors resolution runs repeats seed dry-run interactions ", SL_ANSWERS, NULL, NULL},
    {"run", " plan runs again trace block part launcher sbatch wait no-import ", SL_ANSWERS, NULL, NULL},
    {"status", " plan ", SL_ANSWERS, NULL, NULL},
    {"suggest", " plan factors runs seed add ", SL_ANSWERS, NULL, NULL},
    {"tune", " plan factors runs seed budget no-import ", SL_ANSWERS, NULL, NULL},
    {"history", " name build first rounds within budget seed score timeout rate ", SL_ANSWERS, NULL, NULL},
    {"compare", " plan fail-on within pairs budget seed score timeout rate ", SL_ANSWERS, NULL, NULL},
};
enum { SUBS = sizeof subs / sizeof *subs };

static const struct sub *find_sub(const char *name)
{
    for (size_t i = 0; i < SUBS; i++)
        if (!strcmp(subs[i].name, name))
            return &subs[i];
    return NULL;
}

/* Does it ask a store, so that it has the options that say of which runs, and how scores are seen? */
static bool asks_store(const struct sub *sub)
{
    return sub->answer != SL_ANSWERS || !strcmp(sub->name, "report") || !strcmp(sub->name, "export");
}

static int check_options(const struct cli *cli, const struct sub *sub)
{
    for (int i = 0; i < cli->ngiven; i++) {
        char word[32];
        const char *name = cli->given[i].spec->name;
        bool shared = asks_store(sub) ? !strcmp(name, "name") || !strcmp(name, "where") || !strcmp(name, "cost") ||
                                            !strcmp(name, "rate") || !strcmp(name, "split")
                                      : !strcmp(name, "name") && !strcmp(sub->name, "import");
        snprintf(word, sizeof word, " %s ", name);
        if (!strcmp(name, "output") && !sub->plot && strcmp(sub->name, "report") != 0)
            return cli_usage(cli, "experiment %s has no picture, so -o does nothing%s", sub->name,
                             !strcmp(sub->name, "export") ? "; it prints: > FILE.csv" : "");
        if (!shared && strcmp(name, "output") != 0 && !strstr(sub->options, word))
            return cli_usage(cli, "experiment %s has no option --%s", sub->name, name);
    }
    if (cli_option(cli, "cost") && cli_option(cli, "rate"))
        return cli_usage(cli, "--cost and --rate exclude each other");
    if (!!cli_option(cli, "greedy") + !!cli_option(cli, "groups") + !!cli_option(cli, "order") > 1)
        return cli_usage(cli, "--greedy, --groups and --order exclude each other");
    if ((cli_option(cli, "alpha") || cli_option(cli, "lambda")) && !cli_option(cli, "elastic-net"))
        return cli_usage(cli, "--alpha and --lambda are of --elastic-net");
    if (cli_option(cli, "beside") && strcmp(cli_option(cli, "beside"), "means") != 0)
        return cli_usage(cli, "a model can be shown --beside means, not '%s'", cli_option(cli, "beside"));
    if (!strcmp(sub->name, "scatter") && cli_option(cli, "log") && !cli_option(cli, "output"))
        return cli_usage(cli, "--log is of the picture of scatter: add -o FILE, or leave it");
    if (cli_option(cli, "beside") &&
        (cli_option(cli, "log") || cli_option(cli, "interactions") || cli_option(cli, "elastic-net")))
        return cli_usage(cli, "--beside means compares the plain model; leave out --log, --interactions and "
                              "--elastic-net");
    return EXIT_DONE;
}

/* "0.5" */
static double number(const char *s, double otherwise)
{
    char *end;
    double value = s ? strtod(s, &end) : otherwise;
    return s && (end == s || *end) ? NAN : value;
}

static double limit(const char *s)
{
    double value = s && !strcmp(s, "worst") ? INFINITY : number(s, 0);
    return s && value == 0 ? NAN : value;
}

static struct sl_asked asked(const struct cli *cli)
{
    struct sl_asked a = {.q = {.experiment = cli_option(cli, "name"),
                               .where = cli_option(cli, "where"),
                               .split = cli_option(cli, "split"),
                               .rate = cli_option(cli, "rate"),
                               .log = cli_option(cli, "log"),
                               .interactions = cli_option(cli, "interactions"),
                               .elastic_net = cli_option(cli, "elastic-net"),
                               .alpha = number(cli_option(cli, "alpha"), SL_QUESTION_ALPHA),
                               .lambda = number(cli_option(cli, "lambda"), 0),
                               .limit = limit(cli_option(cli, "limit")),
                               .no_time = cli_option(cli, "no-time"),
                               .every_event = cli_option(cli, "every-event"),
                               .groups = cli_option(cli, "groups"),
                               .order = cli_option(cli, "order")},
                         .by = cli_option(cli, "colour")};

    if (!a.q.experiment && cli->project)
        a.q.experiment = cli->project->experiment.name;
    if (!a.q.split && cli->project)
        a.q.split = cli->project->experiment.split;
    if (!a.q.groups && !a.q.order && !cli_option(cli, "greedy") && cli->project)
        a.q.groups = cli->project->experiment.groups;
    return a;
}

static int answer(const struct cli *cli, const struct sub *sub, struct sl_asked *a)
{
    const char *vs = cli_option(cli, "vs");
    bool beside = cli_option(cli, "beside");
    struct sl_experiment_look look = {.log = a->q.log,
                                      .rate = a->q.rate,
                                      .all = cli_option(cli, "all"),
                                      .vs = vs ? vs : a->of,
                                      .by = a->by,
                                      .transitions = cli_option(cli, "transitions")};
    show_fn *show = vs ? sl_show_both : beside ? sl_show_beside : sub->show;
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st = cli_open(cli);
    int rc;

    if (!st)
        return EXIT_FAILED;
    a->db = st->db;
    if (sub->answer == SL_ANSWER_PARTS && cli_states(cli, st, &err)) {
        sl_store_close(st);
        return cli_fail(cli, &err);
    }
    rc = vs       ? sl_result_experiment_vs(&r, st, a, vs, &err)
         : beside ? sl_result_experiment_beside(&r, st, a, &err)
                  : sl_result_experiment(&r, st, sub->answer, a, &err);
    if (!rc && cli->format == SL_FORMAT_TABLE)
        show(stdout, &r, &look);
    else if (!rc)
        rc = sl_show_result(stdout, &r, cli->format, &err);
    sl_result_free(&r);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

/* What an argument of a plot of experiments is here; "": nothing. */
static const char *word_of(const struct sl_asked *a, const char *vs, const char *how, const char *kind,
                           const char *argument)
{
    const struct {
        const char *name, *word;
    } words[] = {{"runs", a->q.where},    {"how", how},      {"experiment", a->q.experiment},
                 {"treatment", a->of},    {"colour", a->by}, {"order", a->q.order},
                 {"groups", a->q.groups}, {"vs", vs},        {"kind", kind}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].name, argument))
            return words[i].word ? words[i].word : "";
    return "";
}

/* The options of models as words of SQL. */
static void put_how(struct sl_buf *b, const struct cli *cli, const struct sl_question *q)
{
    static const char *const numbers[] = {"alpha", "lambda", "limit"};

    sl_buf_addf(b, "%s%s%s%s%s%s", q->every_event ? "every-event " : "", q->rate ? "rate " : "", q->log ? "log " : "",
                q->interactions ? "interactions " : "", q->elastic_net ? "elastic-net " : "",
                q->no_time ? "no-time " : "");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (cli_option(cli, numbers[i]))
            sl_buf_addf(b, "%s=%s ", numbers[i], cli_option(cli, numbers[i]));
    if (q->split)
        sl_buf_addf(b, "split=%s ", q->split);
    if (b->n)
        b->s[--b->n] = '\0';
}

static int picture(const struct cli *cli, const struct sub *sub, const struct sl_asked *a)
{
    const char *vs = cli_option(cli, "vs"), *name = vs                          ? "experiment-vs"
                                                    : cli_option(cli, "beside") ? "experiment-beside"
                                                                                : sub->plot;
    const char *kind = cli_option(cli, "transitions") ? "transition" : "";
    char *argv[8] = {0};
    struct sl_buf how = {0};
    struct sl_plot *p = NULL;
    enum sl_plot_form form;
    int rc;

    if (cli_option(cli, "all"))
        return cli_usage(cli, "--all does nothing to a picture: leave it or -o away");
    if (!strcmp(sub->name, "parts") && a->of)
        return cli_usage(cli, "the picture of parts is of all treatments: leave '%s' away", a->of);
    if (!strcmp(sub->name, "scatter") && !a->of)
        return cli_usage(cli, "scatter of which treatment? `spanloom experiment factors` shows them");
    if ((rc = cli_picture_begin(cli, name, &p, &form)))
        return rc;
    put_how(&how, cli, &a->q);
    for (size_t i = 0; i < p->argument.n && i < sizeof argv / sizeof *argv; i++)
        argv[i] = (char *)(uintptr_t)word_of(a, vs, how.n ? how.s : "", kind, p->argument.v[i].name);
    rc = cli_picture_of(cli, p, (int)p->argument.n, argv, cli_option(cli, "output"), form);
    sl_buf_free(&how);
    sl_plot_free(p);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    const struct sub *sub;
    struct sl_err err = {0};
    struct sl_asked a;
    int rc, most;

    if (!argc)
        return cli_usage(cli, "what of the experiment? import, factors, means, model, ...");
    if (!(sub = find_sub(argv[0]))) {
        const char *names[SUBS];
        struct sl_buf near = {0};
        for (size_t i = 0; i < SUBS; i++)
            names[i] = subs[i].name;
        sl_near_add(&near, names, SUBS, argv[0]);
        rc = cli_usage(cli, "experiment has no '%s'%s", argv[0], near.n ? near.s : "");
        sl_buf_free(&near);
        return rc;
    }
    if ((rc = check_options(cli, sub)))
        return rc;
    if (!strcmp(sub->name, "import"))
        return cli_experiment_import(cli, argc - 1, argv + 1);
    if (cli->format_given && (!strcmp(sub->name, "design") || !strcmp(sub->name, "run")))
        return cli_usage(cli, "--format does nothing here: the planned runs are CSV, NAME.design.csv, and those that "
                              "were made JSON, NAME.runs.jsonl");
    if (!strcmp(sub->name, "design"))
        return cli_experiment_design(cli, argc - 1, argv + 1);
    if (!strcmp(sub->name, "run"))
        return cli_experiment_run(cli, argc - 1, argv + 1);
    if (!strcmp(sub->name, "status"))
        return cli_experiment_status(cli, argc - 1, argv + 1);
    if (!strcmp(sub->name, "compare"))
        return cli_experiment_compare(cli, argc - 1, argv + 1);
    if (!strcmp(sub->name, "suggest"))
        return cli_experiment_suggest(cli, argc - 1, argv + 1);
    if (!strcmp(sub->name, "tune"))
        return cli_experiment_tune(cli, argc - 1, argv + 1);
    if (!strcmp(sub->name, "history"))
        return cli_experiment_history(cli, argc - 1, argv + 1);
    a = asked(cli);
    if (sl_question_check(&a.q, &err))
        return cli_fail(cli, &err);
    most = !strcmp(sub->name, "scatter") || !strcmp(sub->name, "export") || !strcmp(sub->name, "parts") ? 1 : 0;
    if (argc - 1 > most)
        return cli_usage(cli, "experiment %s takes %s, and '%s' is too many", sub->name, most ? "one name" : "no names",
                         argv[most + 1]);
    a.of = most ? argv[1] : NULL;
    if (a.by && !strcmp(a.by, "log2")) /* how far apart the scores are, which is shown anyway */
        a.by = NULL;
    if (!strcmp(sub->name, "report"))
        return cli_experiment_report(cli, &a);
    if (!strcmp(sub->name, "export"))
        return cli_experiment_export(cli, a.of, &a);
    return cli_option(cli, "output") ? picture(cli, sub, &a) : answer(cli, sub, &a);
}

const struct command cmd_experiment = {
    .name = "experiment",
    .args = "QUESTION [ARGUMENT...]",
    .help = "what treatments do to a score, from many runs\n\n"
            "QUESTION is one of:\n"
            "  report -o FILE.html all of this as a page: which treatments matter, and why\n"
            "  import FILE...      read runs, a row each, from CSV, or hyperfine's JSON\n"
            "  factors             what was varied, and how often\n"
            "  means               what each treatment changes, on average\n"
            "  model               the same, all else being equal, by least squares\n"
            "  tiles               what two treatments change together\n"
            "  fit                 what the model says of each run, and what was measured\n"
            "  strip               how often, and how far, pairs of runs get better\n"
            "  scatter TREATMENT   the same of one treatment, by another factor\n"
            "  deltas              every pair of runs that differ in one factor alone\n"
            "  sequence            treatments one after the other, to the best\n"
            "  shapley             what each adds, over all orders\n"
            "  pca                 what random sequences have in common\n"
            "  variance            how much of the variance each factor explains\n"
            "  failures            which treatments make runs fail\n"
            "  drift               how scores change with time, and at which runs\n"
            "  enough              how many runs were enough, and what 100 more would tell\n"
            "  parts [TREATMENT]   which part of the runs each makes longer, by their logs\n"
            "  logs                which logs are of which run\n"
            "  export runs|deltas  CSV with semicolons; export hyperfine: its JSON\n"
            "and what makes runs, as experiment.yaml says:\n"
            "  design KIND         which settings to run: full, fraction, one-at-a-time,\n"
            "                      random N, balanced N, optimal N, list FILE\n"
            "  run                 run what is planned and has not been run\n"
            "  status              how far it is, and how to start it afresh\n"
            "  suggest             which run teaches most, and which may be the best\n"
            "  tune                runs until the best setting is found\n"
            "  compare BASE NEW    two settings, or commands, in turns until it is known\n"
            "  history RANGE COMMAND  since which git commit it is slower",
    .options = options,
    .run = run,
};
