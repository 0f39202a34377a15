/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "base/near.h"
#include "cli/ask/cmd_function.h"
#include "cli/cli.h"
#include "cli/manual.h"
#include "cli/question.h"
#include "collect/child_process.h"
#include "recipe/project.h"
#include "store/store.h"

#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern const struct command cmd_import, cmd_info, cmd_types, cmd_sql, cmd_rejects, cmd_recipes, cmd_sequences, cmd_show,
    cmd_events, cmd_forget, cmd_links, cmd_bind, cmd_unbind, cmd_durations, cmd_states, cmd_rate, cmd_utilisation,
    cmd_graph, cmd_critical_path, cmd_what_if, cmd_why, cmd_failures, cmd_runs, cmd_skew, cmd_diff, cmd_export,
    cmd_profile, cmd_run, cmd_flags, cmd_begin, cmd_end, cmd_event, cmd_span, cmd_trace, cmd_plot, cmd_experiment,
    cmd_monitor, cmd_metrics, cmd_usage, cmd_report, cmd_serve, cmd_plan;

/* A NULL name begins a group, which is called as its help says. */
#define GROUP(words)                                                                                                   \
    &(const struct command)                                                                                            \
    {                                                                                                                  \
        .help = words                                                                                                  \
    }

static const struct command *const commands[] = {
    GROUP("to begin with"),
    &cmd_import,
    &cmd_why,
    &cmd_plan,
    &cmd_report,
    &cmd_serve,
    &cmd_failures,
    &cmd_runs,
    GROUP("where the time went"),
    &cmd_critical_path,
    &cmd_what_if,
    &cmd_sequences,
    &cmd_durations,
    &cmd_states,
    &cmd_rate,
    &cmd_utilisation,
    &cmd_skew,
    &cmd_diff,
    GROUP("spans and events"),
    &cmd_info,
    &cmd_types,
    &cmd_show,
    &cmd_events,
    &cmd_links,
    &cmd_graph,
    &cmd_sql,
    &cmd_plot,
    &cmd_export,
    GROUP("programs and nodes"),
    &cmd_run,
    &cmd_trace,
    &cmd_profile,
    &cmd_flags,
    &cmd_monitor,
    &cmd_metrics,
    &cmd_usage,
    GROUP("spans of shell scripts"),
    &cmd_span,
    &cmd_begin,
    &cmd_end,
    &cmd_event,
    GROUP("many runs, on purpose"),
    &cmd_experiment,
    GROUP("what was read, and how"),
    &cmd_recipes,
    &cmd_rejects,
    &cmd_bind,
    &cmd_unbind,
    &cmd_forget,
    NULL,
};

/* What stands behind the first argument is left as it is: it is another program's. */
static bool leaves_rest(const struct command *c)
{
    return c == &cmd_run || c == &cmd_trace || c == &cmd_monitor || c == &cmd_span;
}

/* Asks nothing of spanloom.yaml before it runs, so that a mistake there is no hindrance to a script. */
static bool stands_alone(const struct command *c)
{
    return leaves_rest(c) || c == &cmd_begin || c == &cmd_end || c == &cmd_event || c == &cmd_flags;
}

enum { DATABASE, FORMAT, WIDE, COLOR, HELP, SHARED };
static const struct option_spec shared[SHARED + 1] = {
    [DATABASE] = {"database", "FILE", "the store (default: $SPANLOOM_DB, or spanloom.db)"},
    [FORMAT] = {"format", "FORMAT", "table, tsv, csv or json"},
    [WIDE] = {"wide", NULL, "cut nothing at the width of the terminal"},
    [COLOR] = {"color", "WHEN", "auto (on a terminal), always or never"},
    [HELP] = {"help", NULL, "this text"},
};

enum { HELP_WIDTH = 80, HELP_INDENT = 27, USAGE_INDENT = 9 };

static void help_row(FILE *out, const char *left, const char *what)
{
    fprintf(out, "  %-*s ", HELP_INDENT - 3, left);
    if (strlen(left) > HELP_INDENT - 3) /* a line of its own */
        fprintf(out, "\n%*s", HELP_INDENT, "");
    sl_show_wrapped(out, what, HELP_INDENT, HELP_WIDTH);
}

/* Those of `instead` go before: --format is something else for graph. */
static void help_options(FILE *out, const struct option_spec *o, const struct option_spec *instead)
{
    for (; o && o->name; o++) {
        const struct option_spec *i = instead;
        char left[80];
        while (i && i->name && strcmp(i->name, o->name) != 0)
            i++;
        if (i && i->name)
            continue;
        snprintf(left, sizeof left, "%s--%s%s%s",
                 !strcmp(o->name, "database") ? "-d, "
                 : !strcmp(o->name, "output") ? "-o, "
                                              : "",
                 o->name, o->value ? " " : "", o->value ? o->value : "");
        help_row(out, left, o->help);
    }
}

/* That of this name; NULL: there is none. */
static const struct command *find_sub(const struct command *c, const char *name)
{
    const struct command *sub = NULL;

    for (size_t i = 0; c->sub && name && (sub = c->sub(i)) && (!sub->name || strcmp(sub->name, name) != 0); i++)
        ;
    return sub;
}

static void help_subs(FILE *out, const struct command *c)
{
    const struct command *sub;

    fprintf(out, "\n%.*s is one of:\n", (int)strcspn(c->args, " "), c->args);
    for (size_t i = 0; (sub = c->sub(i)); i++) {
        struct sl_buf left = {0}, what = {0};
        sl_buf_addf(&what, "%.*s", (int)strcspn(sub->help, "\n"), sub->help);
        if (sub->name) {
            sl_buf_addf(&left, "%s %s", sub->name, sub->args);
            help_row(out, left.s, what.s);
        } else {
            fprintf(out, "%s:\n", what.s);
        }
        sl_buf_free(&left);
        sl_buf_free(&what);
    }
}

/* Of a command, or of what its first argument names. */
static int help(FILE *out, const struct command *c, const char *first)
{
    if (c) {
        const struct command *sub = find_sub(c, first), *of = sub ? sub : c;
        struct sl_buf usage = {0};
        sl_buf_addf(&usage, "usage: spanloom %s%s%s [options] %s", c->name, sub ? " " : "", sub ? sub->name : "",
                    of->args);
        sl_show_wrapped(out, usage.s, USAGE_INDENT, HELP_WIDTH);
        fprintf(out, "\n%s\n", of->help);
        if (of->sub)
            help_subs(out, of);
        fputs("\noptions:\n", out);
        sl_buf_free(&usage);
        help_options(out, of->options, NULL);
        help_options(out, shared, of->options);
        fprintf(out, "\nmore: spanloom help %s\n", c->name);
        return EXIT_DONE;
    }
    fputs("Spanloom: where the time of a workflow went, across every component at once.\n\n"
          "usage: spanloom COMMAND [options] [arguments]\n\ncommands:\n",
          out);
    for (int i = 0; commands[i]; i++)
        if (commands[i]->name)
            fprintf(out, "  %-14s %.*s\n", commands[i]->name, (int)strcspn(commands[i]->help, "\n"), commands[i]->help);
        else
            fprintf(out, " %s:\n", commands[i]->help);
    fputs("\noptions of all commands:\n", out);
    help_options(out, shared, NULL);
    fputs("  --version                the version of this program\n\n"
          "first steps:\n"
          "  spanloom why runinfo/          read a run, and why it took as long as it did\n"
          "  spanloom import runinfo/       read everything below a Parsl run directory\n"
          "  spanloom sequences             where the time of a typical task went\n"
          "  spanloom show task 42          one task through every component\n"
          "  spanloom critical-path         what made the run as long as it was\n"
          "  spanloom run ./program         a program with spans in it, and its profile\n"
          "  spanloom trace script.py       the same for the functions of a Python script\n\n"
          "more: spanloom COMMAND --help, and all of it: spanloom help COMMAND\n"
          "Functions of SQL are commands, too: spanloom functions lists them.\n",
          out);
    return EXIT_DONE;
}

static const struct option_spec *find_in(const struct option_spec *options, const char *name, size_t n)
{
    for (const struct option_spec *o = options; o && o->name; o++)
        if (strlen(o->name) == n && !strncmp(o->name, name, n))
            return o;
    return NULL;
}

static const struct option_spec *find_option(const struct command *c, const char *name, size_t n)
{
    const struct option_spec *own = find_in(c->options, name, n);

    return own ? own : find_in(shared, name, n);
}

static int no_command(const char *name)
{
    const char *names[sizeof commands / sizeof *commands];
    struct sl_buf near = {0};
    size_t n = 0;
    int rc;

    for (int i = 0; commands[i]; i++)
        if (commands[i]->name)
            names[n++] = commands[i]->name;
    sl_near_add(&near, names, n, name);
    rc = cli_usage(NULL, "there is no command '%s'%s", name, near.n ? near.s : "");
    sl_buf_free(&near);
    return rc;
}

static int no_option(const struct cli *cli, const char *given)
{
    const struct option_spec *const lists[] = {cli->command ? cli->command->options : NULL, shared};
    SL_VEC(const char *) names = {0};
    char *name = sl_strndup(given, strcspn(given, "="));
    struct sl_buf near = {0};
    struct sl_arena arena = {0};
    int rc;

    for (int k = 0; k < 2; k++)
        for (const struct option_spec *o = lists[k]; o && o->name; o++) {
            char *dashed = sl_arena_alloc(&arena, strlen(o->name) + 3);
            sprintf(dashed, "--%s", o->name);
            *sl_vec_add(&names) = dashed;
        }
    if (!cli->command)
        *sl_vec_add(&names) = "--version";
    sl_near_add(&near, names.v, names.n, name);
    rc = cli_usage(cli, "unknown option %s%s", name, near.n ? near.s : "");
    free(name);
    sl_arena_free(&arena);
    sl_buf_free(&near);
    sl_vec_free(&names);
    return rc;
}

/* Takes the options out of argv; returns the number of arguments left, or negative: usage. */
static int parse(struct cli *cli, int argc, char **argv)
{
    int left = 0;
    bool only_arguments = false;

    for (int i = 0; i < argc; i++) {
        char *a = argv[i];
        const struct option_spec *o;
        const char *value = NULL, *eq;
        if (only_arguments || a[0] != '-' || !a[1] || (cli->command == &cmd_trace && !strcmp(a, "-m"))) {
            argv[left++] = a;
            only_arguments |= leaves_rest(cli->command);
            continue;
        }
        if (!strcmp(a, "--")) {
            only_arguments = true;
            continue;
        }
        if (!strncmp(a, "-d", 2) && a[1] == 'd') {
            o = &shared[DATABASE];
            value = a[2] ? a + 2 + (a[2] == '=') : NULL;
        } else if (a[1] == 'o' && (o = find_option(cli->command, "output", 6))) {
            value = a[2] ? a + 2 + (a[2] == '=') : NULL;
        } else if (!strcmp(a, "-h")) {
            o = &shared[HELP];
        } else if (a[1] == '-') {
            eq = strchr(a, '=');
            o = find_option(cli->command, a + 2, eq ? (size_t)(eq - a - 2) : strlen(a + 2));
            value = eq ? eq + 1 : NULL;
        } else {
            o = NULL;
        }
        if (!o)
            return no_option(cli, a), -1;
        if (!o->value && value)
            return cli_usage(cli, "--%s takes no value", o->name), -1;
        if (o->value && !value) {
            if (i + 1 == argc)
                return cli_usage(cli, "--%s needs a value: %s", o->name, o->value), -1;
            value = argv[++i];
        }
        if (o == &shared[DATABASE]) {
            if (!*value)
                return cli_usage(cli, "-d needs the name of a file"), -1;
            cli->store_path = value, cli->store_given = true;
        } else if (o == &shared[FORMAT]) {
            int f = sl_format_find(value);
            if (f < 0)
                return cli_usage(cli, "unknown format '%s'; known: table, tsv, csv, json", value), -1;
            cli->format = (enum sl_format)f;
            cli->format_given = true;
        } else if (o == &shared[COLOR]) {
            if (strcmp(value, "auto") != 0 && strcmp(value, "always") != 0 && strcmp(value, "never") != 0)
                return cli_usage(cli, "--color is auto, always or never, not '%s'", value), -1;
            cli->color = value;
        } else if (o == &shared[WIDE]) {
            cli->wide = true;
        } else if (o == &shared[HELP]) {
            help(stdout, cli->command, left ? argv[0] : i + 1 < argc ? argv[i + 1] : NULL);
            return -2;
        } else {
            cli->given[cli->ngiven++] = (struct given){o, value ? value : ""};
        }
    }
    return left;
}

static volatile sig_atomic_t pipe_closed;

static void on_pipe(int sig)
{
    (void)sig;
    pipe_closed = 1;
}

/* The first word that is neither an option nor the value of one; options may stand before it. */
static int find_command(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const struct option_spec *o = NULL;
        if (argv[i][0] != '-')
            return i;
        if (!strncmp(argv[i], "--", 2))
            o = find_in(shared, argv[i] + 2, strlen(argv[i] + 2));
        if (!strcmp(argv[i], "-d") || (o && o->value))
            i++;
    }
    return 0;
}

/* --color, else what NO_COLOR (no-color.org) and the terminal say. */
static bool coloured(const struct cli *cli)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    if (cli->color && strcmp(cli->color, "auto") != 0)
        return !strcmp(cli->color, "always");
    return isatty(1) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
    int at = find_command(argc, argv), left;
    const char *name = at ? argv[at] : argc > 1 ? argv[1] : "";

    if (!strcmp(name, "--version") || !strcmp(name, "version")) {
        puts("spanloom " SL_VERSION);
        return EXIT_DONE;
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        const char *of = at && at + 1 < argc ? argv[at + 1] : NULL;
        if (!of)
            return help(stdout, NULL, NULL);
        if (manual_show(stdout, strcmp(of, "spanloom") != 0 ? of : ""))
            return EXIT_DONE;
        return cli_function_command(of) ? help(stdout, cli_function_command(of), NULL) : no_command(of);
    }
    if (!at) {
        if (*name && strcmp(name, "-d") != 0 &&
            (strncmp(name, "--", 2) != 0 || !find_in(shared, name + 2, strcspn(name + 2, "="))))
            return no_option(cli, name);
        if (*name)
            return cli_usage(NULL, "a command is missing behind %s", name);
        help(stderr, NULL, NULL);
        return EXIT_USAGE;
    }
    for (int i = 0; commands[i]; i++)
        if (commands[i]->name && !strcmp(commands[i]->name, name))
            cli->command = commands[i];
    if (!cli->command && !(cli->command = cli_function_command(name)))
        return no_command(name);
    memmove(argv + at, argv + at + 1, (size_t)(argc - at - 1) * sizeof *argv);
    left = parse(cli, argc - 2, argv + 1);
    if (left < 0)
        return left == -2 ? EXIT_DONE : EXIT_USAGE;
    argv[1 + left] = NULL;
    cli->sub = find_sub(cli->command, argv[1]) ? argv[1] : NULL;
    if (isatty(1) && !cli->wide)
        sl_show_columns(cli_columns());
    sl_show_colours(coloured(cli));
    if (cli->project_err && !stands_alone(cli->command))
        return cli_fail(cli, cli->project_err);
    return cli->command->question ? cli_ask(cli, left, argv + 1) : cli->command->run(cli, left, argv + 1);
}

/* What a large array had, when it is freed: malloc() learns from each that is freed to keep larger ones. */
static void give_memory_back(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}

int main(int argc, char **argv)
{
    const char *db = getenv("SPANLOOM_DB");
    struct cli cli = {.store_path = db && *db ? db : "spanloom.db"};
    struct sl_project project = {0};
    struct sl_err err = {0};
    int rc;

    if (!setlocale(LC_CTYPE, "C.UTF-8")) /* what we print, whatever the user's is: so it has a width */
        setlocale(LC_CTYPE, "");
    give_memory_back();
    child_remember_signals();
    sl_store_memory();
    sl_store_watch();
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like a full disk */
    signal(SIGPIPE, on_pipe); /* a closed pipe is no error */
    cli.given = sl_alloc((size_t)argc * sizeof *cli.given + 1);
    rc = sl_project_load(&project, SL_PROJECT_FILE, &err);
    if (rc == 0) {
        cli.project = &project;
        if (project.store && !(db && *db))
            cli.store_path = project.store;
    }
    if (rc < 0)
        cli.project_err = &err;
    rc = run(&cli, argc, argv);
    if (sl_store_failed(cli.store_path, &err)) {
        cli_say("%s", err.text);
        cli_not_all = true;
    }
    if (cli_not_all && rc == EXIT_DONE)
        rc = EXIT_FAILED;
    sl_project_free(&project);
    free(cli.given);
    errno = 0; /* of what was refused earlier, nothing says why */
    if ((fflush(stdout) != 0 || ferror(stdout)) && !pipe_closed && rc == EXIT_DONE) {
        cli_say("cannot write the output: %s", errno ? strerror(errno) : "is the disk full?");
        rc = EXIT_FAILED;
    }
    return pipe_closed && rc != EXIT_GATE && !leaves_rest(cli.command) ? EXIT_DONE : rc;
}
