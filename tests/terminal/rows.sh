# rows.sh -- a step of 64 ranks, with the prompt below it, fits a screen of 80 columns and 24 rows;
# lines that are wider are folded, and their rows count
. tests/terminal/lib.sh
steps=30
# "ROWS COLUMNS" of each step: what stands between its line and the next prompt
taken() {
	screens | awk '/ms > / { if (rows) print rows, wide; on = / > step *$/; rows = wide = 0; next }
		on && (rows || /^step [0-9]/) { rows++; if (length > wide) wide = length }' > "$folder/taken"
}
seen_whole() { [ "$(awk '$1 < 24 && $2 <= 80' "$folder/taken" | wc -l)" = "$1" ]; }
# plays NAME STEPS LINE...
plays() {
	played=$1 count=$2
	shift 2
	open 80 24 --dry -n 64
	check "$played: a prompt" shows 'ms > *$'
	for i in $(seq "$count"); do set -- "$@" step; done
	printf '%s\n' "$@" > "$folder/typed"
	tm load-buffer "$folder/typed" \; paste-buffer
	settle
	taken
	check "$played: $count steps" [ "$(wc -l < "$folder/taken")" = "$count" ]
	check "$played: each is seen whole" seen_whole "$count"
}
for strategy in serial dataparallel ddp fsdp local pipeline 'pipeline schedule=zb-h1' tp zero 'ddp=8 + tp=8'; do
	plays "$strategy" $steps 'model gpt layers=64 hidden=64 heads=64 seq=4 batch=128' "strategy $strategy"
done
# calls of every other rank are wider than the screen
{
	echo 'def turn i { spin 1us }'
	echo '## turns'
	echo '# every other rank takes one, and then those between them: that is said in a sentence which is wider than the screen'
	for i in $(seq 40); do echo "if rank % 2 == $((i % 2)) { turn $i }"; done
} > "$folder/turns.rsh"
plays 'wide calls' 1 'program turns.rsh'
check "wide calls: some are shown, and how many are not" shows '^    \.\.\. and [0-9]* more: `step in` shows all'
