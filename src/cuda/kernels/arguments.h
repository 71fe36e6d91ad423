/* arguments.h -- what a kernel on a GPU is given: one struct by value, read by the planner (C) and by the kernels (CUDA) alike; plain types
 * only, as NVRTC has no headers of its own */
#ifndef RANKSH_CUDA_ARGUMENTS_H
#define RANKSH_CUDA_ARGUMENTS_H

enum { STRIDED_DIMS = 6, ELEMENTS_TENSORS = 5, ELEMENTS_OPTIONS = 6, THREADS = 256 };

/* A tensor; strides in elements, 0 where a dimension is repeated */
struct strided {
	void *data;
	int dtype; /* enum dtype */
	int dims;
	long long dim[STRIDED_DIMS], stride[STRIDED_DIMS];
};

/* Element by element: the kernel's arguments in order, then its result; all have the shape of the result, dimensions that lie in one line in
 * all of them are merged. */
struct elements {
	long long count, dim[STRIDED_DIMS];
	int dims;
	int add; /* += : the result's old value is added in double */
	int wide; /* elements go in groups of four: a group lies in one line, and begins where a vector of four may */
	struct {
		void *data;
		long long stride[STRIDED_DIMS];
		int dtype;
	} tensor[ELEMENTS_TENSORS];
	double option[ELEMENTS_OPTIONS];
};

#endif
