/* dropout.cu -- dropout, which is its own gradient (src/kernels/dropout.c) */
#include "cuda/kernels/elements.cuh"
#include "base/philox.h"

enum { P, SEED, AT, WIDTH, LENGTH, KEEP };

struct op_dropout {
	enum { TENSORS = 2, READS = 1, WRITES = 2 };
	typedef double number;
	ELEMENTS_RUN
	{
		long long length = (long long)option[LENGTH], row = from / length,
		          column = from - row * length;
		unsigned long long at = (unsigned long long)option[AT], block = ~0ull;
		unsigned word[4] = {};
		for (int i = 0; i < V; i++) {
			unsigned long long place = at +
			        (unsigned long long)row * (unsigned long long)option[WIDTH] +
			        (unsigned long long)column;
			if (place / 4 != block) {
				block = place / 4;
				philox((unsigned long long)(long long)option[SEED], block, word);
			}
			unsigned mine = place % 4 == 0 ? word[0]
			        : place % 4 == 1       ? word[1]
			        : place % 4 == 2       ? word[2]
			                               : word[3];
			v[1][i] = philox_uniform_of(mine) < option[P] ? 0 : v[0][i] * option[KEEP];
			if (++column == length) {
				column = 0;
				row++;
			}
		}
	}
};

ELEMENTS_KERNEL(dropout)
