/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe/catalogue.h"
#include "base/files/user_folder.h"
#include "recipe/yaml.h"

#include <stdlib.h>

static int add_file(const char *path, sl_catalogue_add *add, void *to, struct sl_err *err)
{
    struct sl_buf b = {0};
    int why = sl_yaml_read(&b, path);
    int rc =
        why ? sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(why)) : add(to, path, b.n ? b.s : "", b.n, err);

    sl_buf_free(&b);
    return rc;
}

static void add_notice(struct sl_catalogue *c, const char *path, const char *words)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s %s", path, words);
    *sl_vec_add(&c->notice) = sl_arena_copy(&c->arena, b.s, b.n);
    sl_buf_free(&b);
}

static void add_users(struct sl_catalogue *c, const char *path, sl_catalogue_add *add, void *to)
{
    size_t n = strlen(path);
    struct sl_err err = {0};
    int rc;

    if (strcmp(path + n - 5, ".yaml") != 0) {
        add_notice(c, path, "is not read: its name does not end in .yaml");
    } else if ((rc = add_file(path, add, to, &err)) < 0) {
        *sl_vec_add(&c->problem) = sl_arena_copy(&c->arena, err.text, strlen(err.text));
    } else if (rc > 0) {
        add_notice(c, path, "takes the place of ours of that name");
    }
}

int sl_catalogue_load(struct sl_catalogue *c, const struct sl_embedded *ours, const char *folder, sl_catalogue_add *add,
                      void *to, struct sl_err *err)
{
    struct sl_buf users = {0}, path = {0};
    struct sl_folder_names in = {0};
    int rc = 0;

    for (; ours->name && rc >= 0; ours++) {
        sl_buf_clear(&path);
        sl_buf_addf(&path, "%s/%s", folder, ours->name);
        rc = add(to, path.s, ours->data, ours->size, err);
    }
    if (rc >= 0)
        rc = sl_user_folder_read(&in, &users, folder, err);
    for (size_t i = 0; i < in.name.n && !rc; i++) {
        if (*in.name.v[i] == '.')
            continue;
        sl_buf_clear(&path);
        sl_buf_addf(&path, "%s/%s", users.s, in.name.v[i]);
        add_users(c, path.s, add, to);
    }
    sl_folder_free(&in);
    sl_buf_free(&users);
    sl_buf_free(&path);
    return rc;
}

const char *sl_catalogue_name(struct sl_catalogue *c, const char *path)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

    return sl_arena_copy(&c->arena, base, strcspn(base, "."));
}

void sl_catalogue_free(struct sl_catalogue *c)
{
    sl_vec_free(&c->problem);
    sl_vec_free(&c->notice);
    sl_arena_free(&c->arena);
    *c = (struct sl_catalogue){0};
}
