/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of a log is tested against many patterns and matches few.  What makes that cheap is a literal that every match
 * contains: comparing it costs two nanoseconds, running a pattern fifty or more.
 */
#include "recipe/pattern.h"
#include "base/buf.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    MATCH_LIMIT = 200000,
    MAX_GROUPS = 64,
    STACK = 16 << 20
}; /* PCRE2 gives 32 kB, and a group that repeats takes some each time */

/* What most runs need of few patterns: a recipe has a hundred, and a log a few kinds of lines. */
struct sl_pattern_code {
    char *text;
    pcre2_code *pcre; /* NULL: not compiled yet */
    bool ready;       /* the below is known, and pcre is machine code where the machine allows that */
    bool jit, anchored;
};

struct sl_match {
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
};

struct sl_match *sl_match_new(void)
{
    struct sl_match *m = sl_alloc(sizeof *m);
    uint32_t jit = 0;

    m->data = sl_must(pcre2_match_data_create(MAX_GROUPS, NULL));
    m->context = sl_must(pcre2_match_context_create(NULL));
    pcre2_set_match_limit(m->context, MATCH_LIMIT);
    pcre2_config(PCRE2_CONFIG_JIT, &jit);
    if (jit)
        m->stack = sl_must(pcre2_jit_stack_create(32 * 1024, STACK, NULL));
    pcre2_jit_stack_assign(m->context, NULL, m->stack);
    return m;
}

void sl_match_free(struct sl_match *m)
{
    if (!m)
        return;
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
    pcre2_jit_stack_free(m->stack);
    free(m);
}

/* Behind the character class that begins at s. */
static const char *skip_class(const char *s)
{
    s++;
    s += *s == '^';
    s += *s == ']';
    while (*s && *s != ']') {
        size_t name = *s == '[' && s[1] == ':' ? strspn(s + 2, "^abcdefghijklmnopqrstuvwxyz") : 0;
        if (name && s[2 + name] == ':' && s[3 + name] == ']') /* [:alpha:] */
            s += 4 + name;
        else
            s += *s == '\\' && s[1] ? 2 : 1;
    }
    return *s ? s + 1 : s;
}

/* (?x), also among other options: from there on blanks and comments mean nothing. */
static bool extended(const char *s)
{
    while ((s = strstr(s, "(?"))) {
        s += 2;
        if (memchr(s, 'x', strspn(s, "imsxJUn^-")))
            return true;
    }
    return false;
}

/* Alternatives outside of all brackets? */
static bool has_alternatives(const char *s)
{
    int depth = 0;

    if (strstr(s, "\\Q") || strstr(s, "\\c") || strstr(s, "(?#") || extended(s)) /* brackets may be text there */
        return true;
    while (*s) {
        if (*s == '|' && depth == 0)
            return true;
        if (*s == '[') {
            s = skip_class(s);
            continue;
        }
        depth += (*s == '(') - (*s == ')');
        s += *s == '\\' && s[1] ? 2 : 1;
    }
    return false;
}

/*
 * The literal: the longest run of plain characters at the top level of a pattern without alternatives.  At the start
 * after '^' it is a prefix.  Whatever is not certain ends the run.
 */
static void find_literal(struct sl_pattern *p, const char *t)
{
    struct sl_buf run = {0}, best = {0};
    bool at_start, best_is_prefix = false;
    int depth = 0;
    const char *s = t;

    if (has_alternatives(t) || strstr(t, "(*"))
        goto out;
    if (!strncmp(s, "(?s)", 4)) /* '.' matches newlines: no matter here */
        s += 4;
    if (!strncmp(s, "(?", 2) && strchr("imsxJUn-", s[2])) /* options may change what a character means */
        goto out;
    at_start = *s == '^';
    s += at_start;
    for (depth = 0; *s;) {
        char c = 0;
        bool plain = false;
        size_t len = 1;
        if (*s == '\\' && s[1]) {
            len = 2;
            c = s[1];
            plain = !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'));
            if (!plain && (strchr("xopPuNkgQcE", c) || (c >= '0' && c <= '9'))) /* escapes that go on after that */
                goto out;
        } else if (!strchr("^$.[]()*+?{}|\\", *s)) {
            c = *s;
            plain = true;
        }
        if (plain && depth == 0 && !strchr("*?{", s[len] ? s[len] : 'x')) {
            sl_buf_addc(&run, c);
            s += len;
            if (*s != '+')
                continue;
            /* one is certain, more may follow: ends the run */
        }
        if (run.n > best.n) {
            sl_buf_clear(&best);
            sl_buf_add(&best, run.s, run.n);
            best_is_prefix = at_start;
        }
        if (run.n && at_start && best_is_prefix)
            break; /* a prefix is worth more than a longer piece elsewhere */
        sl_buf_clear(&run);
        at_start = false;
        if (plain) {
            s += *s == '+' ? 1 : len;
        } else if (*s == '[') {
            s = skip_class(s);
        } else if (*s == '{') { /* a count is no text */
            s += strcspn(s, "}");
            s += *s == '}';
        } else if (*s == '(' && s[1] == '?' && s[2 + strspn(s + 2, "imsxJUn-^")] == ')') {
            goto out; /* options: what follows may mean something else */
        } else {
            depth += (*s == '(') - (*s == ')');
            s += len;
        }
    }
    if (run.n > best.n) {
        sl_buf_clear(&best);
        sl_buf_add(&best, run.s, run.n);
        best_is_prefix = at_start;
    }
    if (best.n) {
        p->nliteral = (uint32_t)best.n;
        p->literal = sl_strndup(best.s, best.n);
        p->prefix = best_is_prefix;
    }
out:
    sl_buf_free(&run);
    sl_buf_free(&best);
}

/* PCRE2 knows the first bytes of an unanchored pattern only, so ask it about the pattern without its '^'. */
static void find_first(struct sl_pattern *p, const char *t)
{
    int code;
    size_t at;
    const uint8_t *map = NULL;
    uint32_t type = 0, unit = 0;
    pcre2_code *c;

    if (*t != '^' || has_alternatives(t) ||
        !(c = pcre2_compile((PCRE2_SPTR)t + 1, PCRE2_ZERO_TERMINATED, 0, &code, &at, NULL)))
        return;
    pcre2_pattern_info(c, PCRE2_INFO_FIRSTCODETYPE, &type);
    pcre2_pattern_info(c, PCRE2_INFO_FIRSTCODEUNIT, &unit);
    if (type == 1) {
        p->first[unit / 64] |= 1ull << (unit % 64);
        if ((unit | 32) >= 'a' && (unit | 32) <= 'z') /* PCRE2 does not tell whether the case matters */
            p->first[(unit ^ 32) / 64] |= 1ull << ((unit ^ 32) % 64);
        p->has_first = true;
    } else if (pcre2_pattern_info(c, PCRE2_INFO_FIRSTBITMAP, &map) == 0 && map) {
        for (int i = 0; i < 256; i++)
            if (map[i / 8] >> (i % 8) & 1)
                p->first[i / 64] |= 1ull << (i % 64);
        p->has_first = true;
    }
    pcre2_code_free(c);
}

static void find_captures(struct sl_pattern *p)
{
    PCRE2_SPTR table;
    uint32_t entry;

    pcre2_pattern_info(p->code->pcre, PCRE2_INFO_CAPTURECOUNT, &p->ngroups);
    pcre2_pattern_info(p->code->pcre, PCRE2_INFO_NAMECOUNT, &p->ncaptures);
    pcre2_pattern_info(p->code->pcre, PCRE2_INFO_NAMETABLE, &table);
    pcre2_pattern_info(p->code->pcre, PCRE2_INFO_NAMEENTRYSIZE, &entry);
    p->capture = sl_alloc(p->ncaptures * sizeof *p->capture);
    for (uint32_t i = 0; i < p->ncaptures; i++, table += entry)
        p->capture[i] = (struct sl_capture){sl_strdup((const char *)table + 2), (uint32_t)table[0] << 8 | table[1], -1};
}

/* The same of a pattern of ours, whose names are all in (?<NAME>, in the same order: by name. */
static void read_captures(struct sl_pattern *p)
{
    for (const char *s = p->code->text; *s;) {
        const char *name = !strncmp(s, "(?<", 3) && s[3] != '=' && s[3] != '!' ? s + 3 : NULL;
        p->ngroups += *s == '(' && (name || (s[1] != '?' && s[1] != '*'));
        if (name) {
            struct sl_capture c = {sl_strndup(name, strcspn(name, ">")), p->ngroups, -1};
            uint32_t i = p->ncaptures++;
            p->capture = sl_realloc(p->capture, p->ncaptures * sizeof c);
            for (; i && strcmp(p->capture[i - 1].name, c.name) > 0; i--)
                p->capture[i] = p->capture[i - 1];
            p->capture[i] = c;
        }
        s = *s == '[' ? skip_class(s) : s + (*s == '\\' && s[1] ? 2 : 1);
    }
}

static int compile(struct sl_pattern_code *c, const char *where, struct sl_err *err)
{
    int code;
    size_t at;
    uint32_t groups = 0;

    c->pcre = pcre2_compile((PCRE2_SPTR)c->text, PCRE2_ZERO_TERMINATED, PCRE2_DUPNAMES, &code, &at, NULL);
    if (!c->pcre && code == PCRE2_ERROR_HEAP_FAILED)
        sl_no_memory(0);
    if (!c->pcre) {
        PCRE2_UCHAR why[120];
        pcre2_get_error_message(code, why, sizeof why);
        return sl_err(err, SL_EFORMAT, "%s: bad pattern at character %zu: %s: %s", where, at + 1, why, c->text);
    }
    pcre2_pattern_info(c->pcre, PCRE2_INFO_CAPTURECOUNT, &groups);
    return groups < MAX_GROUPS
               ? 0
               : sl_err(err, SL_EFORMAT, "%s: more than %d groups in one pattern", where, MAX_GROUPS - 1);
}

/* Before it is run for the first time, by whichever thread. */
static void make_ready(struct sl_pattern_code *c)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    uint32_t options = 0;

    pthread_mutex_lock(&one);
    if (!c->ready) {
        if (!c->pcre && compile(c, "a recipe of ours", NULL) != 0)
            abort(); /* `spanloom recipes --test` compiles them all */
        pcre2_pattern_info(c->pcre, PCRE2_INFO_ALLOPTIONS, &options);
        c->anchored = options & PCRE2_ANCHORED;
        c->jit =
            pcre2_jit_compile(c->pcre, PCRE2_JIT_COMPLETE) == 0; /* else the interpreter: some machines forbid it */
        __atomic_store_n(&c->ready, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&one);
}

int sl_pattern_compile(struct sl_pattern *p, const char *text, const char *where, struct sl_err *err)
{
    int rc = 0;

    *p = (struct sl_pattern){.code = sl_alloc(sizeof *p->code)};
    p->code->text = sl_strdup(text);
    if (where && (rc = compile(p->code, where, err))) {
        sl_pattern_free(p);
        return rc;
    }
    find_literal(p, text);
    if (!p->prefix)
        find_first(p, text);
    if (where)
        find_captures(p);
    else
        read_captures(p);
    return 0;
}

int sl_pattern_compile_bare(struct sl_pattern *p, const char *text, const char *where, struct sl_err *err)
{
    struct sl_buf b = {0};
    bool refers = strstr(text, "(?P") || strstr(text, "(?&") || strstr(text, "(?(") || strstr(text, "(?R");
    int rc;

    for (const char *s = text; *s;) {
        const char *end = *s == '[' ? skip_class(s) : s + (*s == '\\' && s[1] ? 2 : 1);
        refers |= *s == '\\' && (s[1] == 'k' || s[1] == 'g' || (s[1] >= '1' && s[1] <= '9'));
        if (!strncmp(s, "(?<", 3) && s[3] != '=' && s[3] != '!' && strchr(s, '>')) {
            sl_buf_adds(&b, "(?:");
            s = strchr(s, '>') + 1;
            continue;
        }
        sl_buf_add(&b, s, (size_t)(end - s));
        s = end;
    }
    rc = sl_pattern_compile(p, refers || !b.s ? text : b.s, where, err);
    sl_buf_free(&b);
    return rc;
}

void sl_pattern_free(struct sl_pattern *p)
{
    if (p->code) {
        pcre2_code_free(p->code->pcre);
        free(p->code->text);
        free(p->code);
    }
    free(p->literal);
    for (uint32_t i = 0; p->capture && i < p->ncaptures; i++)
        free(p->capture[i].name);
    free(p->capture);
    *p = (struct sl_pattern){0};
}

const size_t *sl_pattern_match(const struct sl_pattern *p, struct sl_match *m, const char *s, size_t n, size_t at)
{
    struct sl_pattern_code *c = p->code;
    bool ready = __atomic_load_n(&c->ready, __ATOMIC_ACQUIRE);
    int rc;

    if (at == 0) { /* cheapest question first */
        if (p->has_first && (!n || !(p->first[(unsigned char)*s / 64] >> ((unsigned char)*s % 64) & 1)))
            return NULL;
        if ((p->prefix || p->suffix) &&
            (n < p->nliteral || memcmp(p->prefix ? s : s + n - p->nliteral, p->literal, p->nliteral) != 0))
            return NULL;
        if (p->nliteral && !(ready && c->anchored) && memmem(s, n, p->literal, p->nliteral) == NULL)
            return NULL; /* anchored patterns fail as fast by themselves */
    }
    if (!ready)
        make_ready(c);
    rc = c->jit ? pcre2_jit_match(c->pcre, (PCRE2_SPTR)s, n, at, 0, m->data, m->context)
                : pcre2_match(c->pcre, (PCRE2_SPTR)s, n, at, 0, m->data, m->context);
    if (rc == PCRE2_ERROR_NOMEMORY)
        sl_no_memory(0);
    return rc > 0 ? pcre2_get_ovector_pointer(m->data) : NULL;
}

/*
 * {field} takes one part of a path, {field#} a number; {field}/ at the very beginning takes all to its left; * is any
 * run inside one part.
 * A pattern that does not begin with a field may stand anywhere below.
 */
int sl_pattern_compile_path(struct sl_pattern *p, const char *files, const char *where, struct sl_err *err)
{
    struct sl_buf re = {0};
    const char *last = files; /* what stands behind the last field and '*' */
    int rc;

    sl_buf_adds(&re, *files == '{' ? "(?s)^" : "(?s)^(?:.*/)?"); /* names of files may hold newlines */
    for (const char *s = files; *s;) {
        const char *end = *s == '{' ? strchr(s, '}') : NULL;
        if (*s == '{' && !end) {
            sl_buf_free(&re);
            return sl_err(err, SL_EFORMAT, "%s: '{' without '}' in files: %s", where, files);
        }
        if (end) {
            bool left = s == files && end[1] == '/', number = end[-1] == '#';
            if (s == files && !left)
                sl_buf_adds(&re, "(?:.*/)?");
            sl_buf_addf(&re, "(?<%.*s>%s)", (int)(end - s - 1 - number), s + 1,
                        left     ? "/.+|/"
                        : number ? "\\d+(?:\\.\\d+)?"
                                 : "[^/]+?");
            last = s = end + 1;
        } else {
            if (*s == '*')
                sl_buf_adds(&re, "[^/]*"), last = s + 1;
            else if (strchr("\\^$.[]|()?+{}", *s))
                sl_buf_addf(&re, "\\%c", *s);
            else
                sl_buf_addc(&re, *s);
            s++;
        }
    }
    sl_buf_adds(&re, "\\z");
    rc = sl_pattern_compile(p, re.s, where, err);
    sl_buf_free(&re);
    if (rc)
        return rc;
    free(p->literal); /* the literal finder may not know all of the above */
    p->nliteral = (uint32_t)strlen(last);
    p->literal = *last ? sl_strdup(last) : NULL;
    p->prefix = false;
    p->suffix = *last;
    return 0;
}
