/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns: the first line is a regular expression, or after a '/' a pattern of paths; the rest is what it is matched
 * with.  Whatever is done to answer faster, the answer is that of plain PCRE2.
 */
#include "fuzz.h"

static void compare(const char *re, const char *s, size_t n)
{
    struct sl_pattern p;
    struct sl_match *m;
    struct sl_err err = {0};
    int code, rc;
    size_t at, from = 0;
    pcre2_code *plain = pcre2_compile((PCRE2_SPTR)re, PCRE2_ZERO_TERMINATED, PCRE2_DUPNAMES, &code, &at, NULL);
    pcre2_match_data *data = pcre2_match_data_create(100, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);

    rc = sl_pattern_compile(&p, re, "here:1", &err);
    MUST(rc == 0 ? plain != NULL : strstr(err.text, "here:1") != NULL);
    m = sl_match_new();
    pcre2_set_match_limit(context, 100000);
    for (int i = 0; i < 20 && !rc; i++) {
        const size_t *got = sl_pattern_match(&p, m, s, n, from), *want = pcre2_get_ovector_pointer(data);
        int hit = pcre2_match(plain, (PCRE2_SPTR)s, n, from, 0, data, context);
        if (hit < -1)
            break; /* gave up, the other may not have */
        MUST((hit > 0) == (got != NULL));
        if (hit <= 0)
            break;
        MUST(got[0] == want[0] && got[1] == want[1]);
        for (uint32_t k = 0; k < p.ncaptures && !strstr(re, "(?!") && !strstr(re, "(?<!"); k++) /* JIT differs there */
            MUST(got[2 * p.capture[k].group] == want[2 * p.capture[k].group]);
        from = got[1] > got[0] ? got[1] : got[1] + 1;
        if (from > n)
            break;
    }
    if (!rc)
        sl_pattern_free(&p);
    sl_match_free(m);
    pcre2_code_free(plain);
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
}

static void match_path(const char *files, const char *path, size_t n)
{
    struct sl_pattern p;
    struct sl_match *m = sl_match_new();
    struct sl_err err = {0};

    if (sl_pattern_compile_path(&p, files, "here:1", &err) == 0) {
        const size_t *at = sl_pattern_match(&p, m, path, n, 0);
        MUST(!at || at[0] == 0);
        for (uint32_t i = 0; at && i < p.ncaptures && strcspn(files, "<>()?\\|") == strlen(files); i++) {
            size_t a = at[2 * p.capture[i].group], b = at[2 * p.capture[i].group + 1];
            if (a != PCRE2_UNSET) /* one part of the path, but for a root at the beginning */
                MUST(a < b && b <= n && (a == 0 || !memchr(path + a, '/', b - a)));
        }
        sl_pattern_free(&p);
    } else {
        MUST(strstr(err.text, "here:1") != NULL);
    }
    sl_match_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nl = size ? memchr(data, '\n', size) : NULL;
    size_t nre = nl ? (size_t)(nl - data) : size, n = nl ? size - nre - 1 : 0;
    char *re = sl_strndup((const char *)data, nre), *text = malloc(n ? n : 1);

    if (n)
        memcpy(text, nl + 1, n);
    if (*re == '/')
        match_path(re + 1, text, n);
    else if (!strstr(re, "(?C") && nre < 400) /* no callouts are set */
        compare(re, text, n);
    free(re);
    free(text);
    return 0;
}
