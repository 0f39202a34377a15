/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"
#include "weave/advice.h"
#include "weave/function_name.h"
#include "weave/pointcut_file.h"

#include <unistd.h>

static const struct {
    const char *text;
    enum sl_advice_kind kind;
    const char *pointcut, *scope, *flow; /* or what is wrong */
} annotations[] = {
    {"@critical_path()", SL_ADVICE, "around", "NA", "NA"},
    {"@critical_path  (  )", SL_ADVICE, "around", "NA", "NA"},
    {"@perfflowaspect.aspect.critical_path ()", SL_ADVICE, "around", "NA", "NA"},
    {"@critical_path (pointcut='around')", SL_ADVICE, "around", "NA", "NA"},
    {"@critical_path (pointcut\t='around')", SL_ADVICE, "around", "NA", "NA"},
    {"@critical_path (pointcut='before', scope='foo')", SL_ADVICE, "before", "foo", "NA"},
    {"@critical_path (scope='foo', pointcut='before', flow='in')", SL_ADVICE, "before", "foo", "in"},
    {"@critical_path (scope='', pointcut='before')", SL_ADVICE, "before", "", "NA"},
    {" \n@critical_path(flow=\"outin\")\n ", SL_ADVICE, "around", "NA", "outin"},
    {"@critical_path(scope='it\\'s')", SL_ADVICE, "around", "it's", "NA"},
    {"@critical_path(scope='a',scope='b')", SL_ADVICE, "around", "b", "NA"},
    {"@critical_path(pointcut='after_async')", SL_ADVICE, "after_async", "NA", "NA"},
    {"critical_path()", SL_ADVICE_OTHERS, NULL, NULL, NULL},
    {"", SL_ADVICE_OTHERS, NULL, NULL, NULL},
    {"@", SL_ADVICE_OTHERS, NULL, NULL, NULL},
    {"hot", SL_ADVICE_OTHERS, NULL, NULL, NULL},
    {"@critical", SL_ADVICE_BAD, "@critical_path() is wanted", NULL, NULL},
    {"@critical_path", SL_ADVICE_BAD, "@critical_path() is wanted", NULL, NULL},
    {"@critical_paths()", SL_ADVICE_BAD, "@critical_path() is wanted", NULL, NULL},
    {"@perfflowaspect.aspect()", SL_ADVICE_BAD, "@critical_path() is wanted", NULL, NULL},
    {"@critical_path(", SL_ADVICE_BAD, "pointcut, scope or flow is wanted at ''", NULL, NULL},
    {"@critical_path(,)", SL_ADVICE_BAD, "pointcut, scope or flow is wanted at ',)'", NULL, NULL},
    {"@critical_path(flow='in',)", SL_ADVICE_BAD, "pointcut, scope or flow is wanted at ')'", NULL, NULL},
    {"@critical_path(flow='NA')", SL_ADVICE_BAD, "there is no flow 'NA'; there are in, out, inout, outin", NULL, NULL},
    {"@critical_path(scope='x)", SL_ADVICE_BAD, "a value in quotes is wanted, as in scope='...'", NULL, NULL},
    {"@critical_path() x", SL_ADVICE_BAD, "what follows is not understood: 'x'", NULL, NULL},
    {"@critical_path(flow='in'", SL_ADVICE_BAD, "a ')' is missing", NULL, NULL},
};

static void test_annotations(void **state)
{
    struct sl_advice a;
    char why[300];

    (void)state;
    for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++) {
        assert_int_equal(sl_advice_parse(annotations[i].text, &a, why, sizeof why), annotations[i].kind);
        if (annotations[i].kind == SL_ADVICE) {
            assert_string_equal(a.pointcut, annotations[i].pointcut);
            assert_string_equal(a.scope, annotations[i].scope);
            assert_string_equal(a.flow, annotations[i].flow);
        } else if (annotations[i].kind == SL_ADVICE_BAD) {
            assert_string_equal(why, annotations[i].pointcut);
        }
    }
}

/* What c++filt prints of these symbols, without parameters; of lambdas gcc's and clang's. */
static const struct {
    const char *symbol, *full, *function, *qualifier, *last;
} names[] = {
    {"main", "main", "main", "", "main"},
    {"_Z3addIiET_S0_S0_", "int add<int>", "add", "", "add"},
    {"_ZZ4mainENKUlvE_clEv", "main::{lambda}::operator()", "main::{lambda}::operator()", "main::{lambda}",
     "operator()"},
    {"_ZZ4mainENK3$_0clEv", "main::{lambda}::operator()", "main::{lambda}::operator()", "main::{lambda}", "operator()"},
    {"_ZZN1B1fEiEN1L1mEi", "B::f::L::m", "B::f::L::m", "B::f::L", "m"},
    {"_ZN12_GLOBAL__N_16hiddenEi", "(anonymous namespace)::hidden", "(anonymous namespace)::hidden",
     "(anonymous namespace)", "hidden"},
    {"_ZN12_GLOBAL__N_14anonIiEEvT_", "void (anonymous namespace)::anon<int>", "(anonymous namespace)::anon",
     "(anonymous namespace)", "anon"},
    {"_ZNKSt8functionIFviEEclEi", "std::function<void (int)>::operator()", "std::function::operator()", "std::function",
     "operator()"},
    {"_ZNK1AltERKS_", "A::operator<", "A::operator<", "A", "operator<"},
    {"_ZN1AptEv", "A::operator->", "A::operator->", "A", "operator->"},
    {"_ZNK1AcviEv", "A::operator int", "A::operator int", "A", "operator int"},
    {"_Zrs1BS_", "operator>>", "operator>>", "", "operator>>"},
    {"_Z3decIiEDTplfp_fp_ET_", "decltype ({parm#1}+{parm#1}) dec<int>", "dec", "", "dec"},
    /* Those that return pointers and references to functions and arrays, and conversions to such. */
    {"_Z4pickIiEPFiT_ES0_", "pick<int>", "pick", "", "pick"},
    {"_Z4pickIiEM1AFvT_ES1_", "pick<int>", "pick", "", "pick"},
    {"_ZN1A3rowIiEERA3_T_v", "A::row<int>", "A::row", "A", "row"},
    {"_ZNK1AcvPFiiEEv", "A::operator int (*)(int)", "A::operator int (*)(int)", "A", "operator int (*)(int)"},
    {"_ZStlsIcERSoS0_PKT_", "std::ostream& std::operator<< <char>", "std::operator<<", "std", "operator<<"},
    {"_Z4wideIiENSt9enable_ifIXgtstT_Li2EEiE4typeES1_", "std::enable_if<((sizeof (int))>(2)), int>::type wide<int>",
     "wide", "", "wide"},
    {"_ZZN1A1fEvENKUlvE_clEv.isra.0", "A::f::{lambda}::operator()", "A::f::{lambda}::operator()", "A::f::{lambda}",
     "operator()"},
    {"_Zoops", "_Zoops", "_Zoops", "", "_Zoops"},
};

/* Of gcc's and clang's objects. */
static const struct {
    const char *symbol;
    bool yes;
} made[] = {
    {"_GLOBAL__sub_I_main", true},
    {"__cxx_global_var_init.1", true},
    {"_ZThn8_N4Both5rightEv", true},
    {"_ZTW3own", true},
    {"_ZZ4mainENUliE_4_FUNEi", true},
    {"_ZZ4mainEN3$_08__invokeEi", true},
    {"_ZZ4mainENK3$_0cvPFiiEEv", true},
    {"_ZZ4mainENKUliE_cvPFiiEEv", true},
    {"_ZZ4mainENK3$_0clEi", false},
    {"_ZNK5PickscvPFiiEEv", false},
    {"main", false},
};

static void test_names(void **state)
{
    struct sl_function_name n;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sl_function_name(names[i].symbol, NULL, &n);
        assert_string_equal(n.full, names[i].full);
        assert_string_equal(n.function, names[i].function);
        assert_string_equal(n.qualifier, names[i].qualifier);
        assert_string_equal(n.last, names[i].last);
    }
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_int_equal(sl_function_is_made(made[i].symbol), made[i].yes);
    assert_true(sl_function_delegates("_ZN1SC1Ev", "_ZN1SC2Ev"));
    assert_true(sl_function_delegates("_ZN1SD0Ev", "_ZN1SD1Ev"));
    assert_false(sl_function_delegates("_ZN1SC1Ev", "_ZN1TC2Ev"));
    assert_false(sl_function_delegates("_ZN1SC1Ev", "_ZN1SC1Ev"));
    assert_false(sl_function_delegates("step_D1", "step_D2"));
}

static bool decides(const char *text, const char *symbol, const char *module, char *why, size_t n)
{
    const struct sl_pointcut_rule *r = NULL;
    struct sl_function_name name;
    char file[] = "/tmp/spanloom-XXXXXX";
    struct sl_pointcuts p;
    int fd = mkstemp(file);

    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !close(fd));
    sl_function_name(symbol, NULL, &name);
    *why = 0;
    if (sl_pointcuts_read(file, &p, why, n))
        r = sl_pointcuts_find(&p, module, &name);
    bool include = r && r->include;
    sl_pointcuts_free(&p);
    unlink(file);
    return include;
}

static void test_rules(void **state)
{
    static const struct {
        const char *rules, *symbol, *module;
        bool include;
    } cases[] = {
        {"include", "main", "a.c", true},
        {"", "main", "a.c", false},
        {"# include\n\n  \t\r\n", "main", "a.c", false},
        {"include module=a.c", "f", "src/a.c", true},
        {"include module=src/*", "f", "src/deep/a.c", true},
        {"include module=src", "f", "src/a.c", false},
        {"include\nexclude function=f", "f", "a.c", false},
        {"exclude function=f\ninclude", "f", "a.c", true},
        {"include function=operator()", "_ZZ4mainENKUlvE_clEv", "a.cc", true},
        {"include function=main::*", "_ZZ4mainENKUlvE_clEv", "a.cc", true},
        {"include class=L function=m", "_ZZN1B1fEiEN1L1mEi", "a.cc", true},
        {"include class=B", "_ZZN1B1fEiEN1L1mEi", "a.cc", false},
        {"include class=\"\"", "main", "a.cc", true},
        {"include function=add", "_Z3addIiET_S0_S0_", "a.cc", true},
        {"include function=\"int add<int>\"", "_Z3addIiET_S0_S0_", "a.cc", true},
        {"include function=\"int add<double>\"", "_Z3addIiET_S0_S0_", "a.cc", false},
    };
    char why[600];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(decides(cases[i].rules, cases[i].symbol, cases[i].module, why, sizeof why), cases[i].include);
        assert_string_equal(why, "");
    }
    decides("include\n\ninclude function", "f", "a.c", why, sizeof why);
    assert_non_null(strstr(why, ":3: key=value is wanted at 'function'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annotations),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
