/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/side.h"
#include "base/mem.h"
#include "cli/lens_options.h"
#include "result/spans/find_span.h"

#include <stdlib.h>
#include <sys/stat.h>

bool cli_side_is_file(const char *path)
{
    struct stat s;
    return !stat(path, &s) && !S_ISDIR(s.st_mode);
}

/* A store; STORE:RUN, split at the last colon that leaves a store; else a run in the store of -d. */
static void split(const struct cli *cli, struct sl_diff_input *s)
{
    const char *at = s->text + strlen(s->text);

    if (cli_side_is_file(s->text)) {
        s->path = sl_strdup(s->text);
        return;
    }
    while (at-- > s->text) {
        if (*at != ':')
            continue;
        s->path = sl_strndup(s->text, (size_t)(at - s->text));
        if (cli_side_is_file(s->path)) {
            s->run = sl_strdup(at + 1);
            return;
        }
        free(s->path);
    }
    s->path = sl_strdup(cli->store_path);
    s->run = sl_strdup(s->text);
}

static const char *no_store(const struct sl_diff_input *s)
{
    struct stat st;
    return stat(s->text, &st) ? "is no file" : "is a folder, not a store";
}

int cli_side_open(const struct cli *cli, struct sl_diff_input *s, struct sl_err *err)
{
    struct cli its = *cli;
    struct stat st;
    bool seen;
    int rc;

    split(cli, s);
    its.store_path = s->path;
    if (s->run && stat(s->path, &st))
        return sl_err(err, SL_ENOTFOUND, "%s %s, and there is no store %s in which a run could have that name", s->text,
                      no_store(s), s->path);
    if (s->run && !*s->run)
        return sl_err(err, SL_EUSAGE, "%s: the name of a run is missing behind the colon", s->text);
    if (!(s->st = cli_open(&its))) /* it is said why */
        return SL_EIO;
    rc = sl_find_run(s->st, s->run, &s->within, err);
    if (rc && s->run && !strcmp(s->run, s->text))
        sl_err_wrap(err, "%s %s; as a run in %s", s->text, no_store(s), s->path);
    if (!rc)
        rc = cli_states(cli, s->st, err);
    if (!rc)
        rc = cli_lens(cli, s->st, &seen, err);
    return rc;
}

void cli_side_close(struct sl_diff_input *s)
{
    sl_store_close(s->st);
    free(s->path);
    free(s->run);
}
