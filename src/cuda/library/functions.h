/* functions.h -- every function of NVIDIA's libraries that we call, once: library.h makes a table
 * of pointers from this list, open.c looks them up, the tests' stand-in declares its exports with
 * it, and tests/cuda_headers.sh compares it with NVIDIA's headers. To add a function, add a
 * row. */
#ifndef RANKSH_CUDA_FUNCTIONS_H
#define RANKSH_CUDA_FUNCTIONS_H

/* X(name, symbol in the library, 1: required, return type, parameters). The rows of a library are
 * required and return its result, unless written in full; V2: the symbol ends in _v2. */
#define CUDA_ROW(X, name, parameters) X(name, name, 1, CUresult, parameters)
#define CUDA_ROW_V2(X, name, parameters) X(name, name##_v2, 1, CUresult, parameters)
#define CUBLAS_ROW(X, name, parameters) X(name, name, 1, cublasStatus_t, parameters)
#define CUBLAS_ROW_V2(X, name, parameters) X(name, name##_v2, 1, cublasStatus_t, parameters)
#define NCCL_ROW(X, name, parameters) X(name, name, 1, ncclResult_t, parameters)
#define NVRTC_ROW(X, name, parameters) X(name, name, 1, nvrtcResult, parameters)

/* cuModuleGetFunctionCount, cuModuleEnumerateFunctions and cuFuncLoad: from CUDA 12.4 on */
#define CUDA_FUNCTIONS(X)                                                                                    \
	CUDA_ROW(X, cuInit, (unsigned flags))                                                                \
	CUDA_ROW(X, cuDriverGetVersion, (int *version))                                                      \
	CUDA_ROW(X, cuGetErrorName, (CUresult error, const char **name))                                     \
	CUDA_ROW(X, cuGetErrorString, (CUresult error, const char **words))                                  \
	CUDA_ROW(X, cuDeviceGetCount, (int *count))                                                          \
	CUDA_ROW(X, cuDeviceGet, (CUdevice * device, int ordinal))                                           \
	CUDA_ROW(X, cuDeviceGetName, (char *name, int length, CUdevice device))                              \
	CUDA_ROW_V2(X, cuDeviceGetUuid, (CUuuid * uuid, CUdevice device))                                    \
	CUDA_ROW_V2(X, cuDeviceTotalMem, (size_t * bytes, CUdevice device))                                  \
	CUDA_ROW(X, cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device))       \
	CUDA_ROW(X, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                        \
	CUDA_ROW_V2(X, cuDevicePrimaryCtxRelease, (CUdevice device))                                         \
	CUDA_ROW(X, cuCtxSetCurrent, (CUcontext context))                                                    \
	CUDA_ROW(X, cuCtxGetCurrent, (CUcontext * context))                                                  \
	CUDA_ROW(X, cuCtxSynchronize, (void))                                                                \
	CUDA_ROW(X, cuCtxGetStreamPriorityRange, (int *least, int *greatest))                                \
	CUDA_ROW_V2(X, cuMemGetInfo, (size_t * free, size_t * total))                                        \
	CUDA_ROW_V2(X, cuMemAlloc, (CUdeviceptr * at, size_t bytes))                                         \
	CUDA_ROW_V2(X, cuMemFree, (CUdeviceptr at))                                                          \
	CUDA_ROW(X, cuMemHostAlloc, (void **at, size_t bytes, unsigned flags))                               \
	CUDA_ROW(X, cuMemFreeHost, (void *at))                                                               \
	CUDA_ROW_V2(X, cuMemHostRegister, (void *at, size_t bytes, unsigned flags))                          \
	CUDA_ROW(X, cuMemHostUnregister, (void *at))                                                         \
	CUDA_ROW_V2(X, cuMemHostGetDevicePointer, (CUdeviceptr * device, void *host, unsigned flags))        \
	CUDA_ROW(X, cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))        \
	CUDA_ROW_V2(X, cuMemcpyHtoDAsync, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)) \
	CUDA_ROW_V2(X, cuMemcpyDtoHAsync, (void *to, CUdeviceptr from, size_t bytes, CUstream stream))       \
	CUDA_ROW_V2(X, cuMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
	CUDA_ROW(X, cuMemsetD8Async, (CUdeviceptr at, unsigned char value, size_t count, CUstream stream))   \
	CUDA_ROW(X, cuMemsetD32Async, (CUdeviceptr at, unsigned value, size_t count, CUstream stream))       \
	CUDA_ROW(X, cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority))           \
	CUDA_ROW_V2(X, cuStreamDestroy, (CUstream stream))                                                   \
	CUDA_ROW(X, cuStreamQuery, (CUstream stream))                                                        \
	CUDA_ROW(X, cuStreamSynchronize, (CUstream stream))                                                  \
	CUDA_ROW(X, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                     \
	CUDA_ROW_V2(                                                                                         \
	        X, cuStreamWaitValue32, (CUstream stream, CUdeviceptr at, uint32_t value, unsigned flags))   \
	CUDA_ROW_V2(                                                                                         \
	        X, cuStreamWriteValue32, (CUstream stream, CUdeviceptr at, uint32_t value, unsigned flags))  \
	CUDA_ROW_V2(X, cuStreamBatchMemOp,                                                                   \
	        (CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations, unsigned flags))     \
	CUDA_ROW(X, cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *argument))                  \
	CUDA_ROW(X, cuEventCreate, (CUevent * event, unsigned flags))                                        \
	CUDA_ROW_V2(X, cuEventDestroy, (CUevent event))                                                      \
	CUDA_ROW(X, cuEventRecord, (CUevent event, CUstream stream))                                         \
	CUDA_ROW(X, cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags))                \
	CUDA_ROW(X, cuEventQuery, (CUevent event))                                                           \
	CUDA_ROW(X, cuEventSynchronize, (CUevent event))                                                     \
	CUDA_ROW(X, cuEventElapsedTime, (float *ms, CUevent from, CUevent to))                               \
	CUDA_ROW(X, cuModuleLoadDataEx,                                                                      \
	        (CUmodule * module, const void *image, unsigned count, CUjit_option *options,                \
	                void **values))                                                                      \
	CUDA_ROW(X, cuModuleUnload, (CUmodule module))                                                       \
	CUDA_ROW(X, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))         \
	X(cuModuleGetFunctionCount, cuModuleGetFunctionCount, 0, CUresult,                                   \
	        (unsigned *count, CUmodule module))                                                          \
	X(cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, 0, CUresult,                               \
	        (CUfunction * functions, unsigned count, CUmodule module))                                   \
	X(cuFuncLoad, cuFuncLoad, 0, CUresult, (CUfunction function))                                        \
	CUDA_ROW(X, cuLaunchKernel,                                                                          \
	        (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,   \
	                unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,                \
	                void **arguments, void **extra))                                                     \
	CUDA_ROW_V2(X, cuStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode))                    \
	CUDA_ROW(X, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                  \
	CUDA_ROW(X, cuGraphDestroy, (CUgraph graph))                                                         \
	X(cuGraphInstantiate, cuGraphInstantiateWithFlags, 1, CUresult,                                      \
	        (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                         \
	CUDA_ROW(X, cuGraphExecDestroy, (CUgraphExec executable))                                            \
	CUDA_ROW(X, cuGraphLaunch, (CUgraphExec executable, CUstream stream))                                \
	CUDA_ROW(X, cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr at))                            \
	CUDA_ROW_V2(X, cuIpcOpenMemHandle, (CUdeviceptr * at, CUipcMemHandle handle, unsigned flags))        \
	CUDA_ROW(X, cuIpcCloseMemHandle, (CUdeviceptr at))

#define CUBLAS_FUNCTIONS(X)                                                                                  \
	CUBLAS_ROW_V2(X, cublasCreate, (cublasHandle_t * handle))                                            \
	CUBLAS_ROW_V2(X, cublasDestroy, (cublasHandle_t handle))                                             \
	X(cublasGetStatusName, cublasGetStatusName, 1, const char *, (cublasStatus_t status))                \
	X(cublasGetStatusString, cublasGetStatusString, 1, const char *, (cublasStatus_t status))            \
	CUBLAS_ROW_V2(X, cublasSetStream, (cublasHandle_t handle, CUstream stream))                          \
	CUBLAS_ROW_V2(X, cublasSetWorkspace, (cublasHandle_t handle, void *workspace, size_t bytes))         \
	CUBLAS_ROW(X, cublasSetMathMode, (cublasHandle_t handle, cublasMath_t mode))                         \
	CUBLAS_ROW(X, cublasSetAtomicsMode, (cublasHandle_t handle, cublasAtomicsMode_t mode))               \
	CUBLAS_ROW(X, cublasGemmEx,                                                                          \
	        (cublasHandle_t handle, cublasOperation_t a_as, cublasOperation_t b_as, int m, int n, int k, \
	                const void *alpha, const void *a, cudaDataType a_type, int a_pitch, const void *b,   \
	                cudaDataType b_type, int b_pitch, const void *beta, void *c, cudaDataType c_type,    \
	                int c_pitch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm))

#define NCCL_FUNCTIONS(X)                                                                                  \
	NCCL_ROW(X, ncclGetVersion, (int *version))                                                        \
	X(ncclGetErrorString, ncclGetErrorString, 1, const char *, (ncclResult_t result))                  \
	X(ncclGetLastError, ncclGetLastError, 1, const char *, (ncclComm_t comm))                          \
	NCCL_ROW(X, ncclGetUniqueId, (ncclUniqueId * id))                                                  \
	NCCL_ROW(X, ncclCommInitRankConfig,                                                                \
	        (ncclComm_t * comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config))           \
	NCCL_ROW(X, ncclCommGetAsyncError, (ncclComm_t comm, ncclResult_t * error))                        \
	NCCL_ROW(X, ncclCommAbort, (ncclComm_t comm))                                                      \
	NCCL_ROW(X, ncclAllReduce,                                                                         \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op,            \
	                ncclComm_t comm, CUstream stream))                                                 \
	NCCL_ROW(X, ncclBroadcast,                                                                         \
	        (const void *from, void *to, size_t count, ncclDataType_t type, int root, ncclComm_t comm, \
	                CUstream stream))                                                                  \
	NCCL_ROW(X, ncclReduce,                                                                            \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,  \
	                ncclComm_t comm, CUstream stream))                                                 \
	NCCL_ROW(X, ncclAllGather,                                                                         \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t comm,           \
	                CUstream stream))                                                                  \
	NCCL_ROW(X, ncclReduceScatter,                                                                     \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op,            \
	                ncclComm_t comm, CUstream stream))                                                 \
	NCCL_ROW(X, ncclSend,                                                                              \
	        (const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,           \
	                CUstream stream))                                                                  \
	NCCL_ROW(X, ncclRecv,                                                                              \
	        (void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, CUstream stream)) \
	NCCL_ROW(X, ncclGroupStart, (void))                                                                \
	NCCL_ROW(X, ncclGroupEnd, (void))

#define NVRTC_FUNCTIONS(X)                                                                               \
	X(nvrtcGetErrorString, nvrtcGetErrorString, 1, const char *, (nvrtcResult result))               \
	NVRTC_ROW(X, nvrtcVersion, (int *major, int *minor))                                             \
	NVRTC_ROW(X, nvrtcGetNumSupportedArchs, (int *count))                                            \
	NVRTC_ROW(X, nvrtcGetSupportedArchs, (int *architectures))                                       \
	NVRTC_ROW(X, nvrtcCreateProgram,                                                                 \
	        (nvrtcProgram * program, const char *source, const char *name, int count,                \
	                const char *const *headers, const char *const *names))                           \
	NVRTC_ROW(X, nvrtcDestroyProgram, (nvrtcProgram * program))                                      \
	NVRTC_ROW(X, nvrtcCompileProgram, (nvrtcProgram program, int count, const char *const *options)) \
	NVRTC_ROW(X, nvrtcGetPTXSize, (nvrtcProgram program, size_t * bytes))                            \
	NVRTC_ROW(X, nvrtcGetPTX, (nvrtcProgram program, char *ptx))                                     \
	NVRTC_ROW(X, nvrtcGetCUBINSize, (nvrtcProgram program, size_t * bytes))                          \
	NVRTC_ROW(X, nvrtcGetCUBIN, (nvrtcProgram program, char *cubin))                                 \
	NVRTC_ROW(X, nvrtcGetProgramLogSize, (nvrtcProgram program, size_t * bytes))                     \
	NVRTC_ROW(X, nvrtcGetProgramLog, (nvrtcProgram program, char *log))

/* The host clock: CLOCK_MONOTONIC, or the stand-in's virtual clock. host_now: ns.
 * host_sleep_until: blocks the calling thread until that time. host_store: stores a word of
 * pinned or registered memory, for which streams wait (cuStreamWaitValue32), at host time `ns`.
 * It stores at once: the caller has slept until then. Thread-safe, no context needed. */
#define CLOCK_FUNCTIONS(X)                                                  \
	X(host_now, ranksh_host_now, 0, int64_t, (void))                    \
	X(host_sleep_until, ranksh_host_sleep_until, 0, void, (int64_t ns)) \
	X(host_store, ranksh_host_store, 0, void, (uint32_t * word, uint32_t value, int64_t ns))

#endif
