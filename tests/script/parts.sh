#!/bin/sh
# parts.sh -- `part` lines of a strategy, as `verify`, checkpoint and resume use them
. tests/script/lib.sh
cd "$work" || exit 1

own_files
sed -i 's/part w of w/declare/; s/^def gradient_made.*/&\ndef declare { part w of w }/' line.rsh
# 4 ranks: w [8,8] is cut by columns in two, and each half, taken as one line of 32, in two
cat > cut.rsh <<'END'
# cut: each rank keeps a quarter
# axis dp
let rows = batch//size(dp);  let from = dp*rows;  let half = dp//2;  let side = dp%2
def gradient_made p { replaced p;  allreduce d$p op=avg in dp }
def declare {
  tensor block[8,4] = zeros;  line = reshape block [32];  piece = line[16*half:16*half+16]
  part piece of w col=4*side rows=8 cols=4 at=16*half
}
def refresh { @(dp < 0) { spin 1ms } }
def iteration { replaced;  copy w[0:8,4*side:4*side+4] -> block }
END
run() { "$RANKSH" -n 4 -c "model line.rsh; strategy $1; $2" > out 2>&1; }
run cut.rsh "run 2; verify"
check "a piece of a block is compared" [ $? = 0 ]
run cut.rsh "run 2; print piece[3]; checkpoint to=ck; resume from=ck; step 2; print piece[3]"
check "... saved and read, the same" [ "$(grep -c "piece\[3\] = " out) $(grep "piece\[3\] = " out | sort -u | wc -l)" = "8 4" ]
# bad FROM TO WORDS: the line that says something else
bad() {
	sed "/part piece/s/$1/$2/" cut.rsh > bad.rsh
	run bad.rsh "run 2; verify"
	check "$2 for $1: $3" grep -qF -- "$3" out
}
bad "4.side" "4-4*side" "differs from one rank"
bad "16.half" "16-16*half" "differs from one rank"
bad "16.half" "16*half+1" "part piece of w, on rank 2: its element 15 lies outside of w, which is [8,8], in a block of 8 rows and 4 columns"
bad "16.half" "16" "no rank declares w[0,0]"
bad "rows=8" "rows=5" "its element 4 lies outside of w"
bad "cols=4" "cols=5" "lies outside of w"
bad "cols=4" "cols=0" "cols=0: a whole number from 1"
bad "rows=8 cols=4 at=16.half" "row=5" "its element 12 lies outside of w" # a line of one dimension: to the end, from row 5, column 4 on
bad "rows=8 cols=4 at=16.half" "" "no rank declares w[2,0]" # column 0 on is whole rows
