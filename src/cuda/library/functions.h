/* functions.h -- every function of NVIDIA's libraries that we call, once: library.h makes a table
 * of pointers from this list, open.c looks them up, the tests' stand-in declares its exports with
 * it, and tests/cuda_headers.sh compares it with NVIDIA's headers. To add a function, add a
 * row. */
#ifndef RANKSH_CUDA_FUNCTIONS_H
#define RANKSH_CUDA_FUNCTIONS_H

/* X(name, symbol in the library, 1: required, return type, parameters) */

/* cuModuleGetFunctionCount, cuModuleEnumerateFunctions and cuFuncLoad: from CUDA 12.4 on */
#define CUDA_FUNCTIONS(X)                                                                               \
	X(cuInit, cuInit, 1, CUresult, (unsigned int flags))                                            \
	X(cuDriverGetVersion, cuDriverGetVersion, 1, CUresult, (int *version))                          \
	X(cuGetErrorName, cuGetErrorName, 1, CUresult, (CUresult error, const char **name))             \
	X(cuGetErrorString, cuGetErrorString, 1, CUresult, (CUresult error, const char **words))        \
	X(cuDeviceGetCount, cuDeviceGetCount, 1, CUresult, (int *count))                                \
	X(cuDeviceGet, cuDeviceGet, 1, CUresult, (CUdevice * device, int ordinal))                      \
	X(cuDeviceGetName, cuDeviceGetName, 1, CUresult, (char *name, int length, CUdevice device))     \
	X(cuDeviceGetUuid, cuDeviceGetUuid_v2, 1, CUresult, (CUuuid * uuid, CUdevice device))           \
	X(cuDeviceTotalMem, cuDeviceTotalMem_v2, 1, CUresult, (size_t * bytes, CUdevice device))        \
	X(cuDeviceGetAttribute, cuDeviceGetAttribute, 1, CUresult,                                      \
	        (int *value, CUdevice_attribute attribute, CUdevice device))                            \
	X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 1, CUresult,                              \
	        (CUcontext * context, CUdevice device))                                                 \
	X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 1, CUresult, (CUdevice device))      \
	X(cuCtxSetCurrent, cuCtxSetCurrent, 1, CUresult, (CUcontext context))                           \
	X(cuCtxGetCurrent, cuCtxGetCurrent, 1, CUresult, (CUcontext * context))                         \
	X(cuCtxSynchronize, cuCtxSynchronize, 1, CUresult, (void))                                      \
	X(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 1, CUresult,                        \
	        (int *least, int *greatest))                                                            \
	X(cuMemGetInfo, cuMemGetInfo_v2, 1, CUresult, (size_t * free, size_t * total))                  \
	X(cuMemAlloc, cuMemAlloc_v2, 1, CUresult, (CUdeviceptr * at, size_t bytes))                     \
	X(cuMemFree, cuMemFree_v2, 1, CUresult, (CUdeviceptr at))                                       \
	X(cuMemHostAlloc, cuMemHostAlloc, 1, CUresult, (void **at, size_t bytes, unsigned int flags))   \
	X(cuMemFreeHost, cuMemFreeHost, 1, CUresult, (void *at))                                        \
	X(cuMemHostRegister, cuMemHostRegister_v2, 1, CUresult,                                         \
	        (void *at, size_t bytes, unsigned int flags))                                           \
	X(cuMemHostUnregister, cuMemHostUnregister, 1, CUresult, (void *at))                            \
	X(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 1, CUresult,                         \
	        (CUdeviceptr * device, void *host, unsigned int flags))                                 \
	X(cuMemcpyAsync, cuMemcpyAsync, 1, CUresult,                                                    \
	        (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                      \
	X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 1, CUresult,                                         \
	        (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                      \
	X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 1, CUresult,                                         \
	        (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                            \
	X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 1, CUresult,                                         \
	        (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                      \
	X(cuMemsetD8Async, cuMemsetD8Async, 1, CUresult,                                                \
	        (CUdeviceptr at, unsigned char value, size_t count, CUstream stream))                   \
	X(cuMemsetD32Async, cuMemsetD32Async, 1, CUresult,                                              \
	        (CUdeviceptr at, unsigned int value, size_t count, CUstream stream))                    \
	X(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 1, CUresult,                          \
	        (CUstream * stream, unsigned int flags, int priority))                                  \
	X(cuStreamDestroy, cuStreamDestroy_v2, 1, CUresult, (CUstream stream))                          \
	X(cuStreamQuery, cuStreamQuery, 1, CUresult, (CUstream stream))                                 \
	X(cuStreamSynchronize, cuStreamSynchronize, 1, CUresult, (CUstream stream))                     \
	X(cuStreamWaitEvent, cuStreamWaitEvent, 1, CUresult,                                            \
	        (CUstream stream, CUevent event, unsigned int flags))                                   \
	X(cuStreamWaitValue32, cuStreamWaitValue32_v2, 1, CUresult,                                     \
	        (CUstream stream, CUdeviceptr at, uint32_t value, unsigned int flags))                  \
	X(cuStreamWriteValue32, cuStreamWriteValue32_v2, 1, CUresult,                                   \
	        (CUstream stream, CUdeviceptr at, uint32_t value, unsigned int flags))                  \
	X(cuStreamBatchMemOp, cuStreamBatchMemOp_v2, 1, CUresult,                                       \
	        (CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations,             \
	                unsigned int flags))                                                            \
	X(cuLaunchHostFunc, cuLaunchHostFunc, 1, CUresult,                                              \
	        (CUstream stream, CUhostFn function, void *argument))                                   \
	X(cuEventCreate, cuEventCreate, 1, CUresult, (CUevent * event, unsigned int flags))             \
	X(cuEventDestroy, cuEventDestroy_v2, 1, CUresult, (CUevent event))                              \
	X(cuEventRecord, cuEventRecord, 1, CUresult, (CUevent event, CUstream stream))                  \
	X(cuEventRecordWithFlags, cuEventRecordWithFlags, 1, CUresult,                                  \
	        (CUevent event, CUstream stream, unsigned int flags))                                   \
	X(cuEventQuery, cuEventQuery, 1, CUresult, (CUevent event))                                     \
	X(cuEventSynchronize, cuEventSynchronize, 1, CUresult, (CUevent event))                         \
	X(cuEventElapsedTime, cuEventElapsedTime, 1, CUresult,                                          \
	        (float *milliseconds, CUevent from, CUevent to))                                        \
	X(cuModuleLoadDataEx, cuModuleLoadDataEx, 1, CUresult,                                          \
	        (CUmodule * module, const void *image, unsigned int count, CUjit_option *options,       \
	                void **values))                                                                 \
	X(cuModuleUnload, cuModuleUnload, 1, CUresult, (CUmodule module))                               \
	X(cuModuleGetFunction, cuModuleGetFunction, 1, CUresult,                                        \
	        (CUfunction * function, CUmodule module, const char *name))                             \
	X(cuModuleGetFunctionCount, cuModuleGetFunctionCount, 0, CUresult,                              \
	        (unsigned int *count, CUmodule module))                                                 \
	X(cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, 0, CUresult,                          \
	        (CUfunction * functions, unsigned int count, CUmodule module))                          \
	X(cuFuncLoad, cuFuncLoad, 0, CUresult, (CUfunction function))                                   \
	X(cuLaunchKernel, cuLaunchKernel, 1, CUresult,                                                  \
	        (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,    \
	                unsigned int block_x, unsigned int block_y, unsigned int block_z,               \
	                unsigned int shared, CUstream stream, void **arguments, void **extra))          \
	X(cuStreamBeginCapture, cuStreamBeginCapture_v2, 1, CUresult,                                   \
	        (CUstream stream, CUstreamCaptureMode mode))                                            \
	X(cuStreamEndCapture, cuStreamEndCapture, 1, CUresult, (CUstream stream, CUgraph * graph))      \
	X(cuGraphDestroy, cuGraphDestroy, 1, CUresult, (CUgraph graph))                                 \
	X(cuGraphInstantiate, cuGraphInstantiateWithFlags, 1, CUresult,                                 \
	        (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                    \
	X(cuGraphExecDestroy, cuGraphExecDestroy, 1, CUresult, (CUgraphExec executable))                \
	X(cuGraphLaunch, cuGraphLaunch, 1, CUresult, (CUgraphExec executable, CUstream stream))         \
	X(cuIpcGetMemHandle, cuIpcGetMemHandle, 1, CUresult, (CUipcMemHandle * handle, CUdeviceptr at)) \
	X(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, 1, CUresult,                                       \
	        (CUdeviceptr * at, CUipcMemHandle handle, unsigned int flags))                          \
	X(cuIpcCloseMemHandle, cuIpcCloseMemHandle, 1, CUresult, (CUdeviceptr at))

#define CUBLAS_FUNCTIONS(X)                                                                                  \
	X(cublasCreate, cublasCreate_v2, 1, cublasStatus_t, (cublasHandle_t * handle))                       \
	X(cublasDestroy, cublasDestroy_v2, 1, cublasStatus_t, (cublasHandle_t handle))                       \
	X(cublasGetStatusName, cublasGetStatusName, 1, const char *, (cublasStatus_t status))                \
	X(cublasGetStatusString, cublasGetStatusString, 1, const char *, (cublasStatus_t status))            \
	X(cublasSetStream, cublasSetStream_v2, 1, cublasStatus_t, (cublasHandle_t handle, CUstream stream))  \
	X(cublasSetWorkspace, cublasSetWorkspace_v2, 1, cublasStatus_t,                                      \
	        (cublasHandle_t handle, void *workspace, size_t bytes))                                      \
	X(cublasSetMathMode, cublasSetMathMode, 1, cublasStatus_t,                                           \
	        (cublasHandle_t handle, cublasMath_t mode))                                                  \
	X(cublasSetAtomicsMode, cublasSetAtomicsMode, 1, cublasStatus_t,                                     \
	        (cublasHandle_t handle, cublasAtomicsMode_t mode))                                           \
	X(cublasGemmEx, cublasGemmEx, 1, cublasStatus_t,                                                     \
	        (cublasHandle_t handle, cublasOperation_t a_as, cublasOperation_t b_as, int m, int n, int k, \
	                const void *alpha, const void *a, cudaDataType a_type, int a_pitch, const void *b,   \
	                cudaDataType b_type, int b_pitch, const void *beta, void *c, cudaDataType c_type,    \
	                int c_pitch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm))

#define NCCL_FUNCTIONS(X)                                                                                \
	X(ncclGetVersion, ncclGetVersion, 1, ncclResult_t, (int *version))                               \
	X(ncclGetErrorString, ncclGetErrorString, 1, const char *, (ncclResult_t result))                \
	X(ncclGetLastError, ncclGetLastError, 1, const char *, (ncclComm_t communicator))                \
	X(ncclGetUniqueId, ncclGetUniqueId, 1, ncclResult_t, (ncclUniqueId * id))                        \
	X(ncclCommInitRankConfig, ncclCommInitRankConfig, 1, ncclResult_t,                               \
	        (ncclComm_t * communicator, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config)) \
	X(ncclCommGetAsyncError, ncclCommGetAsyncError, 1, ncclResult_t,                                 \
	        (ncclComm_t communicator, ncclResult_t * error))                                         \
	X(ncclCommAbort, ncclCommAbort, 1, ncclResult_t, (ncclComm_t communicator))                      \
	X(ncclAllReduce, ncclAllReduce, 1, ncclResult_t,                                                 \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t reduction,   \
	                ncclComm_t communicator, CUstream stream))                                       \
	X(ncclBroadcast, ncclBroadcast, 1, ncclResult_t,                                                 \
	        (const void *from, void *to, size_t count, ncclDataType_t type, int root,                \
	                ncclComm_t communicator, CUstream stream))                                       \
	X(ncclReduce, ncclReduce, 1, ncclResult_t,                                                       \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t reduction,   \
	                int root, ncclComm_t communicator, CUstream stream))                             \
	X(ncclAllGather, ncclAllGather, 1, ncclResult_t,                                                 \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t communicator, \
	                CUstream stream))                                                                \
	X(ncclReduceScatter, ncclReduceScatter, 1, ncclResult_t,                                         \
	        (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t reduction,   \
	                ncclComm_t communicator, CUstream stream))                                       \
	X(ncclSend, ncclSend, 1, ncclResult_t,                                                           \
	        (const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator, \
	                CUstream stream))                                                                \
	X(ncclRecv, ncclRecv, 1, ncclResult_t,                                                           \
	        (void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,         \
	                CUstream stream))                                                                \
	X(ncclGroupStart, ncclGroupStart, 1, ncclResult_t, (void))                                       \
	X(ncclGroupEnd, ncclGroupEnd, 1, ncclResult_t, (void))

#define NVRTC_FUNCTIONS(X)                                                                              \
	X(nvrtcGetErrorString, nvrtcGetErrorString, 1, const char *, (nvrtcResult result))              \
	X(nvrtcVersion, nvrtcVersion, 1, nvrtcResult, (int *major, int *minor))                         \
	X(nvrtcGetNumSupportedArchs, nvrtcGetNumSupportedArchs, 1, nvrtcResult, (int *count))           \
	X(nvrtcGetSupportedArchs, nvrtcGetSupportedArchs, 1, nvrtcResult, (int *architectures))         \
	X(nvrtcCreateProgram, nvrtcCreateProgram, 1, nvrtcResult,                                       \
	        (nvrtcProgram * program, const char *source, const char *name, int count,               \
	                const char *const *headers, const char *const *names))                          \
	X(nvrtcDestroyProgram, nvrtcDestroyProgram, 1, nvrtcResult, (nvrtcProgram * program))           \
	X(nvrtcCompileProgram, nvrtcCompileProgram, 1, nvrtcResult,                                     \
	        (nvrtcProgram program, int count, const char *const *options))                          \
	X(nvrtcGetPTXSize, nvrtcGetPTXSize, 1, nvrtcResult, (nvrtcProgram program, size_t * bytes))     \
	X(nvrtcGetPTX, nvrtcGetPTX, 1, nvrtcResult, (nvrtcProgram program, char *ptx))                  \
	X(nvrtcGetCUBINSize, nvrtcGetCUBINSize, 1, nvrtcResult, (nvrtcProgram program, size_t * bytes)) \
	X(nvrtcGetCUBIN, nvrtcGetCUBIN, 1, nvrtcResult, (nvrtcProgram program, char *cubin))            \
	X(nvrtcGetProgramLogSize, nvrtcGetProgramLogSize, 1, nvrtcResult,                               \
	        (nvrtcProgram program, size_t * bytes))                                                 \
	X(nvrtcGetProgramLog, nvrtcGetProgramLog, 1, nvrtcResult, (nvrtcProgram program, char *log))

/* The host clock: CLOCK_MONOTONIC, or the stand-in's virtual clock. host_now: ns.
 * host_sleep_until: blocks the calling thread until that time. host_store: stores a word of
 * pinned or registered memory, for which streams wait (cuStreamWaitValue32), at host time `ns`.
 * It stores at once: the caller has slept until then. Thread-safe, no context needed. */
#define CLOCK_FUNCTIONS(X)                                                  \
	X(host_now, ranksh_host_now, 0, int64_t, (void))                    \
	X(host_sleep_until, ranksh_host_sleep_until, 0, void, (int64_t ns)) \
	X(host_store, ranksh_host_store, 0, void, (uint32_t * word, uint32_t value, int64_t ns))

#endif
