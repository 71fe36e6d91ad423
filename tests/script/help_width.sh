#!/bin/sh
# help_width.sh -- every help fits into a terminal of 80 columns
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$(cd "$(dirname "$0")/../.." && pwd)
{
	printf 'help\nhelp grammar\nhelp kernels\nhelp collectives\n'
	grep -rhoE '^[[:space:]]*\.name = "[a-z0-9_]+' "$folder"/shell/commands "$folder"/src/kernels "$folder"/src/collectives | sed 's/.*"/help /' | sort -u
} > "$work/lines"
timeout 60 "$RANKSH" --dry -n 4 < "$work/lines" > "$work/out" 2> /dev/null
awk '{ line = $0; gsub(/[\200-\277]/, "", line); if (length(line) > 80) print length(line) ": " $0 }' "$work/out" > "$work/wide"
if [ "$(wc -l < "$work/out")" -gt 300 ] && [ ! -s "$work/wide" ]; then echo "ok help: 80 columns"; else echo "FAIL help: 80 columns"; head -5 "$work/wide"; fi
