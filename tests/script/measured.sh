#!/bin/sh
# measured.sh -- pictures and tables of measured GPU times. The stand-in's GPU has a clock of its
# own and emulates the machine: its times are the machine's, apart from the duration of calls.
. tests/script/lib.sh
standin=$(dirname "$RANKSH")/standin
[ -e "$standin/libcuda.so.1" ] || standin=$(dirname "$RANKSH")/build/standin
RANKSH_DEVICE=auto RANKSH_CUDA=$standin
export RANKSH_DEVICE RANKSH_CUDA
design=$PWD/tests/script/design
cd "$work" || exit 1
cat > overlap.rsh <<'END'
tensor h[512,512] pinned = randn seed=1
tensor x[512,512] w[512,512] = randn seed=2
stream io compute comm
copy h -> x on io; wait io on compute; y = matmul x w on compute
sync io
@0 wait compute on comm; @0 allreduce y on comm
timeline
@1 wait compute on comm; @1 allreduce y on comm
sync
timeline
stats
stalls
why y@0
critical
expect overlap(io,compute) == 0 and time > 20ms and time < 30ms
export trace.json
calibrate x.machine
END
within 120 "$RANKSH" -n 2 --device cuda --machine classroom overlap.rsh > out 2> errors < /dev/null
status=$?
says() { grep -q -e "$1" out; }
check "a played machine is not calibrated, all else is told" [ $status = 2 ]
check "... in words" grep -q 'classroom is emulated, and its times come from its description' errors
check "a wait is blamed on what it waited for" says 'event *0,1 compute *waited for copy x on io'
check "one member waits for the other, and nothing is foretold behind what is over" awk 'NR < 15 && /now [34]\./ { now = 1 } NR < 3 && / 25( |$)/ { far = 1 } END { exit far || !now }' out
check "predictions stand beside: a played machine lasts as long as predicted" awk '$1 == "matmul" && $2 == 2 && $3 == "16.00" && $5 == "16.00" { n++ } END { exit n != 1 }' out
check "... of the whole section too" says '^   time  *2[0-9]\.[0-9]* ms  *2[0-9]\.[0-9]* ms  *[-+][0-9.]*%$'
check "a saving is the simulator's, and how far that is off is told" says '^   measured 2[0-9.]* ms; the simulator, from which the rest comes, is [-+][0-9.]*% off$'
check "the critical path is of measured times" says '^critical path, from the beginning: 2[0-9.]* ms$'
check "the file for Perfetto is written" grep -q '"cat":"collective"' trace.json

printf 'tensor g[64k] h[64k] = 1\nstream a b\nallreduce g on a\nallreduce h on b\nsync\nstalls\n' > turns.rsh
within 120 "$RANKSH" -n 2 --device cuda --machine classroom turns.rsh > out 2>&1 < /dev/null
check "collectives of a group run one at a time, on whatever streams" says ' engine *0,1 b *busy with allreduce g on a'

printf 'spin 1ms\nsync\ntimeline\nstats\n' > here.rsh
within 120 "$RANKSH" -n 2 --device cuda here.rsh > out 2>&1 < /dev/null
check "the GPU itself is compared as well" says '^   predicted '
check "rows of both ranks are one where nobody can tell them apart" says '^   0,1 host '
printf 'spin 1us\nsync\ntimeline\n' > short.rsh
within 120 "$RANKSH" -n 1 --device cuda short.rsh > out 2>&1 < /dev/null
check "how far off clocks may be is told where it can be seen" says '^   times ±[0-9.]* us$'
within 120 "$RANKSH" -n 1 --device sim here.rsh > out 2>&1 < /dev/null
check "the simulator with nothing" sh -c '[ -s out ] && ! grep -q predicted out'

# script NAME SECTION...: of the design, and "section SECTION TIME" for each
script() {
	cat "$design/$1.rsh"
	shift
	for section in "$@"; do echo "say \"section $section \$(time($section)*1e6)\""; done
	echo reset
}
{
	script 01-prefetch naive prefetch
	script 02-hidden-sync printing silent
	script 03-pinned-pageable from_a from_p
} > sections.rsh
# four ranks, on a GPU each
sections() { RANKSH_STANDIN=gpus=4 within 120 "$RANKSH" -n 4 --device "$1" --machine classroom sections.rsh 2>&1 < /dev/null | grep '^ *section '; }
sections sim > simulated
sections cuda > measured
paste simulated measured > out
check "each section of three scripts takes within 3 % of the simulator's time" awk '
	{ off = $7 / $3 - 1; n += $2 == $6 && $3 > 0 && off < 0.03 && off > -0.03 }
	END { exit n != 6 }' out
