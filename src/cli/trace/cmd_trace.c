/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace: `run` of a Python script, whose functions are traced as they are.  Python itself begins with it, by a
 * sitecustomize in its path (python/spanloom/_site), so that the script is run as it would be without us.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "cli/trace/traced_command.h"
#include "cli/view/install_paths.h"
#include "collect/child_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_spec options[] = {
    {"modules", "GLOB,...", "trace modules of such names (default: those in the script's folder, or of the package)"},
    {"python", "PROGRAM", "run it by this Python (default: that of its #! line, or python3)"},
    TRACED_OPTIONS,
    {NULL, NULL, NULL},
};

/* The Python that a script's first line names: "#!/usr/bin/python3 ...", "#!/usr/bin/env python3"; NULL: none. */
static char *python_of(const char *script)
{
    char line[PATH_MAX], *word = NULL, *more = line + 2, *slash;
    FILE *f = fopen(script, "re");

    if (f && fgets(line, sizeof line, f) && !strncmp(line, "#!", 2))
        while ((word = strtok_r(NULL, " \t\r\n", &more))) {
            slash = strrchr(word, '/');
            if (!strncmp(slash ? slash + 1 : word, "python", 6))
                break;
            if (strcmp(slash ? slash + 1 : word, "env") != 0 && *word != '-')
                word = NULL, more = strchr(more, 0);
        }
    if (f)
        fclose(f);
    return word ? strdup(word) : NULL;
}

static int set_environment(const struct cli *cli, bool is_module, const char *what, struct sl_err *err)
{
    const char *modules = cli_option(cli, "modules"), *shadowed = getenv("PYTHONPATH");
    char at[PATH_MAX];
    struct sl_buf b = {0}, path = {0};
    struct place_python p;

    if (place_find_python(&p, err))
        return err->code;
    sl_buf_addf(&b, "%s%s%s", p.site, shadowed && *shadowed ? ":" : "", shadowed ? shadowed : "");
    sl_buf_addf(&path, "%s:%s", p.package, p.c);
    setenv("PYTHONPATH", b.s, 1);
    setenv("SPANLOOM_PYTHON_PATH", path.s, 1);
    b.n = 0;
    if (modules)
        sl_buf_addf(&b, "only:%s", modules);
    else if (is_module)
        sl_buf_addf(&b, "module:%s", what);
    else
        sl_buf_addf(&b, "script:%s", realpath(strcmp(what, "-") != 0 ? what : ".", at) ? at : what);
    setenv("SPANLOOM_PYTHON", b.s, 1);
    sl_buf_free(&b);
    sl_buf_free(&path);
    return 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
    bool is_module = argc && !strcmp(argv[0], "-m");
    const char *what = argc > is_module ? argv[is_module] : "", *given = cli_option(cli, "python");
    char *found = NULL, **command;
    struct sl_err err = {0};
    int rc;

    if (!*what)
        return cli_usage(cli, "trace what? such as: spanloom trace script.py input.txt, or -m MODULE");
    if (set_environment(cli, is_module, what, &err)) {
        cli_fail(cli, &err);
        return CHILD_FAILED;
    }
    if (!given && !is_module)
        found = python_of(what);
    command = sl_alloc(((size_t)argc + 2) * sizeof *command);
    command[0] = given ? (char *)given : found ? found : "python3";
    memcpy(command + 1, argv, ((size_t)argc + 1) * sizeof *argv);
    rc = traced_command(
        cli, what, command,
        "no function of its own ran, or its Python is none that is traced (CPython 3.9 or later, without "
        "-I, -E or -S)");
    free(command);
    free(found);
    return rc;
}

const struct command cmd_trace = {
    .name = "trace",
    .args = "SCRIPT | -m MODULE [ARGUMENT...]",
    .help = "run a Python script and show where its functions took time",
    .options = options,
    .run = run,
};
