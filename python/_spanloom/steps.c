/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What decorated generator functions, coroutine functions and asynchronous generator functions give: each time the
 * inner one runs is a span on the thread that runs it; all of it, with the time it waits, is an asynchronous span.
 */
#include "steps.h"

#include <string.h>

enum { AM_SEND = 81 }; /* Py_am_send, a slot since 3.10 */

static PyTypeObject *generator_type, *iterable_type, *coroutine_type, *async_generator_type, *step_type;

/* ---- sending ---- */

/* The value of the StopIteration that is raised, which is cleared; NULL: another exception is. */
static PyObject *returned(void)
{
    PyObject *type, *value, *trace, *result = NULL;

    if (!PyErr_Occurred()) { /* an iterator may just stop */
        Py_INCREF(Py_None);
        return Py_None;
    }
    if (!PyErr_ExceptionMatches(PyExc_StopIteration))
        return NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    result = value ? PyObject_GetAttrString(value, "value") : NULL;
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return result;
}

static int raw_send(PyObject *inner, PyObject *value, PyObject **result)
{
    if (LIKELY(PyIter_Send))
        return PyIter_Send(inner, value, result);
    *result = PyObject_CallMethod(inner, "send", "(O)", value);
    if (*result)
        return SENT_NEXT;
    *result = returned();
    return *result ? SENT_RETURN : SENT_ERROR;
}

static int step(PyObject *self, PyObject *value, PyObject **result)
{
    struct steps *s = (struct steps *)self;
    PyObject *inner = s->inner;
    bool refused = value != Py_None && !sl_py_whole_of(s)->begun, marked;
    int sent;

    if (!refused && sl_py_stretch_start(s))
        return SENT_ERROR;
    marked = !refused && sl_py_stretch_begin(s);
    Py_INCREF(inner);
    sent = raw_send(inner, value, result);
    Py_DECREF(inner);
    sl_py_stretch_end(s, marked);
    sl_py_stretch_settle(s, sent, *result);
    return sent;
}

static PyObject *raise_stop(PyObject *value)
{
    PyObject *stop;

    if (value != Py_None && (stop = PyObject_CallFunctionObjArgs(PyExc_StopIteration, value, NULL))) {
        PyErr_SetObject(PyExc_StopIteration, stop);
        Py_DECREF(stop);
    }
    return NULL;
}

static PyObject *give(int sent, PyObject *result, bool iterating)
{
    if (sent == SENT_NEXT)
        return result;
    if (sent == SENT_RETURN) {
        if (result == Py_None && !iterating)
            PyErr_SetNone(PyExc_StopIteration);
        else
            raise_stop(result);
        Py_DECREF(result);
    }
    return NULL;
}

static PyObject *next(PyObject *self)
{
    PyObject *result = NULL;
    int sent = step(self, Py_None, &result);

    return give(sent, result, true);
}

static PyObject *send_it(PyObject *self, PyObject *value)
{
    PyObject *result = NULL;
    int sent = step(self, value, &result);

    return give(sent, result, false);
}

/* throw(...) and close(): what the inner one does with it is a stretch like others. */
static PyObject *run_method(struct steps *s, const char *name, PyObject *args)
{
    PyObject *f = PyObject_GetAttrString(s->inner, name), *result, *value;
    bool fresh = !sl_py_whole_of(s)->begun && !s->whole, marked;

    if (!f)
        return NULL;
    if (!fresh && sl_py_stretch_start(s)) {
        Py_DECREF(f);
        return NULL;
    }
    marked = fresh ? false : sl_py_stretch_begin(s); /* what has not begun does not run */
    result = PyObject_CallObject(f, args);
    Py_DECREF(f);
    sl_py_stretch_end(s, marked);
    if (fresh) {
        s->over = true;
        return result;
    }
    if (result) {
        sl_py_stretch_settle(s, args ? SENT_NEXT : SENT_RETURN, Py_None);
    } else if (PyErr_ExceptionMatches(PyExc_StopIteration) && (value = returned())) {
        sl_py_stretch_settle(s, SENT_RETURN, value);
        give(SENT_RETURN, value, false);
    } else {
        sl_py_stretch_settle(s, SENT_ERROR, NULL);
    }
    return result;
}

static PyObject *throw_it(PyObject *self, PyObject *args)
{
    return run_method((struct steps *)self, "throw", args);
}

static PyObject *close_it(PyObject *self, PyObject *unused)
{
    (void)unused;
    return run_method((struct steps *)self, "close", NULL);
}

/* ---- asynchronous generators give a step at a time ---- */

static struct steps *make(PyTypeObject *type, struct traced *t, PyObject *inner)
{
    struct steps *s = PyObject_GC_New(struct steps, type);

    if (!s)
        return NULL;
    Py_INCREF(t);
    Py_INCREF(inner);
    s->of = t;
    s->inner = inner;
    s->weak = s->args = s->kwargs = s->finalizer = NULL;
    s->whole = NULL;
    s->id = 0;
    s->begun = s->over = s->closing = s->hooked = false;
    return s;
}

/* sys.set_asyncgen_hooks(): whoever runs asynchronous generators is told of one when it begins, and closes it when it
 * is left.  It is to know this one, not the inner one, which has no hooks then. */
static PyObject *first_step(struct steps *s, PyObject *f, PyObject *args)
{
    PyObject *sys = PyImport_ImportModule("sys"), *hooks = NULL, *set = NULL, *begins = NULL, *told, *inner = NULL;

    s->hooked = true;
    if (sys && (set = PyObject_GetAttrString(sys, "set_asyncgen_hooks")) &&
        (hooks = PyObject_CallMethod(sys, "get_asyncgen_hooks", NULL)) && (begins = PySequence_GetItem(hooks, 0)) &&
        (s->finalizer = PySequence_GetItem(hooks, 1)) && (told = PyObject_CallFunction(set, "OO", Py_None, Py_None))) {
        Py_DECREF(told);
        inner = PyObject_CallObject(f, args);
        told = inner ? PyObject_CallObject(set, hooks) : NULL;
        if (told && begins != Py_None) {
            Py_DECREF(told);
            told = PyObject_CallFunctionObjArgs(begins, s, NULL);
        }
        if (!told)
            Py_CLEAR(inner);
        Py_XDECREF(told);
    }
    if (s->finalizer == Py_None)
        Py_CLEAR(s->finalizer);
    Py_XDECREF(sys);
    Py_XDECREF(set);
    Py_XDECREF(hooks);
    Py_XDECREF(begins);
    return inner;
}

static PyObject *a_step(PyObject *self, const char *method, PyObject *args)
{
    struct steps *whole = (struct steps *)self, *s;
    PyObject *f = PyObject_GetAttrString(whole->inner, method), *inner = NULL;

    if (f)
        inner = whole->hooked ? PyObject_CallObject(f, args) : first_step(whole, f, args);
    Py_XDECREF(f);
    if (!inner)
        return NULL;
    s = make(step_type, whole->of, inner);
    Py_DECREF(inner);
    if (!s)
        return NULL;
    Py_INCREF(self);
    s->whole = whole;
    s->closing = !strcmp(method, "aclose") || (!whole->begun && !strcmp(method, "athrow"));
    PyObject_GC_Track(s);
    return (PyObject *)s;
}

static PyObject *anext(PyObject *self)
{
    return a_step(self, "__anext__", NULL);
}

static PyObject *asend(PyObject *self, PyObject *args)
{
    return a_step(self, "asend", args);
}

static PyObject *athrow(PyObject *self, PyObject *args)
{
    return a_step(self, "athrow", args);
}

static PyObject *aclose(PyObject *self, PyObject *unused)
{
    (void)unused;
    return a_step(self, "aclose", NULL);
}

/* ---- they look like the inner one ---- */

static PyObject *itself(PyObject *self)
{
    Py_INCREF(self);
    return self;
}

static PyObject *await_method(PyObject *self, PyObject *unused)
{
    (void)unused;
    return itself(self);
}

static PyObject *get_attribute(PyObject *self, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(self, name);

    if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return value;
    PyErr_Clear();
    return PyObject_GetAttr(((struct steps *)self)->inner, name);
}

static int set_attribute(PyObject *self, PyObject *name, PyObject *value)
{
    return PyObject_SetAttr(((struct steps *)self)->inner, name, value);
}

static PyObject *class_of(PyObject *self, void *closure)
{
    (void)closure;
    return PyObject_GetAttrString(((struct steps *)self)->inner, "__class__");
}

static PyObject *repr(PyObject *self)
{
    return PyObject_Repr(((struct steps *)self)->inner);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct steps *s = (struct steps *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(s->of);
    Py_VISIT(s->inner);
    Py_VISIT(s->args);
    Py_VISIT(s->kwargs);
    Py_VISIT(s->whole);
    Py_VISIT(s->finalizer);
    return 0;
}

static int clear(PyObject *self)
{
    struct steps *s = (struct steps *)self;

    Py_CLEAR(s->args);
    Py_CLEAR(s->kwargs);
    Py_CLEAR(s->whole); /* not the inner one, which somebody may still ask: it breaks its own circles */
    return 0;
}

/* An asynchronous generator that is left in the middle is closed by its loop, which runs what is left of it: it is
 * given one like this, since this one goes.  False: nobody wants it. */
static bool leave_to_loop(struct steps *s)
{
    struct steps *again;
    PyObject *done;

    if (!s->finalizer || !s->begun || s->over || !sl_py_stretch_alive(s) ||
        !(again = make(async_generator_type, s->of, s->inner)))
        return false;
    again->id = s->id;
    again->begun = again->hooked = true;
    s->over = true;
    PyObject_GC_Track(again);
    done = PyObject_CallFunctionObjArgs(s->finalizer, again, NULL);
    if (!done)
        PyErr_WriteUnraisable(s->finalizer);
    Py_XDECREF(done);
    Py_DECREF(again);
    return true;
}

/* Whoever drops one in the middle ends it: the inner one's `finally` runs, as a last stretch. */
static void dealloc(PyObject *self)
{
    struct steps *s = (struct steps *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject *error, *value, *trace;
    bool marked;

    PyObject_GC_UnTrack(self);
    if (s->weak)
        PyObject_ClearWeakRefs(self);
    PyErr_Fetch(&error, &value, &trace);
    marked = !leave_to_loop(s) && !s->whole && s->begun && !s->over && sl_py_stretch_begin(s);
    Py_CLEAR(s->inner);
    if (!s->whole) {
        sl_py_stretch_end(s, marked);
        sl_py_stretch_over(s, Py_None);
    }
    clear(self);
    Py_CLEAR(s->finalizer);
    PyErr_Restore(error, value, trace);
    Py_CLEAR(s->of);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct steps, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"__class__", class_of, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef generator_methods[] = {
    {"send", send_it, METH_O, NULL},
    {"throw", throw_it, METH_VARARGS, NULL},
    {"close", close_it, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef coroutine_methods[] = {
    {"send", send_it, METH_O, NULL},
    {"throw", throw_it, METH_VARARGS, NULL},
    {"close", close_it, METH_NOARGS, NULL},
    {"__await__", await_method, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef async_generator_methods[] = {
    {"asend", asend, METH_VARARGS, NULL},
    {"athrow", athrow, METH_VARARGS, NULL},
    {"aclose", aclose, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define COMMON                                                                                                         \
    {Py_tp_new, sl_py_not_to_be_made}, {Py_tp_getattro, get_attribute}, {Py_tp_setattro, set_attribute},               \
        {Py_tp_repr, repr}, {Py_tp_traverse, traverse}, {Py_tp_clear, clear}, {Py_tp_dealloc, dealloc},                \
        {Py_tp_members, members},                                                                                      \
    {                                                                                                                  \
        Py_tp_getset, properties                                                                                       \
    }
#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC)

static PyTypeObject *type_of(const char *name, PyType_Slot *slots)
{
    PyType_Spec spec = {name, sizeof(struct steps), 0, FLAGS, slots};
    PyType_Slot *s = slots;

    while (s->slot && s->slot != AM_SEND)
        s++;
    if (!PyIter_Send)
        s->slot = 0;
    return (PyTypeObject *)PyType_FromSpec(&spec);
}

int sl_py_steps_init(void)
{
    static PyType_Slot generator[] = {
        COMMON,   {Py_tp_methods, generator_methods}, {Py_tp_iter, itself}, {Py_tp_iternext, next}, {AM_SEND, step},
        {0, NULL}};
    static PyType_Slot iterable[] = {COMMON,
                                     {Py_tp_methods, generator_methods},
                                     {Py_tp_iter, itself},
                                     {Py_tp_iternext, next},
                                     {Py_am_await, itself},
                                     {AM_SEND, step},
                                     {0, NULL}};
    static PyType_Slot coroutine[] = {
        COMMON,   {Py_tp_methods, coroutine_methods}, {Py_am_await, itself}, {Py_tp_iternext, next}, {AM_SEND, step},
        {0, NULL}};
    static PyType_Slot async_generator[] = {
        COMMON, {Py_tp_methods, async_generator_methods}, {Py_am_aiter, itself}, {Py_am_anext, anext}, {0, NULL}};

    generator_type = type_of("spanloom.Generator", generator);
    iterable_type = type_of("spanloom.IterableCoroutine", iterable);
    coroutine_type = type_of("spanloom.Coroutine", coroutine);
    step_type = type_of("spanloom.Step", coroutine);
    async_generator_type = type_of("spanloom.AsyncGenerator", async_generator);
    return generator_type && iterable_type && coroutine_type && step_type && async_generator_type ? 0 : -1;
}

PyObject *sl_py_steps_new(struct traced *t, PyObject *inner, PyObject *args, PyObject *kwargs)
{
    PyTypeObject *const types[] = {[GENERATOR] = generator_type,
                                   [COROUTINE] = coroutine_type,
                                   [ASYNC_GENERATOR] = async_generator_type,
                                   [ITERABLE_COROUTINE] = iterable_type};
    struct steps *s = make(types[t->kind], t, inner);

    if (!s)
        return NULL;
    Py_XINCREF(args);
    Py_XINCREF(kwargs);
    s->args = args;
    s->kwargs = kwargs;
    PyObject_GC_Track(s);
    return (PyObject *)s;
}
