/* convert.cu -- copies from one type and order to another (cast and others) */
#include "elements.cuh"

ELEMENTWISE(convert_copy, 1, a)
