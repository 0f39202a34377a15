/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of SQLite tables: the input is a database file. */
#include "fuzz.h"

#include <fcntl.h>

static const char recipe[] = "recipe: fuzz\n"
                             "spans:\n"
                             "  base: {type: base, key: \"{dir}\"}\n"
                             "  item: {type: \"{table}\", key: \"{_row}\", in: base}\n"
                             "inputs:\n"
                             "  - files: \"{dir}/fuzz.db\"\n"
                             "    reader: sqlite\n"
                             "    tables: {task: {job: task_id}, try: {}, workflow: {}, status: {}, no such: {}}\n"
                             "    times: {timestamp: iso, task_time_invoked: iso}\n"
                             "contexts: [base]\n"
                             "records:\n"
                             "  - when: {timestamp: /./}\n"
                             "    span: item\n"
                             "    event: row\n"
                             "    attrs: [job]\n"
                             "    also: true\n"
                             "  - span: item\n"
                             "    attrs: \"*\"\n"
                             "    raw: true\n";

/* SQLite follows links and wants a directory for its journal: a memfd will not do. */
static char path[80];

static void clean_up(void)
{
    static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
    char file[100];

    for (int i = 0; i < 4; i++) {
        snprintf(file, sizeof file, "%s%s", path, beside[i]);
        unlink(file);
    }
}

static void write_database(const uint8_t *data, size_t size)
{
    int fd;

    if (!*path)
        snprintf(path, sizeof path, "%s/spanloom-fuzz-%ld.db", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
                 (long)getpid());
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sl_recipes *set;
    static unsigned runs;
    struct fuzz_totals a, b;

    if (set && ++runs % 4096 == 0) {
        sl_recipes_free(set);
        set = NULL;
    }
    if (!set)
        set = fuzz_recipes(recipe);
    write_database(data, size);
    a = fuzz_read(set, sl_recipes_find(set, "parsl.monitoring"), "/r/monitoring.db", path, SL_PARSE_IMPORT);
    MUST(a.read == a.used + a.skipped + a.rejected);
    b = fuzz_read(set, sl_recipes_find(set, "parsl.monitoring"), "/r/monitoring.db", path, SL_PARSE_IMPORT);
    MUST(!memcmp(&a, &b, sizeof a));
    fuzz_read(set, sl_recipes_find(set, "parsl.monitoring"), "/r/monitoring.db", path, SL_PARSE_SHARES);
    a = fuzz_read(set, sl_recipes_find(set, "fuzz"), "/r/fuzz.db", path, SL_PARSE_IMPORT);
    MUST(a.read == a.used + a.skipped + a.rejected && a.raws == a.used);
    clean_up();
    return 0;
}
