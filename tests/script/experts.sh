#!/bin/sh
# experts.sh -- reports about tokens: how they are distributed over experts, and the distribution
# that --dry assumes
. tests/script/lib.sh
says() { "$RANKSH" "$@" < /dev/null > "$work/out" 2>&1; }
model='model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 top=1'
all_to_one='step 2; fill router1 0 on compute; run 1; stats'
"$RANKSH" -n 2 > "$work/said" 2>&1 <<END
say "--- to one"
$model
strategy experts
$all_to_one
say "--- capacity"
$model capacity=1
strategy experts
$all_to_one
say "--- ddp"
$model
strategy ddp
run 1; stats
say "--- many"
model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=32 top=1
strategy serial
run 1; sync; stats
say "--- none"
model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=16
strategy ddp; run 1; sync; stats
END
part "to one"
check "stats tells that all tokens went to one expert" grep -q '^   tokens by expert 100% 0% 0% 0%, dropped 0%$' "$work/out"
part capacity
check "stats tells how many were dropped" grep -q '^   tokens by expert 100% 0% 0% 0%, dropped 75%$' "$work/out"
part ddp
check "other strategies tell it too" grep -q '^   tokens by expert [0-9.]*% .*, dropped 0%$' "$work/out"
part many
check "of many experts the least and the most" grep -q '^   tokens by expert from 0% to [0-9.]*%, dropped 0%$' "$work/out"
part none
check "where there are none nothing is said" sh -c "grep -q '^   operations' '$work/out' && ! grep -q 'tokens by' '$work/out'"
says --dry -n 8 -c 'model gpt layers=2 experts=8 batch=32
strategy experts=4 + tp=2
run 2; sync; expect sent(nvlink) > 0'
check "--dry says once that it spreads them evenly" test "$(grep -c 'keeps no data: counts that depend on it are assumed to be evenly divided' "$work/out")" = 1
check "--dry runs them" grep -q 'iteration 2   finished at' "$work/out"
says --dry -n 4 -c 'tensor n[4] i32 = 1; tensor x[10,2] = 1; y = alltoall x send=n recv=n; expect bytes(y) == 80B; expect known(n[0],7) == 7'
check "--dry: as many rows come as go" sh -c "! grep -q false '$work/out'"
