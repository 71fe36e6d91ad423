/* functions.h -- every function of NVIDIA's libraries that we call, once, for library.h, open.c
 * and the tests' stand-in. */
#ifndef RANKSH_CUDA_FUNCTIONS_H
#define RANKSH_CUDA_FUNCTIONS_H

/* X(name, symbol in the library, 1: required, return type, parameters). An EXPORT is required, and
 * its symbol is its name; that of an EXPORT_V2 ends in _v2. */
#define EXPORT(X, result, name, parameters) X(name, name, 1, result, parameters)
#define EXPORT_V2(X, result, name, parameters) X(name, name##_v2, 1, result, parameters)

/* cuModuleGetFunctionCount, cuModuleEnumerateFunctions and cuFuncLoad: from CUDA 12.4 on */
#define CUDA_FUNCTIONS(X)                                                                                    \
	EXPORT(X, CUresult, cuInit, (unsigned flags))                                                        \
	EXPORT(X, CUresult, cuDriverGetVersion, (int *version))                                              \
	EXPORT(X, CUresult, cuGetErrorName, (CUresult error, const char **name))                             \
	EXPORT(X, CUresult, cuGetErrorString, (CUresult error, const char **words))                          \
	EXPORT(X, CUresult, cuDeviceGetCount, (int *count))                                                  \
	EXPORT(X, CUresult, cuDeviceGet, (CUdevice * device, int ordinal))                                   \
	EXPORT(X, CUresult, cuDeviceGetName, (char *name, int length, CUdevice device))                      \
	EXPORT_V2(X, CUresult, cuDeviceGetUuid, (CUuuid * uuid, CUdevice device))                            \
	EXPORT_V2(X, CUresult, cuDeviceTotalMem, (size_t * bytes, CUdevice device))                          \
	EXPORT(X, CUresult, cuDeviceGetAttribute,                                                            \
	        (int *value, CUdevice_attribute attribute, CUdevice device))                                 \
	EXPORT(X, CUresult, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                \
	EXPORT_V2(X, CUresult, cuDevicePrimaryCtxRelease, (CUdevice device))                                 \
	EXPORT(X, CUresult, cuCtxSetCurrent, (CUcontext context))                                            \
	EXPORT(X, CUresult, cuCtxGetCurrent, (CUcontext * context))                                          \
	EXPORT(X, CUresult, cuCtxSynchronize, (void))                                                        \
	EXPORT(X, CUresult, cuCtxGetStreamPriorityRange, (int *least, int *greatest))                        \
	EXPORT_V2(X, CUresult, cuMemGetInfo, (size_t * free, size_t * total))                                \
	EXPORT_V2(X, CUresult, cuMemAlloc, (CUdeviceptr * at, size_t bytes))                                 \
	EXPORT_V2(X, CUresult, cuMemFree, (CUdeviceptr at))                                                  \
	EXPORT(X, CUresult, cuMemHostAlloc, (void **at, size_t bytes, unsigned flags))                       \
	EXPORT(X, CUresult, cuMemFreeHost, (void *at))                                                       \
	EXPORT_V2(X, CUresult, cuMemHostRegister, (void *at, size_t bytes, unsigned flags))                  \
	EXPORT(X, CUresult, cuMemHostUnregister, (void *at))                                                 \
	EXPORT_V2(                                                                                           \
	        X, CUresult, cuMemHostGetDevicePointer, (CUdeviceptr * device, void *host, unsigned flags))  \
	EXPORT(X, CUresult, cuMemcpyAsync,                                                                   \
	        (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                           \
	EXPORT_V2(X, CUresult, cuMemcpyHtoDAsync,                                                            \
	        (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                           \
	EXPORT_V2(                                                                                           \
	        X, CUresult, cuMemcpyDtoHAsync, (void *to, CUdeviceptr from, size_t bytes, CUstream stream)) \
	EXPORT_V2(X, CUresult, cuMemcpyDtoDAsync,                                                            \
	        (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                           \
	EXPORT(X, CUresult, cuMemsetD8Async,                                                                 \
	        (CUdeviceptr at, unsigned char value, size_t count, CUstream stream))                        \
	EXPORT(X, CUresult, cuMemsetD32Async,                                                                \
	        (CUdeviceptr at, unsigned value, size_t count, CUstream stream))                             \
	EXPORT(X, CUresult, cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority))   \
	EXPORT_V2(X, CUresult, cuStreamDestroy, (CUstream stream))                                           \
	EXPORT(X, CUresult, cuStreamQuery, (CUstream stream))                                                \
	EXPORT(X, CUresult, cuStreamSynchronize, (CUstream stream))                                          \
	EXPORT(X, CUresult, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))             \
	EXPORT_V2(X, CUresult, cuStreamWaitValue32,                                                          \
	        (CUstream stream, CUdeviceptr at, uint32_t value, unsigned flags))                           \
	EXPORT_V2(X, CUresult, cuStreamWriteValue32,                                                         \
	        (CUstream stream, CUdeviceptr at, uint32_t value, unsigned flags))                           \
	EXPORT_V2(X, CUresult, cuStreamBatchMemOp,                                                           \
	        (CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations, unsigned flags))     \
	EXPORT(X, CUresult, cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *argument))          \
	EXPORT(X, CUresult, cuEventCreate, (CUevent * event, unsigned flags))                                \
	EXPORT_V2(X, CUresult, cuEventDestroy, (CUevent event))                                              \
	EXPORT(X, CUresult, cuEventRecord, (CUevent event, CUstream stream))                                 \
	EXPORT(X, CUresult, cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags))        \
	EXPORT(X, CUresult, cuEventQuery, (CUevent event))                                                   \
	EXPORT(X, CUresult, cuEventSynchronize, (CUevent event))                                             \
	EXPORT(X, CUresult, cuEventElapsedTime, (float *ms, CUevent from, CUevent to))                       \
	EXPORT(X, CUresult, cuModuleLoadDataEx,                                                              \
	        (CUmodule * module, const void *image, unsigned count, CUjit_option *options,                \
	                void **values))                                                                      \
	EXPORT(X, CUresult, cuModuleUnload, (CUmodule module))                                               \
	EXPORT(X, CUresult, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name)) \
	X(cuModuleGetFunctionCount, cuModuleGetFunctionCount, 0, CUresult,                                   \
	        (unsigned *count, CUmodule module))                                                          \
	X(cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, 0, CUresult,                               \
	        (CUfunction * functions, unsigned count, CUmodule module))                                   \
	X(cuFuncLoad, cuFuncLoad, 0, CUresult, (CUfunction function))                                        \
	EXPORT(X, CUresult, cuLaunchKernel,                                                                  \
	        (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,   \
	                unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,                \
	                void **arguments, void **extra))                                                     \
	EXPORT_V2(X, CUresult, cuStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode))            \
	EXPORT(X, CUresult, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                          \
	EXPORT(X, CUresult, cuGraphDestroy, (CUgraph graph))                                                 \
	X(cuGraphInstantiate, cuGraphInstantiateWithFlags, 1, CUresult,                                      \
	        (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                         \
	EXPORT(X, CUresult, cuGraphExecDestroy, (CUgraphExec executable))                                    \
	EXPORT(X, CUresult, cuGraphLaunch, (CUgraphExec executable, CUstream stream))                        \
	EXPORT(X, CUresult, cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr at))                    \
	EXPORT_V2(                                                                                           \
	        X, CUresult, cuIpcOpenMemHandle, (CUdeviceptr * at, CUipcMemHandle handle, unsigned flags))  \
	EXPORT(X, CUresult, cuIpcCloseMemHandle, (CUdeviceptr at))

#define CUBLAS_FUNCTIONS(X)                                                                                  \
	EXPORT_V2(X, cublasStatus_t, cublasCreate, (cublasHandle_t * handle))                                \
	EXPORT_V2(X, cublasStatus_t, cublasDestroy, (cublasHandle_t handle))                                 \
	EXPORT(X, const char *, cublasGetStatusName, (cublasStatus_t status))                                \
	EXPORT(X, const char *, cublasGetStatusString, (cublasStatus_t status))                              \
	EXPORT_V2(X, cublasStatus_t, cublasSetStream, (cublasHandle_t handle, CUstream stream))              \
	EXPORT_V2(X, cublasStatus_t, cublasSetWorkspace,                                                     \
	        (cublasHandle_t handle, void *workspace, size_t bytes))                                      \
	EXPORT(X, cublasStatus_t, cublasSetMathMode, (cublasHandle_t handle, cublasMath_t mode))             \
	EXPORT(X, cublasStatus_t, cublasSetAtomicsMode, (cublasHandle_t handle, cublasAtomicsMode_t mode))   \
	EXPORT(X, cublasStatus_t, cublasGemmEx,                                                              \
	        (cublasHandle_t handle, cublasOperation_t a_as, cublasOperation_t b_as, int m, int n, int k, \
	                const void *alpha, const void *a, cudaDataType a_type, int a_pitch, const void *b,   \
	                cudaDataType b_type, int b_pitch, const void *beta, void *c, cudaDataType c_type,    \
	                int c_pitch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm))

#define NCCL_FUNCTIONS(X)                                                                                  \
	EXPORT(X, ncclResult_t, ncclGetVersion, (int *version))                                            \
	EXPORT(X, const char *, ncclGetErrorString, (ncclResult_t result))                                 \
	EXPORT(X, const char *, ncclGetLastError, (ncclComm_t comm))                                       \
	EXPORT(X, ncclResult_t, ncclGetUniqueId, (ncclUniqueId * id))                                      \
	EXPORT(X, ncclResult_t, ncclCommInitRankConfig,                                                    \
	        (ncclComm_t * comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config))           \
	EXPORT(X, ncclResult_t, ncclCommGetAsyncError, (ncclComm_t comm, ncclResult_t * error))            \
	EXPORT(X, ncclResult_t, ncclCommAbort, (ncclComm_t comm))                                          \
	EXPORT(X, ncclResult_t, ncclAllReduce,                                                             \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op,            \
	                ncclComm_t comm, CUstream stream))                                                 \
	EXPORT(X, ncclResult_t, ncclBroadcast,                                                             \
	        (const void *from, void *to, size_t count, ncclDataType_t type, int root, ncclComm_t comm, \
	                CUstream stream))                                                                  \
	EXPORT(X, ncclResult_t, ncclReduce,                                                                \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,  \
	                ncclComm_t comm, CUstream stream))                                                 \
	EXPORT(X, ncclResult_t, ncclAllGather,                                                             \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t comm,           \
	                CUstream stream))                                                                  \
	EXPORT(X, ncclResult_t, ncclReduceScatter,                                                         \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op,            \
	                ncclComm_t comm, CUstream stream))                                                 \
	EXPORT(X, ncclResult_t, ncclSend,                                                                  \
	        (const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,           \
	                CUstream stream))                                                                  \
	EXPORT(X, ncclResult_t, ncclRecv,                                                                  \
	        (void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, CUstream stream)) \
	EXPORT(X, ncclResult_t, ncclGroupStart, (void))                                                    \
	EXPORT(X, ncclResult_t, ncclGroupEnd, (void))

#define NVRTC_FUNCTIONS(X)                                                                     \
	EXPORT(X, const char *, nvrtcGetErrorString, (nvrtcResult result))                     \
	EXPORT(X, nvrtcResult, nvrtcVersion, (int *major, int *minor))                         \
	EXPORT(X, nvrtcResult, nvrtcGetNumSupportedArchs, (int *count))                        \
	EXPORT(X, nvrtcResult, nvrtcGetSupportedArchs, (int *architectures))                   \
	EXPORT(X, nvrtcResult, nvrtcCreateProgram,                                             \
	        (nvrtcProgram * program, const char *source, const char *name, int count,      \
	                const char *const *headers, const char *const *names))                 \
	EXPORT(X, nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram * program))                  \
	EXPORT(X, nvrtcResult, nvrtcCompileProgram,                                            \
	        (nvrtcProgram program, int count, const char *const *options))                 \
	EXPORT(X, nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram program, size_t * bytes))        \
	EXPORT(X, nvrtcResult, nvrtcGetPTX, (nvrtcProgram program, char *ptx))                 \
	EXPORT(X, nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram program, size_t * bytes))      \
	EXPORT(X, nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram program, char *cubin))             \
	EXPORT(X, nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram program, size_t * bytes)) \
	EXPORT(X, nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram program, char *log))

/* The host clock: CLOCK_MONOTONIC, or the stand-in's virtual clock. host_now: ns.
 * host_sleep_until: blocks the calling thread until that time. host_store: stores a word of pinned
 * or registered memory, for which streams wait (cuStreamWaitValue32), at host time `ns`. It stores
 * at once; the caller sleeps until then first. Thread-safe, no context needed. */
#define CLOCK_FUNCTIONS(X)                                                  \
	X(host_now, ranksh_host_now, 0, int64_t, (void))                    \
	X(host_sleep_until, ranksh_host_sleep_until, 0, void, (int64_t ns)) \
	X(host_store, ranksh_host_store, 0, void, (uint32_t * word, uint32_t value, int64_t ns))

#endif
