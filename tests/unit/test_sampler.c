/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sampler makes of the kernel's texts: of kernels and machines that are not here.  The texts are as these
 * kernels print them; what they come to is worked out by hand beside them.
 */
#include "unit.h"

#include "collect/sampler/sampler_internal.h"

#include <math.h>

static struct text text(const char *s)
{
    return (struct text){(char *)s, strlen(s), 0};
}

static void near(double got, double want)
{
    if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= 1e-9 * fabs(want) + 1e-9))
        fail_msg("got %.12g, want %.12g", got, want);
}

/* ---- which are kept ---- */

/* append_perf_metrics() of the seed, on a list of the numbers of reports: what is kept after each of them. */
struct list {
    int *v, n, max_length, freqs, counter;
};

static void append_perf_metrics(struct list *l, int report)
{
    l->counter++;
    if (l->counter % l->freqs)
        return;
    l->v[l->n++] = report;
    if (l->n > l->max_length) {
        int n = 0;
        for (int i = 0; i < l->max_length; i += 2)
            l->v[n++] = l->v[i];
        l->n = n;
        l->freqs *= 2;
    }
}

static void decimation_is_the_seeds(void **state)
{
    static const int lengths[] = {2, 3, 10, 1000};

    (void)state;
    for (int i = 0; i < 4; i++) {
        int length = lengths[i], *mine = calloc(2000, sizeof *mine), n = 0;
        struct list l = {calloc(2000, sizeof *l.v), 0, (length / 2 + length % 2) * 2, 1, 0};
        struct sl_decimator d = sl_decimator((size_t)length);
        for (int report = 0; report < 20 * length; report++) {
            append_perf_metrics(&l, report);
            switch (sl_decimator_add(&d)) {
            case SL_DECIMATE_SKIP: break;
            case SL_DECIMATE_KEEP: mine[n++] = report; break;
            case SL_DECIMATE_HALVE:
                for (int k = 0; k < (int)d.length; k++)
                    mine[k] = mine[2 * k];
                n = (int)d.length;
            }
            assert_int_equal(n, l.n);
            assert_memory_equal(mine, l.v, (size_t)n * sizeof *mine);
            assert_int_equal(d.every, l.freqs);
        }
        assert_true(d.every >= 16);
        free(mine);
        free(l.v);
    }
}

static void without_a_limit_all_are_kept(void **state)
{
    struct sl_decimator d = sl_decimator(0);

    (void)state;
    for (int i = 0; i < 5000; i++)
        assert_int_equal(sl_decimator_add(&d), SL_DECIMATE_KEEP);
}

/* ---- CPUs ---- */

static struct oddities odd;

static void feed(struct cpus *c, const char *s)
{
    struct text t = text(s);

    cpus_parse(c, &t, true, &odd);
}

static void cpu_percentages(void **state)
{
    struct cpus c = {0};

    (void)state;
    feed(&c, "cpu  30 0 30 300 40 0 0 0 0 0\ncpu0 10 0 10 100 20 0 0 0 0 0\ncpu1 20 0 20 200 20 0 0 0 0 0\n"
             "intr 5 0\nctxt 1000\nbtime 1\nprocesses 50\nprocs_running 2\nprocs_blocked 3\n");
    near(c.avg, NAN);
    /* cpu0: 30 user, 10 guest of these, 20 idle: 60 %.  cpu1: 10 steal, 5 irq, 5 softirq, 60 idle, 20 iowait: 20 % */
    feed(&c, "cpu  60 0 30 380 60 5 5 10 10 0\ncpu0 40 0 10 120 20 0 0 0 10 0\ncpu1 20 0 20 260 40 5 5 10 0 0\n"
             "intr 5 0\nctxt 1500\nbtime 1\nprocesses 57\nprocs_running 2\nprocs_blocked 4\n");
    near(c.avg, 40);
    near(c.min, 20);
    near(c.max, 60);
    near(c.pct[0], 60);
    near(c.pct[1], 20);
    assert_int_equal(c.online, 2);
    assert_int_equal(c.total[CPU_USER], 30);
    assert_int_equal(c.total[CPU_STEAL], 10);
    assert_int_equal(c.total[CPU_IDLE], 80);
    assert_int_equal(c.switches.total, 500);
    assert_int_equal(c.forks.total, 7);
    assert_int_equal(c.blocked, 4);
    cpus_free(&c);
}

static void cpus_come_and_go(void **state)
{
    struct cpus c = {0};

    (void)state;
    feed(&c, "cpu0 10 0 0 90\ncpu1 10 0 0 90\ncpu2 10 0 0 90\n");
    feed(&c, "cpu0 60 0 0 140\ncpu2 10 0 0 190\n"); /* cpu1 is taken out */
    assert_int_equal(c.online, 2);
    near(c.pct[0], 50);
    near(c.pct[1], NAN);
    near(c.pct[2], 0);
    near(c.avg, 25);
    /* back, with what it did while nobody looked: that is of no interval of ours */
    feed(&c, "cpu0 60 0 0 240\ncpu1 500 0 0 500\ncpu2 10 0 0 290\n");
    near(c.pct[1], NAN);
    near(c.avg, 0);
    assert_int_equal(c.total[CPU_USER], 50);
    feed(&c, "cpu0 60 0 0 340\ncpu1 600 0 0 500\ncpu2 10 0 0 390\ncpu3 7 0 0 7\n"); /* and a new one */
    near(c.pct[1], 100);
    near(c.pct[3], NAN);
    assert_int_equal(c.ncpu, 4);
    near(c.avg, 100.0 / 3);
    cpus_free(&c);
}

static void cpu_times_that_go_backwards(void **state)
{
    struct cpus c = {0};
    uint64_t before = odd.reset;

    (void)state;
    feed(&c, "cpu0 10 0 0 100 50\n");
    feed(&c, "cpu0 20 0 0 190 40\n"); /* iowait does, proc_stat(5) says: 10 busy of 100 */
    near(c.avg, 10);
    feed(&c, "cpu0 30 0 0 90 40\n"); /* idle, of a CPU that was away: nothing is known but 10 busy */
    near(c.avg, 100);
    assert_int_equal(odd.reset, before);
    feed(&c, "cpu0 3 0 0 5 1\n"); /* all began anew */
    near(c.avg, NAN);
    assert_int_equal(odd.reset, before + 1);
    feed(&c, "cpu0 4 0 0 8 1\n");
    near(c.avg, 25);
    assert_int_equal(c.total[CPU_USER], 10 + 10 + 1);
    cpus_free(&c);
}

static void cpus_of_other_kernels(void **state)
{
    struct cpus c = {0};
    struct sl_buf_like {
        char s[200000];
        int n;
    } *b = calloc(1, sizeof *b);

    (void)state;
    feed(&c, "cpu  10 0 0 90\n"); /* no CPU alone */
    feed(&c, "cpu  60 0 0 140\n");
    near(c.avg, 50);
    near(c.min, NAN);
    assert_int_equal(c.online, 0);
    assert_int_equal(c.times, 4); /* no iowait is known, and so no time of it */
    assert_int_equal(c.total[CPU_USER], 50);
    cpus_free(&c);
    for (int step = 0; step < 2; step++) { /* 1024, every other one online */
        b->n = 0;
        for (int i = 0; i < 1024; i += 2)
            b->n += sprintf(b->s + b->n, "cpu%d %d 0 0 %d 0 0 0 0 0 0\n", i, step * i, 1 + step * (2000 - i));
        feed(&c, b->s);
    }
    assert_int_equal(c.online, 512);
    near(c.pct[1000], 50);
    near(c.pct[1001], NAN);
    near(c.avg, 511 / 20.0); /* the mean of i / 20 */
    near(c.max, 1022 / 20.0);
    cpus_free(&c);
    feed(&c, "cpu0 1 2\ncpux 1 2 3 4\ncpu99999999 1 2 3 4\ncpu1"); /* no such lines */
    assert_false(c.is_there);
    near(c.avg, NAN);
    cpus_free(&c);
    free(b);
}

/* ---- memory ---- */

static void memory_of_old_kernels(void **state)
{
    struct text t = text("MemTotal:  16000 kB\nMemFree: 4000 kB\nBuffers: 1000 kB\nCached: 3000 kB\nSwapCached: 5 kB\n"
                         "SwapTotal: 0 kB\nSwapFree: 0 kB\nDirty: 7 kB\n");
    struct memory m;

    (void)state;
    memory_parse(&m, &t);
    assert_int_equal(m.total, 16000);
    assert_int_equal(m.cached, 3000); /* and not SwapCached */
    assert_int_equal(m.available, -1);
    assert_int_equal(m.slab, -1);
    assert_int_equal(m.swap_total, 0);
}

/* ---- disks ---- */

static void disks(struct devices *d, const char *s)
{
    struct text t = text(s);

    disks_parse(d, &t, &odd);
}

#define LINE(device, reads, read, writes, written, busy)                                                               \
    "   8       0 " device " " #reads " 0 " #read " 0 " #writes " 0 " #written " 0 0 " #busy " 0\n"

static void each_byte_of_disks_counts_once(void **state)
{
    static const char *const whole[] = {"sda",        "sdb", "nvme1n1", "nvme0c0n1", "mmcblk0", "mmcblk0boot0", "vda",
                                        "cciss/c0d0", "sr0", "xvda1",   "sdaa",      "nbd1",    "nbd10"};
    static const char *const all[] = {
        "sdb1",      "sda",     "sda1",       "sdb",          "sdaa", "nvme0n1", "nvme0n1p1", "nvme0c0n1", "nvme1n1",
        "nvme1n1p2", "mmcblk0", "mmcblk0p1",  "mmcblk0boot0", "dm-0", "md127",   "md_d0",     "loop0",     "zram0",
        "ram1",      "vda",     "cciss/c0d0", "cciss/c0d0p1", "sr0",  "xvda1",   "nbd1",      "nbd10"};
    struct devices d = {0};
    char lines[4000];
    int n = 0;

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        n += sprintf(lines + n, "8 0 %s 1 0 1 0 1 0 1 0 0 1 0\n", all[i]);
    disks(&d, lines);
    assert_int_equal(d.n, sizeof all / sizeof *all);
    for (size_t i = 0; i < d.n; i++) {
        bool want = false;
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
            want |= !strcmp(whole[k], d.v[i].name);
        if (d.v[i].whole != want)
            fail_msg("%s is %sa whole disk", d.v[i].name, want ? "" : "not ");
    }
    devices_free(&d);
}

static void disks_that_wrap_and_begin_anew(void **state)
{
    struct devices d = {0};
    uint64_t read, write, reset = odd.reset, wrapped = odd.wrapped;

    (void)state;
    disks(&d, LINE("sda", 100, 4294967290, 100, 1000, 4294967000));
    disks(&d, LINE("sda", 110, 4, 120, 1500, 700)); /* sectors of 32 bits went round, and so did the milliseconds */
    devices_sum(&d, true, &read, &write);
    assert_int_equal(read, 10);
    assert_int_equal(write, 500);
    assert_int_equal(d.v[0].busy_ms.total, 996);
    assert_int_equal(odd.wrapped, wrapped + 2);
    disks(&d, LINE("sda", 5, 3, 6, 50, 10)); /* another disk in its place: requests are fewer, too */
    devices_sum(&d, true, &read, &write);
    assert_int_equal(read, 10 + 3);
    assert_int_equal(write, 500 + 50);
    assert_int_equal(d.v[0].busy_ms.total, 996 + 10);
    assert_true(odd.reset >= reset + 2);
    disks(&d, LINE("sdb", 5, 40, 6, 50, 10)); /* taken out: what it did stays in the sum */
    devices_sum(&d, true, &read, &write);
    assert_int_equal(read, 13);
    disks(&d, LINE("sdb", 5, 40, 6, 50, 10) LINE("sda", 9, 90, 9, 90, 90)); /* put in: counts from now on */
    devices_sum(&d, true, &read, &write);
    assert_int_equal(read, 13);
    disks(&d, LINE("sdb", 5, 40, 6, 50, 10) LINE("sda", 9, 91, 9, 90, 90));
    devices_sum(&d, true, &read, &write);
    assert_int_equal(read, 14);
    devices_free(&d);
}

static void disks_of_old_kernels(void **state)
{
    struct devices d = {0};

    (void)state;
    disks(&d, "   8    0 sda 5 6 7 8 9 10 11 12 0 13 14\n   8    1 sda1 1 2 3 4\nrubbish\n\n 8 0\n 8 0 \n"
              "   8    2 averyveryveryveryveryveryveryverylongnameofadevice 1 1 1 1 1 1 1 1 1 1 1\n");
    assert_int_equal(d.n, 1);
    assert_string_equal(d.v[0].name, "sda");
    devices_free(&d);
}

/* ---- interfaces ---- */

static void nets(struct devices *d, const char *s)
{
    struct text t = text(s);

    nets_parse(d, &t, &odd);
}

static void interfaces(void **state)
{
    struct devices d = {0};
    uint64_t received, sent;

    (void)state;
    nets(&d, "Inter-|   Receive  |  Transmit\n face |bytes packets errs |bytes\n"
             "    lo: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n"
             "  eth0:4294967000 10 0 0 0 0 0 0 50 5 0 0 0 0 0 0\n" /* old kernels put no blank there */
             "eth0:1: 7 7 0 0 0 0 0 0 7 7 0 0 0 0 0 0\n");
    assert_int_equal(d.n, 3);
    assert_string_equal(d.v[2].name, "eth0:1");
    assert_false(d.v[0].whole);
    assert_true(d.v[1].whole);
    nets(&d, "    lo: 150 2 0 0 0 0 0 0 150 2 0 0 0 0 0 0\n"
             "  eth0:704 20 0 0 0 0 0 0 60 6 0 0 0 0 0 0\n" /* the card counts 32 bits: 296 to the top, and 704 */
             "eth0:1: 7 7 0 0 0 0 0 0 7 7 0 0 0 0 0 0\n");
    devices_sum(&d, true, &received, &sent);
    assert_int_equal(received, 1000);
    assert_int_equal(sent, 10);
    devices_sum(&d, false, &received, &sent);
    assert_int_equal(received, 50);
    nets(&d, "  eth0:3 1 0 0 0 0 0 0 4 1 0 0 0 0 0 0\n"); /* the module was loaded anew: fewer packets as well */
    devices_sum(&d, true, &received, &sent);
    assert_int_equal(received, 1003);
    assert_int_equal(sent, 14);
    assert_true(d.any[false]);
    devices_free(&d);
}

/* A host of containers: each has an interface of a new name. */
static void interfaces_that_are_forgotten(void **state)
{
    struct devices d = {0};
    uint64_t received, sent, want = 0;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        char s[400];
        for (int k = 1; k < 3; k++) {
            sprintf(s, "veth%d: %d 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\neth0: %d 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", i, k * i,
                    2 * i + k);
            nets(&d, s);
        }
        want += (uint64_t)i;
    }
    devices_sum(&d, true, &received, &sent);
    assert_int_equal(received, want + 2 * 4999 + 2 - 1); /* all veths, and eth0 from its first value on */
    assert_true(d.n <= 513);
    devices_free(&d);
}

/* ---- processes ---- */

static void names_of_processes(void **state)
{
    struct process_stat p;
    struct text t = text("4711 (a) R 1 (b) S 17 4711 4711 34816 4711 4194304 101 22 3 44 5 6 7 8 -51 -20 9 0 1391646 "
                         "3133440 360 18446744073709551615 0 0\n");

    (void)state;
    assert_true(process_stat_parse(&p, &t));
    assert_string_equal(p.name, "a) R 1 (b");
    assert_int_equal(p.state, 'S');
    assert_int_equal(p.ppid, 17);
    assert_int_equal(p.faults, 3);
    assert_int_equal(p.children_faults, 44);
    assert_int_equal(p.user, 5);
    assert_int_equal(p.system, 6);
    assert_int_equal(p.children_user, 7);
    assert_int_equal(p.children_system, 8);
    assert_int_equal(p.threads, 9);
    assert_int_equal(p.start_ticks, 1391646);
    assert_int_equal(p.rss_pages, 360);
    for (size_t n = 0; n < strlen(t.s) - 25; n++) { /* cut off anywhere: it is none, but for what follows rss */
        struct text cut = {t.s, n, 0};
        if (process_stat_parse(&p, &cut))
            assert_true(n > (size_t)(strstr(t.s, " 360") - t.s) + 1);
    }
}

static void files_of_processes(void **state)
{
    struct process_io io;
    struct process_status s;
    struct text t = text("rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
                         "cancelled_write_bytes: 7\n"),
                cut = text("rchar: 1\nwchar: 2\n"),
                status = text("Name:\tnonvoluntary_ctxt_switches: 9\nVmHWM:\t    100 kB\nVmSwap:\t      7 kB\n"
                              "voluntary_ctxt_switches:\t20\nnonvoluntary_ctxt_switches:\t30\n"),
                kernel = text("Name:\tkthreadd\nvoluntary_ctxt_switches:\t20\n"),
                smaps = text("5581-7ffd ---p 00000000 00:00 0   [rollup]\nRss: 9 kB\nPss:   4 kB\nPss_Dirty: 1 kB\n");

    (void)state;
    assert_true(process_io_parse(&io, &t));
    assert_int_equal(io.read + 10 * io.write + 100 * io.disk_read + 1000 * io.disk_write, 6521);
    assert_false(process_io_parse(&io, &cut));
    process_status_parse(&s, &status);
    assert_int_equal(s.peak_kb, 100);
    assert_int_equal(s.swap_kb, 7);
    assert_int_equal(s.voluntary, 20);
    assert_int_equal(s.involuntary, 30);
    process_status_parse(&s, &kernel);
    assert_int_equal(s.peak_kb, -1);
    assert_int_equal(s.involuntary, -1);
    assert_int_equal(process_pss_parse(&smaps), 4);
    assert_int_equal(process_pss_parse(&cut), -1);
}

/* ---- control groups ---- */

static void places_of_groups(void **state)
{
    static const struct {
        const char *what, *cgroup, *mounts;
        int place;
        const char *dir; /* "": cannot be seen */
    } cases[] = {
        {"v2", "0::/user.slice/user-1.slice/session-2.scope\n",
         "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n", CGROUP_V2,
         "/sys/fs/cgroup/user.slice/user-1.slice/session-2.scope"},
        {"v1, two controllers together", "5:cpu,cpuacct:/slurm/uid_1/job_7\n4:memory:/slurm/uid_1/job_7/step_0\n",
         "33 25 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:16 - cgroup cgroup rw,cpu,cpuacct\n"
         "34 25 0:29 / /sys/fs/cgroup/memory rw shared:17 - cgroup cgroup rw,memory\n",
         CGROUP_CPUACCT, "/sys/fs/cgroup/cpu,cpuacct/slurm/uid_1/job_7"},
        {"the same, memory", "5:cpu,cpuacct:/a\n4:memory:/slurm/uid_1/job_7/step_0\n",
         "34 25 0:29 / /sys/fs/cgroup/memory rw shared:17 - cgroup cgroup rw,memory\n", CGROUP_MEMORY,
         "/sys/fs/cgroup/memory/slurm/uid_1/job_7/step_0"},
        {"a container that sees its part only", "4:memory:/docker/abc/inner\n",
         "700 690 0:29 /docker/abc /sys/fs/cgroup/memory ro master:17 - cgroup cgroup rw,memory\n", CGROUP_MEMORY,
         "/sys/fs/cgroup/memory/inner"},
        {"one with a name that only begins so", "4:memory:/docker/abcd\n",
         "700 690 0:29 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", CGROUP_MEMORY, ""},
        {"a namespace of groups", "0::/\n", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n", CGROUP_V2,
         "/sys/fs/cgroup"},
        {"outside of it", "0::/../other\n", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n", CGROUP_V2, ""},
        {"blanks and colons", "0::/a b:c\n", "30 23 0:26 / /mnt/my\\040groups rw - cgroup2 cgroup rw\n", CGROUP_V2,
         "/mnt/my groups/a b:c"},
        {"v1 without that controller", "4:memory:/x\n", "30 23 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
         CGROUP_MEMORY, ""},
        {"lines that are cut off", "4:memory", "30 23 0:26 / /sys", CGROUP_MEMORY, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cgroup_place place[CGROUP_PLACES];
        struct text a = text(cases[i].cgroup), b = text(cases[i].mounts);
        cgroup_places_parse(place, &a, &b);
        if (strcmp(place[cases[i].place].dir, cases[i].dir))
            fail_msg("%s: got '%s', want '%s'", cases[i].what, place[cases[i].place].dir, cases[i].dir);
    }
}

static void numbers(void **state)
{
    const char *s = "  18446744073709551615 18446744073709551616 99999999999999999999999 12.375 7. x";
    struct scan at = {s, s + strlen(s)};
    uint64_t x;

    (void)state;
    assert_true(scan_uint(&at, &x) && x == UINT64_MAX);
    assert_true(scan_uint(&at, &x) && x == UINT64_MAX);
    assert_true(scan_uint(&at, &x) && x == UINT64_MAX);
    near(scan_decimal(&at), 12.375);
    near(scan_decimal(&at), 7);
    assert_false(scan_uint(&at, &x));
    near(scan_decimal(&at), NAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimation_is_the_seeds),
        cmocka_unit_test(without_a_limit_all_are_kept),
        cmocka_unit_test(cpu_percentages),
        cmocka_unit_test(cpus_come_and_go),
        cmocka_unit_test(cpu_times_that_go_backwards),
        cmocka_unit_test(cpus_of_other_kernels),
        cmocka_unit_test(memory_of_old_kernels),
        cmocka_unit_test(each_byte_of_disks_counts_once),
        cmocka_unit_test(disks_that_wrap_and_begin_anew),
        cmocka_unit_test(disks_of_old_kernels),
        cmocka_unit_test(interfaces),
        cmocka_unit_test(interfaces_that_are_forgotten),
        cmocka_unit_test(names_of_processes),
        cmocka_unit_test(files_of_processes),
        cmocka_unit_test(places_of_groups),
        cmocka_unit_test(numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
