#!/bin/sh
# bench.sh FOLDER -- measures ranksh on this computer's GPU, and the same work without ranksh
# (bare.c), in one run. Prints a line for each figure, with its limit. Parts: rates attention
# hidden allreduce calibrate. FEW=yes: makes each as small as possible. KEEP=FOLDER: keeps the
# machine's file there. On a stand-in figures are printed without a verdict; only a missing one
# fails.
# docs/internals/measured.md explains each figure.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/gpu/lib.sh
if [ -n "$standin" ]; then
	RANKSH_STANDIN="gpus=1 memory=80GB"
	side=256 megabytes=4 seq=64 batch=1 reduced=1 largest=4k times=3
else
	side=8192 megabytes=512 seq=4096 batch=4 reduced=256 largest=64M times=10
fi
count=$((megabytes * 262144)) # elements of f32
: > "$work/figures"

# value NAME: what was measured; figure WHAT VALUE most|least LIMIT: told, and held against its limit
value() { awk -v name="$1" '$1 == name { found = $2 } END { print found }' "$work/figures"; }
of() { awk "BEGIN { print $* }" 2> /dev/null; } # an expression of numbers; where one is missing nothing
figure() {
	: > "$work/out"
	case $2 in '' | *[!-0-9.e+]*) bad "$1: was not measured"; return ;; esac
	limit="$2 (at $3 $4)"
	if [ -n "$standin" ]; then ok "$1: $limit, on a stand-in without a verdict"
	elif awk "BEGIN { exit !($([ "$3" = most ] && echo "$2 <= $4" || echo "$2 >= $4")) }"; then ok "$1: $limit"
	else bad "$1: $limit"; fi
}
# session RANKS FILE [OPTION...]: its lines "NAME NUMBER" are figures
session() {
	ranks=$1 file=$2
	shift 2
	within 150 "$RANKSH" -n "$ranks" --device cuda "$@" "$file"
	status=$?
	[ $status = 0 ] || bad "$(basename "$file"): status $status"
	sed 's/^\[0\] //' "$work/out" >> "$work/figures"
}
# best NAME LINES: microseconds that these lines take on the default stream, the least of several
best() {
	printf '%s\n' "$2" sync 'let least = 1e9' "repeat $times {" '  record b0' "  $2" '  record b1' '  sync' \
		'  let least = min(least,elapsed(b0,b1)/1us)' '}' "@0 say \"$1 \$(short(least))\""
}

bare() {
	within 120 "$(program bare)" $side $megabytes || bad "bare: status $?"
	cat "$work/out"
	cat "$work/out" >> "$work/figures"
}

rates() {
	printf '%s\n' 'tensor x[256] = 1' 'y = relu x' sync 'mark queueing' 'spin 20ms' 'repeat 200 { y = relu x }' sync 'stats queueing' > "$work/queueing.rsh"
	session 1 "$work/queueing.rsh"
	queued=$(awk '$1 == "launch" { print $3 * ($4 == "ms" ? 1000 : $4 == "ns" ? 0.001 : 1) }' "$work/out")
	figure "queueing an operation, $queued us, of a bare launch's time" "$(of "$queued / $(value launch_us)")" most 2
	figure "recording an operation's times, us" "$(of "2 * $(value event_us)")" most 2
	{
		echo 'event b0 b1'
		echo "tensor a[$side,$side] b[$side,$side] c[$side,$side] bf16 = randn seed=1"
		best matmul 'c = matmul a b'
		echo 'free a b c'
		echo "tensor h[$count] pinned = 1"
		echo "tensor w[$count] g[$count] m[$count] v[$count] = uniform seed=1"
		best relu 'm = relu g'
		best add 'm = add w g'
		best sgd 'sgd w g lr=0.01'
		best adam 'adam w g m v t=1'
		best h2d 'copy h -> w'
		best d2h 'copy w -> h'
		echo 'free w g m v'
		echo "tensor p[$count] q[$count] r[$count] bf16 = uniform seed=2"
		best half 'r = add p q'
	} > "$work/rates.rsh"
	session 1 "$work/rates.rsh"
	tflops=$(of "2 * $side * $side * $side / $(value matmul) / 1e6")
	figure "matmul bf16 $side^3, $tflops TFLOP/s, of cuBLAS alone" "$(of "$tflops / $(value matmul_tflops)")" least 0.98
	# tensors that each reads and writes
	for kernel in relu:2 add:3 half:1.5 sgd:3 adam:7; do
		name=${kernel%:*}
		rate=$(of "${kernel#*:} * 4 * $count / $(value "$name") / 1000")
		figure "$(echo "$name" | sed 's/half/add of bf16/'), $rate GB/s, of a copy's rate" "$(of "$rate / $(value copy_gbs)")" least 0.9
	done
	for way in h2d d2h; do
		rate=$(of "4 * $count / $(value $way) / 1000")
		figure "pinned copy $way, $rate GB/s, of the peak" "$(of "$rate / $(value ${way}_gbs)")" least 0.9
	done
}

attention() {
	{
		echo 'event b0 b1'
		echo "tensor q[$((batch * seq)),1024] k[$((batch * seq)),1024] v[$((batch * seq)),1024] d[$((batch * seq)),1024] bf16 = randn seed=1"
		best forward "o lse = attention q k v heads=16 seq=$seq"
		best backward "dq dk dv = attention_grad d q k v o lse heads=16 seq=$seq"
	} > "$work/attention.rsh"
	session 1 "$work/attention.rsh"
	# two products of seq x seq x 64 a head forward, five backward
	for way in forward:4:0.2 backward:10:0.12; do
		name=${way%%:*} rest=${way#*:}
		tflops=$(of "${rest%:*} * $batch * $seq * $seq * 1024 / $(value "$name") / 1e6")
		figure "attention $name, seq $seq, $tflops TFLOP/s, of matmul's" "$(of "$tflops / $(value matmul_tflops)")" least "${rest#*:}"
	done
}

# double buffering: a copy and a product begin together
hidden() {
	cat > "$work/hidden.rsh" <<END
stream io compute
tensor h[$side,$side] bf16 pinned = 1
tensor x0[$side,$side] x1[$side,$side] w[$side,$side] y[$side,$side] bf16 = randn seed=1
copy h -> x0 on io
y = matmul x0 w on compute
sync
mark hiding
repeat 4 {
  copy h -> x1 on io; y = matmul x0 w on compute
  wait io on compute; wait compute on io
  copy h -> x0 on io; y = matmul x1 w on compute
  wait io on compute; wait compute on io
}
sync
say "hidden \$(short(overlap(io,compute)))"
END
	session 1 "$work/hidden.rsh"
	figure "copy of the next batch under compute, hidden of the shorter" "$(value hidden)" least 0.95
}

# each piece is read from n ranks and written to n; to begin and to end, each rank has its turn
allreduce() {
	for ranks in 2 4; do
		{
			echo 'event b0 b1'
			echo "tensor x[$((reduced * 262144))] = 1"
			best allreduce$ranks 'allreduce x'
		} > "$work/allreduce.rsh"
		session $ranks "$work/allreduce.rsh"
		least=$(of "2 * $ranks * $reduced * 1048576 / $(value copy_gbs) / 1000 + 2 * $ranks * $(value turn${ranks}_us)")
		figure "allreduce of $reduced MB by $ranks ranks, $(value allreduce$ranks) us, of its bytes at copy rate and $((2 * ranks)) turns" \
			"$(of "$(value allreduce$ranks) / $least")" most 1.5
	done
}

calibrate() {
	printf '%s\n' 'source calibrate' "measure $largest" "calibrate $work/this.machine" > "$work/calibrate.rsh"
	session 1 "$work/calibrate.rsh"
	if [ -n "$standin" ]; then model='layers=2 hidden=64 heads=4 seq=32 batch=2 vocab=64'
	else model='layers=8 hidden=1024 heads=16 seq=1024 batch=8 vocab=8192 dtype=bf16'; fi
	printf '%s\n' "model gpt $model" 'strategy ddp' 'run 2' sync 'mark trained' 'run 4' sync 'stats trained' > "$work/trained.rsh"
	session 1 "$work/trained.rsh" --machine "$work/this.machine"
	# rows: KIND operations measured UNIT predicted UNIT error [of one]; launches are told by themselves
	awk '$1 == "predicted" { rows = 1; next } $1 == "time" { rows = 0 }
		rows && $1 != "launch" && $NF ~ /%$/ { error = $NF; gsub(/[-+%]/, "", error); print error, $(NF - 5 - ($(NF - 1) ~ /%$/)) }' \
		"$work/out" | sort -n > "$work/errors"
	iteration=$(awk '$1 == "predicted" { rows = 1 } rows && $1 == "time" { gsub(/[-+%]/, "", $NF); print $NF }' "$work/out")
	grep '%$' "$work/out"
	figure "the simulator's median error of an operation, %" \
		"$(awk '{ error[NR] = $1; until[NR] = all += $2 } END { for (i = 1; i <= NR; i++) if (until[i] >= all / 2) { print error[i]; exit } }' "$work/errors")" most 10
	figure "... of training iterations, %" "$iteration" most 5
	grep -v '^ *$' "$work/this.machine" || bad "no machine file"
	[ -z "${KEEP:-}" ] || cp "$work/this.machine" "$KEEP"
}

bare
for part in rates attention hidden allreduce calibrate; do
	! wanted $part || $part
done
total
