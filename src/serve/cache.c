/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/cache.h"
#include "base/hash.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A slot: this, written last, then the key and the value. */
struct head {
    uint64_t key_n, value_n;
};

void sl_cache_open(struct sl_cache *c)
{
    for (int i = 0; i < SL_CACHE_SLOTS; i++)
        c->fd[i] = memfd_create("spanloom-serve", MFD_CLOEXEC);
}

/* Of this process until it ends or lets go: what is killed as it writes leaves a slot without a head. */
static bool lock(int fd, short type)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET};
    int rc;

    while ((rc = fcntl(fd, F_SETLKW, &l)) < 0 && errno == EINTR)
        ;
    return rc == 0;
}

static bool all(ssize_t (*how)(int, void *, size_t, off_t), int fd, void *b, size_t n, off_t at)
{
    for (ssize_t done; n; b = (char *)b + done, n -= (size_t)done, at += done)
        if ((done = how(fd, b, n, at)) <= 0)
            return false;
    return true;
}

static ssize_t put(int fd, void *b, size_t n, off_t at)
{
    return pwrite(fd, b, n, at);
}

static int slot(const struct sl_cache *c, const struct sl_buf *key)
{
    return c->fd[sl_hash(key->s, key->n) % SL_CACHE_SLOTS];
}

bool sl_cache_get(const struct sl_cache *c, const struct sl_buf *key, struct sl_buf *out)
{
    int fd = slot(c, key);
    struct head h;
    char *b = NULL;
    bool is;

    if (fd < 0 || !lock(fd, F_RDLCK))
        return false;
    is = all(pread, fd, &h, sizeof h, 0) && h.key_n == key->n;
    if (is) {
        b = sl_alloc(h.key_n + h.value_n);
        is = all(pread, fd, b, h.key_n + h.value_n, sizeof h) && !memcmp(b, key->s, key->n);
    }
    lock(fd, F_UNLCK);
    if (is)
        sl_buf_add(out, b + h.key_n, h.value_n);
    free(b);
    return is;
}

void sl_cache_put(const struct sl_cache *c, const struct sl_buf *key, const struct sl_buf *value)
{
    int fd = slot(c, key);
    struct head h = {.key_n = key->n, .value_n = value->n};

    if (fd < 0 || !lock(fd, F_WRLCK))
        return;
    if (!ftruncate(fd, 0) && all(put, fd, key->s, key->n, sizeof h) &&
        all(put, fd, value->s, value->n, (off_t)(sizeof h + key->n)))
        all(put, fd, &h, sizeof h, 0);
    lock(fd, F_UNLCK);
}
