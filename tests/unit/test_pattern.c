/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever is done to answer faster (literals, first bytes, JIT), the answer is that of plain PCRE2. */
#include "base/buf.h"
#include "base/embed.h"
#include "base/mem.h"
#include "recipe/pattern.h"
#include "recipe/yaml.h"
#include "unit.h"

struct both {
    const char *text;
    struct sl_pattern ours;
    pcre2_code *plain;
};

static struct sl_match *match;
static pcre2_match_data *data;

static bool compile(struct both *p, const char *text)
{
    int code;
    size_t at;
    struct sl_err err = {0};

    p->text = text;
    p->plain = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, PCRE2_DUPNAMES, &code, &at, NULL);
    if (sl_pattern_compile(&p->ours, text, "here:1", &err)) {
        assert_null(p->plain);
        assert_non_null(strstr(err.text, "here:1: "));
        return false;
    }
    assert_non_null(p->plain);
    return true;
}

static void drop(struct both *p)
{
    sl_pattern_free(&p->ours);
    pcre2_code_free(p->plain);
}

static bool same(const struct both *p, const char *s, size_t n, size_t from)
{
    const size_t *got = sl_pattern_match(&p->ours, match, s, n, from), *want = pcre2_get_ovector_pointer(data);
    int rc = pcre2_match(p->plain, (PCRE2_SPTR)s, n, from, 0, data, NULL);
    bool equal = rc < -1 || (rc > 0) == (got != NULL);

    /* what a group within (?! caught differs from JIT code to interpreter */
    for (uint32_t i = 0; equal && rc > 0 && got && i < p->ours.ncaptures && !strstr(p->text, "(?!"); i++) {
        uint32_t g = 2 * p->ours.capture[i].group;
        equal = got[g] == want[g] && got[g + 1] == want[g + 1];
    }
    if (!equal || (rc > 0 && got && (got[0] != want[0] || got[1] != want[1])))
        fail_msg("/%s/ and '%.*s' from %zu: PCRE2 says %d, we %s (literal '%s'%s, first bytes %s)", p->text, (int)n, s,
                 from, rc, got ? "match" : "do not", p->ours.literal ? p->ours.literal : "",
                 p->ours.prefix ? " at the start" : "", p->ours.has_first ? "known" : "unknown");
    return rc > 0;
}

static int set_up(void **state)
{
    (void)state;
    match = sl_match_new();
    data = pcre2_match_data_create(100, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sl_match_free(match);
    pcre2_match_data_free(data);
    return 0;
}

/* All patterns and sample lines of the recipes. */
struct found {
    SL_VEC(const char *) patterns, paths, lines;
    SL_VEC(struct sl_yaml *) docs;
    struct sl_arena arena;
};

static void collect(struct found *f, const struct sl_yaml *y, const char *key)
{
    if (y->kind == SL_YAML_SCALAR) {
        if (!strcmp(key, "match") || !strcmp(key, "head") || !strcmp(key, "find"))
            *sl_vec_add(&f->patterns) = y->text;
        else if (!strcmp(key, "files"))
            *sl_vec_add(&f->paths) = y->text;
        else if (!strcmp(key, "when") && y->n > 2 && *y->text == '/' && y->text[y->n - 1] == '/')
            *sl_vec_add(&f->patterns) = sl_arena_copy(&f->arena, y->text + 1, y->n - 2);
        else if (!strcmp(key, "lines"))
            for (const char *s = y->text, *nl; *s; s = *nl ? nl + 1 : nl) {
                nl = strchrnul(s, '\n');
                *sl_vec_add(&f->lines) = sl_arena_copy(&f->arena, s, (size_t)(nl - s));
                for (const char *m = s; m + 3 < nl; m++) /* the message behind the head */
                    if (!strncmp(m, ": ", 2) || !strncmp(m, "] ", 2)) {
                        for (m += 2; *m == ' '; m++)
                            ;
                        *sl_vec_add(&f->lines) = sl_arena_copy(&f->arena, m, (size_t)(nl - m));
                    }
            }
        return;
    }
    for (size_t i = 0; i < y->n; i++)
        collect(f, y->item[i], y->kind == SL_YAML_MAP && strcmp(key, "when") != 0 ? y->key[i]->text : key);
}

/* What is read of a pattern of ours before it is compiled is what PCRE2 says of it. */
static void same_groups(const struct sl_pattern *read, const struct sl_pattern *compiled, const char *text)
{
    bool equal = read->ngroups == compiled->ngroups && read->ncaptures == compiled->ncaptures;

    for (uint32_t i = 0; equal && i < read->ncaptures; i++)
        equal = !strcmp(read->capture[i].name, compiled->capture[i].name) &&
                read->capture[i].group == compiled->capture[i].group;
    if (!equal)
        fail_msg("/%s/: other groups than PCRE2 says", text);
}

static void recipes_match_as_pcre2_does(void **state)
{
    enum { EVERY = SANITIZED ? 5 : 1 };
    struct found f = {0};
    uint64_t r = 5;
    size_t hits = 0, literals = 0, firsts = 0;

    (void)state;
    for (const struct sl_embedded *e = sl_embedded_recipes; e->name; e++) {
        struct sl_yaml *y;
        assert_int_equal(sl_yaml_parse(&y, e->data, e->size, e->name, NULL), 0);
        *sl_vec_add(&f.docs) = y;
        collect(&f, y, "");
    }
    assert_true(f.patterns.n > 80 && f.lines.n > 50);
    for (size_t i = 0; i < f.patterns.n; i++) {
        struct both p;
        struct sl_pattern later;
        assert_true(compile(&p, f.patterns.v[i]));
        assert_int_equal(sl_pattern_compile(&later, f.patterns.v[i], NULL, NULL), 0);
        same_groups(&later, &p.ours, f.patterns.v[i]);
        sl_pattern_free(&p.ours);
        p.ours = later;
        literals += p.ours.nliteral > 0;
        firsts += p.ours.has_first;
        for (size_t k = i % EVERY; k < f.lines.n; k += EVERY) {
            const char *s = f.lines.v[k];
            size_t n = strlen(s);
            char *t = sl_strndup(s, n); /* changed: one byte, the beginning or the end is another */
            hits += same(&p, s, n, 0);
            if (n) {
                t[below(&r, n)] = (char)" aA0:['\n"[below(&r, 8)];
                same(&p, t, n, 0);
                same(&p, t, below(&r, n), 0);
                same(&p, t + 1, n - 1, 0);
                same(&p, t, n, below(&r, n));
            }
            free(t);
        }
        same(&p, "", 0, 0);
        drop(&p);
    }
    assert_true(f.paths.n > 40);
    for (size_t i = 0; i < f.paths.n; i++) {
        struct sl_pattern later, now;
        assert_int_equal(sl_pattern_compile_path(&later, f.paths.v[i], NULL, NULL), 0);
        assert_int_equal(sl_pattern_compile_path(&now, f.paths.v[i], "x", NULL), 0);
        same_groups(&later, &now, f.paths.v[i]);
        sl_pattern_free(&later);
        sl_pattern_free(&now);
    }
    assert_true(hits > 100 && literals * 2 > f.patterns.n && firsts > 20); /* it is worth its while */
    for (size_t i = 0; i < f.docs.n; i++)
        sl_yaml_free(f.docs.v[i]);
    sl_vec_free(&f.docs);
    sl_vec_free(&f.patterns);
    sl_vec_free(&f.paths);
    sl_vec_free(&f.lines);
    sl_arena_free(&f.arena);
}

/* What a literal must not be taken from. */
static const char *const tricky[] = {
    "\\d{2}",
    "a{2}",
    "a{0,1}b",
    "(a){2}b",
    "a?b",
    "a*b",
    "ab+",
    "ab+?c",
    "a|b",
    "^a|b",
    "(?i)ab",
    "a(?i)b",
    "^(?i)ab",
    "^(?i:a)b",
    "(?:a|b)1",
    "(?=ab)a",
    "(?!ab)b",
    "(?<=a)b",
    "a(?#(|)b",
    "[[:digit:]a]b",
    "[]a]b",
    "[^]a]b",
    "[a\\]b]1",
    "\\x61b",
    "\\141b",
    "(a)\\1b",
    "\\Qa|b\\E1",
    "a\\.b",
    "(?s)^a.b",
    "(?m)^b",
    "(?x) a b # 1|\n",
    "a(*ACCEPT)b",
    "^^ab",
    "^a?b",
    "(?<n>a)?b",
    "(?|(a)|(b))1",
    "a\\Kb",
    "\\bab",
    "(?(DEFINE)a)b",
    "^(?:a|b)+1$",
    "^$",
    "",
    "a\\ b",
    "\\a",
    "a{,2}b",
    "a{b}",
    "{a",
    "]a",
    "^\\^a",
    "(?<n>a)(?<n>b)",
    "^(?<n>a)|(?<n>b)$",
    "[1\\c]^ba.",
    "\\c(a|b",
    "^a|^b",
    "^1|^.b",
    "^(?=a)|^b",
    "a++b",
    "(?>a+)b",
    "^.*b",
    "^[^a]*b",
    "^\\Ab",
};

static void tricky_patterns(void **state)
{
    static const char alphabet[] = "abA1|.\n";

    (void)state;
    for (size_t i = 0; i < sizeof tricky / sizeof *tricky; i++) {
        struct both p;
        if (!compile(&p, tricky[i]))
            continue;
        for (int code = 0; code < 7 * 7 * 7 * 7 * 4; code++) { /* every text of up to four letters */
            char s[4];
            int rest = code / 4, n = code % 4 + 1;
            for (int k = 0; k < 4; k++, rest /= 7)
                s[k] = alphabet[rest % 7];
            same(&p, s, (size_t)n, 0);
        }
        same(&p, "", 0, 0);
        drop(&p);
    }
}

static void piece(struct sl_buf *b, uint64_t *r, int depth)
{
    static const char *const atom[] = {"a", "b",   "ab",           "1", "\\d",   ".", "[ab]", "[^a]", "\\.", "^",
                                       "$", "\\b", "[[:alpha:]1]", "A", "\\x61", "|", "(?i)", "]"};
    static const char *const times[] = {"?", "*", "+", "{2}", "{0,2}", "{1,}", "+?", "*+"};

    if (depth < 3 && below(r, 4) == 0) {
        static const char *const open[] = {"(", "(?:", "(?=", "(?!", "(?<n>", "(?i:"};
        sl_buf_adds(b, open[below(r, 6)]);
        for (uint64_t i = 1 + below(r, 3); i; i--)
            piece(b, r, depth + 1);
        sl_buf_addc(b, ')');
    } else {
        sl_buf_adds(b, atom[below(r, sizeof atom / sizeof *atom)]);
    }
    if (below(r, 3) == 0)
        sl_buf_adds(b, times[below(r, sizeof times / sizeof *times)]);
}

static void random_patterns(void **state)
{
    uint64_t r = 99;
    int good = 0, hits = 0;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        struct sl_buf b = {0};
        struct both p;
        if (below(&r, 2))
            sl_buf_addc(&b, '^');
        for (uint64_t k = 1 + below(&r, 5); k; k--)
            piece(&b, &r, 0);
        if (compile(&p, b.s)) {
            good++;
            for (int k = 0; k < 40; k++) {
                char s[8];
                size_t n = below(&r, sizeof s + 1);
                for (size_t m = 0; m < n; m++)
                    s[m] = "aabbA1.]"[below(&r, 8)];
                hits += same(&p, s, n, 0);
                hits += same(&p, s, n, below(&r, n + 1));
            }
            drop(&p);
        }
        sl_buf_free(&b);
    }
    assert_true(good > 3000 && hits > 10000);
}

/* A group that repeats over a long text takes stack in JIT code; a long list in a log must not be passed over for it.
 */
static void long_subjects(void **state)
{
    struct sl_buf b = {0};
    struct both p;

    (void)state;
    assert_true(compile(&p, "^tasks: (?<list>(?:\\d+(?:, )?)+) end"));
    sl_buf_adds(&b, "tasks: ");
    for (int i = 0; i < 5000; i++)
        sl_buf_addf(&b, "%d, ", i);
    sl_buf_adds(&b, "7 end");
    assert_true(same(&p, b.s, b.n, 0));
    drop(&p);
    sl_buf_free(&b);
}

/* Backtracking without end is given up, quickly. */
static void runaway_patterns(void **state)
{
    struct sl_pattern p;
    char s[200];

    (void)state;
    memset(s, 'a', sizeof s);
    assert_int_equal(sl_pattern_compile(&p, "^(a+)+$b?", "x", NULL), 0);
    s[sizeof s - 1] = '!';
    assert_null(sl_pattern_match(&p, match, s, sizeof s, 0));
    assert_null(sl_pattern_match(&p, match, s, sizeof s, 0));
    sl_pattern_free(&p);
}

static void errors(void **state)
{
    struct sl_pattern p;
    struct sl_err err;
    char many[700] = "";

    (void)state;
    assert_int_equal(sl_pattern_compile(&p, "a(b", "r.yaml:7", &err), SL_EFORMAT);
    assert_non_null(strstr(err.text, "r.yaml:7: "));
    assert_non_null(strstr(err.text, "a(b"));
    for (int i = 0; i < 64; i++)
        strcat(many, "(a)");
    assert_int_equal(sl_pattern_compile(&p, many, "r.yaml:8", &err), SL_EFORMAT);
    many[63 * 3] = 0;
    assert_int_equal(sl_pattern_compile(&p, many, "r.yaml:8", &err), 0);
    sl_pattern_free(&p);
    assert_int_equal(sl_pattern_compile_path(&p, "a/{b", "r.yaml:9", &err), SL_EFORMAT);
    assert_non_null(strstr(err.text, "r.yaml:9: "));
    assert_int_equal(sl_pattern_compile_path(&p, "{}/x", "r.yaml:9", &err), SL_EFORMAT);
    assert_int_equal(sl_pattern_compile_path(&p, "{a b}/x", "r.yaml:9", &err), SL_EFORMAT);
}

static void paths(void **state)
{
    static const struct {
        const char *files, *path, *want; /* want: name=value, in the order of the alphabet; NULL: no match */
    } of[] = {
        {"{rundir}/parsl.log", "/r/000/parsl.log", "rundir=/r/000 "},
        {"{rundir}/parsl.log", "/r/parsl.log.1", NULL},
        {"{rundir}/parsl.log", "/r/xparsl.log", NULL},
        {"{rundir}/parsl.log", "parsl.log", NULL},
        {"{rundir}/{executor}/block-{block}/{manager}/worker_{worker}.log",
         "/r/000/htex-A.1/block-0/ab12/worker_10.log",
         "block=0 executor=htex-A.1 manager=ab12 rundir=/r/000 worker=10 "},
        {"{rundir}/{executor}/block-{block}/{manager}/worker_{worker}.log", "/r/000/htex/block-/ab12/worker_10.log",
         NULL},
        {"{rundir}/{executor}/interchange.log", "/a/b/c d/interchange.log", "executor=c d rundir=/a/b "},
        {"{rundir}/{executor}/interchange.log", "/interchange.log", NULL},
        {"run.log", "/a/b/run.log", ""},
        {"run.log", "run.log", ""},
        {"run.log", "/a/xrun.log", NULL},
        {"run.log", "/a/runxlog", NULL}, /* a point is a point */
        {"*.log", "/a/b.c/run.log", ""},
        {"sub*/x", "/a/submit_scripts/x", ""},
        {"sub*/x", "/a/sub/y/x", NULL}, /* inside of one part only */
        {"{name}.log", "/a/b/run.log", "name=run "},
        {"{name}.log", "run.log", "name=run "},
        {"a+(b)[c]/{x}", "/r/a+(b)[c]/q", "x=q "},
        {"{a}-{b}.txt", "/d/1-2-3.txt", "a=1 b=2-3 "}, /* as little as will do, from the left */
        {"{rundir}/parsl.log", "/new\nline/parsl.log", "rundir=/new\nline "},
        {"{n}.{time#}", "/d/a.b.17.25", "n=a.b time=17.25 "},
        {"{n}.{time#}", "/d/a.b.17", "n=a.b time=17 "},
        {"{n}.{time#}", "/d/a.17.25.err", NULL}, /* not a number to its end */
        {"{n}.{time#}.err", "/d/a.17.25.err", "n=a time=17.25 "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct sl_pattern p;
        struct sl_buf b = {0};
        const size_t *at;
        assert_int_equal(sl_pattern_compile_path(&p, of[i].files, "x", NULL), 0);
        at = sl_pattern_match(&p, match, of[i].path, strlen(of[i].path), 0);
        sl_buf_adds(&b, "");
        for (uint32_t k = 0; at && k < p.ncaptures; k++) {
            const struct sl_capture *c = &p.capture[k];
            if (at[2 * c->group] != PCRE2_UNSET)
                sl_buf_addf(&b, "%s=%.*s ", c->name, (int)(at[2 * c->group + 1] - at[2 * c->group]),
                            of[i].path + at[2 * c->group]);
        }
        if (!at != !of[i].want || (at && strcmp(b.s, of[i].want) != 0))
            fail_msg("%s and %s: %s", of[i].files, of[i].path, at ? b.s : "no match");
        sl_buf_free(&b);
        sl_pattern_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recipes_match_as_pcre2_does),
        cmocka_unit_test(tricky_patterns),
        cmocka_unit_test(random_patterns),
        cmocka_unit_test(long_subjects),
        cmocka_unit_test(runaway_patterns),
        cmocka_unit_test(errors),
        cmocka_unit_test(paths),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
