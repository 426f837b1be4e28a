/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions for people. */
#include "symbols/symbol_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void is_named(const char *symbol, const char *expected)
{
    char *name = fm_symbol_name(symbol);
    assert_string_equal(name, expected);
    free(name);
}

static void cpp(void **state)
{
    (void)state;
    is_named("_ZN9LAMMPS_NS6Verlet3runEi", "LAMMPS_NS::Verlet::run");
    is_named("_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector<int>::size");
    is_named(
        "_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIdSaIdEESt4less"
        "IS5_ESaISt4pairIKS5_S8_EEE5clearEv",
        "std::map<std::string, std::vector<double>>::clear");
    is_named("_ZNSolsEi", "std::ostream::operator<<");
    is_named("_ZN4pool3getISt10unique_ptrI5fieldSt14default_deleteIS2_EEEEvT_",
             "pool::get<std::unique_ptr<field>>");
    is_named("_ZN1AcvbEv", "A::operator bool");
    is_named("_ZN1AclEi", "A::operator()");
    is_named("_ZN1AlsEi", "A::operator<<");
    is_named("_ZnwmPv", "operator new");
    is_named("_Z3fooIiEvT_", "foo<int>");
    is_named("_Z3fooIiEPT_S0_", "foo<int>");
    is_named("_ZN12_GLOBAL__N_13barEv", "(anonymous namespace)::bar");
    is_named("_ZZ4mainENKUlvE_clEv", "main::{lambda#1}");
    is_named("_ZZ4mainENKUlPFviERSt6vectorIiSaIiEEE0_clES0_S4_", "main::{lambda#2}");
    is_named("_ZZ4mainENKUlT_E_clIiEEDaS_", "main::{lambda#1}<int>");
    is_named("_Z3runIZ4mainEUlvE_EvT_", "run<main::{lambda#1}>");
    is_named("_ZNK1B1gEv.cold", "B::g");
    is_named("_Z1fIPFivEEvT_", "f<int (*)()>");
}

/* Both forms, as rustc writes them. */
static void rust(void **state)
{
    (void)state;
    is_named("_ZN4grid4Cell4step17h0123456789abcdefE", "grid::Cell::step");
    is_named("_ZN4grid4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE.llvm.123",
             "grid::main::{{closure}}");
    is_named("_ZN52_$LT$grid..Cell$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE",
             "<grid::Cell as core::ops::drop::Drop>::drop");
    is_named("_ZN4Comm17h0123456789abcdeExyzE", "_ZN4Comm17h0123456789abcdeExyzE"); /* no hash */
#if defined(FERMATA_HAS_LIBIBERTY)
    is_named("_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example");
    is_named("_RNvMCs15kBYyAo9fc_4gridNtB2_4Cell4step", "grid::Cell::step");
    is_named("_RNvXCs15kBYyAo9fc_4gridNtB2_4CellNtB2_5Shape4area",
             "<grid::Cell as grid::Shape>::area");
    is_named("_RNCNvCs15kBYyAo9fc_4grid4main0B3_", "grid::main::{closure#0}");
    is_named("_RINvCs15kBYyAo9fc_4grid3sumdEB2_", "grid::sum::<f64>");
#endif
    is_named("_Rx", "_Rx");
    is_named("_RESTART", "_RESTART"); /* may be C */
}

static void fortran(void **state)
{
    (void)state;
    is_named("__solver_MOD_step", "solver::step");
    is_named("_QMsolverPstep", "solver::step");
    is_named("_QPstep", "step");
    is_named("_QQmain", "main program");
    is_named("solver_mp_step_", "solver::step");
    is_named("step_", "step_"); /* may as well be C */
}

static void c(void **state)
{
    (void)state;
    is_named("main", "main");
    is_named("exchange.constprop.0.isra.0", "exchange");
    is_named("exchange.part.0.cold", "exchange");
    is_named("exchange.lto_priv.3", "exchange");
    is_named("main._omp_fn.0", "main._omp_fn.0"); /* a function of its own */
    is_named("a.b", "a.b");
    is_named("_Z", "_Z"); /* not mangled at all */
    is_named("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpp),
        cmocka_unit_test(rust),
        cmocka_unit_test(fortran),
        cmocka_unit_test(c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
