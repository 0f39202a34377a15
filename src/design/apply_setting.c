/* SPDX-License-Identifier: Apache-2.0 */
#include "design/apply_setting.h"
#include "base/buf.h"
#include "design/plan/find_programs.h"
#include "recipe/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef SL_VEC(char *) strings;

static char *keep(struct sl_applied_setting *a, const char *s, size_t n)
{
    return sl_arena_copy(&a->arena, s, n);
}

/* ---- environment ---- */

static void set_variable(struct sl_applied_setting *a, strings *to, const struct sl_plan_pair *p)
{
    struct sl_buf b = {0};
    size_t n = strlen(p->name), i = 0;
    char *text;

    sl_buf_addf(&b, "%s=%s", p->name, p->value);
    text = keep(a, b.s, b.n);
    sl_buf_free(&b);
    while (i < to->n && (strncmp(to->v[i], p->name, n) != 0 || to->v[i][n] != '='))
        i++;
    if (i < to->n)
        to->v[i] = text;
    else
        *sl_vec_add(to) = text;
}

/* ---- words ---- */

static void add_words(strings *to, const sl_plan_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        *sl_vec_add(to) = (char *)(uintptr_t)words->v[i];
}

/* As a shell takes them for words again. */
static void quote(struct sl_buf *b, const sl_plan_words *words)
{
    for (size_t i = 0; i < words->n; i++) {
        if (i)
            sl_buf_addc(b, ' ');
        sl_buf_add_quoted(b, words->v[i]);
    }
}

/* /bin/sh -c TEXT: where the text has {args} they stand there, else behind it. */
static void add_shell(struct sl_applied_setting *a, strings *to, const sl_plan_words *command,
                      const sl_plan_words *args)
{
    const char *s = command->v[2], *at;
    size_t n = strlen(s);
    bool placed = strstr(s, "{args}");
    struct sl_buf b = {0};

    while (n && strchr(" \t\r\n", s[n - 1]))
        n--;
    for (; (at = strstr(s, "{args}")); n -= (size_t)(at + 6 - s), s = at + 6) {
        sl_buf_add(&b, s, (size_t)(at - s));
        quote(&b, args);
    }
    sl_buf_add(&b, s, n);
    if (!placed && args->n) {
        sl_buf_addc(&b, ' ');
        quote(&b, args);
    }
    *sl_vec_add(to) = (char *)(uintptr_t)command->v[0];
    *sl_vec_add(to) = (char *)(uintptr_t)command->v[1];
    *sl_vec_add(to) = keep(a, b.s ? b.s : "", b.n);
    sl_buf_free(&b);
}

static void add_command(struct sl_applied_setting *a, strings *to, const sl_plan_words *command, bool shell,
                        const sl_plan_words *args)
{
    bool placed = false;

    if (shell) {
        add_shell(a, to, command, args);
        return;
    }
    for (size_t i = 0; i < command->n; i++)
        if (!strcmp(command->v[i], "{args}")) {
            add_words(to, args);
            placed = true;
        } else {
            *sl_vec_add(to) = (char *)(uintptr_t)command->v[i];
        }
    if (!placed)
        add_words(to, args);
}

/* The recorder before the command: this program. */
static int add_recorder(struct sl_applied_setting *a, strings *to, const char *traces, struct sl_err *err)
{
    static const char *const words[] = {"run", "--quiet", "--no-import", "--dir", NULL};
    struct sl_buf command = {0};
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self);

    if (n <= 0 || n == sizeof self)
        return sl_err(err, SL_EIO, "cannot find this program, which is to trace the run: /proc/self/exe: %s",
                      strerror(errno));
    *sl_vec_add(to) = keep(a, self, (size_t)n);
    for (size_t i = 0; words[i]; i++)
        *sl_vec_add(to) = (char *)(uintptr_t)words[i];
    *sl_vec_add(to) = keep(a, traces, strlen(traces));
    *sl_vec_add(to) = (char *)(uintptr_t) "--name"; /* of the plan's command, whatever wraps it or is in its place */
    sl_programs_name(&command, a->plan);
    *sl_vec_add(to) = keep(a, command.s, command.n);
    sl_buf_free(&command);
    *sl_vec_add(to) = "--";
    return 0;
}

static bool is_shell(const sl_plan_words *command)
{
    return command->n == 3 && !strcmp(command->v[0], "/bin/sh") && !strcmp(command->v[1], "-c");
}

int sl_apply_begin(struct sl_applied_setting *a, const struct sl_plan *p, const int32_t *setting, const char *traces,
                   struct sl_err *err)
{
    const sl_plan_words *command = &p->command;
    const struct sl_effects **e = sl_alloc((p->factor.n + 1) * sizeof *e);
    strings argv = {0}, env = {0};
    sl_plan_words args = {0};
    int rc = 0;

    *a = (struct sl_applied_setting){.plan = p};
    e[0] = &p->effects;
    for (size_t f = 0; f < p->factor.n; f++)
        e[f + 1] = &p->factor.v[f].level.v[setting[f]].effects;
    for (char **s = environ; *s; s++)
        *sl_vec_add(&env) = *s;
    if (traces)
        rc = add_recorder(a, &argv, traces, err);
    for (size_t i = 0; i <= p->factor.n; i++) {
        add_words(&argv, &e[i]->wrapper);
        for (size_t k = 0; k < e[i]->environment.n; k++)
            set_variable(a, &env, &e[i]->environment.v[k]);
        for (size_t k = 0; k < e[i]->argument.n; k++)
            *sl_vec_add(&args) = e[i]->argument.v[k];
        for (size_t k = 0; k < e[i]->setup.n; k++)
            *sl_vec_add(&a->setup) = e[i]->setup.v[k];
        for (size_t k = 0; k < e[i]->patch.n; k++)
            *sl_vec_add(&a->patch) = e[i]->patch.v[k];
        for (size_t k = 0; k < e[i]->edit.n; k++)
            *sl_vec_add(&a->edit) = e[i]->edit.v[k];
        command = e[i]->command.n ? &e[i]->command : command;
    }
    for (size_t i = p->factor.n + 1; i-- > 0;)
        for (size_t k = e[i]->teardown.n; k-- > 0;)
            *sl_vec_add(&a->teardown) = e[i]->teardown.v[k];
    add_command(a, &argv, command, is_shell(command), &args);
    *sl_vec_add(&argv) = NULL;
    *sl_vec_add(&env) = NULL;
    a->argv = argv.v;
    a->environment = env.v;
    sl_vec_free(&args);
    free(e);
    return rc;
}

/* All of it runs, whatever fails; variables are those of the setting alone. */
void sl_apply_teardown_script(struct sl_buf *b, const struct sl_applied_setting *a)
{
    sl_plan_words folder = {0}, word = {0};
    size_t inherited = 0;

    if (!a->teardown.n)
        return;
    while (environ[inherited])
        inherited++;
    *sl_vec_add(&folder) = a->plan->folder;
    sl_buf_addf(b, "# tears down a run of experiment %s that was killed\ncd ", a->plan->name);
    quote(b, &folder);
    sl_buf_adds(b, " || exit\nstatus=0\n");
    *sl_vec_add(&word) = "";
    for (size_t i = 0; i < a->teardown.n; i++) {
        sl_buf_adds(b, "env ");
        for (size_t k = 0; a->environment[k]; k++)
            if (k >= inherited || a->environment[k] != environ[k]) {
                word.v[0] = a->environment[k];
                quote(b, &word);
                sl_buf_addc(b, ' ');
            }
        sl_buf_adds(b, "/bin/sh -c ");
        word.v[0] = a->teardown.v[i];
        quote(b, &word);
        sl_buf_adds(b, " || status=$?\n");
    }
    sl_buf_adds(b, "exit $status\n");
    sl_vec_free(&folder);
    sl_vec_free(&word);
}

void sl_apply_end(struct sl_applied_setting *a)
{
    free(a->argv);
    free(a->environment);
    sl_vec_free(&a->setup);
    sl_vec_free(&a->teardown);
    sl_vec_free(&a->patch);
    sl_vec_free(&a->edit);
    sl_arena_free(&a->arena);
}

/* ---- files ---- */

static int edit_file(const struct sl_applied_setting *a, const struct sl_plan_edit *e, struct sl_undo *u,
                     struct sl_err *err)
{
    struct sl_buf was = {0}, now = {0};
    const char *s, *at;
    int rc = sl_yaml_read(&was, e->file), found = 0;

    if (rc)
        rc = sl_err(err, SL_EIO, "cannot read %s: %s", e->file, strerror(rc));
    for (s = was.s; !rc && s && (at = memmem(s, (size_t)(was.s + was.n - s), e->find, strlen(e->find)));
         s = at + strlen(e->find), found++) {
        sl_buf_add(&now, s, (size_t)(at - s));
        sl_buf_adds(&now, e->put);
    }
    if (!rc && !found)
        rc = sl_err(err, SL_EFORMAT, "%s:%d: %s does not have the text that is to be replaced: %.200s", a->plan->path,
                    e->line, e->file, e->find);
    if (!rc) {
        sl_buf_add(&now, s, (size_t)(was.s + was.n - s));
        rc = sl_undo_keep(u, e->file, err);
    }
    if (!rc)
        rc = sl_undo_write(e->file, now.s ? now.s : "", now.n, err);
    sl_buf_free(&was);
    sl_buf_free(&now);
    return rc;
}

/* The files that a unified diff names, without the first part of their paths. */
static int keep_patched(const struct sl_applied_setting *a, const char *patch, struct sl_undo *u, struct sl_err *err)
{
    struct sl_buf text = {0};
    int rc = sl_yaml_read(&text, patch), n = 0;

    rc = rc ? sl_err(err, SL_EIO, "cannot read %s: %s", patch, strerror(rc)) : 0;
    for (char *line = text.s, *end; !rc && line && *line; line = end) {
        size_t length = strcspn(line, "\n");
        char *name = line + 4, *slash;
        end = line + length + (line[length] != 0);
        line[length] = 0;
        if (strncmp(line, "--- ", 4) != 0 && strncmp(line, "+++ ", 4) != 0)
            continue;
        name[strcspn(name, "\t\r")] = 0;
        if (!strcmp(name, "/dev/null") || !(slash = strchr(name, '/')))
            continue;
        struct sl_buf path = {0};
        sl_buf_addf(&path, "%s/%s", a->plan->folder, slash + 1);
        rc = sl_undo_keep(u, path.s, err);
        sl_buf_free(&path);
        n++;
    }
    if (!rc && !n)
        rc = sl_err(err, SL_EFORMAT, "%s is no unified diff: no line begins with --- a/ or +++ b/", patch);
    sl_buf_free(&text);
    return rc;
}

static int apply_patch(const struct sl_applied_setting *a, const char *patch, struct sl_undo *u, struct sl_err *err)
{
    struct sl_buf line = {0}, said = {0};
    sl_plan_words words = {0};
    char chunk[512];
    size_t n;
    FILE *f;
    int rc = keep_patched(a, patch, u, err), status;

    if (rc)
        return rc;
    *sl_vec_add(&words) = a->plan->folder;
    *sl_vec_add(&words) = patch;
    sl_buf_adds(&line, "set -- ");
    quote(&line, &words);
    sl_buf_adds(&line,
                "; exec patch -d \"$1\" -p1 --batch --forward --silent --no-backup-if-mismatch -r - -i \"$2\" 2>&1 "
                "</dev/null");
    if (!(f = popen(line.s, "re"))) {
        rc = sl_err(err, SL_EIO, "cannot run patch: %s", strerror(errno));
    } else {
        while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
            sl_buf_add(&said, chunk, n);
        status = pclose(f);
        if (status)
            rc = sl_err(err, SL_EFORMAT, "%s does not apply: %.200s", patch,
                        said.n ? said.s : "patch(1) says nothing; is it installed?");
    }
    sl_vec_free(&words);
    sl_buf_free(&line);
    sl_buf_free(&said);
    return rc;
}

int sl_apply_files(const struct sl_applied_setting *a, struct sl_undo *u, struct sl_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < a->patch.n && !rc; i++)
        rc = apply_patch(a, a->patch.v[i], u, err);
    for (size_t i = 0; i < a->edit.n && !rc; i++)
        rc = edit_file(a, &a->edit.v[i], u, err);
    return rc;
}

static int check_edits(const struct sl_plan *p, const struct sl_effects *e, struct sl_err *err)
{
    for (size_t i = 0; i < e->edit.n; i++) {
        struct sl_buf was = {0};
        int rc = sl_yaml_read(&was, e->edit.v[i].file);
        bool there = !rc && was.n && memmem(was.s, was.n, e->edit.v[i].find, strlen(e->edit.v[i].find));
        sl_buf_free(&was);
        if (!there)
            return sl_err(err, SL_EFORMAT, "%s:%d: %s %s: %.200s", p->path, e->edit.v[i].line, e->edit.v[i].file,
                          rc ? "cannot be read" : "does not have the text that is to be replaced",
                          rc ? strerror(rc) : e->edit.v[i].find);
    }
    return 0;
}

int sl_apply_check(const struct sl_plan *p, struct sl_err *err)
{
    int rc = check_edits(p, &p->effects, err);

    for (size_t f = 0; f < p->factor.n && !rc; f++)
        for (size_t i = 0; i < p->factor.v[f].level.n && !rc; i++)
            rc = p->effects.patch.n + p->factor.v[f].level.v[i].effects.patch.n
                     ? 0
                     : check_edits(p, &p->factor.v[f].level.v[i].effects, err);
    return rc;
}
