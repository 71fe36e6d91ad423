#!/bin/sh
# cuda_headers.sh -- compares the declarations in src/cuda/library/ with NVIDIA's headers, if they
# are installed (CUDA 13 or later, NCCL 2.22 or later): each function's parameters, each value,
# each type's size and each field's offset
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/.." || exit 1
compiler=${CC:-gcc}

for folder in "${CUDA_HOME:-/nonexistent}/include" "${CUDA_PATH:-/nonexistent}/include" /usr/local/cuda/include /usr/local/cuda-*/include; do
	[ -f "$folder/cuda.h" ] && include=$folder && break
done
include=${include:-}

# for both programs: the library's name, our header, NVIDIA's header, our list of functions, and
# the least version of NVIDIA's header
libraries='driver cuda.h CUDA_FUNCTIONS CUDA_VERSION>=13000
cublas cublas_v2.h CUBLAS_FUNCTIONS CUBLAS_VERSION>=130000
nccl nccl.h NCCL_FUNCTIONS NCCL_VERSION_CODE>=22200
nvrtc nvrtc.h NVRTC_FUNCTIONS 1'

# names HEADER: `value NAME` for each enumerator, `type NAME` for each typedef, `field TYPE NAME` for each field
names() {
	sed 's|/\*.*\*/||' "src/cuda/library/$1.h" | awk '
	/^(typedef )?(enum|struct) \{/ { body = ""; inside = 1; sub(/^[^{]*\{/, "") }
	inside { body = body " " $0 }
	inside && /\}/ {
		inside = 0
		name = body; sub(/.*\}/, "", name); gsub(/[ ;]/, "", name)
		if (name != "") print "type", name
		sub(/\}.*/, "", body)
		if (body ~ /;/) {
			n = split(body, part, /[;,]/)
			for (i = 1; i <= n; i++) { gsub(/\[[^\]]*\]| +$/, "", part[i]); if (match(part[i], /[A-Za-z_]+$/)) print "field", name, substr(part[i], RSTART) }
		} else {
			n = split(body, part, ",")
			for (i = 1; i <= n; i++) if (match(part[i], /[A-Za-z_0-9]+ *=/)) { split(substr(part[i], RSTART), word, " "); print "value", word[1] }
		}
		next
	}
	!inside && /^typedef .*;/ && !/\(\*/ { n = split($0, word, /[ *;]+/); print "type", word[n - 1] }'
}

# A program with our headers prints every size, offset and value as a _Static_assert for NVIDIA's
# headers.
expectations() {
	cat <<'END'
#include "cuda/library/library.h"
#include <stddef.h>
#include <stdio.h>
#define VALUE(name) printf("_Static_assert((long long)%s == %lld, \"%s\");\n", #name, (long long)name, #name);
#define TYPE(name) printf("_Static_assert(sizeof(%s) == %zu, \"%s\");\n", #name, sizeof(name), #name);
#define FIELD(name, field) printf("_Static_assert(offsetof(%s, %s) == %zu, \"%s.%s\");\n", #name, #field, offsetof(name, field), #name, #field);
int main(void) {
END
	# a later NCCL's ncclConfig_t has more fields: ours says its size itself
	names "$1" | sed '/^type ncclConfig_t$/d; s/^value \(.*\)/VALUE(\1)/; s/^type \(.*\)/TYPE(\1)/; s/^field \(.*\) \(.*\)/FIELD(\1, \2)/'
	echo 'return 0; }'
}

# hold NAME HEADER LIST: compiles NVIDIA's header together with declarations of our functions and
# these assertions
hold() {
	expectations "$1" > "$work/ours.c"
	$compiler -std=c11 -Isrc -o "$work/ours" "$work/ours.c" && "$work/ours" > "$work/asserts.h" || return 1
	held=$(grep -c _Static_assert "$work/asserts.h")
	cat > "$work/theirs.c" <<END
#include <stddef.h>
#include <stdint.h>
#include <cuda.h>
#include <$2>
#include "cuda/library/functions.h"
#define X(name, symbol, needed, result, parameters) extern __typeof__(symbol) symbol; extern result symbol parameters;
$3(X)
#include "asserts.h"
END
	$compiler -std=c11 -Werror -I"$include" -I"$work" -Isrc -fsyntax-only "$work/theirs.c"
}

echo "$libraries" | while read -r name header list least; do
	what="our declarations of $header are NVIDIA's"
	if [ -z "$include" ] || [ ! -f "$include/$header" ] ||
		! printf '#include <%s>\n#if !(%s)\n#error older\n#endif\n' "$header" "$least" | $compiler -I"$include" -fsyntax-only -xc - 2> /dev/null; then
		echo "skipped: $what: no such header is here, or an older one"
		continue
	fi
	if hold "$name" "$header" "$list" > "$work/said" 2>&1 && [ "$held" -gt 5 ]; then
		echo "ok $what ($held values, sizes and places)"
	else
		echo "FAIL $what"
		head -30 "$work/said"
	fi
done

# the magic numbers of NCCL's structs, which only its macros have
if [ -n "$include" ] && [ -f "$include/nccl.h" ]; then
	for kind in CONFIG SIM_INFO; do
		magic=$(sed -n "s/^#define NCCL_${kind}_MAGIC //p" src/cuda/library/nccl.h)
		if grep -A3 "define NCCL_${kind}_INITIALIZER" "$include/nccl.h" | grep -q "$magic"; then echo "ok NCCL_${kind}_MAGIC is NVIDIA's"; else
			grep -q "NCCL_${kind}_INITIALIZER" "$include/nccl.h" && echo "FAIL NCCL_${kind}_MAGIC is NVIDIA's"
		fi
	done
fi
