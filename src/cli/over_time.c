/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/over_time.h"
#include "analyse/groups.h"
#include "result/find_span.h"

#include <stdlib.h>

int over_time_open(struct over_time *p, const struct cli *cli)
{
    const char *bin = cli_option(cli, "bin");
    struct sl_err err = {0};
    enum sl_by by;
    char *end;

    *p = (struct over_time){.cli = cli};
    if (bin) {
        p->bin_s = strtod(bin, &end);
        if (!*bin || *end || !(p->bin_s >= 1e-9 && p->bin_s <= 9e9))
            return cli_usage(cli, "--bin needs seconds, such as 60 or 0.5, not '%s'", bin);
    }
    if (sl_by_find(&by, cli_option(cli, "by"), &err))
        return cli_usage(cli, "--by: %s", err.text);
    if (by != SL_GROUP_BY_NONE && cli_option(cli, "sql"))
        return cli_usage(cli, "--by does nothing to a query; group its rows in SQL, by span_groups()");
    if (!(p->st = cli_open(cli)))
        return EXIT_FAILED;
    p->sql = sl_sql_bare(cli_option(cli, "sql"));
    if (sl_find_run(p->st, cli_option(cli, "run"), &p->within, &err))
        return over_time_close(p, err.code, &err);
    return EXIT_DONE;
}

int over_time_close(struct over_time *p, int rc, const struct sl_err *err)
{
    if (rc >= 0 && p->st)
        cli_say_lost(p->st, p->within);
    sl_store_close(p->st);
    free(p->sql);
    p->sql = NULL;
    return rc < 0 ? cli_fail(p->cli, err) : rc;
}

struct sl_over_time over_time_question(const struct over_time *p, bool summary)
{
    return (struct sl_over_time){.st = p->st,
                                 .about = p->arg,
                                 .bin_s = p->bin_s,
                                 .within = p->within,
                                 .sql = p->sql,
                                 .by = cli_option(p->cli, "by"),
                                 .summary = summary};
}

int over_time_show(const struct over_time *p, struct sl_result *r, int rc,
                   void (*show)(FILE *out, const struct sl_result *r), struct sl_err *err)
{
    if (!rc && show)
        show(stdout, r);
    else if (!rc)
        rc = sl_show_result(stdout, r, p->cli->format, err);
    sl_result_free(r);
    return rc;
}

int over_time_run(struct over_time *p, int rc,
                  int (*ask)(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err),
                  void (*show)(FILE *out, const struct sl_result *r), struct sl_err *err)
{
    bool people = p->cli->format == SL_FORMAT_TABLE;
    struct sl_over_time q = over_time_question(p, people);
    struct sl_result r = {0};

    if (!rc)
        rc = ask(&r, &q, err);
    if (!rc && !p->sql)
        cli_say_mixed(p->cli, p->st);
    rc = over_time_show(p, &r, rc, people ? show : NULL, err);
    return over_time_close(p, rc, err);
}
