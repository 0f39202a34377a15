/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/monitor/monitor_view.h"
#include "base/buf.h"
#include "base/clock.h"
#include "show/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { BAR = 24, LEVELS = 48, PROCESSES = 8, TEXT = 32 };

/* "412 kB", "3.4 MB", "1.24 GB"; units of 1024. */
static const char *size_text(double mb, char *buf)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB"};
    double x = fabs(mb) * 1048576;
    int i = 0;

    if (isnan(mb))
        return strcpy(buf, "?");
    for (; x >= 999.5 && i < 4; i++)
        x /= 1024;
    snprintf(buf, TEXT, "%s%.*f %s", mb < 0 ? "-" : "", i && x < 9.995 ? 2 : i && x < 99.95 ? 1 : 0, x, unit[i]);
    return buf;
}

/* ---- the view ---- */

struct drawing {
    struct sl_buf text;
    int lines, columns, rows;
};

/* Cut at the width of the terminal, and at its height: what goes on would push the view up. */
static void line(struct drawing *d, const struct sl_buf *b)
{
    size_t n = 0;
    int columns = 0;

    if (d->lines >= d->rows - 1)
        return;
    for (; n < b->n && (columns < d->columns || ((unsigned char)b->s[n] & 0xC0) == 0x80); n++)
        columns += ((unsigned char)b->s[n] & 0xC0) != 0x80;
    sl_buf_adds(&d->text, "\r\033[K"); /* to the end of the line: what was there before */
    sl_buf_add(&d->text, b->s, n);
    sl_buf_addc(&d->text, '\n');
    d->lines++;
}

static void add_bar(struct sl_buf *b, const char *name, double percent)
{
    char bar[4 * BAR + 4];
    int columns = 0;

    sl_show_bar(isnan(percent) ? 0 : percent / 100, BAR, bar);
    for (const char *c = bar; *c; c++)
        columns += ((unsigned char)*c & 0xC0) != 0x80;
    if (isnan(percent))
        sl_buf_addf(b, "%-8s      ?  ", name);
    else
        sl_buf_addf(b, "%-8s %4.0f %%  ", name, percent);
    sl_buf_addf(b, "%s%*s  ", bar, BAR - columns, "");
}

static void draw_cpus(struct drawing *d, const struct sl_node_report *r)
{
    struct sl_buf b = {0};

    add_bar(&b, "CPU", r->cpu_pct_per_cpu_avg);
    sl_buf_addf(&b, "%.0f CPUs", r->cpus);
    if (!isnan(r->cpu_pct_per_cpu_min))
        sl_buf_addf(&b, ", %.0f to %.0f %%", r->cpu_pct_per_cpu_min, r->cpu_pct_per_cpu_max);
    if (!isnan(r->load_1))
        sl_buf_addf(&b, ", load %.2f", r->load_1);
    line(d, &b);
    if (r->ncpu_pct > 2) {
        sl_buf_clear(&b);
        sl_buf_adds(&b, "         ");
        for (size_t i = 0; i < r->ncpu_pct; i++) {
            if (i && i % LEVELS == 0) {
                line(d, &b);
                sl_buf_clear(&b);
                sl_buf_adds(&b, "         ");
            }
            sl_buf_adds(&b, isnan(r->cpu_pct[i]) ? "-" : sl_show_level(r->cpu_pct[i] / 100));
        }
        line(d, &b);
    }
    sl_buf_free(&b);
}

/* The rate of a counter since the reading before. */
static const char *rate(double now, double before, double s, char *buf)
{
    if (!(s > 0) || isnan(now))
        return strcpy(buf, "?");
    size_text((now - (isnan(before) ? 0 : before)) / s, buf);
    return strcat(buf, "/s");
}

static void draw_node(struct drawing *d, const struct monitor *m, const struct monitor_readings *r,
                      const struct monitor_readings *before)
{
    const struct sl_node_report *now = &r->node, *was = &before->node;
    double s =
        was->uptime_ns ? (double)(now->uptime_ns - was->uptime_ns) / 1e9 : (double)now->uptime_ns / 1e9 - m->start_s;
    char a[TEXT + 4], b[TEXT + 4], c[TEXT + 4];
    struct sl_buf t = {0};

    draw_cpus(d, now);
    add_bar(&t, "memory", now->mem_percent);
    sl_buf_addf(&t, "%s of %s, cache %s", size_text(m->facts.memory_mb - now->mem_available_mb, a),
                size_text(m->facts.memory_mb, b), size_text(now->mem_page_cache_mb, c));
    line(d, &t);
    sl_buf_clear(&t);
    add_bar(&t, "disk", now->disk_usage_percent);
    sl_buf_addf(&t, "%s, ", m->options->nmounts ? m->options->mounts[0] : "/");
    sl_buf_addf(&t, "read %s, written %s", rate(now->disk_io_read_mb, was->disk_io_read_mb, s, a),
                rate(now->disk_io_write_mb, was->disk_io_write_mb, s, b));
    line(d, &t);
    sl_buf_clear(&t);
    sl_buf_addf(&t, "%-*s", 8 + 9 + BAR + 2, "network");
    sl_buf_addf(&t, "sent %s, received %s", rate(now->net_io_ext_sent_mb, was->net_io_ext_sent_mb, s, a),
                rate(now->net_io_ext_recv_mb, was->net_io_ext_recv_mb, s, b));
    line(d, &t);
    sl_buf_free(&t);
}

static void draw_gpus(struct drawing *d, const struct monitor_readings *r)
{
    struct sl_buf b = {0};
    char name[16], text[TEXT];

    for (size_t i = 0; i < r->ngpus; i++) {
        const struct sl_gpu_report *g = &r->gpus[i];
        if (!r->gpu_is_there[i])
            continue;
        sl_buf_clear(&b);
        snprintf(name, sizeof name, "GPU %u", (unsigned)i);
        add_bar(&b, name, g->gpu_pct);
        sl_buf_addf(&b, "%s", size_text(g->memory_mb, text));
        if (!isnan(g->power_w))
            sl_buf_addf(&b, ", %.0f W", g->power_w);
        if (!isnan(g->temperature_c))
            sl_buf_addf(&b, ", %.0f C", g->temperature_c);
        line(d, &b);
    }
    sl_buf_free(&b);
}

static void draw_tree(struct drawing *d, const struct sl_tree_report *t)
{
    struct sl_buf b = {0};
    char text[TEXT];

    sl_buf_addf(&b, "%.0f processes, %.0f threads: CPU %.0f %%, memory %s", t->processes, t->threads,
                isnan(t->cpu_pct) ? 0 : t->cpu_pct, size_text(t->rss_mb, text));
    line(d, &b);
    sl_buf_clear(&b);
    sl_buf_adds(&b, "    PID   CPU %    memory  command");
    line(d, &b);
    for (size_t i = 0; i < t->ntop && i < PROCESSES; i++) {
        const struct sl_process_report *p = &t->processes_top[i];
        const char *command = p->command ? p->command : p->name;
        sl_buf_clear(&b);
        sl_buf_addf(&b, "%7d %7.0f %9s  ", (int)p->pid, isnan(p->cpu_pct) ? 0 : p->cpu_pct, size_text(p->rss_mb, text));
        sl_show_clean(&b, command, strlen(command));
        line(d, &b);
    }
    sl_buf_free(&b);
}

void monitor_view_draw(void *arg, const struct monitor *m, const struct monitor_readings *r)
{
    struct monitor_view *v = arg;
    struct winsize size = {0};
    struct drawing d = {.columns = 80, .rows = 1000};
    struct sl_buf b = {0};
    char for_s[SL_SECONDS_TEXT];

    if (ioctl(fileno(v->out), TIOCGWINSZ, &size) == 0 && size.ws_col)
        d.columns = size.ws_col;
    if (size.ws_row > 1)
        d.rows = size.ws_row;
    if (v->lines)
        sl_buf_addf(&d.text, "\033[%dA", v->lines);
    sl_buf_addf(&b, "%s, for %s: %llu samples in %s", m->facts.host,
                sl_seconds_text((double)r->node.uptime_ns / 1e9 - m->start_s, for_s), (unsigned long long)m->kept,
                m->file.path);
    line(&d, &b);
    draw_node(&d, m, r, &v->before);
    draw_gpus(&d, r);
    if (r->has_tree)
        draw_tree(&d, &r->tree);
    sl_buf_adds(&d.text, "\033[J"); /* fewer lines than before */
    fwrite(d.text.s, 1, d.text.n, v->out);
    fflush(v->out);
    v->lines = d.lines;
    v->before.node = r->node;
    sl_buf_free(&d.text);
    sl_buf_free(&b);
}

/* ---- the summary ---- */

static void summary_of_node(FILE *out, const struct monitor *m, double s)
{
    const struct sl_node_report *r = &m->last.node;
    char a[TEXT], b[TEXT], c[SL_SECONDS_TEXT];
    const char *between = "";

    fprintf(out, "%s on %s", sl_seconds_text(s, c), m->facts.host);
    if (m->facts.cpus)
        fprintf(out, " (%d CPU%s)", m->facts.cpus, m->facts.cpus == 1 ? "" : "s");
    if (r->cpu_capacity_s >= 0.1) /* of some ticks nothing can be said */
        fprintf(out, ": CPU %.3g %% on average", 100 * r->cpu_busy_s / r->cpu_capacity_s);
    if (!isnan(m->sums.most_cpu_pct))
        fprintf(out, ", %.3g %% at most", m->sums.most_cpu_pct);
    if (!isnan(m->sums.most_mem_percent))
        fprintf(out, "; memory %.3g %% at most", m->sums.most_mem_percent);
    fputs("\n", out);
    if (!isnan(r->disk_io_read_mb))
        fprintf(out, "%sdisk: %s read, %s written", between, size_text(r->disk_io_read_mb, a),
                size_text(r->disk_io_write_mb, b)),
            between = "; ";
    if (!isnan(r->disk_usage_percent))
        fprintf(out, "%s%s is %.3g %% full", between, m->options->nmounts ? m->options->mounts[0] : "/",
                r->disk_usage_percent),
            between = "; ";
    if (!isnan(r->net_io_ext_sent_mb))
        fprintf(out, "%snetwork: %s sent, %s received", between, size_text(r->net_io_ext_sent_mb, a),
                size_text(r->net_io_ext_recv_mb, b)),
            between = "; ";
    if (*between)
        fputs("\n", out);
}

static void summary_of_tree(FILE *out, const struct monitor *m)
{
    const struct sl_tree_report *t = &m->last.tree;
    char a[TEXT], b[TEXT], c[SL_SECONDS_TEXT];

    fprintf(out, "%s: %s of CPU", m->options->argv ? "command" : "processes",
            sl_seconds_text(t->cpu_user_s + t->cpu_system_s, c));
    fprintf(out, " (%.3g s user, %.3g s system)", t->cpu_user_s, t->cpu_system_s);
    if (!isnan(m->sums.most_rss_mb))
        fprintf(out, ", %s at most in %.0f process%s", size_text(m->sums.most_rss_mb, a), m->sums.most_processes,
                m->sums.most_processes == 1 ? "" : "es");
    if (!isnan(t->read_mb))
        fprintf(out, "; %s read, %s written", size_text(t->read_mb, a), size_text(t->write_mb, b));
    fputs("\n", out);
}

static void summary_of_gpus(FILE *out, const struct monitor *m)
{
    double energy_j = 0;
    char a[TEXT];

    if (!m->last.ngpus)
        return;
    for (size_t i = 0; i < m->last.ngpus; i++)
        energy_j += m->last.gpu_is_there[i] && !isnan(m->last.gpus[i].energy_j) ? m->last.gpus[i].energy_j : 0;
    fprintf(out, "%zu GPU%s: at most %s in use on one", m->last.ngpus, m->last.ngpus == 1 ? "" : "s",
            size_text(m->sums.most_gpu_mb, a));
    if (energy_j > 0)
        fprintf(out, ", %.3g %s", energy_j < 1000 ? energy_j : energy_j / 1000, energy_j < 1000 ? "J" : "kJ");
    fputs("\n", out);
}

void monitor_summary(FILE *out, const struct monitor *m)
{
    double s = (double)m->last.node.uptime_ns / 1e9 - m->start_s;
    char cost[SL_SECONDS_TEXT], text[SL_SECONDS_TEXT];

    summary_of_node(out, m, s);
    if (m->last.has_tree)
        summary_of_tree(out, m);
    if (m->no_tree.code == SL_ENOTFOUND)
        fprintf(out, "its processes could not be watched: %s\n", m->no_tree.text);
    if (m->no_mount.code)
        fprintf(out, "how full it is was not told: %s\n", m->no_mount.text);
    summary_of_gpus(out, m);
    if (fabs(m->clock_steps_s) > 0)
        fprintf(out, "the clock was set by %s meanwhile\n", sl_seconds_text(m->clock_steps_s, text));
    if (m->suspended_s > 0)
        fprintf(out, "suspended for %s\n", sl_seconds_text(m->suspended_s, text));
    fprintf(out, "%llu sample%s in %s; monitoring took %s of CPU", (unsigned long long)m->kept, m->kept == 1 ? "" : "s",
            m->file.path, sl_seconds_text(m->last.cost_cpu_s, cost));
    if (s >= 1)
        fprintf(out, ", %.2g %% of one", 100 * m->last.cost_cpu_s / s);
    fputs("\n", out);
}
