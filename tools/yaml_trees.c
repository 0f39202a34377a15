/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_trees OUTPUT ARRAY BASE FILE...: writes the documents in FILEs, taken apart, as a C array of struct sl_embedded,
 * named relative to BASE (sl_yaml_unpack() makes trees of them).  What stands below `samples:` is left out: only who
 * runs the samples of recipes needs it.
 */
#include "recipe/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void leave_out(struct sl_yaml *y, const char *key)
{
    size_t kept = 0;

    for (size_t i = 0; y->kind == SL_YAML_MAP && i < y->n; i++)
        if (strcmp(y->key[i]->text, key) != 0) {
            y->key[kept] = y->key[i];
            y->item[kept++] = y->item[i];
        }
    if (y->kind == SL_YAML_MAP)
        y->n = kept;
}

static void write_tree(FILE *to, const char *file, const char *name)
{
    struct sl_buf text = {0}, packed = {0};
    struct sl_err err = {0};
    struct sl_yaml *y = NULL;

    if (sl_yaml_read(&text, file) || sl_yaml_parse(&y, text.s, text.n, file, &err)) {
        fprintf(stderr, "%s: %s\n", file, *err.text ? err.text : "cannot be read");
        exit(1);
    }
    leave_out(y, "samples");
    sl_yaml_pack(&packed, y);
    fprintf(to, "    {\"%s\",\n     \"", name);
    for (size_t i = 0; i < packed.n; i++) {
        fprintf(to, "\\%03o", (unsigned char)packed.s[i]);
        if (i % 32 == 31)
            fputs("\"\n     \"", to);
    }
    fprintf(to, "\",\n     %zu},\n", packed.n);
    sl_yaml_free(y);
    sl_buf_free(&text);
    sl_buf_free(&packed);
}

int main(int argc, char **argv)
{
    FILE *to = argc > 3 ? fopen(argv[1], "w") : NULL;

    if (!to) {
        perror(argc > 3 ? argv[1] : "yaml_trees OUTPUT ARRAY BASE FILE...");
        return 1;
    }
    fprintf(to, "/* Written by tools/yaml_trees.c. */\n#include \"base/embed.h\"\nconst struct sl_embedded %s[] = {\n",
            argv[2]);
    for (int i = 4; i < argc; i++) {
        char *base = realpath(argv[3], NULL), *file = realpath(argv[i], NULL);
        size_t n = base ? strlen(base) : 0;
        if (!file || strncmp(file, base, n) != 0 || file[n] != '/') {
            fprintf(stderr, "%s does not lie in %s\n", argv[i], argv[3]);
            return 1;
        }
        write_tree(to, file, file + n + 1);
        free(base);
        free(file);
    }
    fputs("    {0},\n};\n", to);
    return fclose(to) == 0 ? 0 : 1;
}
