/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that pass a number round, in MPI: mpicc ring.c $(spanloom flags c) -o ring && spanloom run -- mpirun -n 4
 * ./ring */
#include <spanloom/trace.h>

#include <mpi.h>
#include <stdio.h>
#include <time.h>

static void compute(int rank)
{
    SPANLOOM_SPAN("compute");
    struct timespec t = {0, 1000000 * (rank + 1)}; /* the last rank is the slowest */

    nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
    int rank, ranks, number = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < 5; round++) {
        SPANLOOM_SPAN("round");
        sl_arg_int("round", round);
        compute(rank);
        if (rank == 0) {
            SPANLOOM_FLOW_OUT("number", (uint64_t)(round * ranks + 1));
            MPI_Send(&number, 1, MPI_INT, 1 % ranks, round, MPI_COMM_WORLD);
        }
        {
            SPANLOOM_SPAN("receive");
            MPI_Recv(&number, 1, MPI_INT, (rank + ranks - 1) % ranks, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            SPANLOOM_FLOW_IN("number", (uint64_t)(round * ranks + (rank ? rank : ranks)));
        }
        number++;
        if (rank != 0) {
            SPANLOOM_FLOW_OUT("number", (uint64_t)(round * ranks + rank + 1));
            MPI_Send(&number, 1, MPI_INT, (rank + 1) % ranks, round, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("%d\n", number);
    MPI_Finalize();
    return 0;
}
