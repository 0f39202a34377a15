/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trace/traced_command.h"

static const struct option_spec options[] = {
    TRACED_OPTIONS,
    {"name", "NAME", "what the trace calls the command (default: its program)"},
    {NULL, NULL, NULL},
};

static int run(struct cli *cli, int argc, char **argv)
{
    if (!argc || !*argv[0])
        return cli_usage(cli, "run what? such as: spanloom run ./program input.txt");
    return traced_command(
        cli, cli_option(cli, "name") && *cli_option(cli, "name") ? cli_option(cli, "name") : argv[0], argv,
        "no program that it ran records anything; build it with: cc PROGRAM.c $(spanloom flags c), or trace a "
        "Python script: spanloom trace SCRIPT");
}

const struct command cmd_run = {
    .name = "run",
    .args = "[--] COMMAND [ARGUMENT...]",
    .help = "run a command, trace it and show where its time went",
    .options = options,
    .run = run,
};
