#!/bin/sh
# empty.sh -- every kernel's example with tensors without elements, on the simulator and on the
# stand-in's GPU: no line ends the rank, both give the same, and each kernel accepts such tensors
# in one of its forms. The kernels are those of `help kernels`, so a new one is tried too.
. tests/script/lib.sh
standin=$(dirname "$RANKSH")/standin
[ -e "$standin/libcuda.so.1" ] || standin=$(dirname "$RANKSH")/build/standin
cd "$work" || exit 1
"$RANKSH" -n 1 -c 'help kernels' | sed -n 's/^  \([a-z].* = \)\{0,1\}\([a-z_]*\)\( .*[^.]\)\{0,1\}$/\2/p' | sort -u > names
sed 's/^/help /' names | "$RANKSH" -n 1 > helps 2>&1

# cut HOW: the examples, with 0 for the first or the last dimension of all tensors, or for the
# first dimension of the first tensor (lead). The results are printed.
cut() {
	awk -v how="$1" '
	function shape(dims,  n, d, i) {
		n = split(dims, d, ",")
		if (how != "lead" || !made++)
			d[how == "last" ? n : 1] = 0
		dims = d[1]
		for (i = 2; i <= n; i++)
			dims = dims "," d[i]
		return dims
	}
	/^  [a-zA-Z]/ { section = $1; made = 0; sub(/^  example  /, "           ") }
	section == "example" {
		line = substr($0, 14); sub(/ *#.*/, "", line)
		type = line ~ / i32/ ? " i32" : ""; source = line ~ /ones/ ? "ones" : "zeros"
		if (line ~ /^tensor /) {
			while (match(line, /[a-z0-9A-Z_]+\[[0-9,]+\]/)) {
				word = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
				split(word, part, /[][]/)
				print part[1] " = " source " [" shape(part[2]) "]" type
			}
			next
		}
		gsub(/\[[0-9]*:[0-9]*\]/, "", line) # slices
		if (match(line, /\[[0-9,]+\]/))
			line = substr(line, 1, RSTART) shape(substr(line, RSTART + 1, RLENGTH - 2)) substr(line, RSTART + RLENGTH - 1)
		print line
		split(line, part, " ")
		if (sub(/ = .*/, "", line))
			print "print " line
		else if (part[2] ~ /^[a-z]/)
			print "print " part[2]
	}
	/^  PyTorch/ { print "sync"; print "reset" }' helps
	echo 'say "the end"'
}
# answers OPTIONS...: the printed and refused texts of the lines in `lines`; all replies in
# `replies`
answers() {
	one_process -n 1 "$@" < lines > replies
	sed -n 's/.*"text":"\(\[0\] [^"]*\|[^"]* \(needs\|has\|is\|tensor\) [^"]*\|the end[^"]*\)".*/\1/p' replies |
		sed 's/\[rank 0\] range.*//; /^$/d' # an index out of range is reported when the stream has come to it
}
: > taken
for how in first last lead; do
	cut $how > lines
	answers > sim
	sed -n 's/.*"add":\[{"line":"\(.*\)"}\].*"status":"ok".*/\1/p' replies >> taken
	RANKSH_CUDA=$standin RANKSH_STANDIN=free answers --device cuda > cuda
	cp sim out
	check "$how: all lines are answered" grep -q '^the end' sim
	check "$how: results are printed" [ "$(grep -c '^\[0\] ' sim)" -gt 20 ]
	check "$how: the GPU gives what the simulator gives" same sim cuda
done
for name in $(cat names); do grep -qw "$name" taken || echo "$name"; done > missing
cp missing out
check "every kernel takes tensors without elements" [ ! -s missing ]
