#!/bin/sh
# blas.sh -- the numbers that scripts print and compare, and the verdicts of `verify`, are the
# same with each OpenBLAS kernel that this processor supports
. tests/script/lib.sh
has() { grep -qw "$1" /proc/cpuinfo 2> /dev/null; }
kernels=
has pni && kernels="Prescott" # which wants SSE3; on a processor without AVX-512, Haswell is what the other tests have
has avx && kernels="$kernels Sandybridge"
has avx2 && kernels="$kernels Haswell"
[ -n "$kernels" ] || { echo "skipped blas.sh: no processor of this kind"; exit 0; }
ln -s "$PWD"/* "$work"
cd "$work" || exit 1
model='model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32'
# plays RANKS FILE: the script's lines print what it says
plays() { OPENBLAS_CORETYPE=$kernel "$RANKSH" -n "$1" --test "tests/script/$2" > out 2>&1 < /dev/null; }
for kernel in $kernels; do
	check "$kernel: figures" plays 4 figures.rsh
	check "$kernel: losses" plays 4 whatif.rsh
	# Adam divides by a gradient near zero, whose sign is rounding: it differs between
	# kernels, and between one rank and eight.
	OPENBLAS_CORETYPE=$kernel "$RANKSH" -n 8 -c "$model; strategy ddp=2 + tp=4; expect verify iterations=2" > out 2>&1
	check "$kernel: a stack trains as one rank" [ $? = 0 ]
done
# the same with a loss scale of the optimizer's own, which leaves fewer ways to round otherwise
"$RANKSH" -n 2 -c 'model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=32 loss_scale=dynamic experts=2; strategy ddp=2; def reduce_gradients k { }; verify iterations=2' > out 2>&1
check "loss_scale=dynamic in f32 and gradients that are not exchanged: a verdict" grep -q 'differs from one rank after 2 iterations: 36 of 37' out
# ... and a saved source of its own: the message names what would tell
"$RANKSH" -n 2 -c 'model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=32 loss_scale=dynamic; strategy ddp; program save saved.rsh source' > out 2>&1
sed 's/^\(.*\){ allreduce g op=avg.*$/\1{ } }/' saved.rsh > local.rsh
"$RANKSH" -n 2 -c 'program local.rsh; verify iterations=2' > out 2>&1
check "... of a script, too, with what to write" grep -q 'not known with loss_scale=dynamic; `loss_scale=1` shows it' out
# an OpenBLAS that cannot be opened: the line is refused
mkdir broken && : > broken/libopenblas.so.0
LD_LIBRARY_PATH=broken "$RANKSH" -n 1 -c 'tensor u[2,2] = ones; y = matmul u u' > out 2>&1
check "without OpenBLAS matmul is refused" grep -q 'cannot open OpenBLAS, .*file too short; install it' out
