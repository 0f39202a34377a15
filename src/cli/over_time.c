/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/over_time.h"
#include "result/find_span.h"

#include <stdlib.h>

int plot_open(struct plot *p, const struct cli *cli)
{
    const char *bin = cli_option(cli, "bin");
    struct sl_err err = {0};
    char *end;

    *p = (struct plot){.cli = cli};
    if (bin) {
        p->bin_s = strtod(bin, &end);
        if (!*bin || *end || !(p->bin_s >= 1e-9 && p->bin_s <= 9e9))
            return cli_usage(cli, "--bin needs seconds, such as 60 or 0.5, not '%s'", bin);
    }
    if (!(p->st = cli_open(cli)))
        return EXIT_FAILED;
    p->sql = sl_sql_bare(cli_option(cli, "sql"));
    if (sl_find_run(p->st, cli_option(cli, "run"), &p->within, &err))
        return plot_close(p, err.code, &err);
    return EXIT_DONE;
}

int plot_close(struct plot *p, int rc, const struct sl_err *err)
{
    sl_store_close(p->st);
    free(p->sql);
    p->sql = NULL;
    return rc < 0 ? cli_fail(p->cli, err) : rc;
}

struct sl_over_time plot_question(const struct plot *p, bool summary)
{
    return (struct sl_over_time){
        .st = p->st, .about = p->arg, .bin_s = p->bin_s, .within = p->within, .sql = p->sql, .summary = summary};
}

int plot_show(const struct plot *p, struct sl_result *r, int rc, void (*show)(FILE *out, const struct sl_result *r),
              struct sl_err *err)
{
    if (!rc && show)
        show(stdout, r);
    else if (!rc)
        rc = sl_show_result(stdout, r, p->cli->format, err);
    sl_result_free(r);
    return rc;
}
