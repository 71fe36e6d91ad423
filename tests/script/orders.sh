#!/bin/sh
# orders.sh -- no built-in strategy, with any of its schedules, issues operations in an order in
# which NCCL can hang, or lets collectives cross
. tests/script/lib.sh

# silent RANKS MODEL STRATEGY
silent() {
	"$RANKSH" --dry -n "$1" -c "model $2; strategy $3; run 3; sync; say over" > "$work/out" 2>&1
	check "$3 on $1 ranks runs" grep -qx over "$work/out"
	check "$3 on $1 ranks: nothing is reported" sh -c "! grep -qE 'can hang|because the sizes are equal' '$work/out'"
}
while IFS='|' read -r ranks model strategy; do silent "$ranks" "$model" "$strategy"; done <<'END'
4|mlp layers=4 hidden=16 batch=48|serial
4|mlp layers=4 hidden=16 batch=48|dataparallel accumulate=2
4|mlp layers=4 hidden=16 batch=48|ddp bucket=1k
4|mlp layers=4 hidden=16 batch=48|ddp hook=topk delay=1
4|mlp layers=4 hidden=16 batch=48|zero stage=1
4|mlp layers=4 hidden=16 batch=48|zero stage=2 accumulate=2
4|mlp layers=4 hidden=16 batch=48|zero stage=3
4|mlp layers=4 hidden=16 batch=48|fsdp wrap=layer prefetch=2
4|mlp layers=4 hidden=16 batch=48|fsdp offload=host wrap=layer
4|mlp layers=4 hidden=16 batch=48|local every=2
3|mlp layers=4 hidden=16 batch=48|gossip
4|mlp layers=4 hidden=16 batch=48|gossip
2|mlp layers=4 hidden=16 batch=48|gossip
4|mlp layers=4 hidden=16 batch=48|ps shards=2
4|mlp layers=4 hidden=16 batch=48|ps mode=async staleness=2 accumulate=2
4|mlp layers=4 hidden=16 batch=48|ps
4|mlp layers=4 hidden=16 batch=48|tp
4|gpt layers=4 hidden=16 heads=4 seq=8 batch=48|tp sequence=on
4|gpt layers=4 hidden=16 heads=4 seq=8 batch=48|context
4|gpt layers=4 hidden=16 heads=4 seq=8 batch=48|context balance=off
4|gpt layers=4 hidden=16 heads=4 seq=8 batch=48|context kind=ulysses
3|gpt layers=3 hidden=24 heads=3 seq=12 batch=48|context
8|gpt layers=4 hidden=16 heads=4 seq=16 batch=48|context=4 + tp=2
8|gpt layers=4 hidden=16 heads=4 seq=16 batch=48|context=4 + fsdp=2
4|gpt layers=4 hidden=16 heads=4 seq=8 batch=48 experts=4|experts
4|gpt layers=4 hidden=16 heads=4 seq=8 batch=48 experts=4|experts=2 + ddp=2
8|gpt layers=4 hidden=16 heads=4 seq=8 batch=48 experts=4|pipeline=2 capacity=2 + experts=2 + ddp=2
4|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=gpipe micro=8
4|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=1f1b micro=8
4|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=1f1b micro=8 accumulate=2
4|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=interleaved chunks=2 micro=8
4|gpt layers=12 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=interleaved chunks=3 micro=8
2|gpt layers=8 hidden=16 heads=4 seq=8 batch=48|pipeline schedule=interleaved chunks=4 micro=8
3|gpt layers=12 hidden=16 heads=4 seq=8 batch=54|pipeline schedule=interleaved chunks=2 micro=9
4|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=zb-h1 micro=8
4|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=zb-h2 micro=8
4|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=zb-auto micro=8
4|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=zb-auto limit=2 micro=8
4|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=zb-v-4.csv chunks=2 micro=8
8|gpt layers=16 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=zb-v-8.csv chunks=2 micro=16
4|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=dualpipe-v-4.csv chunks=2 micro=8
8|gpt layers=16 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline schedule=dualpipe-v-8.csv chunks=2 micro=16
8|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline=2 schedule=1f1b + fsdp=2 + tp=2
8|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline=4 schedule=zb-h2 clip=0.1 + ddp=2
8|gpt layers=8 hidden=16 heads=4 seq=8 batch=48 tied=on|pipeline=4 schedule=interleaved chunks=2 + zero=2 stage=2
8|gpt layers=8 hidden=16 heads=4 seq=8 batch=48|pipeline=2 + context=4
8|gpt layers=8 hidden=16 heads=4 seq=8 batch=48|gossip=4 + tp=2
END
for lesson in lessons/[0-9]*.rsh; do
	awk -v n="$(basename "$lesson" | sed 's/^0*\([0-9]*\)-.*/\1/')" '/^## / { t++; printf "lesson %d.%d\nsolution run\n", n, t }' "$lesson"
done > "$work/all.rsh"
"$RANKSH" -n 4 "$work/all.rsh" > "$work/out" 2>&1
check "solutions of lessons run" [ $? = 0 ]
check "solutions of lessons: nothing is reported" sh -c "! grep -qE 'can hang|because the sizes are equal' '$work/out'"

# many ranks: the circle is named once, by its first ranks
"$RANKSH" --dry -n 1024 -c 'stream s t
tensor a[4] b[4] = 1
for k in 0:5 { send a to=(rank+1)%world on s
  recv b from=(rank-1)%world on t }
for k in 0:20 { sendrecv a -> b to=(rank+1)%world from=(rank-1)%world on s;  allreduce a on t }' > "$work/out" 2>&1
check "a circle of 1024 ranks" grep -q "ranks 0-1023 queue operations of world in a circle: NCCL can hang" "$work/out"
check "... is cut short" grep -q "and 1016 more ranks" "$work/out"
check "... and reported once" [ "$(grep -c "can hang" "$work/out")" = 1 ]
