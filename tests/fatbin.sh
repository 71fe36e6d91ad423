#!/bin/sh
# fatbin.sh -- `make` never calls nvcc, and `make gpu` builds a fat binary for each family of
# kernels into the program. A script replaces nvcc and writes the family's name.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() {
	name=$1
	shift
	if "$@"; then echo "ok fatbin: $name"; else
		echo "FAIL fatbin: $name"
		cat "$work/out"
	fi
}
cat > "$work/nvcc" <<'END'
#!/bin/sh
for word; do case $word in *.cu) source=$word ;; esac; [ "${before:-}" = -o ] && out=$word; before=$word; done
echo "$source" >> "$(dirname "$0")/called"
basename "$source" .cu > "$out"
END
chmod +x "$work/nvcc"
# built NVCC: makes generated/fatbin.c in a new folder
built() { PATH=$work:$PATH MAKEFLAGS='' make BUILD="$work/build" $1 "$work/build/generated/fatbin.c" > "$work/out" 2>&1; }
fatbins() { [ "$(grep -c '[.]fatbin", ' "$work/build/generated/fatbin.c")" = "$1" ]; }
families=$(ls src/cuda/kernels/*.cu | wc -l)

built "" && check "make builds no fat binary" fatbins 0
check "... and calls no nvcc" [ ! -e "$work/called" ]
built NVCC=nvcc && check "with nvcc there is one for each family" fatbins "$families"
check "... from each source" [ "$(sort -u "$work/called" | wc -l)" = "$families" ]
built "" && check "a later make has none again" fatbins 0
MAKEFLAGS='' make -n gpu > "$work/out" 2>&1
check "make gpu builds with nvcc" grep -q 'NVCC=nvcc ranksh' "$work/out"
