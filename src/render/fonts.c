/* SPDX-License-Identifier: Apache-2.0 */
#include "render/fonts.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

struct fonts {
    GHashTable *scaled; /* "family|weight|style|size" -> cairo_scaled_font_t */
};

static void destroy(void *font)
{
    cairo_scaled_font_destroy(font);
}

struct fonts *fonts_new(struct sl_err *err)
{
    FcFontSet *system = FcInit() ? FcConfigGetFonts(NULL, FcSetSystem) : NULL;
    struct fonts *f;

    if (!system || system->nfont == 0) {
        sl_err(err, SL_ENOTFOUND,
               "no fonts are installed, and a picture needs some: on Debian, "
               "`apt-get install fonts-dejavu-core`; or write .html, which the browser's fonts draw");
        return NULL;
    }
    f = g_new0(struct fonts, 1);
    f->scaled = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, destroy);
    return f;
}

void fonts_free(struct fonts *f)
{
    g_hash_table_destroy(f->scaled);
    g_free(f);
}

static int fc_weight(const char *css)
{
    return strcmp(css, "bold") == 0     ? FC_WEIGHT_BOLD
           : *css >= '1' && *css <= '9' ? FcWeightFromOpenType(atoi(css))
                                        : FC_WEIGHT_NORMAL;
}

/* The font that fontconfig takes for it, as it does for Pango, which librsvg uses. */
static cairo_font_face_t *find_face(const char *family, const char *weight, const char *style)
{
    FcPattern *wanted = FcPatternCreate(), *found;
    char **names = g_strsplit(family, ",", -1);
    cairo_font_face_t *face;
    FcResult result;

    for (char **name = names; *name; name++)
        FcPatternAddString(wanted, FC_FAMILY, (const FcChar8 *)g_strdelimit(g_strstrip(*name), "'\"", ' '));
    FcPatternAddInteger(wanted, FC_WEIGHT, fc_weight(weight));
    FcPatternAddInteger(wanted, FC_SLANT, strcmp(style, "italic") == 0 ? FC_SLANT_ITALIC : FC_SLANT_ROMAN);
    FcConfigSubstitute(NULL, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    found = FcFontMatch(NULL, wanted, &result);
    face = cairo_ft_font_face_create_for_pattern(found ? found : wanted);
    if (found)
        FcPatternDestroy(found);
    FcPatternDestroy(wanted);
    g_strfreev(names);
    return face;
}

static cairo_scaled_font_t *find_scaled(struct fonts *f, const char *family, double size, const char *weight,
                                        const char *style)
{
    char *key = g_strdup_printf("%s|%s|%s|%.3f", family, weight, style, size);
    cairo_scaled_font_t *font = g_hash_table_lookup(f->scaled, key);
    cairo_font_options_t *options;
    cairo_font_face_t *face;
    cairo_matrix_t em, page;

    if (font) {
        g_free(key);
        return font;
    }
    face = find_face(family, weight, style);
    cairo_matrix_init_scale(&em, size, size);
    cairo_matrix_init_identity(&page);
    options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF); /* else widths are whole pixels */
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    font = cairo_scaled_font_create(face, &em, &page, options);
    cairo_font_options_destroy(options);
    cairo_font_face_destroy(face);
    g_hash_table_insert(f->scaled, key, font);
    return font;
}

double fonts_width(struct fonts *f, const char *text, const char *family, double size_px, const char *weight,
                   const char *style)
{
    cairo_text_extents_t extents = {0};

    if (!g_utf8_validate(text, -1, NULL)) /* cairo would never measure with this font again */
        return 0;
    cairo_scaled_font_text_extents(find_scaled(f, family, size_px, weight, style), text, &extents);
    return extents.x_advance;
}
