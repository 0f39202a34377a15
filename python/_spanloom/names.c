/* SPDX-License-Identifier: Apache-2.0 */
/* What Python has and the runtime wants: texts, arguments, names of threads, sites by name. */
#include "python.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread char sl_py_thread_known;

/* ---- texts and arguments ---- */

/* What C texts cannot have, spelled out: a NUL, and halves of surrogate pairs. */
static const char *spell_out(PyObject *str, PyObject **owned)
{
    PyObject *nul = PyUnicode_FromOrdinal(0), *spelled = PyUnicode_FromString("\\x00"), *without = NULL;

    if (nul && spelled)
        without = PyUnicode_Replace(str, nul, spelled, -1);
    Py_XDECREF(*owned);
    *owned = without ? PyUnicode_AsEncodedString(without, "utf-8", "backslashreplace") : NULL;
    Py_XDECREF(nul);
    Py_XDECREF(spelled);
    Py_XDECREF(without);
    return *owned ? PyBytes_AsString(*owned) : NULL;
}

const char *sl_py_text(PyObject *str, PyObject **owned)
{
    Py_ssize_t n;
    const char *text = PyUnicode_AsUTF8AndSize(str, &n);

    if (text && strlen(text) == (size_t)n)
        return text;
    if (!text && !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return NULL;
    PyErr_Clear();
    return spell_out(str, owned);
}

static bool fits(PyObject *number)
{
    int overflow;

    PyLong_AsLongLongAndOverflow(number, &overflow);
    return !overflow;
}

/* A floating-point number of another library, such as numpy.float32; Decimal and Fraction have more to say. */
static bool is_real(PyObject *value)
{
    static PyObject *real, *rational;
    PyObject *numbers = real ? NULL : PyImport_ImportModule("numbers");

    if (numbers && (rational = PyObject_GetAttrString(numbers, "Rational")))
        real = PyObject_GetAttrString(numbers, "Real");
    Py_XDECREF(numbers);
    return real && PyObject_IsInstance(value, real) == 1 && PyObject_IsInstance(value, rational) == 0;
}

bool sl_py_interrupted(void)
{
    return PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception);
}

/* The exception of what was only to be told is nobody's, unless it is Ctrl-C or the like. */
static void forgive(void)
{
    if (!sl_py_interrupted())
        PyErr_Clear();
}

/* As a number, where it is one and no bool; NULL: it is none, or there is an interruption. */
static PyObject *number_of(PyObject *value)
{
    PyObject *number = NULL;

    if (PyBool_Check(value) || PyUnicode_Check(value))
        return NULL;
    if (PyLong_Check(value) || PyFloat_Check(value))
        Py_INCREF(number = value);
    else if (PyIndex_Check(value))
        number = PyNumber_Index(value);
    else if (is_real(value))
        number = PyNumber_Float(value);
    forgive();
    if (number && PyLong_Check(number) && !fits(number))
        Py_CLEAR(number);
    return number;
}

PyObject *sl_py_plain_value(PyObject *value)
{
    PyObject *plain = number_of(value);

    if (!plain && PyUnicode_Check(value))
        Py_INCREF(plain = value);
    if (!plain && !PyErr_Occurred() && !(plain = PyObject_Repr(value))) {
        forgive();
        if (!PyErr_Occurred())
            plain = PyUnicode_FromString("(its repr() failed)");
    }
    return plain;
}

PyObject *sl_py_plain(PyObject *dict)
{
    PyObject *plain = dict && PyDict_Size(dict) > 0 ? PyDict_New() : NULL, *items, *key, *value;

    if (!plain || !(items = PyDict_Items(dict))) { /* a list: repr() may change the dict */
        Py_XDECREF(plain);
        PyErr_Clear();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(items) && !PyErr_Occurred(); i++) {
        key = PyTuple_GetItem(PyList_GetItem(items, i), 0);
        value = sl_py_plain_value(PyTuple_GetItem(PyList_GetItem(items, i), 1));
        if (value && PyUnicode_Check(key))
            PyDict_SetItem(plain, key, value);
        Py_XDECREF(value);
    }
    Py_DECREF(items);
    forgive();
    if (PyErr_Occurred())
        Py_CLEAR(plain);
    return plain;
}

static void tell(PyObject *key, PyObject *value)
{
    PyObject *owned = NULL, *owned_key = NULL;
    const char *name = sl_py_text(key, &owned_key), *text;

    if (name && PyFloat_Check(value))
        sl_arg_double(name, PyFloat_AsDouble(value));
    else if (name && PyLong_Check(value))
        sl_arg_int(name, PyLong_AsLongLong(value));
    else if (name && (text = sl_py_text(value, &owned)))
        sl_arg_string(name, text);
    PyErr_Clear();
    Py_XDECREF(owned);
    Py_XDECREF(owned_key);
}

void sl_py_args(PyObject *plain)
{
    PyObject *key, *value, *type, *error, *trace;
    Py_ssize_t at = 0;

    if (!plain)
        return;
    PyErr_Fetch(&type, &error, &trace);
    while (PyDict_Next(plain, &at, &key, &value))
        tell(key, value);
    PyErr_Restore(type, error, trace);
}

void sl_py_arg_type(PyObject *type, bool of_span)
{
    PyObject *name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
    const char *text;

    if (name && PyUnicode_Check(name) && (text = PyUnicode_AsUTF8AndSize(name, NULL))) {
        if (of_span)
            sl_args_of_span();
        sl_arg_string("exception", text);
    }
    PyErr_Clear();
    Py_XDECREF(name);
}

void sl_py_arg_exception(bool of_span)
{
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    sl_py_arg_type(type, of_span);
    PyErr_Restore(type, value, trace);
}

/* ---- threads ---- */

/* The thread's object is asked for where Python has one: current_thread() would make one for others, and so would the
 * import of threading, of whichever thread imports it first. */
static PyObject *name_of_thread(void)
{
    PyObject *modules = PyImport_GetModuleDict(), *threading = PyDict_GetItemString(modules, "threading");
    PyObject *ident = NULL, *all = NULL, *thread = NULL, *name = NULL;

    if (!threading) /* then there is one thread that Python made */
        return syscall(SYS_gettid) == getpid() ? PyUnicode_FromString("MainThread") : NULL;
    if ((ident = PyObject_CallMethod(threading, "get_ident", NULL)) &&
        (all = PyObject_GetAttrString(threading, "_active")))
        thread = PyObject_GetItem(all, ident);
    if (thread)
        name = PyObject_GetAttrString(thread, "name");
    Py_XDECREF(ident);
    Py_XDECREF(all);
    Py_XDECREF(thread);
    return name;
}

/* An arrow that ends in the span of the next decorated function that is called.  So that the calls of these need not
 * look for one, the thread is taken for unknown until then. */
static __thread struct {
    struct sl_site *site; /* NULL: none */
    uint64_t id;
    char known; /* the thread was */
} arrow;

void sl_py_expect_arrow(struct sl_site *site, uint64_t id)
{
    arrow.site = site;
    arrow.id = id;
    arrow.known = sl_py_thread_known;
    sl_py_thread_known = 0;
}

void sl_py_end_arrow(void)
{
    struct sl_site *site = arrow.site;

    if (LIKELY(!site))
        return;
    arrow.site = NULL;
    sl_arg_int("id", (int64_t)arrow.id);
    sl_flow(site, arrow.id, SL_FLOW_IN);
}

static __attribute__((noinline)) void know_thread(void)
{
    PyObject *type, *value, *trace, *name, *owned = NULL;
    static __thread unsigned char tries;
    const char *text;

    sl_py_thread_known = 1; /* first: what follows may be traced */
    if (arrow.site && arrow.known)
        return;
    PyErr_Fetch(&type, &value, &trace);
    name = name_of_thread();
    if (name && PyUnicode_Check(name) && (text = sl_py_text(name, &owned)))
        sl_thread_name(text);
    else if (++tries < 64) /* threading may not know it yet: its own functions are traced, too */
        sl_py_thread_known = 0;
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(owned);
    PyErr_Restore(type, value, trace);
}

void sl_py_know_thread(void)
{
    if (UNLIKELY(!sl_py_thread_known))
        know_thread();
}

/* ---- sites by name ---- */

static PyObject *dunder_name; /* a text */

PyObject *sl_py_module_of_caller(void)
{
    PyObject *globals = PyEval_GetGlobals(), *name = globals ? PyDict_GetItemWithError(globals, dunder_name) : NULL;

    if (!name)
        PyErr_Clear();
    return name;
}

struct sl_site *sl_py_site_of(PyObject *name, PyObject *category, struct sl_site *find(const char *, const char *))
{
    PyObject *owned = NULL, *owned_category = NULL;
    const char *text = sl_py_text(name, &owned), *cat = "python";
    struct sl_site *site = NULL;
    bool given = category && category != Py_None;

    if (!given)
        category = sl_py_module_of_caller();
    if (category && PyUnicode_Check(category))
        cat = sl_py_text(category, &owned_category);
    else if (given)
        PyErr_Format(PyExc_TypeError, "category is a str, not %R", category);
    if (text && cat && !PyErr_Occurred())
        site = find(text, cat);
    Py_XDECREF(owned);
    Py_XDECREF(owned_category);
    return site;
}

int sl_py_names_init(void)
{
    dunder_name = PyUnicode_InternFromString("__name__");
    return dunder_name ? 0 : -1;
}
