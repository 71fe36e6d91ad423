#!/bin/sh
# sweep.sh -- some of the calls of NVIDIA's libraries fail in a session, at the start and in its midst; `make sweep` has all of them
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(dirname "$(realpath "${RANKSH:-build/ranksh}")")
[ -e "$build/standin" ] || build=build
out=$(mktemp)
for function in cuMemcpyDtoHAsync cuLaunchKernel cuGraphLaunch ncclAllReduce; do
	if sh tests/sweep/run "$build" "$function" > "$out" 2>&1 && grep -q "^[1-9][0-9]* told" "$out"; then echo "ok sweep: $function fails"; else
		echo "FAIL sweep: $function fails"
		cat "$out"
	fi
done
rm -f "$out"
