#!/bin/sh
# activation_memory.sh -- the bytes that a gpt's layer keeps for backward, by the formulas of
# Korthikanti et al. (arXiv:2205.05198, table 2), for s tokens, b sequences, h columns, a heads,
# t ranks and a type of 2 bytes:
#
#                         the paper                      here
#   on one rank           s b h (34 + 5 a s/h)           s b h 32
#   tensor parallel       s b h (10 + 24/t + 5 a s/ht)   s b h (8 + 24/t)
#   ... and sequence      s b h (34/t + 5 a s/ht)        s b h 32/t
#   selective             each without 5 a s/h           20, 4 + 16/t, 20/t
#   full                  s b h 2                        s b h 2, with sequence 2/t
#
# Attention keeps no matrix of s x s, because its kernel is fused, so `selective` of the paper is
# always on; here it also drops norms (2 + 2) and gelu (8). Dropout keeps no mask (1 + 1 of 34, and
# 1 + 1 of 10), because the mask is made again from a seed.
. tests/script/lib.sh

# kept LAYERS STRATEGY RECOMPUTE: the bytes of activations at the peak, divided by s b h. ddp and
# fsdp use a batch of 4 on each of 4 ranks.
kept() {
	batch=4
	case $2 in *dp) batch=16 ;; esac
	"$RANKSH" --dry -n 4 -c "model gpt layers=$1 hidden=256 heads=8 seq=64 batch=$batch dtype=bf16 dropout=0.1 recompute=$3
		data synthetic count=4000
		strategy $2
		run 1; sync; print peak(activation)/1B" | sed -n 's/.*peak(activation).* = //p' | tr -d ,
}
# layer STRATEGY RECOMPUTE WANTED: what the third layer adds to two
layer() {
	two=$(kept 2 "$1" "$2") three=$(kept 3 "$1" "$2")
	check "$1 recompute=$2: a layer keeps $3 s b h bytes (2 layers ${two:-?}, 3 layers ${three:-?})" \
		awk -v a="${two:-0}" -v b="${three:-0}" -v wanted="$3" 'BEGIN { exit !(b - a == wanted * 64 * 4 * 256) }'
}
while IFS=: read -r strategy none selective full; do
	layer "$strategy" none "$none"
	layer "$strategy" selective "$selective"
	layer "$strategy" full "$full"
done <<END
ddp:32:20:2
fsdp:32:20:2
tp:$((8 + 24 / 4)):$((4 + 16 / 4)):2
tp sequence=on:$((32 / 4)):$((20 / 4)):0.5
END

# trains STRATEGY MODEL PARAMETER: recomputing does not change the numbers (`verify` compares with
# one rank that recomputes too)
trains() {
	for recompute in none selective full; do
		echo "say \"--- $recompute\"; model $2 dropout=0.2 recompute=$recompute; strategy $1; run 3; sync; @0 say \"norm = \$(norm($3))\"; @0 say \"sum = \$(sum($3))\""
	done | "$RANKSH" -n 2 > "$work/said" 2>&1
	for recompute in none selective full; do
		part $recompute
		sed -n 's/.* \(loss [^ ]*\).*/\1/p; s/.* = //p' "$work/out" > "$work/$recompute"
	done
	check "$1 of $2: selective gives the same numbers" cmp "$work/none" "$work/selective"
	check "$1 of $2: full gives the same numbers" cmp "$work/none" "$work/full"
	check "$1 of $2: five numbers" [ "$(wc -l < "$work/none")" = 5 ]
}
trains ddp "gpt layers=2 hidden=16 heads=4 seq=8 batch=8" wq1
trains "tp sequence=on" "gpt layers=2 hidden=16 heads=4 seq=8 batch=8" wd2
trains "fsdp wrap=layer" "mlp layers=5 hidden=16 batch=8" shard1
trains "pipeline schedule=zb-h1 micro=4" "gpt layers=2 hidden=16 heads=4 seq=8 batch=8 dtype=bf16" wo1

# The model of 22 billion parameters of table 3: 48 layers keep at most the paper's selective, 34
# s b h 48/t = 9.56 GiB, plus the head's logits and norm, and the inputs.
cat > "$work/lines" <<END
set memory=80GB
model gpt layers=48 hidden=6144 heads=64 seq=2048 batch=4 vocab=51200 dtype=bf16 dropout=0.1
data synthetic count=100000
strategy tp sequence=on
run 1; sync
let s = 2048;  let b = 4;  let h = 6144
let ends = 2B*s*b*51200+2B*s*b*h+2B*s*b*h/8
expect peak(activation)-ends < 34B*s*b*h*48/8
expect abs(peak(activation)-ends-32B*s*b*h*48/8) < 100MB
expect peak < 80GB
END
check "a model of 22 billion parameters keeps 9 GiB" "$RANKSH" --dry -n 8 --machine dgx-a100 "$work/lines"
