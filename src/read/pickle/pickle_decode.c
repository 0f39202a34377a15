/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder.  An object is 16 bytes and a reference 4; each opcode makes at most one object, and texts are left where
 * they stand in the file, so no input needs more than some twenty times its own size.  Nothing here recurses.
 */
#include "read/pickle/pickle_decode_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_LONG = 1024, NO_OBJECT = UINT32_MAX };

/* ---- what opcodes are made of ---- */

static bool fail(struct sl_pickle *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct sl_pickle *p, const char *fmt, ...)
{
    char why[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    if (!p->failed)
        sl_err(p->err, SL_EFORMAT, "%s: at byte %zu: %s", p->path, p->op_at, why);
    p->failed = true;
    return false;
}

static const unsigned char *take(struct sl_pickle *p, uint64_t n)
{
    const unsigned char *s = p->data + p->at;

    if (n > p->n - p->at) {
        fail(p, "the pickle is cut off: %llu bytes should follow, %zu do; write it again", (unsigned long long)n,
             p->n - p->at);
        return NULL;
    }
    p->at += (size_t)n;
    return s;
}

/* Little-endian. */
static uint64_t take_number(struct sl_pickle *p, int bytes)
{
    const unsigned char *s = take(p, (uint64_t)bytes);
    uint64_t v = 0;

    for (int i = 0; s && i < bytes; i++)
        v |= (uint64_t)s[i] << (8 * i);
    return v;
}

static const char *take_line(struct sl_pickle *p, size_t *n)
{
    const char *s = (const char *)p->data + p->at, *end = memchr(s, '\n', p->n - p->at);

    if (!end) {
        fail(p, "the pickle is cut off in the middle of a line; write it again");
        return NULL;
    }
    *n = (size_t)(end - s);
    p->at += *n + 1;
    return s;
}

static uint32_t make(struct sl_pickle *p, struct sl_py_object o)
{
    if (p->objects.n >= NO_OBJECT - 1) {
        fail(p, "more objects than can be counted");
        return 0;
    }
    *sl_vec_add(&p->objects) = o;
    return (uint32_t)(p->objects.n - 1);
}

static bool push(struct sl_pickle *p, uint32_t o)
{
    *sl_vec_add(&p->stack) = o;
    return true;
}

static bool push_new(struct sl_pickle *p, struct sl_py_object o)
{
    return push(p, make(p, o));
}

static bool push_text(struct sl_pickle *p, enum sl_py_kind kind, const void *s, uint64_t n, bool owned)
{
    if (!s)
        return false;
    if (n >= UINT32_MAX)
        return fail(p, "a text of %llu bytes", (unsigned long long)n);
    return push_new(p, (struct sl_py_object){.kind = (uint8_t)kind, .owned = owned, .n = (uint32_t)n, .s = s});
}

/* How much of the stack lies above the last mark, or all of it. */
static size_t above_mark(const struct sl_pickle *p)
{
    return p->stack.n - (p->marks.n ? p->marks.v[p->marks.n - 1] : 0);
}

static bool pop(struct sl_pickle *p, uint32_t *o)
{
    if (!above_mark(p))
        return fail(p, "an opcode takes from an empty stack; this is no pickle, or a damaged one");
    *o = p->stack.v[--p->stack.n];
    return true;
}

/* The items above the last mark, which goes; they stay readable at stack.v + *from until something is pushed. */
static bool pop_mark(struct sl_pickle *p, size_t *from, size_t *n)
{
    if (!p->marks.n)
        return fail(p, "an opcode misses its mark; this is no pickle, or a damaged one");
    *from = p->marks.v[--p->marks.n];
    *n = p->stack.n - *from;
    p->stack.n = *from;
    return true;
}

/* ---- containers ---- */

/* Puts what stood on the stack from there on into a container. */
static bool extend(struct sl_pickle *p, uint32_t to, size_t from, size_t n)
{
    struct sl_py_object *o = &p->objects.v[to];

    if (n > UINT32_MAX / 4 || o->n > UINT32_MAX / 4 || p->items.n > UINT32_MAX / 2)
        return fail(p, "more items than can be counted");
    if (o->n + n > o->cap) { /* a new place behind all others, with room to grow */
        size_t cap = o->cap ? o->cap * 2 : n;
        uint32_t at = (uint32_t)p->items.n;
        cap = cap < o->n + n ? o->n + n : cap;
        while (p->items.n + cap > p->items.cap)
            p->items.v = sl_vec_grow(p->items.v, &p->items.cap, sizeof *p->items.v);
        if (o->n)
            memcpy(p->items.v + at, p->items.v + o->at, o->n * sizeof *p->items.v);
        p->items.n += cap;
        o->at = at;
        o->cap = (uint32_t)cap;
    }
    if (n)
        memcpy(p->items.v + o->at + o->n, p->stack.v + from, n * sizeof *p->items.v);
    o->n += (uint32_t)n;
    return true;
}

static bool push_container(struct sl_pickle *p, enum sl_py_kind kind, size_t from, size_t n)
{
    uint32_t o = make(p, (struct sl_py_object){.kind = (uint8_t)kind});

    return !p->failed && extend(p, o, from, n) && push(p, o);
}

/* The last n of the stack as one tuple. */
static bool small_tuple(struct sl_pickle *p, size_t n)
{
    if (above_mark(p) < n)
        return fail(p, "a tuple of more items than there are; this is no pickle, or a damaged one");
    p->stack.n -= n;
    return push_container(p, SL_PY_TUPLE, p->stack.n, n);
}

/* Puts what was popped into the container that is on top of the stack then. */
static bool into(struct sl_pickle *p, enum sl_py_kind kind, size_t from, size_t n)
{
    uint32_t to;

    if (!above_mark(p) || p->objects.v[to = p->stack.v[p->stack.n - 1]].kind != kind)
        return fail(p, "an opcode misses the container that it fills; this is no pickle, or a damaged one");
    if (kind == SL_PY_DICT && n % 2)
        return fail(p, "a dict with a key and no value; this is no pickle, or a damaged one");
    return extend(p, to, from, n);
}

static bool from_mark_into(struct sl_pickle *p, enum sl_py_kind kind)
{
    size_t from = 0, n = 0;

    return pop_mark(p, &from, &n) && into(p, kind, from, n);
}

static bool last_into(struct sl_pickle *p, enum sl_py_kind kind, size_t n)
{
    if (above_mark(p) <= n)
        return fail(p, "an opcode takes from an empty stack; this is no pickle, or a damaged one");
    p->stack.n -= n;
    return into(p, kind, p->stack.n, n);
}

static bool from_mark(struct sl_pickle *p, enum sl_py_kind kind)
{
    size_t from = 0, n = 0;

    if (!pop_mark(p, &from, &n))
        return false;
    if (kind == SL_PY_DICT && n % 2)
        return fail(p, "a dict with a key and no value; this is no pickle, or a damaged one");
    return push_container(p, kind, from, n);
}

/* ---- memo ---- */

/* Python numbers them from 0, so no number is larger than the file. */
static bool put(struct sl_pickle *p, uint64_t i)
{
    if (!above_mark(p))
        return fail(p, "an opcode takes from an empty stack; this is no pickle, or a damaged one");
    if (i > p->n)
        return fail(p, "memo %llu in a file of %zu bytes; this is no pickle, or a damaged one", (unsigned long long)i,
                    p->n);
    while (p->memo.n <= i)
        *sl_vec_add(&p->memo) = NO_OBJECT;
    p->memos += p->memo.v[i] == NO_OBJECT;
    p->memo.v[i] = p->stack.v[p->stack.n - 1];
    return true;
}

static bool get(struct sl_pickle *p, uint64_t i)
{
    if (i >= p->memo.n || p->memo.v[i] == NO_OBJECT)
        return fail(p, "memo %llu, which was never put; this is no pickle, or a damaged one", (unsigned long long)i);
    return push(p, p->memo.v[i]);
}

static bool line_number(struct sl_pickle *p, uint64_t *i)
{
    size_t n, k = 0;
    const char *s = take_line(p, &n);

    *i = 0;
    for (; s && k < n && k < 19 && s[k] >= '0' && s[k] <= '9'; k++)
        *i = *i * 10 + (uint64_t)(s[k] - '0');
    return s && ((n && k == n) || fail(p, "'%.*s' is no number", (int)(n < 40 ? n : 40), s));
}

/* ---- numbers ---- */

/* An integer of so many bytes, little-endian, two's complement, as digits. */
static bool push_long(struct sl_pickle *p, uint64_t bytes)
{
    const unsigned char *s = take(p, bytes);
    bool minus = s && bytes && s[bytes - 1] & 0x80;
    struct sl_buf b = {0};
    uint64_t v = minus ? UINT64_MAX : 0;
    char *copy;

    if (!s)
        return false;
    if (bytes <= 8) {
        for (uint64_t i = 0; i < bytes; i++)
            v = (v & ~((uint64_t)0xff << (8 * i))) | (uint64_t)s[i] << (8 * i);
        return push_new(p, (struct sl_py_object){.kind = SL_PY_INT, .i = (int64_t)v});
    }
    if (bytes > MAX_LONG) { /* nobody's number: not worth the time that decimal digits take */
        sl_buf_adds(&b, minus ? "-0x..." : "0x...");
    } else {
        uint32_t digit[MAX_LONG * 8 / 29 + 2] = {0}; /* base 1e9, least first */
        int nd = 1;
        for (uint64_t i = bytes; i-- > 0;) {
            uint64_t carry = minus ? (unsigned char)~s[i] : s[i];
            for (int k = 0; k < nd; k++) {
                carry += (uint64_t)digit[k] << 8;
                digit[k] = (uint32_t)(carry % 1000000000);
                carry /= 1000000000;
            }
            if (carry)
                digit[nd++] = (uint32_t)carry;
        }
        for (int k = 0; minus && ++digit[k] == 1000000000; k++) { /* -x is ~x + 1 */
            digit[k] = 0;
            nd += k + 1 == nd;
        }
        sl_buf_addf(&b, "%s%u", minus ? "-" : "", digit[nd - 1]);
        while (--nd > 0)
            sl_buf_addf(&b, "%09u", digit[nd - 1]);
    }
    copy = sl_arena_copy(&p->texts, b.s, b.n);
    bytes = b.n;
    sl_buf_free(&b);
    return push_text(p, SL_PY_LONG, copy, bytes, true);
}

/* I and L of protocol 0: digits, an L behind those of long; 00 and 01 are booleans. */
static bool push_decimal(struct sl_pickle *p, bool is_long)
{
    size_t n, k;
    const char *s = take_line(p, &n);
    int64_t v = 0;
    bool minus;

    if (!s)
        return false;
    if (!is_long && n == 2 && s[0] == '0' && (s[1] == '0' || s[1] == '1'))
        return push_new(p, (struct sl_py_object){.kind = s[1] == '1' ? SL_PY_TRUE : SL_PY_FALSE});
    n -= is_long && n && s[n - 1] == 'L';
    minus = n && *s == '-';
    for (k = minus; k < n && s[k] >= '0' && s[k] <= '9'; k++)
        ;
    if (k < n || k == (size_t)minus)
        return fail(p, "'%.*s' is no integer", (int)(n < 40 ? n : 40), s);
    for (k = minus; k < n; k++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, s[k] - '0', &v))
            return push_text(p, SL_PY_LONG, s, n, false);
    if (!minus && v == INT64_MIN)
        return push_text(p, SL_PY_LONG, s, n, false);
    return push_new(p, (struct sl_py_object){.kind = SL_PY_INT, .i = minus ? v : -v});
}

static bool push_float_line(struct sl_pickle *p)
{
    size_t n;
    const char *s = take_line(p, &n);
    char copy[64] = "", *end;
    double d;

    if (s && n < sizeof copy)
        memcpy(copy, s, n);
    d = strtod(copy, &end);
    if (s && (end == copy || *end))
        return fail(p, "'%.*s' is no number", (int)(n < 40 ? n : 40), s);
    return s && push_new(p, (struct sl_py_object){.kind = SL_PY_FLOAT, .d = d});
}

static bool push_binary_float(struct sl_pickle *p)
{
    const unsigned char *s = take(p, 8);
    uint64_t bits = 0;
    double d;

    for (int i = 0; s && i < 8; i++)
        bits = bits << 8 | s[i];
    memcpy(&d, &bits, 8);
    return s && push_new(p, (struct sl_py_object){.kind = SL_PY_FLOAT, .d = d});
}

/* ---- texts of protocol 0 ---- */

static size_t add_utf8(char *to, uint32_t c)
{
    if (c < 0x80)
        return to[0] = (char)c, 1;
    if (c < 0x800)
        return to[0] = (char)(0xC0 | c >> 6), to[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000)
        return to[0] = (char)(0xE0 | c >> 12), to[1] = (char)(0x80 | (c >> 6 & 63)), to[2] = (char)(0x80 | (c & 63)), 3;
    return to[0] = (char)(0xF0 | (c >> 18 & 7)), to[1] = (char)(0x80 | (c >> 12 & 63)),
           to[2] = (char)(0x80 | (c >> 6 & 63)), to[3] = (char)(0x80 | (c & 63)), 4;
}

/* So many hexadecimal digits; -1: they are not there. */
static int64_t hex(const char *s, const char *end, int digits)
{
    int64_t v = 0;

    if (end - s < digits)
        return -1;
    for (int i = 0; i < digits; i++) {
        const char *at = memchr("0123456789abcdef", s[i] | 32, 16);
        if (!at || (s[i] < '0' || s[i] > 'f'))
            return -1;
        v = v * 16 + (at - "0123456789abcdef");
    }
    return v;
}

/* V: Latin-1 with \uXXXX and \UXXXXXXXX, and no other escapes. */
static bool push_raw_unicode(struct sl_pickle *p)
{
    size_t n = 0, to = 0;
    const char *s = take_line(p, &n), *end = s ? s + n : NULL;
    char *out;

    if (!s)
        return false;
    out = sl_arena_alloc(&p->texts, 2 * n + 1); /* a byte becomes two at most */
    while (s < end) {
        int digits = *s == '\\' && end - s > 1 ? (s[1] == 'u' ? 4 : s[1] == 'U' ? 8 : 0) : 0;
        int64_t c = digits ? hex(s + 2, end, digits) : -1;
        if (c >= 0 && c <= 0x10FFFF) {
            to += add_utf8(out + to, (uint32_t)c);
            s += 2 + digits;
        } else {
            to += add_utf8(out + to, (unsigned char)*s++);
        }
    }
    return push_text(p, SL_PY_TEXT, out, to, true);
}

/* S: a Python literal in quotes, with its escapes; bytes of Python 2. */
static bool push_quoted(struct sl_pickle *p)
{
    static const char names[] = "\\'\"abfnrtv", meant[] = "\\'\"\a\b\f\n\r\t\v";
    size_t n = 0, to = 0;
    const char *s = take_line(p, &n), *end = s ? s + n : NULL;
    char *out;

    if (!s)
        return false;
    while (end > s && (end[-1] == ' ' || end[-1] == '\r'))
        end--;
    if (end - s < 2 || (*s != '\'' && *s != '"') || end[-1] != *s)
        return fail(p, "a text without its quotes");
    end--;
    out = sl_arena_alloc(&p->texts, n);
    for (s++; s < end;) {
        const char *known = *s == '\\' && s + 1 < end && s[1] ? strchr(names, s[1]) : NULL;
        int64_t c = *s == '\\' && s + 1 < end && s[1] == 'x' ? hex(s + 2, end, 2) : -1;
        if (known) {
            out[to++] = meant[known - names];
            s += 2;
        } else if (c >= 0) {
            out[to++] = (char)c;
            s += 4;
        } else {
            out[to++] = *s++;
        }
    }
    return push_text(p, SL_PY_TEXT, out, to, true);
}

/* ---- opcodes ---- */

/* Those that ask for what is no data. */
static const struct {
    unsigned char op;
    const char *name;
} refused[] = {
    {'c', "GLOBAL"}, {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},     {'b', "BUILD"},        {'i', "INST"},
    {'o', "OBJ"},    {0x81, "NEWOBJ"},       {0x92, "NEWOBJ_EX"}, {'P', "PERSID"},       {'Q', "BINPERSID"},
    {0x82, "EXT1"},  {0x83, "EXT2"},         {0x84, "EXT4"},      {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"},
};

static bool refuse(struct sl_pickle *p, unsigned char op)
{
    const char *name = NULL, *a = "", *b = "";
    size_t na = 0, nb = 0;

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].op == op)
            name = refused[i].name;
    if (!name)
        return fail(p, "0x%02x is no opcode; this is no pickle, or a damaged one", op);
    if (op == 'c' || op == 'i') {
        a = take_line(p, &na);
        b = a ? take_line(p, &nb) : NULL;
    } else if (op == 0x93 && p->stack.n >= 2) {
        uint32_t x = p->stack.v[p->stack.n - 2], y = p->stack.v[p->stack.n - 1];
        if (p->objects.v[x].kind == SL_PY_TEXT && p->objects.v[y].kind == SL_PY_TEXT) {
            a = sl_pickle_text(p, x), na = sl_pickle_len(p, x);
            b = sl_pickle_text(p, y), nb = sl_pickle_len(p, y);
        }
    }
    if (p->failed)
        return false;
    return fail(
        p,
        "the opcode %s%s%.*s%s%.*s asks for a class, a call or an object from outside, and such code is never "
        "run; only pickles of numbers, texts, lists, tuples, sets and dicts are read: write it again with those",
        name, na ? " " : "", (int)(na < 80 ? na : 80), a, na ? "." : "", (int)(nb < 80 ? nb : 80), b);
}

static bool stop(struct sl_pickle *p)
{
    p->done = true;
    return pop(p, &p->top);
}

static bool pop_one(struct sl_pickle *p)
{
    uint32_t o;

    if (p->marks.n && p->marks.v[p->marks.n - 1] == p->stack.n) {
        p->marks.n--; /* POP takes a mark, too */
        return true;
    }
    return pop(p, &o);
}

static bool dup(struct sl_pickle *p)
{
    if (!above_mark(p))
        return fail(p, "an opcode takes from an empty stack; this is no pickle, or a damaged one");
    return push(p, p->stack.v[p->stack.n - 1]);
}

static bool step_text(struct sl_pickle *p, unsigned char op)
{
    int length = op == 'X' || op == 'B' || op == 'T' ? 4 : op == 0x8c || op == 'C' || op == 'U' ? 1 : 8;
    bool bytes = op == 'B' || op == 'C' || op == 0x8e || op == 0x96;
    uint64_t n = take_number(p, length);

    return !p->failed && push_text(p, bytes ? SL_PY_BYTES : SL_PY_TEXT, take(p, n), n, false);
}

static bool step(struct sl_pickle *p, unsigned char op)
{
    size_t from, n;
    uint64_t i;

    switch (op) {
    case 0x80: return take_number(p, 1) <= 5 || fail(p, "a protocol newer than 5; write it with protocol=5");
    case 0x95: return i = take_number(p, 8), !p->failed && (i <= p->n - p->at || take(p, i)); /* FRAME */
    case '.': return stop(p);
    case 'N': return push_new(p, (struct sl_py_object){.kind = SL_PY_NONE});
    case 0x88: return push_new(p, (struct sl_py_object){.kind = SL_PY_TRUE});
    case 0x89: return push_new(p, (struct sl_py_object){.kind = SL_PY_FALSE});
    case 'K': return push_new(p, (struct sl_py_object){.kind = SL_PY_INT, .i = (int64_t)take_number(p, 1)});
    case 'M': return push_new(p, (struct sl_py_object){.kind = SL_PY_INT, .i = (int64_t)take_number(p, 2)});
    case 'J': return push_new(p, (struct sl_py_object){.kind = SL_PY_INT, .i = (int32_t)take_number(p, 4)});
    case 'I': return push_decimal(p, false);
    case 'L': return push_decimal(p, true);
    case 0x8a: return i = take_number(p, 1), !p->failed && push_long(p, i);
    case 0x8b: return i = take_number(p, 4), !p->failed && push_long(p, i);
    case 'F': return push_float_line(p);
    case 'G': return push_binary_float(p);
    case 'S': return push_quoted(p);
    case 'V': return push_raw_unicode(p);
    case 'X':
    case 'B':
    case 'T':
    case 0x8c:
    case 'C':
    case 'U':
    case 0x8d:
    case 0x8e:
    case 0x96: return step_text(p, op);
    case ')': return push_container(p, SL_PY_TUPLE, 0, 0);
    case ']': return push_container(p, SL_PY_LIST, 0, 0);
    case '}': return push_container(p, SL_PY_DICT, 0, 0);
    case 0x8f: return push_container(p, SL_PY_SET, 0, 0);
    case 0x85: return small_tuple(p, 1);
    case 0x86: return small_tuple(p, 2);
    case 0x87: return small_tuple(p, 3);
    case 't': return from_mark(p, SL_PY_TUPLE);
    case 'l': return from_mark(p, SL_PY_LIST);
    case 'd': return from_mark(p, SL_PY_DICT);
    case 0x91: return from_mark(p, SL_PY_SET);
    case 'a': return last_into(p, SL_PY_LIST, 1);
    case 's': return last_into(p, SL_PY_DICT, 2);
    case 'e': return from_mark_into(p, SL_PY_LIST);
    case 'u': return from_mark_into(p, SL_PY_DICT);
    case 0x90: return from_mark_into(p, SL_PY_SET);
    case '(': return *sl_vec_add(&p->marks) = (uint32_t)p->stack.n, true;
    case '0': return pop_one(p);
    case '1': return pop_mark(p, &from, &n);
    case '2': return dup(p);
    case 'q': return i = take_number(p, 1), !p->failed && put(p, i);
    case 'r': return i = take_number(p, 4), !p->failed && put(p, i);
    case 'p': return line_number(p, &i) && put(p, i);
    case 0x94: return put(p, p->memos);
    case 'h': return i = take_number(p, 1), !p->failed && get(p, i);
    case 'j': return i = take_number(p, 4), !p->failed && get(p, i);
    case 'g': return line_number(p, &i) && get(p, i);
    default: return refuse(p, op);
    }
}

struct sl_pickle *sl_pickle_load(const unsigned char *data, size_t n, const char *path, struct sl_err *err)
{
    struct sl_pickle *p = sl_alloc(sizeof *p);

    *p = (struct sl_pickle){.data = data, .n = n, .path = path, .err = err};
    while (!p->done && !p->failed) {
        p->op_at = p->at;
        if (p->at == n)
            fail(p, "the pickle is cut off: its end (STOP) is missing; write it again");
        else
            step(p, data[p->at++]);
    }
    if (!p->failed)
        return p;
    sl_pickle_free(p);
    return NULL;
}

void sl_pickle_free(struct sl_pickle *p)
{
    sl_vec_free(&p->objects);
    sl_vec_free(&p->items);
    sl_vec_free(&p->stack);
    sl_vec_free(&p->marks);
    sl_vec_free(&p->memo);
    sl_arena_free(&p->texts);
    free(p);
}
