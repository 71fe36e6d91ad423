/* nccl.h -- the part of NCCL that we use, declared with NVIDIA's names and values (see
 * driver.h) */
#ifndef RANKSH_CUDA_NCCL_H
#define RANKSH_CUDA_NCCL_H

#include <limits.h>
#include <stddef.h>

typedef struct ncclComm *ncclComm_t;
enum { NCCL_UNIQUE_ID_BYTES = 128 };
typedef struct {
	char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef enum {
	ncclSuccess = 0,
	ncclUnhandledCudaError = 1,
	ncclSystemError = 2,
	ncclInternalError = 3,
	ncclInvalidArgument = 4,
	ncclInvalidUsage = 5,
	ncclRemoteError = 6,
	ncclInProgress = 7
} ncclResult_t;
typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4, ncclNumOps = 5 } ncclRedOp_t;
typedef enum {
	ncclInt8 = 0,
	ncclInt32 = 2,
	ncclFloat16 = 6,
	ncclFloat32 = 7,
	ncclBfloat16 = 9
} ncclDataType_t;

/* Configuration of a communicator, as of NCCL 2.18: a later library reads `size` bytes and uses
 * defaults for the rest. */
typedef struct {
	size_t size;
	unsigned int magic, version; /* version: MAJOR * 10000 + MINOR * 100 + PATCH */
	int blocking;                /* 0: calls return ncclInProgress: poll */
	int cgaClusterSize, minCTAs, maxCTAs;
	const char *netName;
	int splitShare;
} ncclConfig_t;
#define NCCL_CONFIG_UNDEF_INT INT_MIN
#define NCCL_CONFIG_MAGIC 0xcafebeef
#define NCCL_CONFIG_VERSION 21800
#define NCCL_CONFIG_INITIALIZER                                                                           \
	{                                                                                                 \
		.size = sizeof(ncclConfig_t), .magic = NCCL_CONFIG_MAGIC, .version = NCCL_CONFIG_VERSION, \
		.blocking = NCCL_CONFIG_UNDEF_INT, .cgaClusterSize = NCCL_CONFIG_UNDEF_INT,               \
		.minCTAs = NCCL_CONFIG_UNDEF_INT, .maxCTAs = NCCL_CONFIG_UNDEF_INT, .netName = NULL,      \
		.splitShare = NCCL_CONFIG_UNDEF_INT                                                       \
	}

#endif
