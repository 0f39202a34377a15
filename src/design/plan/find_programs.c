/* SPDX-License-Identifier: Apache-2.0 */
#include "design/plan/find_programs.h"
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool can_run(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* Of a list of folders as in PATH; those that are relative are so to the plan's. */
static bool in_path(const struct sl_plan *p, const char *list, const char *word)
{
    bool found = false;

    for (const char *s = list; s && !found; s = strchr(s, ':') ? strchr(s, ':') + 1 : NULL) {
        struct sl_buf b = {0};
        int n = (int)strcspn(s, ":");
        sl_buf_addf(&b, "%s%s%.*s/%s", *s == '/' ? "" : p->folder, *s == '/' ? "" : "/", n, s, word);
        found = can_run(b.s);
        sl_buf_free(&b);
    }
    return found;
}

static bool in_a_path(const struct sl_plan *p, const struct sl_effects *e, const char *word)
{
    for (size_t i = 0; i < e->environment.n; i++)
        if (!strcmp(e->environment.v[i].name, "PATH") && in_path(p, e->environment.v[i].value, word))
            return true;
    return false;
}

static bool in_any_path(const struct sl_plan *p, const char *word)
{
    const char *path = getenv("PATH");
    bool found = in_path(p, path ? path : "/usr/bin:/bin", word) || in_a_path(p, &p->effects, word);

    for (size_t f = 0; f < p->factor.n && !found; f++)
        for (size_t i = 0; i < p->factor.v[f].level.n && !found; i++)
            found = in_a_path(p, &p->factor.v[f].level.v[i].effects, word);
    return found;
}

static bool sets_up(const struct sl_plan *p)
{
    bool any = p->effects.setup.n + p->effects.patch.n;

    for (size_t f = 0; f < p->factor.n; f++)
        for (size_t i = 0; i < p->factor.v[f].level.n; i++)
            any |= p->factor.v[f].level.v[i].effects.setup.n + p->factor.v[f].level.v[i].effects.patch.n;
    return any;
}

/* Words of the shell itself, such as `cd` or `if`; it knows. */
static bool of_shell(const char *word)
{
    struct sl_buf b = {0};
    bool is;

    sl_buf_addf(&b, "command -v '%s' >/dev/null 2>&1", word);
    is = !system(b.s); /* NOLINT(cert-env33-c): the word has letters, digits and - . _ + @ % , : alone */
    sl_buf_free(&b);
    return is;
}

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._+@%,:/";

static size_t word(const char **s)
{
    *s += strspn(*s, " \t\r\n");
    return strcspn(*s, " \t\r\n;|&<>");
}

/* Behind `cd FOLDER &&`, and the folder; NULL: it is not that. */
static const char *behind_cd(struct sl_buf *folder, const char *s)
{
    const char *to = s + 2;
    size_t n = word(&to);
    const char *and = to + n;

    if (strncmp(s, "cd ", 3) != 0 || !n || strspn(to, plain) < n || (word(&and), strncmp(and, "&&", 2) != 0))
        return NULL;
    sl_buf_add(folder, to, n);
    return and+2;
}

/* What a shell would run first, behind `cd FOLDER &&` and NAME=VALUE, where that is plain to see; else "". */
static void first_word(struct sl_buf *b, struct sl_buf *folder, const char *s)
{
    const char *behind = behind_cd(folder, s + strspn(s, " \t\r\n"));
    bool may_fail = strstr(s, "||");
    size_t n, name;

    for (s = behind ? behind : s;; s += n) {
        n = word(&s);
        name = strspn(s, plain);
        if (name >= n || s[name] != '=' || name + 1 + strspn(s + name + 1, plain) < n || !strncmp(s, "PATH=", 5))
            break;
    }
    if (strspn(s, plain) >= n && !may_fail)
        sl_buf_add(b, s, n);
    sl_buf_add(b, "", 0);
}

void sl_programs_name(struct sl_buf *b, const struct sl_plan *p)
{
    struct sl_buf program = {0}, folder = {0};

    if (p->shell)
        first_word(&program, &folder, p->command.v[2]);
    else
        sl_buf_adds(&program, p->command.v[0]);
    sl_buf_adds(b, program.n ? program.s : "sh");
    sl_buf_free(&program);
    sl_buf_free(&folder);
}

/* in: "build/", or "", where the shell is by then, as seen from the folder of the plan. */
static int check(const struct sl_plan *p, const struct sl_plan_program *of, const char *in, const char *word,
                 struct sl_err *err)
{
    struct sl_buf b = {0};
    const char *why, *hint = "";
    bool there;

    if (*word != '/')
        sl_buf_addf(&b, "%s%s%s", *in == '/' ? "" : p->folder, *in == '/' ? "" : "/", in);
    sl_buf_adds(&b, word);
    if (strchr(word, '/')) {
        there = can_run(b.s) || sets_up(p);
        why = access(b.s, F_OK) ? "there is no file" : "it is no program:";
        hint = access(b.s, F_OK) ? "paths are relative to the folder of the plan; is it built?" : "chmod +x it";
    } else {
        there = in_any_path(p, word) || (of->shell && of_shell(word));
        why = "PATH has no command";
        hint = can_run(b.s)         ? "it lies beside the plan: put ./ before it"
               : !access(b.s, F_OK) ? "it lies beside the plan: put ./ before it, and chmod +x it"
                                    : "is it installed, or is a module or an environment to be loaded?";
    }
    sl_buf_free(&b);
    return there ? 0
                 : sl_err(err, SL_ENOTFOUND, "%s:%d: %s: %s %s%s; %s", p->path, of->line, of->key, why,
                          strchr(word, '/') && *word != '/' ? in : "", word, hint);
}

int sl_programs_check(const struct sl_plan *p, struct sl_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < p->program.n && !rc; i++) {
        struct sl_buf program = {0}, folder = {0};
        if (p->program.v[i].shell)
            first_word(&program, &folder, p->program.v[i].text);
        else
            sl_buf_adds(&program, p->program.v[i].text);
        sl_buf_adds(&folder, folder.n ? "/" : "");
        if (program.n && strcmp(program.s, "{args}") != 0)
            rc = check(p, &p->program.v[i], folder.s, program.s, err);
        sl_buf_free(&program);
        sl_buf_free(&folder);
    }
    return rc;
}
