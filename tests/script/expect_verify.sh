#!/bin/sh
# expect_verify.sh -- `expect verify` is silent if the ranks have the numbers of one rank, and
# fails with the words of `verify` if not; also the words of a false close_step
. tests/script/lib.sh
model='model mlp layers=3 hidden=16 batch=24'
# run STATUS NAME LINES
run() { "$RANKSH" -n 3 -c "$3" > "$work/out" 2>&1; check "$2" [ $? = "$1" ]; }
run 0 'as one rank' "$model; strategy ddp; expect verify iterations=2   # remark
expect verify; let verify = 3; expect verify == 3; if world == 3 { expect verify }"
check 'and nothing is said' sh -c '! grep -q "one rank\|false\|iteration 2" "$1"' - "$work/out"
run 1 'not as one rank' "$model; strategy ddp broken=nosync; run 3; expect verify; say after"
check 'said before the words of verify' sh -c 'sed -n "/false: expect verify/{n;p}" "$1" | grep -q "difference relative to  *its change"' - "$work/out"
check 'which say how far' grep -q 'differs from one rank after 3 iterations: 3 of 3 tensors' "$work/out"
check 'the lines go on' grep -qx after "$work/out"
run 0 'other numbers that are expected do for verify' "$model; strategy local every=2; run 3; verify"
run 1 'but not for expect verify' "$model; strategy local every=2; run 3; expect verify"
check 'which says why' grep -q "other numbers than one rank's are expected" "$work/out"
run 1 'nothing was trained' "$model lr=1e-30; strategy ddp; run 2; expect verify"
check 'is no verdict' grep -q 'no verdict' "$work/out"
printf '%s\n' "$model" 'strategy ddp broken=nosync' 'expect verify iterations=2' > "$work/f.rsh"
"$RANKSH" -n 3 "$work/f.rsh" > "$work/out" 2>&1
check 'with file and line' grep -q 'f.rsh:3: false: expect verify iterations=2$' "$work/out"
for line in 'expect verify' 'spin 1ms; expect verify'; do
	run 2 "no strategy: $line" "$line"
	check 'says what to type' grep -q 'verify compares a strategy.s training: `strategy ddp` first' "$work/out"
done
run 2 'no such option' "$model; strategy ddp; expect verify iteration=2"
check 'the nearest is named' grep -q "did you mean 'iterations'" "$work/out"
run 2 'for all ranks' "$model; strategy ddp; @0 expect verify"
"$RANKSH" --dry -n 64 -c "model mlp layers=3 hidden=16 batch=64; strategy ddp; expect verify iterations=2; stats" > "$work/out" 2>&1
check '--dry plays the iterations, compares nothing, and says so' sh -c 'grep -q "^--dry keeps no data" "$1" && grep -q "iterations 2-2 of 2\|iteration 2 of 2" "$1"' - "$work/out"

local='tensor x[16,8] t[16,8] = randn seed=rank+1; tensor b[8,8] = randn seed=30 scale=0.3; tensor w[8,8] r[8,8] = 0; copy b -> w; copy b -> r
repeat 2 { y = matmul x r; dy = mse_grad y t; g = matmul x.T dy; allreduce g op=avg; sgd r g lr=0.03 }
repeat 2 { y = matmul x w; dy = mse_grad y t; g = matmul x.T dy; sgd w g lr=0.03 }
allreduce w op=avg'
run 1 'local steps are no exchanged ones' "$local
expect close(w, r); expect close_step(w, b, r)"
check 'the difference is told beside the change' grep -qE 'close_step\(w, b, r\): the difference is 0\.00[0-9]* of the change from b to r \(1e-05 is allowed\)' "$work/out"
run 1 'nothing has changed' "$local
expect close_step(w, b, b)"
check 'and is told' grep -q 'close_step(w, b, b): nothing was trained: b is b, but for rounding' "$work/out"
run 1 'no number' "$local
r = sqrt b; expect close_step(w, b, r)"
check 'and is told so' grep -q 'close_step(w, b, r): something is not a number' "$work/out"
"$RANKSH" --dry -n 3 -c "$local
expect close_step(w, b, r)" > "$work/out" 2>&1
check 'close_step with --dry holds, and says why' sh -c 'grep -q "^--dry keeps no data" "$1" && ! grep -q false "$1"' - "$work/out"
