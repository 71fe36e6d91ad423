#!/bin/sh
# loader.sh -- the loader trains to the same numbers as without one, to the last digit; undo and
# steps back, saved programs, checkpoints; a disk that is too small
. tests/script/lib.sh
cd "$work" || exit 1
gpt="model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32"
loader="loader workers=2 prefetch=1 decode=2ms"

for strategy in "ddp accumulate=2" "pipeline=2 schedule=zb-h1 + ddp=2" context; do
	trained() { echo "strategy $strategy; run 3; @(rank == world-1) save loss $1.npy"; }
	rm -f plain.npy loaded.npy
	"$RANKSH" -n 4 -c "$gpt; $(trained plain); $loader; $(trained loaded); expect races == 0" > out 2>&1
	check "$strategy: as without it" same plain.npy loaded.npy
done

# a schedule with its own orders of micro-batches, different in forward and backward, with idle
# cells
printf '\357\273\277' > order.csv # as spreadsheets begin a text
cat >> order.csv <<'END'
0F2,0F0,0F3,0F1,,,,0B1,0B3,0B0,0B2
,1F2,1F0,1F3,1F1,1B1,1B3,1B0,1B2
END
"$RANKSH" -n 4 -c "$gpt recompute=full; loader prefetch=1; strategy pipeline=2 schedule=order.csv + ddp=2; verify iterations=2; expect races == 0" > out 2>&1
check "micro-batches in another order" grep -q "as one rank after 2 iterations" out

# ---- lines that run again ----
seen() { printf '%s\n' "$@" 'say "--- looks"' timeline tensors 'peek loss' | one_process -n 1 | sed -n '/--- looks/,$p' | sed 's/,"log":.*//'; }
seen "$gpt" "$loader" "strategy ddp" "run 2" > before
seen "$gpt" "$loader" "strategy ddp" "run 2" "run 1" "undo" > out
check "undo" same before out
seen "$gpt" "$loader" "strategy ddp" "run 2" "step 2" "step back 2" > out
check "step back" same before out
printf '%s\n' "$loader" "loader workers=5" undo loader | one_process -n 1 > out
check "undo of another loader" sh -c 'tail -3 out | grep -q "loader: 2 workers"'
seen "$gpt" "$loader" "strategy ddp" "run 1" "loader off" "run 1" > out
check "the program keeps the loader that it has" same before out

# ---- saved ----
picture() { "$RANKSH" -n 2 -c "$2; sync; timeline; print loss" 2> /dev/null | sed -n '/^ *ms /,$p' > "$1"; }
picture a "$gpt; $loader; strategy ddp; program save source.rsh source; run 2; program save ran.rsh"
picture b "source ran.rsh"
check "saved as it ran" same a b
picture b "program source.rsh; run 2"
check "saved as its source" same a b

# ---- a checkpoint: the data goes on where it was ----
"$RANKSH" -n 2 -c "$gpt; $loader; strategy ddp; run 4; say \"loss \$(loss[0])\"" 2>&1 | grep '^\[0' | grep loss > unbroken
"$RANKSH" -n 2 -c "$gpt; $loader; strategy ddp; run 2; checkpoint to=ck; resume from=ck-2; run 2; expect races == 0; say \"loss \$(loss[0])\"" 2>&1 | grep '^\[0' | grep loss > out
check "resumed as unbroken" same unbroken out

# ---- data larger than the disk: nothing is changed ----
"$RANKSH" -n 2 -c "data synthetic count=300000; $gpt; strategy ddp; run 1; set disk=1MB; $loader; expect error \"the disk is full: no room for 1.144 MB\" { strategy ddp }; run 1; verify" > out 2>&1
check "a full disk" grep -q "as one rank after 2 iterations" out

# ---- what has no use for one says so ----
own_files
"$RANKSH" -n 2 -c "$loader; model line.rsh; strategy mean.rsh; run 1; model mlp; stage F=1ms B=1ms W=1ms; strategy pipeline; run 1" > out 2>&1
check "a program that reads by no loader" test "$(grep -c 'note: this program reads no data by a loader' out)" = 2

# ---- what it reads is no schedule of stages; many threads have one row ----
"$RANKSH" --dry -n 4 -c "$gpt; loader workers=5 decode=2ms; strategy ddp accumulate=2; run 1; stats; stalls" > out 2>&1
check "no bubble without stages" sh -c '! grep bubble out'
check "one row for many threads" sh -c 'test "$(grep -c " load0-4 " out)" = 2 && ! grep -q " load[0-9]  " out'
