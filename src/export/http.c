/* SPDX-License-Identifier: Apache-2.0 */
#include "export/http.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

void sl_http_escape(struct sl_buf *url, const char *s)
{
    for (; *s; s++)
        if (isalnum((unsigned char)*s) || strchr("-._~", *s))
            sl_buf_addc(url, *s);
        else
            sl_buf_addf(url, "%%%02X", (unsigned char)*s);
}

#ifdef SL_CURL

#include <curl/curl.h>
#include <dlfcn.h>

enum { MOST = 16 << 20 };

struct sl_http {
    CURL *curl;
    struct curl_slist *headers;
    struct sl_http_options options;
};

static struct {
    void *library;
    CURL *(*init)(void);
    CURLcode (*setopt)(CURL *, CURLoption, ...);
    CURLcode (*perform)(CURL *);
    CURLcode (*getinfo)(CURL *, CURLINFO, ...);
    void (*cleanup)(CURL *);
    void (*reset)(CURL *);
    const char *(*strerror)(CURLcode);
    struct curl_slist *(*append)(struct curl_slist *, const char *);
    void (*free_all)(struct curl_slist *);
} c;

static int load(struct sl_err *err)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    /* clang-format off */
    const struct { void **fn; const char *name; } all[] = {
        {(void **)&c.init, "curl_easy_init"},         {(void **)&c.setopt, "curl_easy_setopt"},
        {(void **)&c.perform, "curl_easy_perform"},   {(void **)&c.getinfo, "curl_easy_getinfo"},
        {(void **)&c.cleanup, "curl_easy_cleanup"},   {(void **)&c.reset, "curl_easy_reset"},
        {(void **)&c.strerror, "curl_easy_strerror"}, {(void **)&c.append, "curl_slist_append"},
        {(void **)&c.free_all, "curl_slist_free_all"},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof names / sizeof *names && !c.library; i++)
        c.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL); /* it stays */
    if (!c.library)
        return sl_err(err, SL_ENOTFOUND, "there is no libcurl.so.4 on this machine; Debian has it in libcurl4");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].fn = dlsym(c.library, all[i].name)))
            return sl_err(err, SL_ENOTFOUND, "the libcurl of this machine has no %s", all[i].name);
    return 0;
}

int sl_http_open(struct sl_http **out, const struct sl_http_options *options, struct sl_err *err)
{
    struct sl_http *h;
    int rc = load(err);

    if (rc)
        return rc;
    h = sl_alloc(sizeof *h);
    h->options = *options;
    h->curl = sl_must(c.init());
    *out = h;
    return 0;
}

void sl_http_close(struct sl_http *h)
{
    if (h)
        c.cleanup(h->curl);
    free(h);
}

static size_t receive(char *s, size_t size, size_t n, void *to)
{
    struct sl_buf *b = to;

    if (b->n + size * n > MOST)
        return 0;
    sl_buf_add(b, s, size * n);
    return size * n;
}

static void set_options(struct sl_http *h, const char *why)
{
    const struct sl_http_options *o = &h->options;
    struct sl_buf bearer = {0};

    c.setopt(h->curl, CURLOPT_ERRORBUFFER, why);
    c.setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
    c.setopt(h->curl, CURLOPT_CONNECTTIMEOUT, 10L);
    c.setopt(h->curl, CURLOPT_TIMEOUT, o->timeout_s);
    c.setopt(h->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    c.setopt(h->curl, CURLOPT_USERAGENT, "spanloom/" SL_VERSION);
    if (o->user)
        c.setopt(h->curl, CURLOPT_USERNAME, o->user);
    if (o->password)
        c.setopt(h->curl, CURLOPT_PASSWORD, o->password);
    if (o->ca_file)
        c.setopt(h->curl, CURLOPT_CAINFO, o->ca_file);
    if (o->client_cert)
        c.setopt(h->curl, CURLOPT_SSLCERT, o->client_cert);
    c.setopt(h->curl, CURLOPT_SSL_VERIFYPEER, o->insecure ? 0L : 1L);
    c.setopt(h->curl, CURLOPT_SSL_VERIFYHOST, o->insecure ? 0L : 2L);
    h->headers = c.append(NULL, "Expect:");
    if (o->token) {
        sl_buf_addf(&bearer, "Authorization: Bearer %s", o->token);
        h->headers = c.append(h->headers, bearer.s);
        sl_buf_free(&bearer);
    }
}

int sl_http_request(struct sl_http *h, const char *method, const char *url, const struct sl_buf *body, long *status,
                    struct sl_buf *reply, struct sl_err *err)
{
    char why[CURL_ERROR_SIZE] = "";
    CURLcode rc;

    c.reset(h->curl); /* the connection stays */
    set_options(h, why);
    c.setopt(h->curl, CURLOPT_URL, url);
    c.setopt(h->curl, CURLOPT_WRITEFUNCTION, receive);
    c.setopt(h->curl, CURLOPT_WRITEDATA, reply);
    c.setopt(h->curl, CURLOPT_CUSTOMREQUEST, method);
    if (body) {
        h->headers = c.append(h->headers, "Content-Type: application/json");
        c.setopt(h->curl, CURLOPT_POSTFIELDS, body->s);
        c.setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->n);
    }
    c.setopt(h->curl, CURLOPT_HTTPHEADER, h->headers);
    rc = c.perform(h->curl);
    c.getinfo(h->curl, CURLINFO_RESPONSE_CODE, status);
    c.free_all(h->headers);
    h->headers = NULL;
    sl_buf_add(reply, "", 0);
    if (rc == CURLE_WRITE_ERROR)
        return sl_err(err, SL_EIO, "the answer is longer than %d MiB", MOST >> 20);
    return rc ? sl_err(err, SL_EIO, "%s", *why ? why : c.strerror(rc)) : 0;
}

#else

int sl_http_open(struct sl_http **out, const struct sl_http_options *options, struct sl_err *err)
{
    (void)out, (void)options;
    return sl_err(err, SL_ENOTFOUND,
                  "this spanloom was built without libcurl; install its headers (Debian: libcurl4-openssl-dev) and "
                  "build it with -Dmlflow=enabled");
}

void sl_http_close(struct sl_http *h)
{
    (void)h;
}

int sl_http_request(struct sl_http *h, const char *method, const char *url, const struct sl_buf *body, long *status,
                    struct sl_buf *reply, struct sl_err *err)
{
    (void)h, (void)method, (void)url, (void)body, (void)status, (void)reply;
    return sl_err(err, SL_ENOTFOUND, "built without libcurl");
}

#endif
