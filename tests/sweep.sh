#!/bin/sh
# sweep.sh -- sessions in which calls of NVIDIA's libraries fail, at the start and later, for two
# of the functions, or four with ALL=1; `make sweep` tests all
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(dirname "$(realpath "${RANKSH:-build/ranksh}")")
[ -e "$build/standin" ] || build=build
out=$(mktemp)
for function in cuLaunchKernel ncclAllReduce ${ALL:+cuMemcpyDtoHAsync cuGraphLaunch}; do
	if sh tests/sweep/run "$build" "$function" > "$out" 2>&1 && grep -q "^[1-9][0-9]* told" "$out"; then echo "ok sweep: $function fails"; else
		echo "FAIL sweep: $function fails"
		cat "$out"
	fi
done
rm -f "$out"
