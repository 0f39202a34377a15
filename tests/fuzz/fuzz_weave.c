/* SPDX-License-Identifier: Apache-2.0 */
/* What compiler plugins read: annotations, symbols and files of rules; each input is all of these. */
#include "weave/advice.h"
#include "weave/function_name.h"
#include "weave/pointcut_file.h"

#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = sl_strndup((const char *)data, size), why[300], path[40];
    struct sl_function_name name;
    struct sl_pointcuts p;
    struct sl_advice a;
    int fd = memfd_create("rules", MFD_CLOEXEC);

    if (sl_advice_parse(text, &a, why, sizeof why) == SL_ADVICE) {
        struct sl_weaving w = sl_advice_weaving(&a);
        MUST(sl_advice_is_pointcut(a.pointcut) && (w.before || w.after) &&
             (!w.span || (w.before && w.after && !w.async)));
    }
    sl_function_name(text, NULL, &name);
    MUST(strlen(name.qualifier) <= strlen(name.function) && strlen(name.function) <= strlen(name.full));
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (sl_pointcuts_read(path, &p, why, sizeof why)) {
        const struct sl_pointcut_rule *r = sl_pointcuts_find(&p, "src/a.cc", &name);
        MUST(!r || r->hits == 1);
    }
    sl_pointcuts_free(&p);
    close(fd);
    free(text);
    return 0;
}
