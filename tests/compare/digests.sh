#!/bin/sh
# digests.sh [keep]: counts the operations that a few programs queue on each rank and stream, with
# their times, and compares the counts and digests with the file `digests`. So a change of a
# strategy's operations or times is noticed. keep: writes the file again, after an intended change;
# tests/compare/run shows what has changed.
set -u
operations=$(dirname "$(realpath "${RANKSH:-./ranksh}")")/compare/operations
kept=$(dirname "$0")/digests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
grep '^[0-9]' "$kept" | while IFS= read -r program; do
	echo "$program"
	printf '%s\n' "${program#*; }" | sed 's/; /\n/g' | "$operations" "${program%%;*}" - digest | sed 's/^/    /'
done > "$work/now" 2>&1
if [ "${1:-}" = keep ]; then cp "$work/now" "$kept"; fi
streams=$(grep -c '^    rank' "$work/now")
if [ "$streams" -gt 50 ] && diff "$kept" "$work/now" > "$work/differ"; then echo "ok digests: $streams streams queue what they did"; else
	echo "FAIL digests: programs queue other work, or at other times; if that is meant: sh tests/compare/digests.sh keep"
	head -40 "$work/differ"
fi
