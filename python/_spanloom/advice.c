/* SPDX-License-Identifier: Apache-2.0 */
/* Advice: what else is to happen at join points, before and after each call of a decorated function. */
#include "python.h"

#include <stdlib.h>

/* What a capsule "spanloom.advice" holds: called with the capsule's context, the interpreter held. */
typedef void (*c_advice)(const char *name, const char *category, void *context);

struct advice {
    PyObject *before, *after; /* callables or capsules; NULL: none */
    PyObject *pattern;        /* matches(name) -> bool; NULL: all */
    long long number;
    struct advice *next;
};

static struct advice *all; /* in the order in which they were given */
bool sl_py_advised;
static __thread bool busy; /* what advice calls is not advised */

static bool wanted(const struct advice *a, const struct traced *t)
{
    PyObject *name, *answer;
    bool yes;

    if (!a->pattern)
        return true;
    name = PyUnicode_FromString(t->site->name);
    answer = name ? PyObject_CallFunctionObjArgs(a->pattern, name, NULL) : NULL;
    yes = answer && PyObject_IsTrue(answer) == 1;
    if (!answer && !sl_py_interrupted())
        PyErr_WriteUnraisable(a->pattern);
    Py_XDECREF(name);
    Py_XDECREF(answer);
    return yes;
}

static void advise(PyObject *what, const struct traced *t, PyObject *a, PyObject *b)
{
    PyObject *done;

    if (PyCapsule_CheckExact(what)) {
        c_advice f = (c_advice)PyCapsule_GetPointer(what, "spanloom.advice");
        f(t->site->name, t->site->category, PyCapsule_GetContext(what));
        return;
    }
    done = PyObject_CallFunctionObjArgs(what, t->function, a ? a : Py_None, b ? b : Py_None, NULL);
    if (!done && !sl_py_interrupted()) /* the traced program does not suffer from it */
        PyErr_WriteUnraisable(what);
    Py_XDECREF(done);
}

/* What is called may give more advice, or take it back: the objects are held, and the list is walked by number. */
static const struct advice *behind(long long number)
{
    const struct advice *a = all;

    while (a && a->number <= number)
        a = a->next;
    return a;
}

static void advise_all(const struct traced *t, bool after, PyObject *x, PyObject *y)
{
    PyObject *type, *value, *trace;

    if (busy)
        return;
    busy = true;
    PyErr_Fetch(&type, &value, &trace);
    if (after && !x) { /* an exception is under way */
        PyErr_NormalizeException(&type, &value, &trace);
        if (trace)
            PyException_SetTraceback(value, trace);
        y = value;
    }
    for (const struct advice *a = all; a && !PyErr_Occurred();) {
        PyObject *what = after ? a->after : a->before;
        long long number = a->number;
        Py_XINCREF(what);
        if (what && wanted(a, t))
            advise(what, t, x, y);
        Py_XDECREF(what);
        a = behind(number);
    }
    sl_py_restore(type, value, trace);
    busy = false;
}

void sl_py_advise_before(const struct traced *t, PyObject *args, PyObject *kwargs)
{
    advise_all(t, false, args, kwargs);
}

void sl_py_advise_after(const struct traced *t, PyObject *result)
{
    advise_all(t, true, result, NULL);
}

/* ---- from Python ---- */

static bool is_advice(PyObject **given)
{
    if (*given == Py_None) {
        *given = NULL;
        return true;
    }
    if (PyCapsule_CheckExact(*given) ? PyCapsule_IsValid(*given, "spanloom.advice") : PyCallable_Check(*given))
        return true;
    PyErr_Format(PyExc_TypeError, "advice: a callable, or a capsule named \"spanloom.advice\", not %R", *given);
    return false;
}

/* add_advice(before, after, pattern) -> number */
static PyObject *add(PyObject *module, PyObject *args)
{
    static long long last;
    PyObject *before, *after, *pattern;
    struct advice *a, **at = &all;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &before, &after, &pattern) || !is_advice(&before) || !is_advice(&after))
        return NULL;
    if (!(a = malloc(sizeof *a)))
        return PyErr_NoMemory();
    *a = (struct advice){before, after, pattern == Py_None ? NULL : pattern, ++last, NULL};
    Py_XINCREF(a->before);
    Py_XINCREF(a->after);
    Py_XINCREF(a->pattern);
    while (*at)
        at = &(*at)->next;
    *at = a;
    sl_py_advised = true;
    return PyLong_FromLongLong(a->number);
}

static PyObject *take_back(PyObject *module, PyObject *given)
{
    long long number = PyLong_AsLongLong(given);

    (void)module;
    for (struct advice **at = &all, *a; (a = *at); at = &a->next)
        if (a->number == number) {
            *at = a->next;
            sl_py_advised = all != NULL;
            Py_XDECREF(a->before);
            Py_XDECREF(a->after);
            Py_XDECREF(a->pattern);
            free(a);
            return sl_py_ref(Py_True);
        }
    if (PyErr_Occurred())
        return NULL;
    return sl_py_ref(Py_False);
}

PyMethodDef sl_py_advice_functions[] = {
    {"add_advice", add, METH_VARARGS, NULL},
    {"remove_advice", take_back, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
