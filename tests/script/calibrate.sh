#!/bin/sh
# calibrate.sh -- `calibrate` recovers a machine's figures from measured times within 2 %, and the
# file that it writes is a machine
. tests/script/lib.sh
cd "$work" || exit 1
cat > planted <<'END'
launch 7 us
kernel_latency 3 us
memory_rate 30000 MB/s
efficiency 0.5
efficiency_half 0.66
copy_latency 11 us
h2d 1200 MB/s
d2h 800 MB/s
pageable 300 MB/s
host_rate 5000 MB/s
disk_latency 33 us
disk_read 500 MB/s
disk_write 250 MB/s
link_latency 4 us
link_rate 900 MB/s
END
# the figures of a file that are more than 2 % off what was planted, or not there
off() {
	awk 'NR == FNR { want[$1] = $2; next } $2 == "=" && ($1 in want) { part = $3 / want[$1] - 1; if (part < 0.02 && part > -0.02) delete want[$1] }
		END { for (key in want) { print key; bad = 1 } exit bad }' planted "$1"
}
{ sed 's/ /=/; s/ //; s/^/set /' planted; cat <<'END'; } > session.rsh
source calibrate
measure 4k
machine classroom
calibrate this.machine
machine ./this.machine
mark again
measure 1k
calibrate again.machine
END
for ranks in 1 2 4; do
	rm -f ./*.machine
	within 300 "$RANKSH" -n $ranks session.rsh > out 2>&1
	check "a session of $ranks ranks" [ $? = 0 ]
	[ $ranks = 1 ] && { grep -v link planted > alone; mv alone planted; }
	check "what was planted, at $ranks ranks" off this.machine
	check "a machine that was measured is measured alike, at $ranks ranks" off again.machine
	check "and was off by nothing, at $ranks ranks" awk '$1 == "copies" { n++; last = $3 } END { exit !(n == 2 && last + 0 < 0.5) }' out
	[ $ranks = 1 ] && cp planted alone && printf 'link_latency 4 us\nlink_rate 900 MB/s\n' >> planted
done
check 'the file says what was measured, and the source of the rest' sh -c 'grep -q "^h2d = .* MB/s *# measured: [0-9]* operations" this.machine && grep -q "^gpus = 8 *# classroom:" this.machine'

# what the message names does it, and `source calibrate` alone measures nothing
printf 'source calibrate\ncalibrate none.machine\n' > alone.rsh
within 60 "$RANKSH" -n 2 alone.rsh > out 2>&1
lines=$(sed -n 's/.*no measured operation determines a number of the machine: `\([^`]*\)` queues suitable ones.*/\1/p' out)
check "what has to be queued is named" [ "$lines" = 'source calibrate; measure 256k' ]
within 300 "$RANKSH" -n 2 -c "$lines; calibrate named.machine" > out 2>&1
check "... and does it" sh -c '[ $0 = 0 ] && grep -q "^link_rate = .*measured" named.machine && grep -q "^efficiency = .*measured" named.machine' $?

# two kernels at once are each slower than alone: they tell nothing
cat > busy.rsh <<'END'
tensor x[512,512] y[512,512] z[512,512] = 0
stream other
repeat 4 { y = relu x; z = relu x on other; sync }
y = relu x
sync
calibrate busy.machine
END
within 300 "$RANKSH" -n 1 busy.rsh > out 2>&1
check 'work that shares its device tells nothing' grep -q '^ *kernels *1 ' out

# more operations a second than the peak: the peak was too low
within 300 "$RANKSH" -n 1 -c 'set peak_f32=50GFLOP/s; source calibrate; measure 4k; machine classroom; calibrate fast.machine' > out 2>&1
check 'an efficiency is at most 1' sh -c 'grep -q "^peak_f32 = \(40\|39\)[0-9.]* MFLOP/s *# measured" fast.machine && grep -q "^efficiency = 1 *# measured" fast.machine'

# on a machine with NCCL's model that model is kept where it is nearer, and shapes without data do
within 300 "$RANKSH" --dry --machine dgx-h100 -n 8 -c 'source calibrate; measure 16M; calibrate h100.machine; machine ./h100.machine; print "ok"' > out 2>&1
check "NCCL's model is kept" sh -c 'grep -q "^nccl = 1 " h100.machine && awk "\$1 == \"collectives\" { found = \$4 + 0 < 0.1 } END { exit !found }" out'

within 60 "$RANKSH" -n 1 -c 'tensor x[4] = 1; y = relu x; sync; calibrate "a b.machine"; machine "./a b.machine"' > out 2>&1
check 'a name with a blank is shown as it is to be typed' sh -c '[ $0 = 0 ] && grep -q "\`machine \"./a b.machine\"\`" out' $?

cat > refused.rsh <<'END'
expect error "no measured operation determines a number of the machine: `source calibrate; measure 256k`" { calibrate none.machine }
expect error "calibrate writes a machine's file: calibrate a.txt.machine" { calibrate a.txt }
expect error ".machine" { calibrate .machine }
tensor x[8,8] y[8,8] = 0
y = relu x
sync
expect error "nowhere" { calibrate nowhere/a.machine }
calibrate once.machine
END
within 300 "$RANKSH" -n 2 refused.rsh > out 2>&1
check 'what cannot be' [ $? = 0 ]
check 'a refused one writes nothing' [ ! -e none.machine ]
check 'and what little there is is told' grep -q '^kernel_latency\|^memory_rate = .*measured' once.machine

# costs that are planted in the stand-in for CUDA come out, whatever `this` began with: a GPU of its own, slow and quick in other places, and one for each of four ranks
standin=$(dirname "$RANKSH")/standin
[ -e "$standin/libcuda.so.1" ] || standin=$(dirname "$RANKSH")/build/standin
printf 'source calibrate\nmeasure 64k\ncalibrate this.machine\n' > gpu.rsh
# gpus RANKS CALL KERNEL MEMORY F32 HALF COPY H2D D2H PAGEABLE [STEP LINK]: us, GB/s and GFLOP/s
gpus() {
	rm -f this.machine
	costs="call:$2us start:0us elements:$3us,$4GB/s device:$3us,$(($4 / 2))GB/s product:$3us,$5GFLOP/s halfproduct:$3us,$6GFLOP/s"
	costs="$costs h2d:$7us,$8GB/s d2h:$7us,$9GB/s pageable:$7us,${10}GB/s ${11:+step:${11}us nccl:0us,${12}GB/s}"
	RANKSH_CUDA=$standin RANKSH_STANDIN="memory=400GB gpus=$1 $(printf ' cost=%s' $costs)" \
		within 300 "$RANKSH" -n "$1" --device cuda gpu.rsh > out 2>&1 < /dev/null
	cat > planted <<END
kernel_latency $3
memory_rate $(($4 * 1000))
copy_latency $7
h2d $(($8 * 1000))
d2h $(($9 * 1000))
pageable $((${10} * 1000))
${11:+link_latency ${11}
link_rate $((${12} * 1000))}
END
	# three calls a launch; efficiencies are of the peaks in the file
	echo "launch $2" | awk '{ print $1, 3 * $2 }' >> planted
	sed -i '/^$/d' planted
	awk -v f32="$5" -v half="$6" '$1 == "peak_f32" { print "efficiency", 1e3 * f32 / $3 } $1 == "peak_half" { print "efficiency_half", 1e3 * half / $3 }' this.machine >> planted
	off this.machine && { [ -z "${11:-}" ] || grep -q "^ *collectives .* [01]\.[0-9]%$" out; }
}
RANKSH_CUDA=$standin within 60 "$RANKSH" -n 1 --device cuda alone.rsh > out 2>&1
check "on a GPU larger sizes have to be queued" grep -q 'number of the machine: `source calibrate; measure 64M` queues suitable' out
check "a GPU with quick memory and slow products" gpus 1 0.2 5 2000 400 700 7 20 15 6
check "... quick products and slow memory" gpus 1 0.3 20 50 1000 2000 31 9 12 3
check "four GPUs and NCCL" gpus 4 0.4 9 300 2000 5000 12 60 50 20 9 30
check "... whose links are quicker than its copies" gpus 4 0.4 9 300 2000 5000 12 30 20 10 9 70
# The fitted figures must be those that predict: links held to the rate of copies would take 2.5
# times as long.
printf 'tensor x[1M] = 1\nallreduce x algo=ring\nallreduce x algo=ring\nsync\nstats\n' > ring.rsh
RANKSH_CUDA=$standin RANKSH_STANDIN="memory=400GB gpus=4 cost=call:400ns cost=start:0us cost=step:9us cost=nccl:0us,70GB/s" \
	within 300 "$RANKSH" -n 4 --device cuda --machine ./this.machine ring.rsh > out 2>&1 < /dev/null
check "... and a ring lasts as long as is foretold" awk '$1 == "allreduce" && NF > 6 { n++; off = $(NF - 1) + 0 } END { exit !(n == 1 && off < 2 && off > -2) }' out
