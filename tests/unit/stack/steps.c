/* SPDX-License-Identifier: BSD-3-Clause */
/* Single-steps calls and compares the call stack at every instruction with the calls and returns
 * that were executed. The calls go through the stubs that the linker makes (this program is linked
 * in several ways), into the dynamic linker, the C library, the mathematical libraries, and into
 * code without unwind information. */
#include "steps.h"

#include "record/stack/modules.h"
#include "record/stack/stack.h"

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <x86intrin.h>

#if defined(NO_STUBS)
enum { STUBS_LEAST = 0 };
#else
enum { STUBS_LEAST = 20 };
#endif

enum { CALLS_MOST = 256, STEPS_LEAST = 3000, CALL_LONGEST = 8, TRAP_FLAG = 0x100 };

/* A call that has not returned: where its return address lies, and its value. */
struct call {
    uint64_t place, address;
};

/* Two states of the same stack: one that unwinds completely at each step, one that reuses what it
 * found at earlier steps, as in a recording. */
static struct fm_stack *afresh, *going_on;

static struct {
    struct call calls[CALLS_MOST];
    uint32_t count;
    uint64_t pc, sp; /* before the last instruction */
    bool begun;
    uint32_t outer; /* frames of the function that has begun the steps and of its callers */
    uint64_t outer_pcs[FM_STACK_DEEPEST];
    unsigned steps, stubs, failed;
} run;

static bool stubs_are_bound; /* when the program begins, not by their first call */

static bool is_in_linker(uint64_t pc)
{
    const int number = fm_modules_find(pc);
    const char *path = number >= 0 ? fm_modules_get((uint32_t)number)->path : "";
    return strstr(path, "/ld-linux") != NULL;
}

static bool is_call(uint64_t pc)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)pc;
    while (*code == 0xf2 || *code == 0x3e || *code == 0x66 || (*code & 0xf0) == 0x40) {
        code++;
    }
    return *code == 0xe8 || (*code == 0xff && (code[1] & 0x38) == 0x10);
}

/* Whether the dynamic linker is binding a function. Its resolver keeps the stack pointer of its
 * caller in a register that the recorder does not follow. */
static bool is_binding(uint64_t pc)
{
    bool found = is_in_linker(pc);
    for (uint32_t i = 0; i < run.count && !found; i++) {
        found = is_in_linker(run.calls[i].address);
    }
    return found;
}

/* Updates the list of calls after an instruction. */
static void follow(uint64_t sp)
{
    while (run.count > 0 && run.calls[run.count - 1].place < sp) {
        run.count--;
    }
    uint64_t top = *(const uint64_t *)(uintptr_t)sp;
    if (run.begun && sp == run.sp - sizeof top && top > run.pc && top <= run.pc + CALL_LONGEST &&
        is_call(run.pc) && run.count < CALLS_MOST) {
        run.calls[run.count++] = (struct call){sp, top};
    }
}

static void print_place(uint64_t address)
{
    Dl_info info = {0};
    address &= ~FM_PLACE_EXACT;
    if (dladdr((const void *)(uintptr_t)address, &info) != 0) {
        printf("  %s+0x%lx (%s)\n", info.dli_fname, address - (uint64_t)info.dli_fbase,
               info.dli_sname != NULL ? info.dli_sname : "?");
    } else {
        printf("  0x%lx\n", address);
    }
}

static bool is_right(const struct fm_stack *stack, uint64_t pc)
{
    if (stack->count != run.outer + run.count) {
        return false;
    }
    for (uint32_t i = 0; i + 1 < run.outer; i++) {
        if (stack->frames[i].pc != run.outer_pcs[i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < run.count; i++) {
        if (stack->frames[run.outer - 1 + i].pc != run.calls[i].address) {
            return false;
        }
    }
    return (stack->frames[stack->count - 1].pc & ~FM_PLACE_EXACT) == pc;
}

/* Whether no failure near an address has been printed yet. */
static bool is_new(uint64_t pc)
{
    enum { PRINTED_MOST = 12, NEAR = 64 };
    static uint64_t printed[PRINTED_MOST];
    static int count;
    for (int i = 0; i < count; i++) {
        if (printed[i] / NEAR == pc / NEAR) {
            return false;
        }
    }
    if (count == PRINTED_MOST) {
        return false;
    }
    printed[count++] = pc;
    return true;
}

static void check(const char *name, struct fm_stack *stack, struct fm_registers at)
{
    bool told;
    fm_stack_at_signal(stack, at, true, &told);
    if (!told || !is_right(stack, at.pc)) {
        run.failed++;
        if (is_new(at.pc)) {
            printf("%s, at\n", name);
            print_place(at.pc);
            printf(" is called by (innermost first)\n");
            for (uint32_t i = run.count; i-- > 0;) {
                print_place(run.calls[i].address);
            }
            printf(" but found are\n");
            for (uint32_t i = stack->count; i-- > 0 && i + 1 >= run.outer;) {
                print_place(stack->frames[i].pc);
            }
        }
    }
}

/* Checks the call site of the last step, if that was the jump of a stub to the function that the
 * program calls. */
static void check_stub(struct fm_registers at)
{
    const int from = fm_modules_find(run.pc), to = fm_modules_find(at.pc);
    if (!run.begun || !stubs_are_bound || at.sp != run.sp || from == to || from < 0 || to < 0) {
        return;
    }
    const struct fm_module *called = fm_modules_get((uint32_t)to);
    const uint32_t found = afresh->frames[afresh->count - 1].site;
    run.stubs++;
    if (called->hidden ? found != FM_SITE_HIDDEN
                       : found == FM_SITE_HIDDEN || fm_sites_get(found).module != (uint32_t)to ||
                             fm_sites_get(found).offset != at.pc - called->base) {
        run.failed++;
        printf("the stub\n");
        print_place(run.pc);
        printf(" is not taken to be part of the call of\n");
        print_place(at.pc);
    }
}

static void step(int number, siginfo_t *info, void *context)
{
    const struct fm_registers at = fm_here_interrupted(context);
    bool told;
    (void)number, (void)info;
    check_stub(at);
    follow(at.sp);
    if (!run.begun) {
        fm_stack_at_signal(afresh, at, true, &told);
        fm_stack_at_signal(going_on, at, true, &told);
        run.outer = afresh->count;
        for (uint32_t i = 0; i < run.outer; i++) {
            run.outer_pcs[i] = afresh->frames[i].pc;
        }
        run.begun = true;
    } else if (run.count > 0 && !is_binding(at.pc)) {
        run.steps++;
        fm_stack_forget(afresh);
        check("unwound completely", afresh, at);
        check("unwound from the last step", going_on, at);
    }
    run.pc = at.pc;
    run.sp = at.sp;
}

/* ---- what is stepped through ---- */

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Code that is generated at run time, as by compilers of Java or Julia: with a frame pointer, and
 * space on the stack that is not used. */
static double (*generate(void))(double)
{
    static const unsigned char code[] = {
        0x55,                                     /* push %rbp */
        0x48, 0x89, 0xe5,                         /* mov %rsp, %rbp */
        0x48, 0x81, 0xec, 0x80, 0x00, 0x00, 0x00, /* sub $128, %rsp */
        0x90,                                     /* nop */
        0xf2, 0x0f, 0x58, 0xc0,                   /* addsd %xmm0, %xmm0 */
        0xc9,                                     /* leave */
        0xc3                                      /* ret */
    };
    void *memory = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double (*function)(double);
    memcpy(memory, code, sizeof code);
    memcpy(&function, &memory, sizeof function);
    return function;
}

static double (*generated)(double);

/* The recorder takes code for generated if a module is not found even after the list of modules was
 * read again. */
static void announce_generated(void)
{
    uint64_t words[8] = {0};
    struct fm_registers at = {.sp = (uint64_t)(uintptr_t)words};
    bool told;
    memcpy(&at.pc, &generated, sizeof at.pc);
    fm_stack_at_signal(afresh, at, true, &told);
    if (told) {
        printf("generated code is known before the modules were looked at\n");
        run.failed++;
    }
    fm_places_forget_unloaded();
}

typedef double vector2 __attribute__((vector_size(16)));
vector2 _ZGVbN2v_exp(vector2 x);
vector2 _ZGVbN2v_sin(vector2 x);

static volatile double sum;

static __attribute__((noinline)) void all_calls(void)
{
    double (*volatile by_pointer[])(double) = {sin, steps_bare, steps_bare_frame, steps_outer};
    char text[100], copy[100];
    int numbers[] = {4, 2, 7, 1};
    volatile double x = 0.7;
    sum = sin(x) + exp(x) + pow(x, x) + (double)expf((float)x) + log(x) + tgamma(x);
    sum += steps_aligned(30) + steps_outer(x) + steps_tail(x) + steps_bare(x) + steps_bare_frame(x);
    for (size_t i = 0; i < sizeof by_pointer / sizeof by_pointer[0]; i++) {
        sum += by_pointer[i](x);
    }
    sum += generated(x) + generated(steps_tail(x));
    vector2 both = {x, x + 1};
    both = _ZGVbN2v_exp(both) + _ZGVbN2v_sin(both * 100000);
    sum += both[0];
    snprintf(text, sizeof text, "%.3f %s", sum, "and a text");
    memcpy(copy, text, sizeof copy);
    sum += (double)strlen(copy);
    qsort(numbers, 4, sizeof numbers[0], compare_numbers);
    free(malloc((size_t)numbers[2]));
}

static __attribute__((noinline)) void step_through(void (*calls)(void))
{
    run.begun = false;
    run.count = 0;
    __writeeflags(__readeflags() | TRAP_FLAG);
    calls();
    __writeeflags(__readeflags() & ~(unsigned long long)TRAP_FLAG);
}

int main(void)
{
    stubs_are_bound = getenv("LD_BIND_NOW") != NULL;
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    afresh = fm_stack_begin(1000);
    going_on = fm_stack_begin(1000);
    fm_modules_refresh();
    generated = generate();
    announce_generated();
    sigfillset(&action.sa_mask);
    sigaction(SIGTRAP, &action, NULL);
    raise(SIGTRAP); /* binds the functions that the handler calls */
    step_through(all_calls);
    step_through(all_calls); /* all functions are bound now */
    printf("%u steps, %u stubs, %u failed\n", run.steps, run.stubs, run.failed);
    return run.failed == 0 && run.steps >= STEPS_LEAST &&
                   run.stubs >= (stubs_are_bound ? STUBS_LEAST : 0u)
               ? 0
               : 1;
}
