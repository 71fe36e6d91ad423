#!/bin/sh
# pipeline_memory.sh: how many micro-batches' activations the inner stages of a pipeline hold, by what the engine has allocated for them
. tests/script/lib.sh
# 16 layers on 4 stages: a micro-batch of 64 rows leaves z and x of 4 layers, [64,64] of f32 each: 128 kB
one=128

# held OPTIONS: kB of activations of ranks 1 and 2, as `mem` counts them; `mem` puts ranks together that have the same
held() {
	"$RANKSH" --dry -n 4 -c "model mlp layers=16 hidden=64 batch=$1; strategy pipeline $2; run 2; mem" 2>&1 | awk '
		/activations/ {
			kb = $0; sub(/.*activations /, "", kb); sub(/,.*/, "", kb); split(kb, part, " ")
			size = part[1] * (part[2] == "MB" ? 1024 : part[2] == "kB" ? 1 : 1 / 1024)
			ranks = $0; sub(/:.*/, "", ranks); sub(/ranks? /, "", ranks); gsub(/,/, " ", ranks); count = split(ranks, range, " ")
			for (i = 1; i <= count; i++) { split(range[i] "-" range[i], ends, "-"); for (r = ends[1]; r <= ends[2]; r++) got[r] = size }
		}
		END { printf "%g %g", got[1], got[2] }'
}
# holds BATCH OPTIONS N1 N2: micro-batches of ranks 1 and 2
holds() {
	got=$(held "$1" "$2")
	check "$2: stages 1 and 2 hold $got kB, $3 and $4 micro-batches of $one kB" [ "$got" = "$(($3 * one)) $(($4 * one))" ]
}
holds 512 "schedule=gpipe micro=8" 8 8
holds 1024 "schedule=gpipe micro=16" 16 16
holds 1024 "schedule=gpipe micro=8 accumulate=2" 8 8
holds 512 "schedule=1f1b micro=8" 3 2
holds 1024 "schedule=1f1b micro=16" 3 2
holds 1024 "schedule=1f1b micro=8 accumulate=2" 3 2
# chunks have memories of their own: each the most that it has in flight, though not at the same time
holds 512 "schedule=interleaved micro=8 chunks=2" 6 6
holds 1024 "schedule=zb-h1 micro=16" 4 4
holds 1024 "schedule=zb-h2 micro=16" 7 7
holds 1024 "schedule=zb-auto micro=16" 4 4
holds 1024 "schedule=zb-auto limit=2 micro=16" 8 8
# recomputed: of one micro-batch; where W comes later than B, of those between the two
holds 1024 "schedule=gpipe micro=16 recompute=on" 1 1
holds 1024 "schedule=1f1b micro=16 recompute=on" 1 1
holds 1024 "schedule=zb-h1 micro=16 recompute=on" 2 3
holds 1024 "schedule=zb-h2 micro=16 recompute=on" 3 5
