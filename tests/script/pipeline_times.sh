#!/bin/sh
# pipeline_times.sh -- the metric gives the published bubbles for stages of given times:
# arXiv:2401.10241, tables 3, 4, 5 and 9 (GPT of 1.5B and 6.2B on 8 A100)
. tests/script/lib.sh
bubble() {       # micro, times, schedule, published, tolerance
	got=$(printf 'stage %s\nstrategy pipeline schedule=%s micro=%s\nrun 1\nprint bubble\n' "$2" "$3" "$1" | "$RANKSH" --dry -n 8 | sed -n 's/.*bubble = //p')
	awk -v a="$got" -v b="$4" -v t="$5" 'BEGIN { d = a - b; exit !(a != "" && d <= t && -d <= t) }' && echo "ok pipeline $3 micro=$1" ||
		echo "FAIL pipeline $3 micro=$1 $2: bubble $got, published $4 within $5"
}
row() {         # micro times chunks 1f1b interleaved h1 h2 auto1 auto2
	bubble "$1" "$2" 1f1b "$4" 0.00007
	bubble "$1" "$2" "interleaved chunks=$3" "$5" 0.00007
	bubble "$1" "$2" zb-h1 "$6" 0.00007
	bubble "$1" "$2" zb-h2 "$7" 0.00007
	bubble "$1" "$2" "zb-auto limit=1" "$8" 0.002
	bubble "$1" "$2" "zb-auto limit=2" "$9" 0.002
}
row 24 "F=18.522ms B=18.086ms W=9.337ms comm=0.601ms" 3 0.2431 0.1055 0.1585 0.1083 0.1585 0.0433
row 32 "F=18.513ms B=18.086ms W=9.331ms comm=0.626ms" 3 0.1985 0.0818 0.1242 0.0837 0.1242 0.0039
row 64 "F=18.546ms B=18.097ms W=9.321ms comm=0.762ms" 3 0.124 0.0443 0.0674 0.0444 0.0674 0.0026
row 24 "F=29.718ms B=29.444ms W=19.927ms comm=0.527ms" 4 0.2347 0.0808 0.1323 0.0698 0.1323 0.0029
row 32 "F=29.802ms B=29.428ms W=19.530ms comm=0.577ms" 4 0.1898 0.0628 0.1045 0.0559 0.1045 0.0022
row 64 "F=29.935ms B=29.621ms W=19.388ms comm=0.535ms" 4 0.1091 0.032 0.0554 0.0294 0.0554 0.001
# equal stages, free communication: (p-1)/(m+p-1), and its time divided by the chunks
bubble 8 "F=2ms B=2ms W=2ms" gpipe 0.466667 0.00001
bubble 8 "F=2ms B=2ms W=2ms" 1f1b 0.466667 0.00001
bubble 8 "F=2ms B=2ms W=2ms" "interleaved chunks=2" 0.304348 0.00001
# the strategy's own words go first, and a model takes the times of `stage` back
got=$(printf '%s\n' 'stage F=9ms B=9ms W=9ms comm=5ms' 'strategy pipeline micro=8 F=2ms B=2ms W=2ms transfer=0ms' 'run 1' 'print bubble' 'model mlp layers=8 hidden=16 batch=8' \
	'strategy pipeline' 'program' 'stage B=2ms' | "$RANKSH" --dry -n 8 2>&1)
case $got in
*"bubble = 0.46666"*"the parameters"*"F=TIME is required"*) echo "ok stage and strategy" ;;
*) echo "FAIL stage and strategy: $got" ;;
esac
