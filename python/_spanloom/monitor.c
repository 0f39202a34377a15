/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions without a decorator: each stretch in which one runs is a span.  From 3.12 on by sys.monitoring, where code
 * that nobody wants costs nothing after its first call; before, in the place where frames are evaluated (PEP 523), as
 * that leaves the interpreter on its fast path, which sys.setprofile() does not.  Which code is wanted, and its name,
 * is asked of Python once for each code object.
 */
#include "python.h"

#include <stdlib.h>

typedef PyObject *(*evaluation)(PyThreadState *, void *frame, int thrown);
extern PyObject *_PyEval_EvalFrameDefault(PyThreadState *, void *, int) WEAK;
extern evaluation _PyInterpreterState_GetEvalFrameFunc(PyInterpreterState *) WEAK;
extern void _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState *, evaluation) WEAK;

/* What 3.9, 3.10 and 3.11 have at the beginning of a frame, whatever else they call one. */
struct frame {
    void *other[4];
    PyObject *code;
};
enum { GLOBALS_311 = 1, OWNER_311 = 69, OWNED_BY_THREAD_311 = 0 };

/* ---- code that is known ---- */

struct known {
    PyObject *code;       /* held, so that no other comes to lie at its address; NULL: free */
    struct sl_site *site; /* NULL: it is not wanted */
    bool in_steps;        /* a generator or coroutine */
};

static struct known *table;
static size_t used;
static int bits;
static PyObject *asked, *disable; /* asked: NULL, nothing is monitored */
static __thread bool asking;

static inline struct known *find(PyObject *code)
{
    size_t mask = ((size_t)1 << bits) - 1, at = (uintptr_t)code * 0x9e3779b97f4a7c15 >> (64 - bits);

    while (table[at].code != code && table[at].code)
        at = (at + 1) & mask;
    return &table[at];
}

static bool grow(void)
{
    struct known *old = table, *bigger = calloc((size_t)2 << bits, sizeof *bigger);
    size_t n = (size_t)1 << bits;

    if (!bigger)
        return false;
    table = bigger;
    bits++;
    for (size_t i = 0; i < n; i++)
        if (old[i].code)
            *find(old[i].code) = old[i];
    free(old);
    return true;
}

static void learn(PyObject *code, struct sl_site *site)
{
    enum { GENERATOR_OR_COROUTINE = 0x20 | 0x80 | 0x200 };
    struct known *k = find(code);
    PyObject *flags;

    if (!k->code) {
        if (used * 2 >= (size_t)1 << bits) {
            if (!grow())
                return;
            k = find(code);
        }
        used++;
        Py_INCREF(code);
        k->code = code;
    }
    flags = PyObject_GetAttrString(code, "co_flags");
    k->site = site;
    k->in_steps = flags && PyLong_AsLong(flags) & GENERATOR_OR_COROUTINE;
    Py_XDECREF(flags);
    PyErr_Clear();
}

static struct sl_site *site_of(PyObject *answer)
{
    PyObject *name, *category, *file;
    int line;

    if (!PyArg_ParseTuple(answer, "UUUi", &name, &category, &file, &line))
        return NULL;
    return sl_py_site_at(name, category, file, line);
}

/* Negative: an exception that is none of an ordinary kind, such as that of Ctrl-C. frame: NULL from 3.11 on. */
static __attribute__((noinline)) int ask(PyObject *code, PyObject *globals, PyObject *frame)
{
    PyObject *type, *value, *trace, *answer;
    struct sl_site *site = NULL;

    if (asking) /* what is asked is not monitored */
        return 0;
    asking = true;
    PyErr_Fetch(&type, &value, &trace);
    answer = PyObject_CallFunctionObjArgs(asked, code, globals ? globals : Py_None, frame ? frame : Py_None, NULL);
    if (answer && answer != Py_None)
        site = site_of(answer);
    Py_XDECREF(answer);
    asking = false;
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
        learn(code, site);
    } else if (disable != Py_None) {
        return -1; /* nothing was under way at the start of a function */
    } else {       /* a frame must be run; it is interrupted at once, and asked for again */
        PyErr_Clear();
        PyErr_SetInterrupt();
    }
    PyErr_Restore(type, value, trace);
    return 0;
}

/* ---- the marks ---- */

static inline void begin(struct sl_site *site)
{
    if (SL_TRACING_) {
        sl_py_know_thread();
        sl_span_begin(site);
    }
}

/* Of functions that ran before anything was monitored, the end is without a begin, which the runtime leaves out. */
static inline void end(struct sl_site *site)
{
    if (SL_TRACING_)
        sl_span_end(site);
}

/* ---- sys.monitoring: code, offset, and more, which does not matter but for the exception ---- */

/* Code that is not known yet, or not wanted. */
static __attribute__((noinline)) PyObject *on_other(PyObject *code, void mark(struct sl_site *))
{
    struct known *k = find(code);
    PyObject *answer = disable;

    if (!k->code) {
        if (ask(code, PyEval_GetGlobals(), NULL))
            return NULL;
        k = find(code);
    }
    if (k->site)
        mark(k->site);
    if (k->site || !k->code)
        answer = Py_None;
    Py_INCREF(answer);
    return answer;
}

static PyObject *on_begin(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
    struct sl_site *site = find(args[0])->site;

    (void)self, (void)n, (void)names;
    if (UNLIKELY(!site))
        return on_other(args[0], begin);
    begin(site);
    return sl_py_ref(Py_None);
}

static PyObject *on_end(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
    struct sl_site *site = find(args[0])->site;

    (void)self, (void)n, (void)names;
    if (UNLIKELY(!site))
        return on_other(args[0], end);
    end(site);
    return sl_py_ref(Py_None);
}

/* These two cannot be disabled for code that is not wanted. */
static PyObject *on_throw(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
    struct sl_site *site = find(args[0])->site;

    (void)self, (void)n, (void)names;
    if (site)
        begin(site);
    return sl_py_ref(Py_None);
}

static PyObject *on_unwind(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
    struct sl_site *site = find(args[0])->site;

    (void)self, (void)names;
    if (site && SL_TRACING_) {
        sl_py_arg_type(VECTORCALL_NARGS(n) > 2 ? (PyObject *)Py_TYPE(args[2]) : NULL, true);
        sl_span_end(site);
    }
    return sl_py_ref(Py_None);
}

/* What is called back: an object that is called without the ado that there is about functions of modules. */
struct callback {
    PyObject_HEAD vectorcall call;
};

static PyMemberDef callback_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct callback, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot callback_slots[] = {
    {Py_tp_call, PyVectorcall_Call}, {Py_tp_new, sl_py_not_to_be_made}, {Py_tp_members, callback_members}, {0, NULL}};

static PyType_Spec callback_spec = {"_spanloom.callback", sizeof(struct callback), 0,
                                    Py_TPFLAGS_DEFAULT | VECTORCALL_FLAG, callback_slots};

/* (on begin, on end, on throw, on unwind) */
static PyObject *callbacks(void)
{
    static const vectorcall calls[] = {on_begin, on_end, on_throw, on_unwind};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&callback_spec);
    PyObject *all = type ? PyTuple_New(4) : NULL;

    for (int i = 0; all && i < 4; i++) {
        struct callback *c = PyObject_New(struct callback, type);
        if (!c)
            return NULL;
        c->call = calls[i];
        PyTuple_SetItem(all, i, (PyObject *)c);
    }
    return all;
}

/* ---- before 3.12 ---- */

static evaluation evaluate;
static bool has_311_frames;

static PyObject *on_frame(PyThreadState *thread, void *frame, int thrown)
{
    PyObject *code = ((struct frame *)frame)->code, *result;
    struct known *k = find(code);
    struct sl_site *site;

    if (UNLIKELY(!k->code)) {
        PyObject *object = has_311_frames ? NULL : frame;
        ask(code, has_311_frames ? ((struct frame *)frame)->other[GLOBALS_311] : NULL, object);
        k = find(code);
    }
    site = k->site;
    if (!site ||
        (k->in_steps && has_311_frames && ((char *)frame)[OWNER_311] == OWNED_BY_THREAD_311)) /* made, not run */
        return evaluate(thread, frame, thrown);
    begin(site);
    result = evaluate(thread, frame, thrown);
    if (UNLIKELY(!result) && SL_TRACING_)
        sl_py_arg_exception(true);
    end(site);
    return result;
}

/* ---- from Python ---- */

/*
 * monitor(asked, DISABLE): the callbacks for sys.monitoring; monitor(asked, None), before 3.12: from now on.
 * asked(code, globals or None, frame or None) -> (name, category, file, line) or None
 */
static PyObject *monitor(PyObject *module, PyObject *args)
{
    PyInterpreterState *all = PyInterpreterState_Get();

    (void)module;
    if (asked)
        return PyErr_Format(PyExc_RuntimeError, "functions are traced already");
    if (!PyArg_ParseTuple(args, "OO", &asked, &disable))
        return NULL;
    Py_INCREF(asked);
    Py_INCREF(disable);
    bits = 9;
    if (!(table = calloc((size_t)1 << bits, sizeof *table)))
        return PyErr_NoMemory();
    if (disable == Py_None) {
        const char *version = Py_GetVersion();
        has_311_frames = version[2] == '1' && version[3] == '1';
        if (!_PyInterpreterState_SetEvalFrameFunc || !_PyEval_EvalFrameDefault)
            return PyErr_Format(PyExc_RuntimeError, "this Python cannot be traced");
        evaluate = _PyInterpreterState_GetEvalFrameFunc(all);
        _PyInterpreterState_SetEvalFrameFunc(all, on_frame);
        return sl_py_ref(Py_None);
    }
    return callbacks();
}

/* Code that records its spans itself. */
static PyObject *leave_alone(PyObject *module, PyObject *code)
{
    (void)module;
    if (asked)
        learn(code, NULL);
    return sl_py_ref(Py_None);
}

PyMethodDef sl_py_monitor_functions[] = {
    {"monitor", monitor, METH_VARARGS, NULL},
    {"leave_alone", leave_alone, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
