/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an experiment: what a setting does, what is read, what is left behind. */
#include "base/mem.h"
#include "design/run_log.h"
#include "recipe/yaml.h"
#include "unit.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/spanloom-trial-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[200];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static char *get(const char *name)
{
    static char text[4096];
    char path[200];
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if ((f = fopen(path, "r"))) {
        n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[n] = 0;
    return text;
}

static void plan_of(struct sl_plan *p, const char *text)
{
    char path[200];
    struct sl_err err = {0};

    snprintf(path, sizeof path, "%s/t.yaml", folder);
    if (sl_plan_parse(p, path, text, strlen(text), &err))
        fail_msg("%s", err.text);
}

/* One run under the levels given, by index. */
static struct sl_trial run_of(const char *text, const int32_t *setting)
{
    struct sl_plan p;
    struct sl_trials s;
    struct sl_trial t = {.setting = setting};
    struct sl_err err = {0};

    plan_of(&p, text);
    if (sl_trials_open(&s, &p, NULL, &err) || sl_trial_run(&s, &t, &err))
        fail_msg("%s", err.text);
    sl_trials_close(&s);
    sl_plan_free(&p);
    return t;
}

static void every_way_of_applying_a_level(void **state)
{
    static const char plan[] = "experiment: t\n"
                               "command: 'cat file.txt new.txt 2>/dev/null; echo \"$A $W score\" 1{args}'\n"
                               "environment: {A: base}\n"
                               "score: {regex: 'score (.*)'}\n"
                               "factors:\n"
                               "  e: {environment: {A: other}}\n"
                               "  x: {levels: [0, 25, 50], argument: '{level}'}\n"
                               "  w: {wrapper: [env, W=wrapped]}\n"
                               "  f: {edit: {file: file.txt, replace: old, with: new}}\n"
                               "  p: {patch: p.diff}\n"
                               "  s: {setup: 'echo s >>log', teardown: ['echo t >>log', 'echo u >>log']}\n"
                               "  c: {command: 'echo score 7'}\n";
    const int32_t none[7] = {0}, all[] = {1, 2, 1, 1, 1, 1, 0}, other[] = {0, 0, 0, 0, 0, 0, 1};
    struct sl_trial t;

    (void)state;
    put("file.txt", "an old old text\n");
    put("p.diff", "--- a/file.txt\n+++ b/file.txt\n@@ -1 +1,2 @@\n an old old text\n+and old more\n"
                  "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+brand new\n");
    put("log", "");
    t = run_of(plan, none);
    assert_int_equal(t.outcome, SL_TRIAL_DONE);
    assert_true(t.score == 10); /* 1'0' is the word 10 */
    t = run_of(plan, all);
    assert_string_equal(t.why, "");
    assert_true(t.score == 150);
    assert_string_equal(get("log"), "s\nu\nt\n");
    assert_string_equal(get("file.txt"), "an old old text\n");
    assert_string_equal(get("new.txt"), "");
    t = run_of(plan, other);
    assert_int_equal(t.outcome, SL_TRIAL_FAILED); /* its argument follows: score 7 0 */
    assert_non_null(strstr(t.why, "score is no number: '7 0'"));
}

static void what_can_go_wrong_with_a_run(void **state)
{
    static const int32_t none[1] = {0};
    struct sl_trial t;

    (void)state;
    t = run_of("experiment: t\ncommand: 'echo first; echo the reason >&2; exit 3'\n", none);
    assert_int_equal(t.outcome, SL_TRIAL_FAILED);
    assert_int_equal(t.exit_status, 3);
    assert_string_equal(t.why, "exit status 3: the reason");
    assert_true(isnan(t.score));
    t = run_of("experiment: t\ncommand: 'kill -SEGV $$'\n", none);
    assert_int_equal(t.exit_status, 128 + 11);
    assert_non_null(strstr(t.why, "signal 11"));
    t = run_of("experiment: t\ncommand: 'trap \"\" TERM; sleep 60 & wait'\ntimeout: 100ms\n", none);
    assert_int_equal(t.outcome, SL_TRIAL_TIMED_OUT);
    assert_true(t.wall_s < 10);
    t = run_of("experiment: t\ncommand: [/no/such]\n", none);
    assert_int_equal(t.outcome, SL_TRIAL_FAILED);
    assert_string_equal(t.why, "cannot run /no/such: No such file or directory");
    t = run_of("experiment: t\ncommand: 'true'\nsetup: 'echo no >&2; false'\n", none);
    assert_string_equal(t.why, "setup: exit status 1: no");
    assert_int_equal(t.exit_status, -1);
    t = run_of("experiment: t\ncommand: 'true'\nteardown: 'false'\n", none);
    assert_int_equal(t.outcome, SL_TRIAL_FAILED);
    assert_true(isnan(t.score));
    /* who goes to the background, and out of the process group, does not disturb the next run */
    t = run_of("experiment: t\ncommand: 'setsid sleep 60 & setsid sleep 60 &'\n", none);
    assert_int_equal(t.outcome, SL_TRIAL_DONE);
    assert_int_equal(t.left, 2);
}

static void scores(void **state)
{
    static const int32_t none[2] = {0}, second[2] = {1};
    struct sl_trial t;

    (void)state;
    t = run_of("experiment: t\ncommand: 'echo ''{\"r\": [{\"mean\": 2.5}]}'''\nscore: {json: '$.r[0].mean'}\n", none);
    assert_true(t.score == 2.5);
    t = run_of("experiment: t\ncommand: 'echo {}'\nscore: {json: '$.r'}\n", none);
    assert_non_null(strstr(t.why, "has no $.r"));
    t = run_of("experiment: t\ncommand: 'echo 1 s; echo 2 s'\nscore: {regex: '(\\d+) s'}\n", none);
    assert_true(t.score == 2);
    t = run_of("experiment: t\ncommand: 'echo 5 >out'\nscore: {regex: '(\\d+)', file: out}\n", none);
    assert_true(t.score == 5);
    t = run_of("experiment: t\ncommand: 'true'\nscore: {regex: '(\\d+)', file: out}\n", none);
    assert_int_equal(t.outcome, SL_TRIAL_FAILED); /* not what the other run wrote */
    t = run_of("experiment: t\ncommand: 'echo 10'\nscore: {regex: '(\\d+)', ideal: 4}\n", none);
    assert_true(t.score == 6);
    assert_true(t.measured == 10);
    t = run_of("experiment: t\ncommand: 'echo 10 #'\nscore: {regex: '(\\d+)', overhead: ratio}\n"
               "factors: {load: {levels: {a: {ideal: 4}, b: {ideal: 5}}, argument: '{level}'}}\n",
               second);
    assert_true(t.score == 2);
    t = run_of("experiment: t\ncommand: 'sleep 0.05'\n", none);
    assert_true(t.score > 0.05 && t.score < 5 && t.score == t.wall_s);
    t = run_of("experiment: t\ncommand: 'echo x >>count; wc -l <count'\nsetup: rm -f count\nwarmup: 2\n"
               "score: {regex: '(\\d+)'}\n",
               none);
    assert_true(t.score == 3);
}

static void the_log_says_what_was_run(void **state)
{
    static const int32_t setting[] = {1, 0};
    struct sl_plan p;
    struct sl_trials s;
    struct sl_trial t = {.setting = setting};
    struct sl_run_records r;
    struct sl_err err = {0};
    char *path;
    int fd;

    (void)state;
    plan_of(&p, "experiment: log\ncommand: 'echo 3.25'\nscore: {name: us, regex: '([\\d.]+)'}\n"
                "factors: {a: {levels: [lo, hi], argument: '#{level}'}, b: {placebo: yes}}\n");
    path = sl_run_log_path(&p, NULL);
    assert_int_equal(sl_trials_open(&s, &p, NULL, &err), 0);
    assert_int_equal(sl_trial_run(&s, &t, &err), 0);
    assert_true((fd = sl_run_log_open(path, &s, &err)) >= 0);
    assert_int_equal(sl_run_log_add(fd, &s, "1", "2", &t, NULL, &err), 0);
    assert_int_equal((int)write(fd, "{\"record\": \"run\", \"exp", 22), 22); /* a kill */
    close(fd);
    assert_true((fd = sl_run_log_open(path, &s, &err)) >= 0);
    assert_int_equal(sl_run_log_add(fd, &s, "2", "2", &t, NULL, &err), 0);
    close(fd);
    assert_int_equal(sl_run_log_read(&r, &p, &err), 0);
    assert_int_equal(r.v.n, 2);
    assert_string_equal(r.v.v[0].run, "1");
    assert_string_equal(r.v.v[1].block, "2");
    assert_true(r.v.v[1].score == 3.25);
    assert_int_equal(r.v.v[1].setting[0], 1);
    assert_int_equal(r.v.v[1].setting[1], 0);
    sl_run_records_free(&r);
    sl_trials_close(&s);
    sl_plan_free(&p);
    free(path);
}

static void a_killed_process_is_undone_by_the_next(void **state)
{
    struct sl_undo u;
    struct sl_err err = {0};
    char dir[200], file[200];
    char script[PATH_MAX + 32];

    (void)state;
    snprintf(dir, sizeof dir, "%s/.k.undo", folder);
    snprintf(file, sizeof file, "%s/kept", folder);
    put("kept", "first");
    assert_int_equal(sl_undo_open(&u, dir, &err), 0);
    assert_int_equal(sl_undo_keep(&u, file, &err), 0);
    assert_false(sl_undo_script(&u, script));
    assert_int_equal(sl_undo_keep_script(&u, "true\n", &err), 0);
    assert_int_equal(sl_undo_write(file, "second", 6, &err), 0);
    assert_int_equal(sl_undo_keep(&u, file, &err), 0); /* not what it is by now */
    assert_string_equal(get("kept"), "second");
    assert_int_equal(sl_undo_open(&u, dir, &err), 0);
    assert_int_equal(u.files, 1);
    assert_true(sl_undo_script(&u, script));
    assert_int_equal(sl_undo_all(&u, &err), 0);
    assert_string_equal(get("kept"), "first");
    assert_int_not_equal(access(dir, F_OK), 0);
}

static void refused(const char *text, const char *why)
{
    struct sl_plan p;
    struct sl_err err = {0};
    char whole[2000];

    snprintf(whole, sizeof whole, "experiment: t\ncommand: x\n%s", text);
    assert_int_equal(sl_plan_parse(&p, "t.yaml", whole, strlen(whole), &err), SL_EFORMAT);
    sl_plan_free(&p);
    if (!strstr(err.text, why))
        fail_msg("'%s' is not in: %s", why, err.text);
}

static void plans_are_checked(void **state)
{
    (void)state;
    refused("timout: 5s\n", "t.yaml:3: an experiment has no key 'timout'; did you mean 'timeout'?");
    refused("factors:\n  a: {}\n", "t.yaml:4: factor a does nothing");
    refused("factors:\n  a: {levels: [1], argument: x}\n", "t.yaml:4: factor a has one level");
    refused("factors:\n  a: {enviroment: {A: 1}}\n",
            "t.yaml:4: a factor has no key 'enviroment'; did you mean 'environment'?");
    refused("factors:\n  host: {argument: x}\n", "'host' cannot be the name of a factor");
    refused("factors:\n  a: {argument: x}\nconstraints:\n  - not: [a, b]\n",
            "t.yaml:6: there is no factor 'b'; there are: a");
    refused("factors:\n  a: {levels: [1, 2], argument: x}\nconstraints:\n  - not: [a=3]\n",
            "t.yaml:6: factor a has no level '3'; it has: 1, 2");
    refused("score: {regex: 'a'}\n", "regex needs one group");
    refused("score: {regex: '(a'}\n", "t.yaml:3: regex: ");
    refused("score: {sql: 'SELECT 1'}\n", "add `trace: yes`");
    refused("score: {wall: yes, overhead: ratio}\n", "overhead against what?");
    refused("budget: soon\n", "t.yaml:3: budget is a time (30s, 10min");
    refused("repeats: 0\n", "t.yaml:3: 'repeats' is a whole number from 1 to 100000");
    refused("factors:\n  a: {edit: {file: nowhere, replace: x, with: y}}\n", "there is no file");
}

static void constraints_hold(void **state)
{
    struct sl_plan p;
    struct sl_err err = {0};
    static const char text[] =
        "experiment: t\ncommand: x\nfactors: {a: {argument: x}, b: {argument: x}, c: {levels: [0, 1, 2], "
        "argument: x}, d: {argument: x}}\n"
        "constraints: [{not: [a, b]}, {if: a, then: {c: [1, 2]}}, {exclusive: [a, c=1, d]}]\n";
    int allowed = 0;

    (void)state;
    if (sl_plan_parse(&p, "t.yaml", text, strlen(text), &err))
        fail_msg("%s", err.text);
    for (int32_t i = 0; i < 24; i++) {
        const int32_t s[] = {i & 1, i >> 1 & 1, i >> 3, i >> 2 & 1};
        bool bad = (s[0] && s[1]) || (s[0] && !s[2]) || (s[0] + (s[2] == 1) + s[3] > 1);
        assert_int_equal(sl_plan_broken(&p, s) != NULL, bad);
        allowed += !bad;
    }
    assert_int_equal(allowed, 11);
    assert_string_equal(p.constraint.v[0].text, "never a and b");
    sl_plan_free(&p);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char line[100];

    (void)state;
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_of_applying_a_level),
        cmocka_unit_test(what_can_go_wrong_with_a_run),
        cmocka_unit_test(scores),
        cmocka_unit_test(the_log_says_what_was_run),
        cmocka_unit_test(a_killed_process_is_undone_by_the_next),
        cmocka_unit_test(plans_are_checked),
        cmocka_unit_test(constraints_hold),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
