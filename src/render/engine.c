/* SPDX-License-Identifier: Apache-2.0 */
#include "render/engine.h"
#include "render/fonts.h"

#include <jsc/jsc.h>
#include <stdbool.h>

struct answer {
    bool came;
    char *svg, *error;
};

static void warn(const char *text, FILE *to)
{
    fprintf(to, "%s\n", text);
}

static double text_width(const char *text, const char *family, double size, const char *weight, const char *style,
                         struct fonts *fonts)
{
    return fonts_width(fonts, text, family, size, weight, style);
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

/* Calls a global function of the bundle, with a text if there is one. */
static JSCValue *call(JSCContext *js, const char *name, const char *text)
{
    JSCValue *f = jsc_context_get_value(js, name);
    JSCValue *got =
        text ? jsc_value_function_call(f, G_TYPE_STRING, text, G_TYPE_NONE) : jsc_value_function_call(f, G_TYPE_NONE);

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
        JSCValue *ran = call(js, "spanloomTimer", NULL);
        more = jsc_value_to_boolean(ran);
        g_object_unref(ran);
    }
    g_object_unref(then);
    g_object_unref(bad);
    g_object_unref(ok);
}

static char *draw(JSCContext *js, const char *bundle, const char *spec, struct sl_err *err)
{
    struct answer answer = {0};
    JSCValue *value;
    GError *error = NULL;
    char *code;
    gsize n;

    if (!g_file_get_contents(bundle, &code, &n, &error)) {
        sl_err(err, SL_EIO, "%s", error->message);
        g_error_free(error);
        return NULL;
    }
    value = jsc_context_evaluate_with_source_uri(js, code, (gssize)n, bundle, 1);
    g_object_unref(value);
    g_free(code);
    if (threw(js, bundle, err))
        return NULL;
    value = call(js, "spanloomSvg", spec);
    if (!threw(js, "the drawing engine", err)) {
        wait_for(js, value, &answer);
        if (!threw(js, "the drawing engine", err) && !answer.svg)
            sl_err(err, SL_EFORMAT, "%s",
                   answer.error ? answer.error : "the drawing engine waits for what never comes");
    }
    g_object_unref(value);
    g_free(answer.error);
    return answer.svg;
}

char *engine_svg(const char *bundle, const char *spec, size_t n, FILE *warnings, struct sl_err *err)
{
    struct fonts *fonts = fonts_new(err);
    JSCContext *js;
    char *valid, *svg;

    if (!fonts)
        return NULL;
    /* Ten times as many calls as usual before a function is optimized: most pictures are done by then, in 2/3 of the
     * time. */
    jsc_options_set_int("thresholdForOptimizeAfterWarmUp", 10000);
    js = jsc_context_new();
    set(js, "spanloomWarn",
        jsc_value_new_function(js, "spanloomWarn", G_CALLBACK(warn), warnings, NULL, G_TYPE_NONE, 1, G_TYPE_STRING));
    set(js, "spanloomTextWidth",
        jsc_value_new_function(js, "spanloomTextWidth", G_CALLBACK(text_width), fonts, NULL, G_TYPE_DOUBLE, 5,
                               G_TYPE_STRING, G_TYPE_STRING, G_TYPE_DOUBLE, G_TYPE_STRING, G_TYPE_STRING));
    valid = g_utf8_make_valid(spec, (gssize)n); /* else JavaScriptCore takes it for an empty text */
    svg = draw(js, bundle, valid, err);
    g_free(valid);
    g_object_unref(js);
    fonts_free(fonts);
    return svg;
}
