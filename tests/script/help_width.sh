#!/bin/sh
# help_width.sh -- every help text fits a terminal of 80 columns
. tests/script/lib.sh
folder=$(pwd)
{
	printf 'strategy\nhelp\nhelp grammar\nhelp kernels\nhelp collectives\nhelp figures\nhelp causes\nhelp words\n'
	sed -nE 's/^(word|figure|cause): ([^,]*).*/help \2/p' docs/help/glossary.txt
	grep -rhoE '^[[:space:]]*\.name = "[a-z0-9_]+' "$folder"/shell/commands "$folder"/shell/course/commands "$folder"/src/kernels "$folder"/src/collectives | sed 's/.*"/help /' | sort -u
	for name in strategies/*.rsh; do echo "strategy $(basename "$name" .rsh) help"; done
	echo 'strategy pipeline=2 + ddp + tp help'
	echo 'strategy context + fsdp + experts help'
	for name in strategies/models/*.rsh; do echo "model $(basename "$name" .rsh) help"; done
} > "$work/lines"
within 60 "$RANKSH" --dry -n 4 < "$work/lines" > "$work/out" 2> /dev/null
awk '{ line = $0; gsub(/[\200-\277]/, "", line); if (length(line) > 80) print length(line) ": " $0 }' "$work/out" > "$work/wide"
check "all of it came" [ "$(wc -l < "$work/out")" -gt 300 ]
check "what strategies, models, figures and causes are is found" [ -z "$({
	for name in strategies/*.rsh strategies/models/*.rsh; do echo "help $(basename "$name" .rsh)"; done
	sed -nE 's/^(word|figure|cause): ([^,]*).*/help \2/p' docs/help/glossary.txt
	echo "model help"
} | within 20 "$RANKSH" --dry -n 4 2>&1 > /dev/null)" ]
mv "$work/wide" "$work/out"
check "80 columns" [ ! -s "$work/out" ]
