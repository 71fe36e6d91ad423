#!/bin/sh
# tags.sh -- no tag of a struct, enum or union is defined twice in the whole program
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/.." || exit 1
find shell src -name '*.[ch]' -exec grep -HoE '^[[:space:]]*(typedef |static |static const )?(struct|enum|union) [a-z_0-9]+ \{' {} + | sed -E 's/:[[:space:]]*(typedef |static |static const )?(struct|enum|union) / /; s/ \{$//' | awk '{ file[$2] = file[$2] " " $1; if (count[$2]++) twice[$2] } END { for (tag in twice) print tag ":" file[tag]; print NR > "/dev/stderr" }' 2> "$work/tags" > "$work/twice"
tags=$(cat "$work/tags")
if [ "$tags" -gt 300 ] && [ ! -s "$work/twice" ]; then echo "ok no tag is defined twice ($tags tags)"; else
	echo "FAIL no tag is defined twice ($tags tags)"
	sort "$work/twice"
fi
