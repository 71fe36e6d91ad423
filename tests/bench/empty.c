/* empty.c -- the least an MPI program can do: the baseline of ranksh's start */
#include <mpi.h>

int main(int count, char **argument)
{
	MPI_Init(&count, &argument);
	MPI_Finalize();
	return 0;
}
