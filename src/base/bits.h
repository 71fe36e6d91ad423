/* bits.h -- the bits of a float and of a double: (union float_bits){value}.bits, and back
 * (union float_bits){.bits = bits}.value */
#ifndef RANKSH_BITS_H
#define RANKSH_BITS_H

#include <stdint.h>

union float_bits {
	float value;
	uint32_t bits;
};
union double_bits {
	double value;
	uint64_t bits;
};

#endif
