/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts what recorded calls execute in fermata's libraries: each instruction traps (the trap flag
 * of x86), and the handler counts the instructions of these libraries, and the conditional jumps
 * among them. Prints for each call and state: STATE CALL INSTRUCTIONS JUMPS.
 *
 * Counting is switched off by fermata_pause, with no request open, with one, and on again. */
#define _GNU_SOURCE
#include <fermata/fermata.h>

#include <link.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100, RANGES = 64 };

static struct {
    uint64_t begin, end;
} ranges[RANGES];
static int range_count;
static volatile unsigned long instructions, jumps;

/* Notes where the code of fermata's libraries is. */
static int note(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; strstr(info->dlpi_name, "/libfermata-") != NULL && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0 && range_count < RANGES) {
            ranges[range_count].begin = info->dlpi_addr + part->p_vaddr;
            ranges[range_count++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        }
    }
    return 0;
}

static int is_jump(const unsigned char *code)
{
    while (*code == 0x2e || *code == 0x3e || *code == 0xf2) { /* prefixes */
        code++;
    }
    return (code[0] >= 0x70 && code[0] <= 0x7f) || (code[0] == 0x0f && (code[1] & 0xf0) == 0x80);
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    uint64_t place = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    (void)number;
    (void)info;
    for (int i = 0; i < range_count; i++) {
        if (place >= ranges[i].begin && place < ranges[i].end) {
            instructions++;
            jumps += (unsigned long)is_jump((const unsigned char *)place);
        }
    }
}

#define TRAP(change)                                                                               \
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; " change "; popfq; lea 128(%%rsp), %%rsp" :: \
                         : "memory", "cc")

/* Executes a call twice, the second time with traps, and prints what it executed. */
#define COUNT(state, name, call)                                                                   \
    do {                                                                                           \
        call;                                                                                      \
        instructions = jumps = 0;                                                                  \
        TRAP("orq $0x100, (%%rsp)");                                                               \
        call;                                                                                      \
        TRAP("andq $-257, (%%rsp)");                                                               \
        printf("%s %s %lu %lu\n", state, name, instructions, jumps);                               \
    } while (0)

static MPI_Request request;

static void wait_for_nothing(void)
{
    MPI_Request nothing = MPI_REQUEST_NULL;
    MPI_Wait(&nothing, MPI_STATUS_IGNORE);
}

static void count_all(const char *state, MPI_Win window)
{
    char data[8] = {0};
    int flag;
    COUNT(state, "MPI_Send", MPI_Send(data, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF));
    COUNT(state, "MPI_Recv",
          MPI_Recv(data, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    COUNT(state, "MPI_Sendrecv",
          MPI_Sendrecv(data, 1, MPI_CHAR, MPI_PROC_NULL, 0, data + 4, 1, MPI_CHAR, MPI_PROC_NULL, 0,
                       MPI_COMM_SELF, MPI_STATUS_IGNORE));
    COUNT(state, "MPI_Iprobe",
          MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    COUNT(state, "MPI_Barrier", MPI_Barrier(MPI_COMM_SELF));
    COUNT(state, "MPI_Bcast", MPI_Bcast(data, 1, MPI_CHAR, 0, MPI_COMM_SELF));
    COUNT(state, "MPI_Put", MPI_Put(data, 1, MPI_CHAR, MPI_PROC_NULL, 0, 1, MPI_CHAR, window));
    COUNT(state, "MPI_Wtime", MPI_Wtime());
    COUNT(state, "MPI_Wait", wait_for_nothing());
}

int main(int argc, char **argv)
{
    char data = 0, sent = 1;
    MPI_Win window;
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    MPI_Init(&argc, &argv);
    MPI_Win_create(&data, 1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
    MPI_Win_fence(0, window);
    dl_iterate_phdr(note, NULL);
    sigaction(SIGTRAP, &action, NULL);
    count_all("on", window);
    fermata_pause();
    count_all("off", window);
    fermata_resume();
    MPI_Irecv(&data, 1, MPI_CHAR, 0, 7, MPI_COMM_SELF, &request);
    fermata_pause();
    COUNT("open", "MPI_Wait", wait_for_nothing());
    MPI_Send(&sent, 1, MPI_CHAR, 0, 7, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    COUNT("closed", "MPI_Wait", wait_for_nothing());
    fermata_resume();
    count_all("again", window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
