/* nvrtc.h -- the part of NVRTC, the run-time compiler, that we use (see driver.h) */
#ifndef RANKSH_CUDA_NVRTC_H
#define RANKSH_CUDA_NVRTC_H

typedef struct _nvrtcProgram *nvrtcProgram;
typedef enum {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_OUT_OF_MEMORY = 1,
	NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
	NVRTC_ERROR_INVALID_INPUT = 3,
	NVRTC_ERROR_INVALID_PROGRAM = 4,
	NVRTC_ERROR_INVALID_OPTION = 5,
	NVRTC_ERROR_COMPILATION = 6
} nvrtcResult;

#endif
