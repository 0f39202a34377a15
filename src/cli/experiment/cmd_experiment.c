/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments: what treatments do to a score, from many runs of the same workload. */
#include "base/buf.h"
#include "base/near.h"
#include "cli/experiment/subcommands.h"
#include "cli/view/picture.h"
#include "cli/workflow.h"
#include "recipe/project.h"
#include "result/experiment.h"
#include "show/experiment/experiment_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An option, and of which questions it is: "": of all that ask a store.  One that means several things has several
 * rows. */
/* clang-format off */
#define OPTIONS(X) \
    X("score", "COLUMN", "import: ", "what was measured") \
    X("score", "REGEX", "compare, history: ", "where the score stands in the output (default: the time)") \
    X("time", "COLUMN", "import: ", "when a run began, as seconds since 1970 or a date") \
    X("key", "COLUMNS", "import: ", "what tells runs apart, such as host,number (default: the time)") \
    X("logs", "COLUMN", "import: ", "the directory of each run's logs, which is imported, too") \
    X("name", "NAME", "", "the experiment, where the store has several") \
    X("name", "NAME", "import: ", "the experiment (default: the name of the file)") \
    X("name", "NAME", "history: ", "what its log is called (default: history)") \
    X("where", "CONDITION", "", "only runs where this SQL holds: 'cfg_encrypted = 0'") \
    X("split", "OLD=NEW,NEW", "", "a factor that became several: old runs had all of these, or none") \
    X("rate", NULL, "", "scores as rates, such as tasks/s") \
    X("rate", NULL, "compare, history: ", "of --score: more is better") \
    X("vs", "CONDITION", "means: ", "beside all runs those where this holds") \
    X("interactions", NULL, "model, fit, drift: ", "every pair of treatments, too") \
    X("interactions", NULL, "design: ", "optimal: for pairs of factors, too") \
    X("elastic-net", NULL, "model, tiles, fit: ", "shrunk, also where there are more runs than terms") \
    X("alpha", "A", "model, tiles, fit: ", "of --elastic-net: from 0, ridge, to 1, lasso (default 0.5)") \
    X("lambda", "L", "model, tiles, fit: ", "of --elastic-net: how far it shrinks (default: by cross-validation)") \
    X("limit", "SCORE", "model, tiles: ", "failed runs are so bad or worse; worst: as the worst") \
    X("log", NULL, "model, tiles, fit, variance, enough: ", "of the logarithm of scores") \
    X("log", NULL, "scatter: ", "of -o: logarithmic axes") \
    X("no-time", NULL, "model, tiles, fit, sequence, shapley, pca, variance, enough, parts: ", \
      "without the time of the run") \
    X("transitions", NULL, "parts: ", "steps from event to event, not the critical path") \
    X("every-event", NULL, "parts: ", "also by events that are told under some settings alone") \
    X("beside", "means", "model: ", "beside the means") \
    X("groups", "PATTERNS", "sequence, shapley, report: ", "by groups, such as 'sys_*,app_*;cfg_*'; '': by none") \
    X("order", "NAMES", "sequence, shapley: ", "these treatments, in this order") \
    X("colour", "FACTOR|log2", "scatter: ", "split by this factor's level, or by after / before") \
    X("all", NULL, "deltas, model, tiles, fit, pca, parts: ", "every row, also of what is less sure") \
    X("plan", "FILE", "design, run, status, suggest, tune, compare: ", "instead of experiment.yaml") \
    X("factors", "NAMES", "design: ", "only these factors and groups vary; FACTOR=LEVEL: its high level") \
    X("factors", "NAMES", "suggest, tune: ", "only these factors and groups vary") \
    X("resolution", "III|IV|V", "design: ", "fraction: the fewest runs that have it (default IV)") \
    X("runs", "N", "design: ", "fraction: with so many runs") \
    X("runs", "N", "run, suggest: ", "so many now") \
    X("runs", "N", "tune: ", "so many in all (default 60)") \
    X("repeats", "N", "design: ", "so many replicates, each a block (default: the plan's)") \
    X("seed", "N", "design, suggest, tune: ", "of what is random (default: the plan's)") \
    X("seed", "N", "compare, history: ", "of the order of runs (default: another one each time)") \
    X("dry-run", NULL, "design: ", "say what it would be, and write nothing") \
    X("again", NULL, "run: ", "also what failed, once more") \
    X("trace", NULL, "run: ", "each run is traced, as spanloom run does") \
    X("block", "NAME", "run: ", "only the runs of this block") \
    X("part", "NAME", "run: ", "with --block: a name for its own log and lock, for several at once") \
    X("launcher", "slurm", "run: ", "as an array job, with a block of runs a node") \
    X("sbatch", "OPTIONS", "run: ", "with --launcher: more options of sbatch, such as '-p short -t 60'") \
    X("wait", NULL, "run: ", "with --launcher: until the job has ended") \
    X("no-import", NULL, "run, tune: ", "only the log; a store reads it later: spanloom import") \
    X("fail-on", "N%", "compare: ", "exit with 3 where the new one is worse by more than this") \
    X("within", "N%", "compare: ", "an interval of +- so much is narrow enough") \
    X("within", "N%", "history: ", "smaller changes do not matter (default 5%)") \
    X("pairs", "N", "compare: ", "at most so many (default 200)") \
    X("budget", "TIME", "compare, tune, history: ", "begin no run after 90s, 10min, 2h") \
    X("timeout", "TIME", "compare, history: ", "of a run of a command") \
    X("add", NULL, "suggest: ", "plan these runs, so that run makes them") \
    X("build", "COMMAND", "history: ", "how a commit is built, in its folder") \
    X("first", "N", "history: ", "so many commits are measured first (default 8)") \
    X("rounds", "N", "history: ", "at most so many now (default 50)") \
    X("output", "FILE", "report: ", "the page, FILE.html")
/* clang-format on */
#define SPEC(name, value, of, help) {name, value, of help},
#define OF(name, value, of, help) of,
static const struct option_spec options[] = {OPTIONS(SPEC) PICTURE_OPTION, {NULL, NULL, NULL}};
static const char *const option_of[] = {OPTIONS(OF) ""};
enum { N_OPTIONS = sizeof option_of / sizeof *option_of };

typedef void show_fn(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);

/* plot: of -o.  Without a name: what follows is called as the help says. */
static const struct sub {
    struct command is;
    const struct sl_experiment_fn *fn; /* NULL: none */
    show_fn *show;
    const char *plot;
    int (*run)(const struct cli *cli, int argc, char **argv); /* NULL: it asks a store */
} subs[] = {
#define SUB(name_, args_, what, example)                                                                               \
    .is = {.name = name_, .args = args_, .help = what "\n\nsuch as:\n  spanloom experiment " name_ " " example}
#define ASK(fn_, show_, plot_) .fn = &sl_experiment_##fn_, .show = sl_show_##show_, .plot = plot_
#define DO(name_) .run = cli_experiment_##name_
    {SUB("report", "-o FILE.html", "all answers as a page: which treatments matter, and why", "-o report.html")},
    {SUB("import", "FILE...", "read runs, a row each, from CSV, or hyperfine's JSON",
         "--score usec_per_task --time unix_time runs.csv"),
     DO(import)},
    {SUB("factors", "", "what was varied, and how often", "-d runs.db"), ASK(factors, factors, NULL)},
    {SUB("means", "", "what each treatment changes, on average", "--vs 'cfg_encrypted = 0'"),
     ASK(means, means, "experiment-means")},
    {SUB("model", "", "what each changes, all else being equal, by least squares", "--log --interactions"),
     ASK(model, model, "experiment-model")},
    {SUB("tiles", "", "what two treatments change together", "-o tiles.svg"), ASK(tiles, tiles, "experiment-tiles")},
    {SUB("fit", "", "what the model says of each run, and what was measured", "--log"),
     ASK(fit, fit, "experiment-fit")},
    {SUB("scatter", "TREATMENT", "how often, and how far, one treatment helps, by another factor",
         "cfg_poll_100 --colour cfg_1_worker"),
     ASK(scatter, scatter, "experiment-scatter")},
    {SUB("deltas", "", "how often, and how far, runs get better that differ in one factor alone", "-o deltas.svg"),
     ASK(deltas, deltas, "experiment-strip")},
    {SUB("sequence", "", "treatments one after the other, to the best", "--groups 'sys_*,app_*;cfg_*'"),
     ASK(sequence, sequence, "experiment-sequence")},
    {SUB("shapley", "", "what each treatment adds, over all orders", "--rate"),
     ASK(shapley, shapley, "experiment-shapley")},
    {SUB("pca", "", "what random sequences have in common", "-o biplot.svg"),
     ASK(pca, components, "experiment-biplot")},
    {SUB("variance", "", "how much of the variance each factor explains", "--log"),
     ASK(variance, variance, "experiment-variance")},
    {SUB("failures", "", "which treatments make runs fail", "--where 'placebo_env = 0'"),
     ASK(failures, failures, "experiment-failures")},
    {SUB("drift", "", "how scores change with time, and at which runs", "-o drift.html"),
     ASK(drift, drift, "experiment-drift")},
    {SUB("enough", "", "how many runs were enough, and what 100 more would tell", "--log"),
     ASK(enough, enough, "experiment-enough")},
    {SUB("parts", "[TREATMENT]", "which part of the runs each makes longer, by their logs", "cfg_monitoring"),
     ASK(parts, parts, "experiment-parts")},
    {SUB("logs", "", "which logs are of which run", "--format csv"), ASK(logs, logs, NULL)},
    {SUB("export", "WHAT", "runs, or deltas, as CSV with semicolons; hyperfine: its JSON", "runs > runs.csv")},
    {.is = {.help = "and what makes runs, as experiment.yaml says"}},
    {SUB("design", "KIND [N|FILE]",
         "which settings to run: all, a fraction, the best N, ...\n\n"
         "KIND is full, fraction, one-at-a-time, random N, balanced N, optimal N or\nlist FILE.",
         "balanced 32 --repeats 3"),
     DO(design)},
    {SUB("run", "", "run what is planned and has not been run", "--runs 20"), DO(run)},
    {SUB("status", "", "how far the experiment is, and how to start it afresh", "--plan other.yaml"), DO(status)},
    {SUB("suggest", "", "which run teaches most, and which may be the best", "--runs 5 --add"), DO(suggest)},
    {SUB("tune", "", "runs until the best setting is found", "--runs 60 --budget 2h"), DO(tune)},
    {SUB("compare", "BASE NEW", "two settings, or commands, in turns until it is known",
         "./bench-v1 ./bench --fail-on 5% --budget 10min"),
     DO(compare)},
    {SUB("history", "RANGE COMMAND", "since which git commit a command is slower",
         "v1.0..HEAD ./bench --build 'make -j8'"),
     DO(history)},
};
enum { SUBS = sizeof subs / sizeof *subs };

static const struct sub *find_sub(const char *name)
{
    for (size_t i = 0; i < SUBS; i++)
        if (subs[i].is.name && !strcmp(subs[i].is.name, name))
            return &subs[i];
    return NULL;
}

/* Is it of options[at]? */
static bool takes(const struct sub *sub, size_t at)
{
    const char *of = option_of[at];

    if (!*of)
        return strcmp(options[at].name, "output") != 0 ? !sub->run : sub->plot != NULL;
    for (size_t n; n = strcspn(of, ",:"), strncmp(of, sub->is.name, n) != 0 || sub->is.name[n]; of += n + 2)
        if (of[n] == ':')
            return false;
    return true;
}

/* Each, as the help has it: with the options that it takes, and what these mean there. */
static const struct command *sub_command(size_t i)
{
    static struct option_spec own[N_OPTIONS + 1];
    static struct command c;
    size_t n = 0;

    if (i == SUBS)
        return NULL;
    c = subs[i].is;
    for (size_t k = 0; k < N_OPTIONS && c.name; k++)
        if (takes(&subs[i], k)) {
            own[n] = options[k];
            own[n++].help += strlen(option_of[k]);
        }
    own[n] = (struct option_spec){NULL, NULL, NULL};
    c.options = own;
    return &c;
}

static int check_options(const struct cli *cli, const struct sub *sub)
{
    for (int i = 0; i < cli->ngiven; i++) {
        const char *name = cli->given[i].spec->name;
        bool taken = false;
        for (size_t k = 0; k < N_OPTIONS; k++)
            taken |= !strcmp(options[k].name, name) && takes(sub, k);
        if (!taken && !strcmp(name, "output"))
            return cli_usage(cli, "experiment %s has no picture, so -o does nothing%s", sub->is.name,
                             !strcmp(sub->is.name, "export") ? "; it prints: > FILE.csv" : "");
        if (!taken)
            return cli_usage(cli, "experiment %s has no option --%s", sub->is.name, name);
    }
    if (cli_option(cli, "groups") && cli_option(cli, "order"))
        return cli_usage(cli, "--groups and --order exclude each other");
    if ((cli_option(cli, "alpha") || cli_option(cli, "lambda")) && !cli_option(cli, "elastic-net"))
        return cli_usage(cli, "--alpha and --lambda are of --elastic-net");
    if (cli_option(cli, "beside") && strcmp(cli_option(cli, "beside"), "means") != 0)
        return cli_usage(cli, "a model can be shown --beside means, not '%s'", cli_option(cli, "beside"));
    if (!strcmp(sub->is.name, "scatter") && cli_option(cli, "log") && !cli_option(cli, "output"))
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

static struct sl_question question_of(const struct cli *cli)
{
    struct sl_question q = {.experiment = cli_option(cli, "name"),
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
                            .order = cli_option(cli, "order"),
                            .by = cli_option(cli, "colour")};

    if (!q.experiment && cli->project)
        q.experiment = cli->project->experiment.name;
    if (!q.split && cli->project)
        q.split = cli->project->experiment.split;
    if (!q.groups && !q.order && cli->project)
        q.groups = cli->project->experiment.groups;
    if (q.groups && !*q.groups)
        q.groups = NULL;
    return q;
}

static int ask(const struct cli *cli, const struct sub *sub, struct sl_question *q)
{
    const char *vs = cli_option(cli, "vs");
    bool beside = cli_option(cli, "beside");
    struct sl_experiment_look look = {.log = q->log,
                                      .rate = q->rate,
                                      .all = cli_option(cli, "all"),
                                      .vs = vs ? vs : q->of,
                                      .by = q->by,
                                      .transitions = cli_option(cli, "transitions")};
    show_fn *show = vs ? sl_show_both : beside ? sl_show_beside : sub->show;
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st = cli_open(cli);
    int rc;

    if (!st)
        return EXIT_FAILED;
    if (sub->fn == &sl_experiment_parts && cli_states(cli, st, &err)) {
        sl_store_close(st);
        return cli_fail(cli, &err);
    }
    rc = vs       ? sl_result_experiment_vs(&r, st, q, vs, &err)
         : beside ? sl_result_experiment_beside(&r, st, q, &err)
                  : sl_result_experiment(&r, st, sub->fn, q, &err);
    if (!rc && cli->format == SL_FORMAT_TABLE)
        show(stdout, &r, &look);
    else if (!rc)
        rc = sl_show_result(stdout, &r, cli->format, &err);
    sl_result_free(&r);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

/* What an argument of a plot of experiments is here; "": nothing. */
static const char *word_of(const struct sl_question *q, const char *vs, const char *how, const char *kind,
                           const char *argument)
{
    const struct {
        const char *name, *word;
    } words[] = {{"runs", q->where},    {"how", how},      {"experiment", q->experiment},
                 {"treatment", q->of},  {"colour", q->by}, {"order", q->order},
                 {"groups", q->groups}, {"vs", vs},        {"kind", kind}};

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

static int picture(const struct cli *cli, const struct sub *sub, const struct sl_question *q)
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
    if (!strcmp(sub->is.name, "parts") && q->of)
        return cli_usage(cli, "the picture of parts is of all treatments: leave '%s' away", q->of);
    if (!strcmp(sub->is.name, "scatter") && !q->of)
        return cli_usage(cli, "scatter of which treatment? `spanloom experiment factors` shows them");
    if ((rc = cli_picture_begin(cli, name, &p, &form)))
        return rc;
    put_how(&how, cli, q);
    for (size_t i = 0; i < p->argument.n && i < sizeof argv / sizeof *argv; i++)
        argv[i] = (char *)(uintptr_t)word_of(q, vs, how.n ? how.s : "", kind, p->argument.v[i].name);
    rc = cli_picture_of(cli, p, (int)p->argument.n, argv, cli_option(cli, "output"), form);
    sl_buf_free(&how);
    sl_plot_free(p);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    const struct sub *sub;
    struct sl_err err = {0};
    struct sl_question q;
    int rc, most;

    if (!argc)
        return cli_usage(cli, "what of the experiment? import, factors, means, model, ...");
    if (!(sub = find_sub(argv[0]))) {
        const char *names[SUBS];
        struct sl_buf near = {0};
        size_t n = 0;
        for (size_t i = 0; i < SUBS; i++)
            if (subs[i].is.name)
                names[n++] = subs[i].is.name;
        sl_near_add(&near, names, n, argv[0]);
        rc = cli_usage(cli, "experiment has no '%s'%s", argv[0], near.n ? near.s : "");
        sl_buf_free(&near);
        return rc;
    }
    if ((rc = check_options(cli, sub)))
        return rc;
    if (cli->format_given && (!strcmp(sub->is.name, "design") || !strcmp(sub->is.name, "run")))
        return cli_usage(cli, "--format does nothing here: the planned runs are CSV, NAME.design.csv, and those that "
                              "were made JSON, NAME.runs.jsonl");
    if (sub->run)
        return sub->run(cli, argc - 1, argv + 1);
    q = question_of(cli);
    if (sl_question_check(&q, &err))
        return cli_fail(cli, &err);
    most = *sub->is.args && *sub->is.args != '-' ? 1 : 0;
    if (argc - 1 > most)
        return cli_usage(cli, "experiment %s takes %s, and '%s' is too many", sub->is.name,
                         most ? "one name" : "no names", argv[most + 1]);
    q.of = most ? argv[1] : NULL;
    if (q.by && !strcmp(q.by, "log2")) /* how far apart the scores are, which is shown anyway */
        q.by = NULL;
    if (!strcmp(sub->is.name, "report"))
        return cli_experiment_report(cli, &q);
    if (!strcmp(sub->is.name, "export"))
        return cli_experiment_export(cli, q.of, &q);
    return cli_option(cli, "output") ? picture(cli, sub, &q) : ask(cli, sub, &q);
}

const struct command cmd_experiment = {
    .name = "experiment",
    .args = "QUESTION [ARGUMENT...]",
    .help = "what treatments do to a score, from many runs",
    .sub = sub_command,
    .options = options,
    .run = run,
};
