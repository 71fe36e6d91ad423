#!/bin/sh
# pipeline_memory.sh -- how many micro-batches' activations the inner stages of a pipeline hold,
# according to the engine's allocations
. tests/script/lib.sh
# 16 layers on 4 stages: a micro-batch of 64 rows leaves x of 4 layers, [64,64] of f32 each: 64 kB
one=64

# held BATCH OPTIONS [RECOMPUTE]: kB of activations of ranks 1 and 2 at the peak of their memory
held() {
	"$RANKSH" --dry -n 4 -c "model mlp layers=16 hidden=64 batch=$1 recompute=${3:-none}; strategy pipeline $2; run 2; sync
		@1 print peak(activation)/1kB; @2 print peak(activation)/1kB" 2>&1 | sed -n 's/.*peak(activation).* = //p' | paste -sd ' '
}
# holds BATCH OPTIONS N1 N2: micro-batches of ranks 1 and 2
holds() {
	got=$(held "$1" "$2")
	check "$2: stages 1 and 2 hold $got kB, $3 and $4 micro-batches of $one kB" [ "$got" = "$(($3 * one)) $(($4 * one))" ]
}
# recomputes BATCH OPTIONS KB1 KB2
recomputes() {
	got=$(held "$1" "$2" full)
	check "$2 recompute=full: stages 1 and 2 hold $got kB" [ "$got" = "$3 $4" ]
}
holds 512 "schedule=gpipe micro=8" 8 8
holds 1024 "schedule=gpipe micro=16" 16 16
holds 1024 "schedule=gpipe micro=8 accumulate=2" 8 8
holds 512 "schedule=1f1b micro=8" 3 2
holds 1024 "schedule=1f1b micro=16" 3 2
holds 1024 "schedule=1f1b micro=8 accumulate=2" 3 2
# chunks have memories of their own, and not all are in use at the same time
holds 512 "schedule=interleaved micro=8 chunks=2" 5 4
holds 1024 "schedule=zb-h1 micro=16" 4 4
holds 1024 "schedule=zb-h2 micro=16" 7 7
holds 1024 "schedule=zb-auto micro=16" 4 4
holds 1024 "schedule=zb-auto limit=2 micro=16" 8 8
# Recomputed: of each two layers the second's x is kept, which is the next one's input: 32 kB of a micro-batch, and the other x of the two that backward
# is at. Where W comes later than B, also of those between the two.
recomputes 1024 "schedule=gpipe micro=16" $((16 * 32 + 16)) $((16 * 32 + 16))
recomputes 1024 "schedule=1f1b micro=16" $((3 * 32 + 16)) $((2 * 32 + 16))
recomputes 1024 "schedule=zb-h1 micro=16" $((4 * 32 + 2 * 32)) $((4 * 32 + 3 * 32))
recomputes 1024 "schedule=zb-h2 micro=16" $((7 * 32 + 3 * 32)) $((7 * 32 + 5 * 32))
