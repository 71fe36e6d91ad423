#!/bin/sh
# clang.sh -- clang compiles four files of different kinds without a warning: vectors, a kernel's
# row, the replicated state, a command. `make CC=clang BUILD=build-clang` compiles all files.
set -u
cd "$(dirname "$0")/.." || exit 1
command -v clang > /dev/null || { echo "skipped clang: it is not installed"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in src/kernels/unary src/kernels/dropout src/world/memory shell/commands/use; do
	if make -s CC=clang NVCC= BUILD="$work" "$work/$file.o" > "$work/said" 2>&1; then echo "ok clang compiles $file.c"; else
		echo "FAIL clang compiles $file.c"
		cat "$work/said"
	fi
done
