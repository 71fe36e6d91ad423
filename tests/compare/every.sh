#!/bin/sh
# every.sh FOLDER [PATTERN]: tries every stack of one to three strategies with their options,
# schedules and prefetch, on some models. Each must be refused when it is given, or run and equal
# one rank after two iterations, without a race.
#     JOBS=2       cells at a time
#     SAMPLE=150   a number of cells, chosen by SEED=1
#     LIST=1       only lists the cells
# FOLDER/results has a line for each cell: right, refused or wrong; the cell; the message;
# separated by tabs. A cell that has a line is not run again, so an interrupted run continues, and
# after `sed -i /^wrong/d FOLDER/results` a new run repeats the wrong cells. Not a part of the
# suite: some 25,000 cells take half a second to three seconds each. stacks.sh has a smaller table.
set -u
folder=${1:?every.sh FOLDER [PATTERN]} pattern=${2:-.}
ranksh=$(realpath "${RANKSH:-build/ranksh}")
export RANKSH_DEVICE=sim ranksh OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p "$folder" && touch "$folder/results" || exit 1
results=$(realpath "$folder/results")
export results

# ---- the cells: "RANKS; model MODEL; strategy STRATEGY" ----
cat > "$folder/cells.awk" <<'END'
function model(text) { models[++model_count] = text }
# strategy AXIS NAME SIZE OPTIONS: a way to use it, on so many ranks
function way(axis, name, size, options) {
	if (!(axis in ways)) axes[++axis_count] = axis
	ways[axis]++
	named[axis, ways[axis]] = name "=" size options; sizes[axis, ways[axis]] = size
}
function several(axis, name, size, list,   option, n, i) {
	n = split(list, option, "|")
	for (i = 1; i <= n; i++) way(axis, name, size, option[i] == "" ? "" : " " option[i])
}
# what is refused of every such stack, for the model's sake or for that of the two, is asked of the first model alone
function cell(size, strategy,   i) {
	for (i = 1; i <= model_count; i++)
		if (i == 1 || strategy !~ /\+/ || !(strategy ~ /context|experts/ && models[i] ~ /^mlp/ || strategy ~ /experts/ && models[i] !~ /experts/ ||
				strategy ~ /local|gossip/ && strategy ~ /zero|fsdp/)) print size "; model " models[i] "; strategy " strategy
}
BEGIN {
	gpt = "gpt layers=4 hidden=8 heads=4 seq=8 batch=16 vocab=8"
	several_models = "|optimizer=sgd|tied=on dropout=0.1|dtype=bf16 tied=on|dtype=f16 loss_scale=dynamic init_scale=256|clip=0.1 recompute=full|recompute=selective|experts=4|experts=4 capacity=1.25 top=1"
	n = split(several_models, m, "|"); for (i = 1; i <= n; i++) model(gpt (m[i] == "" ? "" : " " m[i]))
	model("mlp layers=4 hidden=8 batch=16"); model("mlp layers=5 hidden=12 batch=34 optimizer=adam clip=0.1")
	model("mlp layers=8 hidden=8 batch=16 dtype=bf16 dropout=0.1 recompute=full")
	several("dp", "ddp", 2, "|bucket=1k|overlap=off|hook=f16|hook=topk k=10%|delay=1|backup=1|accumulate=2")
	several("dp", "local", 2, "every=1|every=2|every=2 accumulate=2"); several("dp", "gossip", 2, "|every=2")
	several("shard", "zero", 2, "|stage=2|stage=3|stage=2 offload=host|stage=3 accumulate=2|stage=3 offload=optimizer:nvme,params:host")
	for (k = 0; k <= 4; k++) several("shard", "fsdp", 2, "prefetch=" k "|prefetch=" k " wrap=layer|prefetch=" k " reshard=off")
	several("shard", "fsdp", 2, "wrap=model|accumulate=2|wrap=layer reshard=off|offload=host|wrap=layer offload=optimizer:nvme,params:nvme,gradients:host prefetch=2")
	several("tp", "tp", 2, "|sequence=on|accumulate=2")
	several("cp", "context", 2, "|kind=ulysses|balance=off|bucket=1k accumulate=2")
	several("ep", "experts", 2, "|accumulate=2")
	several("pp", "pipeline", 2, "micro=2|micro=4 schedule=gpipe|micro=4 schedule=zb-h1|micro=4 schedule=zb-h2|micro=4 schedule=zb-auto limit=1.5|micro=4 schedule=interleaved chunks=2|micro=2 accumulate=2|micro=3")
	several("pp", "pipeline", 4, "micro=8 schedule=zb-v-4.csv chunks=2 layers=8|micro=8 schedule=dualpipe-v-4.csv chunks=2 layers=8")
	# alone
	several("none", "ps", 4, "|shards=2|mode=async|mode=async staleness=1"); several("none", "dataparallel", 4, "|accumulate=2")
	cell(4, "serial accumulate=2")
	for (i = 1; i <= axis_count; i++) for (a = 1; a <= ways[axes[i]]; a++) {
		one = named[axes[i], a]; size = sizes[axes[i], a]; cell(size, one)
		if (axes[i] != "none" && size == 2) { sub(/=2/, "=3", one); cell(3, one) }
	}
	for (i = 1; i <= axis_count; i++) for (k = i+1; k <= axis_count; k++) {
		if (axes[i] == "none" || axes[k] == "none") continue
		for (a = 1; a <= ways[axes[i]]; a++) for (b = 1; b <= ways[axes[k]]; b++) {
			one = named[axes[i], a]; other = named[axes[k], b]; size = sizes[axes[i], a]*sizes[axes[k], b]
			cell(size, (a+b)%2 ? one " + " other : other " + " one)          # both orders of the mesh
			# a third one: each of its ways in turn
			for (l = k+1; l <= axis_count; l++) {
				if (axes[l] == "none") continue
				c = (a+b+l)%ways[axes[l]]+1; three = size*sizes[axes[l], c]
				if (three <= 8) cell(three, (a+b)%2 ? named[axes[l], c] " + " one " + " other : one " + " other " + " named[axes[l], c])
			}
		}
	}
}
END
awk -f "$folder/cells.awk" > "$folder/all"
# those that are wanted, and have no line yet
cut -f2 "$folder/results" > "$folder/done"
grep -e "$pattern" "$folder/all" | if [ -n "${SAMPLE:-}" ]; then
	awk -v seed="${SEED:-1}" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort | head -n "$SAMPLE" | cut -f2
else cat; fi > "$folder/wanted"
grep -vxFf "$folder/done" "$folder/wanted" > "$folder/cells"
[ -z "${LIST:-}" ] || { cat "$folder/wanted"; exit 0; }

# ---- one cell: the words are those of the refusal, or the last ones ----
cat > "$folder/one.sh" <<'END'
cell=$1
said=$(timeout 600 "$ranksh" -n "${cell%%;*}" -c "${cell#*; }; say \"it is given\"; verify iterations=2; expect races == 0" 2>&1)
status=$?
kind=right
words=$(printf '%s\n' "$said" | tail -1)
if [ $status != 0 ]; then
	kind=wrong
	printf '%s\n' "$said" | grep -qx 'it is given' || [ $status != 2 ] || kind=refused
	# what is not refused is indented; mpirun may bring it last
	[ $kind = wrong ] && words="status $status: $words" || words=$(printf '%s\n' "$said" | grep -v '^ ' | tail -1)
fi
printf '%s\t%s\t%s\n' $kind "$cell" "$words" >> "$results"
END
# a cell is one argument, quotes and all
tr '\n' '\0' < "$folder/cells" | xargs -0 -r -n 1 -P "${JOBS:-2}" sh "$folder/one.sh"

# ---- what came out: of all lines there are; kinds of refusals without their numbers ----
grep '^refused' "$folder/results" | cut -f3 | sed 's/^[^ ]*: //; s/[0-9][0-9.]*/N/g' | sort | uniq -c | sort -rn > "$folder/refusals"
grep '^wrong' "$folder/results"
right=$(grep -c '^right' "$folder/results") refused=$(grep -c '^refused' "$folder/results") wrong=$(grep -c '^wrong' "$folder/results")
echo "$(wc -l < "$folder/all") cells; so far right $right, refused $refused ($(wc -l < "$folder/refusals") kinds: $folder/refusals), wrong $wrong"
[ "$wrong" = 0 ] && [ "$right" -gt 0 ]
