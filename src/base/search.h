/* search.h -- binary search, and hashes */
#ifndef RANKSH_SEARCH_H
#define RANKSH_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Sets i to the least index for which `holds`, an expression in i, is true, or to `count` if it is
 * never true. `holds` must be false before that index and true after it.
 *
 *      i        0     1     2     3     4     5 = count
 *      holds    no    no    yes   yes   yes            i becomes 2 */
#define SEARCH(i, count, holds)                           \
	do {                                              \
		size_t low_ = 0, high_ = (size_t)(count); \
		while (low_ < high_) {                    \
			(i) = low_ + (high_ - low_) / 2;  \
			if (holds)                        \
				high_ = (i);              \
			else                              \
				low_ = (i) + 1;           \
		}                                         \
		(i) = low_;                               \
	} while (0)

/* FNV-1a, 64 bits (draft-eastlake-fnv). Begin with HASH_BEGIN and add bytes. */
#define HASH_BEGIN UINT64_C(14695981039346656037)
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *byte = bytes;
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
	return hash;
}

#endif
