/* Messages of one rank to itself, while counters are switched on and off by the program, and by the
 * signal SIGUSR2 that it sends to itself: 10 counted, 20 not, 30 counted, 40 not, 50 counted. */
#include <fermata/fermata.h>

#include <mpi.h>
#include <signal.h>

static void send(int count)
{
    char out = 0, in;
    for (int i = 0; i < count; i++) {
        MPI_Sendrecv(&out, 1, MPI_CHAR, 0, 0, &in, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    send(10);
    fermata_pause();
    send(20);
    fermata_resume();
    send(30);
    raise(SIGUSR2);
    send(40);
    raise(SIGUSR2);
    send(50);
    MPI_Finalize();
    return 0;
}
