/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/experiment_plan.h"

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
