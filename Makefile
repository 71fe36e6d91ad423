# ranksh -- `make start` installs missing packages, builds and opens a shell; `make check` installs
# them, builds and runs the tests. Sources are found by wildcard, so a new file needs no line here.
# Variants (normal, asan) are built in separate folders.

# uses all processors unless -jN is given; a make that is called by another one shares its jobs
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

VERSION  = 0.1
BUILD    = build
PREFIX   = /usr/local
CC       = gcc
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
OPTIMISE = -O2 -g
# -ffp-contract=off: doubles have the same bits on every computer
CFLAGS   = -std=c11 -D_GNU_SOURCE $(WARNINGS) $(OPTIMISE) -ffp-contract=off -DRANKSH_VERSION='"$(VERSION)"' $(SANITIZE)
MPI_FLAGS := $(shell mpicc --showme:compile 2>/dev/null | sed 's/-I/-isystem /g')
MPI_LIBS  := $(shell mpicc --showme:link 2>/dev/null)
LIBS     = -lreadline -lncursesw -lcjson -lm -lpthread -ldl
INCLUDES = -I. -Isrc -I$(BUILD)/generated $(MPI_FLAGS) $(CPPFLAGS)

# `make V=1` shows the commands
SAY      = $(if $(V),,@echo "  $(@F)";)

SOURCES  = $(sort $(wildcard src/*/*.c src/*/*/*.c src/*/*/*/*.c shell/*.c shell/*/*.c shell/*/*/*.c))
OBJECTS  = $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/generated/embedded.o $(BUILD)/generated/table.o $(BUILD)/generated/fatbin.o
SANITIZED_OBJECT = $(if $(SANITIZE),$(BUILD)/tests/sanitized.o)
# all objects but main, for the test programs; an object that none of them names must be linked in
# addition
LIBRARY  = $(BUILD)/libranksh.a $(SANITIZED_OBJECT)
# C headers that the GPU kernels include, too
KERNEL_HEADERS = src/cuda/kernels/arguments.h src/base/philox.h src/kernels/exponential.h
EMBEDDED = $(sort $(wildcard machines/*.machine lessons/*.rsh strategies/*.rsh strategies/models/*.rsh strategies/parts/*.rsh strategies/schedules/*.csv)) docs/help/grammar.txt docs/help/glossary.txt src/trace/page.html \
	$(sort $(wildcard src/cuda/kernels/*.cu src/cuda/kernels/*.cuh)) $(KERNEL_HEADERS)
UNIT     = $(sort $(wildcard tests/unit/*.c))
UNIT_RUN = $(UNIT:tests/unit/%.c=$(BUILD)/unit/%)
# Debian packages that the binary needs, and those that the tests need in addition
PACKAGES = gcc libc6-dev libopenmpi-dev openmpi-bin libreadline-dev libncurses-dev libopenblas-dev libcjson-dev
PACKAGES_CHECK = g++ libcmocka-dev tmux iproute2 procps clang-format shellcheck
# Debian packages that are only unpacked, because their services must not start: Slurm, for
# tests/hosts/slurm.sh, which is skipped without them
PACKAGES_SLURM = slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge liblua5.1-0

all: ranksh

ranksh: $(BUILD)/ranksh
	cp -f $< $@

$(BUILD)/ranksh: $(OBJECTS) $(SANITIZED_OBJECT)
	$(SAY) $(CC) $(SANITIZE) -o $@ $^ $(LDFLAGS) $(LIBS)

$(BUILD)/libranksh.a: $(filter-out $(BUILD)/shell/main.o,$(OBJECTS))
	@rm -f $@
	$(SAY) ar rcsT $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(SAY) $(CC) $(CFLAGS) $(INCLUDES) -MMD -MP -c -o $@ $<

# vectorizes the loops of kernels and reductions; neither option changes a result
$(BUILD)/src/kernels/%.o $(BUILD)/src/collectives/data.o: CFLAGS += -O3 -fno-math-errno -fno-trapping-math

$(BUILD)/generated/embedded.c: $(EMBEDDED) tools/embed machines lessons strategies strategies/models strategies/parts strategies/schedules
	@mkdir -p $(@D)
	$(SAY) sh tools/embed $(EMBEDDED) > $@.new && mv $@.new $@

COMMANDS = $(wildcard shell/commands/*.c shell/course/commands/*.c)
$(BUILD)/generated/table.c: $(COMMANDS) tools/commands shell/commands shell/course/commands
	@mkdir -p $(@D)
	$(SAY) sh tools/commands $(COMMANDS) > $@.new && mv $@.new $@

# GPU kernels. NVRTC compiles them at the first start on a GPU. `make gpu` compiles a fat binary
# for each family with nvcc, in 4 minutes, and builds it into the program.
NVCC     =
NVCCFLAGS = -fatbin -arch=all-major --compress-mode=size -fmad=false -std=c++17 -Isrc
FATBINS  = $(if $(NVCC),$(patsubst src/cuda/kernels/%.cu,$(BUILD)/generated/kernels/%.fatbin,$(sort $(wildcard src/cuda/kernels/*.cu))))
$(BUILD)/generated/kernels/%.fatbin: src/cuda/kernels/%.cu $(wildcard src/cuda/kernels/*.cuh) $(KERNEL_HEADERS)
	@mkdir -p $(@D)
	$(SAY) $(NVCC) $(NVCCFLAGS) -o $@.new $< && mv $@.new $@
# made again by the first `make` after `make gpu`, and by `make gpu` after `make`
$(BUILD)/generated/fatbin.c: $(FATBINS) tools/fatbin $(BUILD)/generated/nvcc.txt
	@mkdir -p $(@D)
	$(SAY) sh tools/fatbin $(FATBINS) > $@.new && mv $@.new $@
$(BUILD)/generated/nvcc.txt: force
	@mkdir -p $(@D)
	@echo "$(NVCC)" | cmp -s - $@ || echo "$(NVCC)" > $@
gpu: deps
	@$(MAKE) --no-print-directory NVCC=$(or $(NVCC),nvcc) ranksh
.PHONY: force gpu

$(BUILD)/generated/%.o: $(BUILD)/generated/%.c
	$(SAY) $(CC) $(CFLAGS) $(INCLUDES) -c -o $@ $<

# GPU kernels for the CPU: each CUDA source is compiled as C++ after tests/standin/kernels_cuda.h,
# with -fPIC for shared libraries
CXX      = g++
KERNELS  = $(sort $(wildcard src/cuda/kernels/*.cu))
STANDIN_KERNELS = $(KERNELS:%.cu=$(BUILD)/standin/%.o) $(BUILD)/standin/kernels.o $(BUILD)/standin/src/base/dtype.o
STANDIN_CXXFLAGS = -Isrc -std=c++17 -O2 -g -fPIC -ffp-contract=off -Wall -Wextra -Wno-unknown-pragmas -Werror -pthread
$(BUILD)/standin/src/cuda/kernels/%.o: src/cuda/kernels/%.cu tests/standin/kernels_cuda.h Makefile
	@mkdir -p $(@D)
	$(SAY) $(CXX) $(STANDIN_CXXFLAGS) -include tests/standin/kernels_cuda.h -MMD -MP -x c++ -c -o $@ $<
$(BUILD)/standin/kernels.o: tests/standin/kernels.cpp tests/standin/kernels_cuda.h Makefile
	@mkdir -p $(@D)
	$(SAY) $(CXX) $(STANDIN_CXXFLAGS) -MMD -MP -c -o $@ $<

# the tests' stand-in for CUDA's libraries, which is built without the sanitizers of SANITIZE
STANDIN_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARNINGS) -O2 -g -fPIC -fvisibility=default -ffp-contract=off $(STANDIN_SANITIZE)
$(BUILD)/standin/%.o: tests/standin/%.c Makefile
	@mkdir -p $(@D)
	$(SAY) $(CC) $(STANDIN_CFLAGS) $(INCLUDES) -Itests -MMD -MP -c -o $@ $<
STANDIN_CUDA = $(patsubst tests/standin/%.c,$(BUILD)/standin/%.o,$(sort $(wildcard tests/standin/cuda/*.c)))
$(BUILD)/standin/libcuda.so.1: $(STANDIN_CUDA) $(STANDIN_KERNELS)
	$(SAY) $(CXX) $(STANDIN_SANITIZE) -shared -Wl,-soname,libcuda.so.1 -Wl,-z,nodelete -Wl,-Bsymbolic -o $@ $^ -lpthread -ldl
# the other libraries, which are linked with libcuda: the files of src/ that they need
$(BUILD)/standin/src/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(SAY) $(CC) $(STANDIN_CFLAGS) $(INCLUDES) -MMD -MP -c -o $@ $<
standin_objects = $(patsubst tests/standin/%.c,$(BUILD)/standin/%.o,$(sort $(wildcard tests/standin/$(1)/*.c)))
$(BUILD)/standin/libnccl.so.2: $(call standin_objects,nccl) $(BUILD)/standin/src/base/dtype.o
$(BUILD)/standin/libcublas.so.13: $(call standin_objects,cublas) $(addprefix $(BUILD)/standin/src/,base/dtype.o base/memory.o kernels/product.o)
$(BUILD)/standin/libnvrtc.so.13: $(call standin_objects,nvrtc)
$(BUILD)/standin/libcublas.so.13: STANDIN_LIBS = -ldl
STANDIN_BESIDE = $(BUILD)/standin/libnccl.so.2 $(BUILD)/standin/libcublas.so.13 $(BUILD)/standin/libnvrtc.so.13
$(STANDIN_BESIDE): $(BUILD)/standin/libcuda.so.1
	$(SAY) $(CC) $(STANDIN_SANITIZE) -shared -Wl,-soname,$(@F) -Wl,-z,nodelete -Wl,-Bsymbolic -Wl,-rpath,'$$ORIGIN' -o $@ $(filter %.o,$^) $< $(STANDIN_LIBS) -lpthread
STANDIN = $(BUILD)/standin/libcuda.so.1 $(STANDIN_BESIDE)
standin: $(STANDIN)

# test programs: tests/KIND/X.c becomes BUILD/KIND/X. mpi: run by mpirun; gpu: measure the GPU of
# this computer; compare: print the operations that every rank has queued after a script
programs  = $(patsubst tests/%.c,$(BUILD)/%,$(sort $(wildcard tests/$(1)/*.c)))
MPI_TESTS = $(call programs,mpi)
BENCHES   = $(call programs,bench)
PROGRAMS  = $(UNIT_RUN) $(MPI_TESTS) $(BENCHES) $(call programs,gpu) $(call programs,compare)
KERNEL_TESTS = $(filter $(BUILD)/unit/test_cuda_kernels_%,$(UNIT_RUN))
$(PROGRAMS): $(BUILD)/%: $(BUILD)/tests/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(SAY) $(CC) $(SANITIZE) -o $@ $(filter %.o,$^) $(BUILD)/libranksh.a $(TEST_LIBS) $(LIBS)
# without optimization, because this compiles four times as fast
$(UNIT_RUN:$(BUILD)/%=$(BUILD)/tests/%.o): OPTIMISE = -O0 -g
# these compute as much as the code under test
$(KERNEL_TESTS:$(BUILD)/%=$(BUILD)/tests/%.o) $(BUILD)/tests/unit/test_cuda_shared_gpu.o: OPTIMISE = -O1 -g
$(UNIT_RUN): TEST_LIBS = -lcmocka
# these compare with plain C over the BLAS
$(BENCHES): TEST_LIBS = $(MPI_LIBS) -lopenblas
$(BUILD)/unit/test_plain: TEST_LIBS = -lcmocka -lopenblas
$(filter $(BUILD)/unit/test_standin_% $(BUILD)/unit/test_cuda_%,$(UNIT_RUN)): | $(STANDIN)
$(KERNEL_TESTS): TEST_LIBS = -lcmocka -lstdc++
$(KERNEL_TESTS): $(STANDIN_KERNELS)

unit: $(STANDIN) $(UNIT_RUN) $(BUILD)/compare/operations $(BUILD)/gpu/facts $(BUILD)/gpu/bare
mpi-tests: $(MPI_TESTS)

.PHONY: all standin start check check-all quick sweep check-gpu bench-gpu gpu-programs asan tsan bench fuzz fuzzer install deps deps-check unit mpi-tests clean format bundle wheel tarball deb check-packages
.SECONDARY: $(BUILD)/generated/embedded.c $(BUILD)/generated/table.c
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)

start: deps
	@$(MAKE) --no-print-directory ranksh
	./ranksh

# installs missing packages, builds, runs every test; the last line is "N passed, N failed"
check: deps-check
	@$(MAKE) --no-print-directory ranksh unit mpi-tests fuzzer
	@sh tests/run $(BUILD)

# the same, and the tests of tests/repetitions
check-all: export ALL = 1
check-all: check

# builds, then runs at least one test of each kind: those of tests/quick
QUICK = $(sort $(shell sed -n 's|^[a-z]* BUILD/\([^ ]*\).*|$(BUILD)/\1|p' tests/quick))
quick: deps-check
	@$(MAKE) --no-print-directory ranksh standin $(BUILD)/fuzz_parse $(QUICK)
	@QUICK=1 sh tests/run $(BUILD)

# The sanitizers are linked statically; as shared libraries the two would write into each other's
# files.
SANITIZED = BUILD=build-asan NVCC= OPTIMISE="-O1 -g" SANITIZE="-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer \
	-static-libasan -static-libubsan"
# runs the same tests, built in a separate folder, under AddressSanitizer and
# UndefinedBehaviorSanitizer with the leak check
asan: deps-check
	@$(MAKE) --no-print-directory $(SANITIZED) build-asan/ranksh unit mpi-tests fuzzer
	@SANITIZED=1 SLOW=$${SLOW:-3} RANKSH=build-asan/ranksh sh tests/run build-asan

# runs the host thread of a rank on the stand-in, under ThreadSanitizer, which needs the memory
# layout that setarch gives
tsan: deps-check
	@$(MAKE) --no-print-directory BUILD=build-tsan NVCC= OPTIMISE="-O1 -g" SANITIZE="-fsanitize=thread -Wno-error=tsan" \
		STANDIN_SANITIZE=-fsanitize=thread standin build-tsan/unit/test_cuda_host
	setarch -R build-tsan/unit/test_cuda_host

check-gpu: deps
	@$(MAKE) --no-print-directory ranksh gpu-programs
	@sh tests/gpu/check.sh $(BUILD)
bench-gpu: deps
	@$(MAKE) --no-print-directory ranksh gpu-programs
	@sh tests/gpu/bench.sh $(BUILD)
# the programs that these two need besides ranksh; the kernels' tests need libcmocka-dev
gpu-programs: $(call programs,gpu) $(BUILD)/fuzz_lines $(KERNEL_TESTS)

# makes each call of NVIDIA's libraries fail in sessions on the stand-in
sweep: deps
	@$(MAKE) --no-print-directory ranksh standin
	@sh tests/sweep/run $(BUILD)

bench: deps
	@$(MAKE) --no-print-directory ranksh $(BENCHES)
	@sh tests/bench/run $(BUILD)

# gives mutated lines to the parser, then random and mutated lines to sessions, under the
# sanitizers, each for FUZZ_SECONDS
FUZZ_SECONDS = 60
fuzz: deps
	@$(MAKE) --no-print-directory $(SANITIZED) build-asan/ranksh fuzzer
	build-asan/fuzz_parse $(FUZZ_SECONDS)s tests/script tests/script/design
	RANKSH=build-asan/ranksh SLOW=3 sh tests/fuzz/sessions.sh 1000000 1 $(FUZZ_SECONDS)
fuzzer: $(BUILD)/fuzz_parse $(BUILD)/fuzz_lines
$(BUILD)/fuzz_parse $(BUILD)/fuzz_lines: $(BUILD)/%: $(BUILD)/tests/fuzz/%.o $(LIBRARY)
	$(SAY) $(CC) $(SANITIZE) -o $@ $(filter %.o,$^) $(BUILD)/libranksh.a $(LIBS)

install: $(BUILD)/ranksh
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(BUILD)/ranksh $(DESTDIR)$(PREFIX)/bin/ranksh
	sed 's/@VERSION@/$(VERSION)/' docs/help/ranksh.1 > $(BUILD)/ranksh.1
	install -m 644 $(BUILD)/ranksh.1 $(DESTDIR)$(PREFIX)/share/man/man1/ranksh.1
	install -m 644 docs/help/ranksh.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ranksh

# packages in dist/, and their tests in fresh Debian trees: packaging/README.md
bundle:
	+@sh packaging/bundle
wheel tarball: bundle
	@sh packaging/$@
deb:
	@sh tools/deps $(PACKAGES) debhelper dpkg-dev fakeroot lintian
	@sh packaging/deb
check-packages:
	+@sh tests/packages/run

# formats all sources with clang-format 14
format:
	@sh tools/format

# for clangd and clang-tidy: the compile command of each source
compile_commands.json: force
	@$(MAKE) --no-print-directory -nB V=1 ranksh standin unit mpi-tests fuzzer $(BENCHES) | sh tools/compile_commands > $@.new && mv $@.new $@

deps:
	@sh tools/deps $(PACKAGES)
deps-check:
	@sh tools/deps $(PACKAGES) $(PACKAGES_CHECK)
	@sh tools/unpack build/slurm $(PACKAGES_SLURM) || true

clean:
	rm -rf build build-asan build-tsan build-wheel build-deb dist ranksh
