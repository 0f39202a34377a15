/* SPDX-License-Identifier: Apache-2.0 */
/* Ours, because the runtime may link to nothing but libc, which has none. */
#include "runtime/sha1.h"

#include <string.h>

static uint32_t rotl(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static void block(uint32_t h[5], const uint8_t *p)
{
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

    for (int t = 0; t < 80; t++)
        w[t] = t < 16 ? (uint32_t)p[4 * t] << 24 | (uint32_t)p[4 * t + 1] << 16 | (uint32_t)p[4 * t + 2] << 8 |
                            p[4 * t + 3]
                      : rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (int t = 0; t < 80; t++) {
        uint32_t f = t < 20 ? (b & c) | (~b & d) : t < 40 || t >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
        uint32_t k = t < 20 ? 0x5a827999 : t < 40 ? 0x6ed9eba1 : t < 60 ? 0x8f1bbcdc : 0xca62c1d6;
        uint32_t next = rotl(a, 5) + f + e + k + w[t];
        e = d, d = c, c = rotl(b, 30), b = a, a = next;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

void sl_sha1(const void *bytes, size_t n, uint8_t digest[20])
{
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const uint8_t *p = bytes;
    uint8_t last[128] = {0};
    size_t left = n % 64, whole = n - left, tail = left < 56 ? 64 : 128;

    for (size_t i = 0; i < whole; i += 64)
        block(h, p + i);
    if (left)
        memcpy(last, p + whole, left);
    last[left] = 0x80;
    for (int i = 0; i < 8; i++)
        last[tail - 1 - (size_t)i] = (uint8_t)((uint64_t)n * 8 >> 8 * i);
    for (size_t i = 0; i < tail; i += 64)
        block(h, last + i);
    for (int i = 0; i < 20; i++)
        digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}
