#!/bin/sh
# stacks.sh [PATTERN]: runs `verify` for a table of stacks: each with gpt and mlp, f32 and bf16,
# sgd and adam, one and two micro-batches an optimizer step, and pipelines in every schedule. Not a
# part of the suite, because some 650 cells take a second or two each;
# tests/script/strategies/stacked*.rsh have a selection.
set -u
export RANKSH_DEVICE=sim
ranksh=${RANKSH:-build/ranksh}
pattern=${1:-.}
cells=0 wrong=0
# cell RANKS MODEL STRATEGY
cell() {
	printf '%s' "$2; $3" | grep -q -e "$pattern" || return
	cells=$((cells + 1))
	said=$(timeout 300 "$ranksh" -n "$1" -c "model $2; strategy $3; verify iterations=2; expect races == 0" 2>&1) && return
	wrong=$((wrong + 1))
	printf 'FAIL %s ranks; model %s; strategy %s\n%s\n' "$1" "$2" "$3" "$(printf '%s\n' "$said" | tail -2)"
}
# table RANKS STRATEGY WHO...: with the models named: gpt mlp
table() {
	n=$1 strategy=$2
	shift 2
	for dtype in f32 bf16; do for optimizer in sgd adam; do for accumulate in 1 2; do for model in "$@"; do
		size='layers=5 hidden=12 batch=34'
		[ $model = gpt ] && size='layers=4 hidden=16 heads=4 seq=8 batch=16 vocab=32'
		[ "$model $accumulate" = "gpt 2" ] && size="$size tied=on"
		cell "$n" "$model $size dtype=$dtype optimizer=$optimizer" "$strategy accumulate=$accumulate"
	done; done; done; done
}
for other in ddp zero "zero stage=2" fsdp tp; do
	axis=${other%% *}
	options=${other#"$axis"}
	for schedule in gpipe 1f1b zb-h1 zb-h2 zb-auto "interleaved chunks=2"; do
		table 4 "pipeline=2 micro=2 schedule=$schedule + $axis=2$options" gpt
	done
	table 4 "pipeline=2 micro=3 + $axis=2$options" mlp
done
for across in ddp zero "zero stage=2" "zero stage=3" fsdp "fsdp wrap=layer" "zero offload=host"; do
	axis=${across%% *}
	options=${across#"$axis"}
	table 4 "$axis=2$options + tp=2" gpt mlp
	table 4 "$axis=2$options + tp=2 sequence=on" gpt
	[ "$axis" = ddp ] || table 4 "ddp=2 + $axis=2$options" gpt mlp
done
table 4 "context=2 + fsdp=2" gpt
table 4 "context=2 + tp=2" gpt
table 4 "ddp=2 + context=2 kind=ulysses" gpt
table 4 "pipeline=2 micro=2 + context=2" gpt
table 8 "pipeline=2 micro=2 + ddp=2 + tp=2 sequence=on" gpt
table 8 "pipeline=2 micro=2 schedule=zb-h1 + ddp=2 + tp=2" gpt mlp
table 8 "zero=2 + tp=2 + pipeline=2 micro=2" gpt mlp
table 8 "ddp=2 + fsdp=2 + tp=2" gpt mlp
table 8 "ddp=2 + fsdp=2 + pipeline=2 micro=2" gpt
table 8 "context=2 + fsdp=2 + tp=2" gpt
echo "$cells cells, $wrong differ"
[ "$wrong" = 0 ] && [ "$cells" -gt 0 ]
