/* SPDX-License-Identifier: Apache-2.0 */
#include "render/engine.h"
#include "render/fonts.h"

#include <jsc/jsc.h>
#include <stdbool.h>

struct engine {
    JSCContext *js;
    struct fonts *fonts; /* NULL until there is something to draw */
};

struct answer {
    bool came;
    char *svg, *error;
};

static void warn(const char *text, FILE *to)
{
    fprintf(to, "%s\n", text);
}

static double text_width(const char *text, const char *family, double size, const char *weight, const char *style,
                         struct engine *e)
{
    return fonts_width(e->fonts, text, family, size, weight, style);
}

static void come(JSCValue *svg, struct answer *to)
{
    to->came = true;
    to->svg = jsc_value_to_string(svg);
}

static void fail(JSCValue *error, struct answer *to)
{
    JSCValue *message =
        jsc_value_is_object(error) ? jsc_value_object_get_property(error, "message") : g_object_ref(error);

    to->came = true;
    to->error = jsc_value_to_string(message);
    g_object_unref(message);
}

/* Whether the last call threw. */
static bool threw(JSCContext *js, const char *what, struct sl_err *err)
{
    JSCException *e = jsc_context_get_exception(js);

    if (e)
        sl_err(err, SL_EFORMAT, "%s: %s", what, jsc_exception_get_message(e));
    return e;
}

static void set(JSCContext *js, const char *name, JSCValue *take)
{
    jsc_context_set_value(js, name, take);
    g_object_unref(take);
}

/* Calls a global function of the bundle with these texts, as many as are not NULL. */
static JSCValue *call(JSCContext *js, const char *name, const char *one, const char *two)
{
    JSCValue *f = jsc_context_get_value(js, name), *got;

    if (two)
        got = jsc_value_function_call(f, G_TYPE_STRING, one, G_TYPE_STRING, two, G_TYPE_NONE);
    else if (one)
        got = jsc_value_function_call(f, G_TYPE_STRING, one, G_TYPE_NONE);
    else
        got = jsc_value_function_call(f, G_TYPE_NONE);
    g_object_unref(f);
    return got;
}

/*
 * There is no event loop: promises go on when the outermost call into JavaScriptCore returns, and what asked for a time
 * to wait is run by us.
 */
static void wait_for(JSCContext *js, JSCValue *promise, struct answer *to)
{
    JSCValue *ok = jsc_value_new_function(js, "come", G_CALLBACK(come), to, NULL, G_TYPE_NONE, 1, JSC_TYPE_VALUE);
    JSCValue *bad = jsc_value_new_function(js, "fail", G_CALLBACK(fail), to, NULL, G_TYPE_NONE, 1, JSC_TYPE_VALUE);
    JSCValue *then =
        jsc_value_object_invoke_method(promise, "then", JSC_TYPE_VALUE, ok, JSC_TYPE_VALUE, bad, G_TYPE_NONE);
    bool more = true;

    while (!to->came && more && !jsc_context_get_exception(js)) {
        JSCValue *ran = call(js, "spanloomTimer", NULL, NULL);
        more = jsc_value_to_boolean(ran);
        g_object_unref(ran);
    }
    g_object_unref(then);
    g_object_unref(bad);
    g_object_unref(ok);
}

static char *read_file(const char *path, gsize *n, struct sl_err *err)
{
    GError *error = NULL;
    char *text;

    if (g_file_get_contents(path, &text, n, &error))
        return text;
    sl_err(err, SL_EIO, "%s", error->message);
    g_error_free(error);
    return NULL;
}

static int load(JSCContext *js, const char *bundle, struct sl_err *err)
{
    gsize n;
    char *code = read_file(bundle, &n, err);

    if (!code)
        return SL_EIO;
    g_object_unref(jsc_context_evaluate_with_source_uri(js, code, (gssize)n, bundle, 1));
    g_free(code);
    return threw(js, bundle, err) ? SL_EFORMAT : 0;
}

struct engine *engine_new(const char *bundle, FILE *warnings, struct sl_err *err)
{
    struct engine *e = g_new0(struct engine, 1);

    /* Ten times as many calls as usual before a function is optimized: most pictures are done by then, in 2/3 of the
     * time. */
    jsc_options_set_int("thresholdForOptimizeAfterWarmUp", 10000);
    e->js = jsc_context_new();
    set(e->js, "spanloomWarn",
        jsc_value_new_function(e->js, "spanloomWarn", G_CALLBACK(warn), warnings, NULL, G_TYPE_NONE, 1, G_TYPE_STRING));
    set(e->js, "spanloomTextWidth",
        jsc_value_new_function(e->js, "spanloomTextWidth", G_CALLBACK(text_width), e, NULL, G_TYPE_DOUBLE, 5,
                               G_TYPE_STRING, G_TYPE_STRING, G_TYPE_DOUBLE, G_TYPE_STRING, G_TYPE_STRING));
    if (!load(e->js, bundle, err))
        return e;
    engine_free(e);
    return NULL;
}

void engine_free(struct engine *e)
{
    g_object_unref(e->js);
    if (e->fonts)
        fonts_free(e->fonts);
    g_free(e);
}

int engine_check(struct engine *e, const char *schemas, const char *spec, struct sl_err *err)
{
    char *text = read_file(schemas, NULL, err);

    if (!text)
        return SL_EIO;
    g_object_unref(call(e->js, "spanloomCheck", spec, text));
    g_free(text);
    return threw(e->js, "the specification", err) ? SL_EFORMAT : 0;
}

char *engine_svg(struct engine *e, const char *spec, const char *form, struct sl_err *err)
{
    struct answer answer = {0};
    JSCValue *value;

    if (!e->fonts && !(e->fonts = fonts_new(err)))
        return NULL;
    value = call(e->js, "spanloomSvg", spec, form);
    if (!threw(e->js, "the drawing engine", err)) {
        wait_for(e->js, value, &answer);
        if (!threw(e->js, "the drawing engine", err) && !answer.svg)
            sl_err(err, SL_EFORMAT, "%s",
                   answer.error ? answer.error : "the drawing engine waits for what never comes");
    }
    g_object_unref(value);
    g_free(answer.error);
    return answer.svg;
}
