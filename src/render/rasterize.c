/* SPDX-License-Identifier: Apache-2.0 */
#include "render/rasterize.h"

#include <cairo-pdf.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { PIXELS = 2, MOST_PIXELS = 16000 };

static cairo_status_t write_to(void *out, const unsigned char *data, unsigned n)
{
    return fwrite(data, 1, n, out) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static int say(struct sl_err *err, const char *what, GError *take)
{
    sl_err(err, SL_EFORMAT, "%s: %s", what, take ? take->message : "unknown");
    if (take)
        g_error_free(take);
    return SL_EFORMAT;
}

static RsvgHandle *load(const char *svg, size_t n, double *width, double *height, struct sl_err *err)
{
    GInputStream *in = g_memory_input_stream_new_from_data(svg, (gssize)n, NULL);
    GError *error = NULL;
    RsvgHandle *h = rsvg_handle_new_from_stream_sync(in, NULL, RSVG_HANDLE_FLAG_UNLIMITED, NULL, &error);

    g_object_unref(in);
    if (!h) {
        say(err, "librsvg cannot draw it; with a million marks, reduce the data in SQL first", error);
        return NULL;
    }
    rsvg_handle_set_dpi(h, 96);
    if (!rsvg_handle_get_intrinsic_size_in_pixels(h, width, height) || !(*width >= 1) || !(*height >= 1)) {
        sl_err(err, SL_EFORMAT, "the picture has no size");
        g_object_unref(h);
        return NULL;
    }
    return h;
}

/* Draws it and ends the surface. */
static int draw(RsvgHandle *h, cairo_surface_t *surface, double scale, double width, double height, struct sl_err *err)
{
    RsvgRectangle page = {0, 0, width, height};
    cairo_t *cr = cairo_create(surface);
    GError *error = NULL;
    int rc = 0;

    cairo_scale(cr, scale, scale);
    if (!rsvg_handle_render_document(h, cr, &page, &error))
        rc = say(err, "librsvg cannot draw it", error);
    else if (cairo_status(cr))
        rc = sl_err(err, SL_EFORMAT, "the picture cannot be drawn: %s", cairo_status_to_string(cairo_status(cr)));
    cairo_destroy(cr);
    return rc;
}

int picture_png(FILE *out, const char *svg, size_t n, struct sl_err *err)
{
    double width, height, scale = PIXELS;
    RsvgHandle *h = load(svg, n, &width, &height, err);
    cairo_surface_t *surface;
    cairo_status_t status;
    int rc;

    if (!h)
        return SL_EFORMAT;
    if (width * scale > MOST_PIXELS || height * scale > MOST_PIXELS)
        scale = MOST_PIXELS / (width > height ? width : height);
    surface = /* whole pixels only: what is left of the last one would be black */
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)fmax(1, width * scale), (int)fmax(1, height * scale));
    rc = draw(h, surface, scale, width, height, err);
    if (!rc && (status = cairo_surface_write_to_png_stream(surface, write_to, out)))
        rc = sl_err(err, SL_EIO, "the picture cannot be written: %s", cairo_status_to_string(status));
    cairo_surface_destroy(surface);
    g_object_unref(h);
    return rc;
}

static void set_date(cairo_surface_t *surface)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t t = epoch ? (time_t)strtoll(epoch, NULL, 10) : 0;
    char text[64];
    struct tm tm;

    if (!gmtime_r(&t, &tm) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm))
        return;
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, text);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_MOD_DATE, text);
}

int picture_pdf(FILE *out, const char *svg, size_t n, struct sl_err *err)
{
    const double points = 72.0 / 96;
    double width, height;
    RsvgHandle *h = load(svg, n, &width, &height, err);
    cairo_surface_t *surface;
    int rc;

    if (!h)
        return SL_EFORMAT;
    surface = cairo_pdf_surface_create_for_stream(write_to, out, width * points, height * points);
    set_date(surface);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "Spanloom " SL_VERSION);
    rc = draw(h, surface, points, width, height, err);
    cairo_surface_finish(surface);
    if (!rc && cairo_surface_status(surface))
        rc = sl_err(err, SL_EIO, "the picture cannot be written: %s",
                    cairo_status_to_string(cairo_surface_status(surface)));
    cairo_surface_destroy(surface);
    g_object_unref(h);
    return rc;
}
