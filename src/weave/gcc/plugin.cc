/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same for GCC, whose interface is C++: registers the attribute `annotate`, and wraps the bodies of functions that
 * have it, as soon as they are GIMPLE and before they are lowered, into
 *
 *     sl_span_begin(&site);
 *     try { BODY } finally { sl_span_end(&site); }
 *
 * which is how GCC itself does -finstrument-functions, in every language that it has.
 */
/* clang-format off: the order of GCC's headers matters */
#include <gcc-plugin.h>
#include <plugin-version.h>
#include <tree.h>
#include <gimple.h>
#include <gimple-iterator.h>
#include <gimple-walk.h>
#include <stor-layout.h>
#include <tree-pass.h>
#include <context.h>
#include <cgraph.h>
#include <stringpool.h>
#include <attribs.h>
#include <diagnostic.h>
#include <langhooks.h>
#include <toplev.h>
/* clang-format on */

extern "C" {
#include "weave/advice.h"
#include "weave/function_name.h"
#include "weave/pointcut_file.h"
}

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

namespace {

tree site_type, const_text;

/* ---- what is referred to ---- */

tree address_of_text(const char *s)
{
    return build1(NOP_EXPR, const_text, build_string_literal(strlen(s) + 1, s));
}

tree static_variable(const char *name, tree type)
{
    tree var = build_decl(UNKNOWN_LOCATION, VAR_DECL, create_tmp_var_name(name), type);

    TREE_STATIC(var) = 1;
    TREE_PUBLIC(var) = 0;
    TREE_USED(var) = 1;
    TREE_ADDRESSABLE(var) = 1;
    DECL_ARTIFICIAL(var) = 1;
    DECL_IGNORED_P(var) = 1;
    return var;
}

/* struct sl_site of include/spanloom/trace.h. */
void make_site_type()
{
    static const char *const names[] = {"code", "line", "name", "category", "file"};
    tree fields = NULL_TREE, last = NULL_TREE;

    const_text = build_pointer_type(build_qualified_type(char_type_node, TYPE_QUAL_CONST));
    site_type = make_node(RECORD_TYPE);
    for (int i = 0; i < 5; i++) {
        tree field = build_decl(UNKNOWN_LOCATION, FIELD_DECL, get_identifier(names[i]),
                                i < 2 ? uint32_type_node : const_text);
        DECL_CONTEXT(field) = site_type;
        if (last)
            DECL_CHAIN(last) = field;
        else
            fields = field;
        last = field;
    }
    TYPE_FIELDS(site_type) = fields;
    layout_type(site_type);
}

tree make_site(tree function, const char *name)
{
    expanded_location at = expand_location(DECL_SOURCE_LOCATION(function));
    vec<constructor_elt, va_gc> *values = NULL;
    tree var, field;

    if (!site_type)
        make_site_type();
    tree value[] = {build_int_cst(uint32_type_node, 0), build_int_cst(uint32_type_node, at.line | SL_LINE_WOVEN), address_of_text(name),
                    address_of_text(main_input_filename), at.file ? address_of_text(at.file) : null_pointer_node};
    field = TYPE_FIELDS(site_type);
    for (int i = 0; i < 5; i++, field = DECL_CHAIN(field))
        CONSTRUCTOR_APPEND_ELT(values, field, value[i]);
    var = static_variable("spanloom_site", site_type);
    DECL_INITIAL(var) = build_constructor(site_type, values);
    TREE_STATIC(DECL_INITIAL(var)) = 1;
    varpool_node::finalize_decl(var);
    return build_fold_addr_expr(var);
}

tree runtime_function(const char *name, tree type)
{
    tree f = build_fn_decl(name, type); /* external */

    TREE_NOTHROW(f) = 1;
    DECL_VISIBILITY(f) = VISIBILITY_DEFAULT;
    DECL_VISIBILITY_SPECIFIED(f) = 1;
    return f;
}

/* ---- weaving ---- */

struct join_point {
    const struct sl_advice *advice;
    struct sl_weaving weaving;
    const char *name;
    tree site;
};

gimple *span_call(const join_point &p, const char *callee)
{
    tree type = build_function_type_list(void_type_node, ptr_type_node, NULL_TREE);

    return gimple_build_call(runtime_function(callee, type), 1, p.site);
}

gimple *perfflow_call(const join_point &p, const char *callee, const char *flow)
{
    tree type = build_function_type_list(void_type_node, integer_type_node, const_ptr_type_node, const_ptr_type_node,
                                         const_ptr_type_node, const_ptr_type_node, const_ptr_type_node, NULL_TREE);

    return gimple_build_call(runtime_function(callee, type), 6, build_int_cst(integer_type_node, p.weaving.async),
                             build_string_literal(strlen(main_input_filename) + 1, main_input_filename),
                             build_string_literal(strlen(p.name) + 1, p.name),
                             build_string_literal(strlen(p.advice->scope) + 1, p.advice->scope),
                             build_string_literal(strlen(flow) + 1, flow),
                             build_string_literal(strlen(p.advice->pointcut) + 1, p.advice->pointcut));
}

gimple *before(const join_point &p)
{
    return p.weaving.span ? span_call(p, "sl_span_begin")
                          : perfflow_call(p, "perfflow_weave_before", p.weaving.flow_before);
}

gimple *after(const join_point &p)
{
    return p.weaving.span ? span_call(p, "sl_span_end")
                          : perfflow_call(p, "perfflow_weave_after", p.weaving.flow_after);
}

const char *callee_of(gimple *stmt)
{
    tree f = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;

    return f && DECL_NAME(f) ? IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(f)) : "";
}

tree before_exits(gimple_stmt_iterator *i, bool *handled, walk_stmt_info *info)
{
    const join_point *p = static_cast<const join_point *>(info->info);

    if (sl_ends_process(callee_of(gsi_stmt(*i))))
        gsi_insert_before(i, after(*p), GSI_SAME_STMT);
    *handled = false;
    return NULL_TREE;
}

struct search {
    const char *symbol;
    bool twin;
};

tree look_at_call(gimple_stmt_iterator *i, bool *handled, walk_stmt_info *info)
{
    search *s = static_cast<search *>(info->info);

    s->twin |= sl_function_delegates(s->symbol, callee_of(gsi_stmt(*i)));
    *handled = false;
    return NULL_TREE;
}

bool calls_twin(tree function)
{
    search s = {IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function)), false};
    walk_stmt_info info = {};

    info.info = &s;
    walk_gimple_seq(gimple_body(function), look_at_call, NULL, &info);
    return s.twin;
}

void weave(tree function, join_point &p)
{
    gimple_seq body = gimple_body(function), all = NULL, last = NULL;

    DECL_PURE_P(function) = 0; /* which let callers leave calls out */
    TREE_READONLY(function) = 0;
    DECL_LOOPING_CONST_OR_PURE_P(function) = 0;
    if (p.weaving.after && !p.weaving.span) {
        walk_stmt_info info = {};
        info.info = &p;
        walk_gimple_seq_mod(&body, before_exits, NULL, &info);
    }
    if (p.weaving.before)
        gimple_seq_add_stmt(&all, before(p));
    if (p.weaving.after) {
        gimple_seq_add_stmt(&last, after(p));
        gimple_seq_add_stmt(&all, gimple_build_try(body, last, GIMPLE_TRY_FINALLY));
    } else {
        gimple_seq_add_seq(&all, body);
    }
    gimple_set_body(function, NULL);
    gimple_seq whole = NULL;
    gimple_seq_add_stmt(&whole, gimple_build_bind(NULL_TREE, all, NULL_TREE));
    gimple_set_body(function, whole);
}

bool is_fortran()
{
    return !strncmp(lang_hooks.name, "GNU Fortran", 11);
}

/* What `ifunc` says that it is a resolver: GCC marks the other one. */
vec<const char *> resolvers;

void note_resolver(void *declaration, void *)
{
    tree d = static_cast<tree>(declaration);
    tree of = TREE_CODE(d) == FUNCTION_DECL ? lookup_attribute("ifunc", DECL_ATTRIBUTES(d)) : NULL_TREE;

    if (of)
        resolvers.safe_push(TREE_STRING_POINTER(TREE_VALUE(TREE_VALUE(of))));
}

bool is_resolver(tree function)
{
    for (unsigned i = 0; i < resolvers.length(); i++)
        if (!strcmp(resolvers[i], IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function))))
            return true;
    return false;
}

/* `main`, which calls the program, what copies and ends objects, what entries of a procedure call: no names of Fortran. */
bool is_made_by_fortran(tree function)
{
    const char *name = IDENTIFIER_POINTER(DECL_NAME(function));

    return !strcmp(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function)), "main") || name[0] == '_' || strchr(name, '.');
}

/* Why a function is not woven: "" where nobody would expect it, which is another way into what is woven itself, and what
 * GCC has made of a coroutine by now; NULL: it can be. */
const char *why_not(tree function)
{
    if (DECL_STRUCT_FUNCTION(function)->coroutine_component) /* f, which makes it, f.actor and f.destroy */
        return strchr(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function)), '.') ? "" : SL_IS_COROUTINE;
    if (is_fortran() && is_made_by_fortran(function))
        return "";
    if (is_resolver(function))
        return SL_IS_RESOLVER;
    if (lookup_attribute("naked", DECL_ATTRIBUTES(function)))
        return SL_IS_NAKED;
    return calls_twin(function) ? "" : NULL;
}

void advise(tree function, const struct sl_function_name &name, const struct sl_advice *advice)
{
    join_point p = {advice, sl_advice_weaving(advice), name.full, NULL_TREE};

    if (p.weaving.span)
        p.site = make_site(function, name.full);
    weave(function, p);
}

/* Symbols of Fortran say what compilers made of a name; GCC knows it as it was written. */
void name_of(tree function, struct sl_function_name *to)
{
    tree context = DECL_CONTEXT(function);
    char name[sizeof to->full];

    if (!is_fortran()) {
        sl_function_name(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function)), NULL, to);
        return;
    }
    bool in_module = context && TREE_CODE(context) == NAMESPACE_DECL && DECL_NAME(context);
    const char *own = IDENTIFIER_POINTER(DECL_NAME(function));
    snprintf(name, sizeof name, "%s%s%s", in_module ? IDENTIFIER_POINTER(DECL_NAME(context)) : "",
             in_module ? "::" : "", !strcmp(own, "MAIN__") ? "main" : own);
    sl_function_name_set(name, to);
}

/* ---- annotations ---- */

const char *text_of(tree attribute)
{
    tree value = TREE_VALUE(attribute);

    value = value ? TREE_VALUE(value) : NULL_TREE;
    while (value && CONVERT_EXPR_P(value))
        value = TREE_OPERAND(value, 0);
    if (value && TREE_CODE(value) == ADDR_EXPR)
        value = TREE_OPERAND(value, 0);
    return value && TREE_CODE(value) == STRING_CST ? TREE_STRING_POINTER(value) : "";
}

bool is_repeated(tree first, tree attribute)
{
    for (tree a = lookup_attribute("annotate", first); a && a != attribute;
         a = lookup_attribute("annotate", TREE_CHAIN(a)))
        if (!strcmp(text_of(a), text_of(attribute)))
            return true;
    return false;
}

sl_pointcuts pointcuts;

void warn(const char *text, void *)
{
    warning_at(UNKNOWN_LOCATION, 0, "%s", text);
}

void weave_if_asked(tree function)
{
    tree all = DECL_ATTRIBUTES(function);
    const sl_pointcut_rule *rule;
    bool is_ours = false;
    struct sl_function_name name;
    const char *not_here = why_not(function);

    name_of(function, &name);
    rule = sl_function_is_made(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function)))
               ? NULL
               : sl_pointcuts_find(&pointcuts, main_input_filename, &name);
    for (tree a = lookup_attribute("annotate", all); a; a = lookup_attribute("annotate", TREE_CHAIN(a))) {
        struct sl_advice advice;
        char why[200];
        if (is_repeated(all, a))
            continue;
        switch (sl_advice_parse(text_of(a), &advice, why, sizeof why)) {
        case SL_ADVICE:
            if (!is_ours && not_here && *not_here)
                warning_at(DECL_SOURCE_LOCATION(function), OPT_Wattributes, SL_NOT_WOVEN, name.full, not_here);
            if ((!rule || rule->include) && !not_here) {
                advise(function, name, &advice);
                sl_pointcuts_woven(&pointcuts, main_input_filename, name.full, NULL);
            }
            is_ours = true;
            break;
        case SL_ADVICE_BAD:
            warning_at(DECL_SOURCE_LOCATION(function), OPT_Wattributes, "annotation %qs is ignored: %s", text_of(a),
                       why);
            break;
        case SL_ADVICE_OTHERS:
            break;
        }
    }
    /* What the linker takes from elsewhere is woven there, if at all. */
    if (!is_ours && rule && rule->include && !DECL_EXTERNAL(function) && !not_here) {
        advise(function, name, &rule->advice);
        sl_pointcuts_woven(&pointcuts, main_input_filename, name.full, rule);
    }
}

const pass_data weave_data = {GIMPLE_PASS, "spanloom", OPTGROUP_NONE, TV_NONE, PROP_gimple_any, 0, 0, 0, 0};

struct weave_pass : gimple_opt_pass {
    weave_pass() : gimple_opt_pass(weave_data, g)
    {
    }
    unsigned execute(function *f) override
    {
        weave_if_asked(f->decl);
        return 0;
    }
};

tree accept(tree *, tree, tree, int, bool *)
{
    return NULL_TREE; /* kept with whatever it is on; functions are looked at later */
}

const attribute_spec annotate[] = {
    {"annotate", 1, -1, false, false, false, false, accept, NULL},
    {NULL, 0, 0, false, false, false, false, NULL, NULL},
};

void finish(void *, void *)
{
    sl_pointcuts_unused(&pointcuts, main_input_filename, warn, NULL);
}

void register_attributes(void *, void *)
{
    register_attribute(annotate);
    register_scoped_attributes(annotate, "clang"); /* [[clang::annotate("...")]] */
}

plugin_info about = {SL_VERSION, "weaves calls of Spanloom's tracing runtime into functions; see man spanloom-weave"};

} // namespace

__attribute__((visibility("default"))) int plugin_init(plugin_name_args *args, plugin_gcc_version *version)
{
    const char *file = NULL;
    char why[600];
    register_pass_info pass = {new weave_pass, "*warn_unused_result", 1, PASS_POS_INSERT_BEFORE};

    if (!plugin_default_version_check(version, &gcc_version)) {
        error("%s is for GCC %s, and this is %s", args->full_name, gcc_version.basever, version->basever);
        return 1;
    }
    for (int i = 0; i < args->argc; i++) {
        if (strcmp(args->argv[i].key, "pointcuts") != 0 || !args->argv[i].value) {
            error("%s has no argument %qs; there is pointcuts=FILE", args->base_name, args->argv[i].key);
            return 1;
        }
        file = args->argv[i].value;
    }
    if (!sl_pointcuts_read(file, &pointcuts, why, sizeof why)) {
        error("%s", why);
        return 1;
    }
    register_callback(args->base_name, PLUGIN_INFO, NULL, &about);
    register_callback(args->base_name, PLUGIN_FINISH_DECL, note_resolver, NULL);
    register_callback(args->base_name, PLUGIN_FINISH_UNIT, finish, NULL);
    register_callback(args->base_name, PLUGIN_ATTRIBUTES, register_attributes, NULL);
    register_callback(args->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
    return 0;
}
