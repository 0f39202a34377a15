/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded of a generator or coroutine: its asynchronous span, and the spans of the stretches in which it runs.
 */
#include "steps.h"

/* The name of the task of asyncio that runs; NULL: none does.  No exception. */
static PyObject *name_of_task(void)
{
    static PyObject *current, *get_name;
    PyObject *modules, *asyncio, *task, *name;

    if (!current && (modules = PyImport_GetModuleDict()) && (asyncio = PyDict_GetItemString(modules, "asyncio"))) {
        current = PyObject_GetAttrString(asyncio, "current_task");
        get_name = PyUnicode_InternFromString("get_name");
    }
    task = current ? PyObject_CallFunctionObjArgs(current, NULL) : NULL;
    name = task && task != Py_None ? PyObject_CallMethodObjArgs(task, get_name, NULL) : NULL;
    Py_XDECREF(task);
    if (name && !PyUnicode_Check(name))
        Py_CLEAR(name);
    if (!sl_py_interrupted())
        PyErr_Clear(); /* no loop runs */
    return name;
}

static int begin_async(struct steps *s)
{
    struct traced *t = s->of;
    PyObject *recorded = sl_py_recorded(t, s->args, s->kwargs), *owned = NULL;
    PyObject *task = t->kind == GENERATOR || sl_py_interrupted() ? NULL : name_of_task();
    const char *text = task ? sl_py_text(task, &owned) : NULL;

    if (sl_py_interrupted()) {
        Py_XDECREF(recorded);
        Py_XDECREF(task);
        Py_XDECREF(owned);
        return -1;
    }
    sl_py_know_thread();
    s->id = sl_new_id();
    sl_async_begin(t->site, s->id);
    if (text)
        sl_arg_string("task", text);
    sl_py_args(recorded);
    PyErr_Clear();
    Py_XDECREF(recorded);
    Py_XDECREF(task);
    Py_XDECREF(owned);
    return 0;
}

/* -1: an interruption came. */
static int begin(struct steps *s)
{
    struct traced *t = s->of;
    int rc = 0;

    s->begun = true;
    if (t->pointcut == AROUND) {
        if (UNLIKELY(sl_py_advised))
            sl_py_advise_before(t, s->args, s->kwargs);
        if (PyErr_Occurred() || (SL_TRACING_ && begin_async(s)))
            rc = -1;
    } else {
        rc = sl_py_enter(t, &s->id, s->args, s->kwargs);
    }
    if (t->pointcut != AFTER && t->pointcut != AFTER_ASYNC) {
        Py_CLEAR(s->args);
        Py_CLEAR(s->kwargs);
    }
    return rc;
}

/* It will not run again.  result: NULL where an exception ended it. */
void sl_py_stretch_over(struct steps *s, PyObject *result)
{
    bool was = s->over || !s->begun;

    s->over = true;
    if (was)
        return;
    if (s->of->pointcut != AROUND) {
        sl_py_leave(s->of, s->id, s->args, s->kwargs, result);
        return;
    }
    if (SL_TRACING_ && s->id) {
        sl_async_end(s->of->site, s->id);
        if (!result)
            sl_py_arg_exception(false);
    }
    if (UNLIKELY(sl_py_advised))
        sl_py_advise_after(s->of, result);
}

/* -1: an interruption came.  What never ran is not run to be closed. */
int sl_py_stretch_start(struct steps *s)
{
    struct steps *whole = sl_py_whole_of(s);

    return whole->over || whole->begun || s->closing ? 0 : begin(whole);
}

bool sl_py_stretch_begin(struct steps *s)
{
    struct steps *whole = sl_py_whole_of(s);

    if (whole->over || !whole->begun)
        return false;
    if (whole->of->pointcut != AROUND || !SL_TRACING_ || !whole->id)
        return false;
    sl_py_know_thread();
    sl_span_begin(whole->of->site);
    sl_arg_int("id", (int64_t)whole->id);
    return true;
}

void sl_py_stretch_end(struct steps *s, bool marked)
{
    if (marked && SL_TRACING_)
        sl_span_end(sl_py_whole_of(s)->of->site);
}

/* Whether the frame is there: an exception may also say that it cannot be run now.  One is under way. */
bool sl_py_stretch_alive(const struct steps *s)
{
    static const char *const frames[] = {
        [GENERATOR] = "gi_frame",
        [COROUTINE] = "cr_frame",
        [ASYNC_GENERATOR] = "ag_frame",
        [ITERABLE_COROUTINE] = "gi_frame",
    };
    PyObject *type, *value, *trace, *frame;

    PyErr_Fetch(&type, &value, &trace);
    frame = PyObject_GetAttrString(s->inner, frames[s->of->kind]);
    Py_XDECREF(frame);
    PyErr_Restore(type, value, trace); /* also where it has no frame to ask of, and is taken for dead */
    return frame && frame != Py_None;
}

/* A step of an asynchronous generator ends by StopIteration when it gives a value, which is not the end of the whole.
 */
void sl_py_stretch_settle(struct steps *s, int sent, PyObject *result)
{
    struct steps *whole = sl_py_whole_of(s);

    if (sent == SENT_NEXT || (sent == SENT_ERROR && sl_py_stretch_alive(whole)))
        return;
    if (!s->whole)
        sl_py_stretch_over(s, sent == SENT_RETURN ? result : NULL);
    else if (sent == SENT_ERROR)
        sl_py_stretch_over(whole, PyErr_ExceptionMatches(PyExc_StopAsyncIteration) ? Py_None : NULL);
    else if (s->closing)
        sl_py_stretch_over(whole, Py_None);
}
