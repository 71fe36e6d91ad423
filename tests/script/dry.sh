#!/bin/sh
# dry.sh: --dry tells of the order of things what a run with data tells
set -u
: "${RANKSH:=./ranksh}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# both NAME RANKS LINES: with and without --dry the same is printed
both() {
	"$RANKSH" -n $2 -c "$3" < /dev/null > "$work/real" 2>&1
	"$RANKSH" --dry -n $2 -c "$3" < /dev/null > "$work/dry" 2>&1
	if [ -s "$work/real" ] && cmp -s "$work/real" "$work/dry"; then echo "ok dry: $1"
	else echo "FAIL dry: $1"; diff "$work/real" "$work/dry"; fi
}
lines='stream io compute; tensor x[8,8] y[8,8] = randn; x = relu y on io; y = add x x on compute'
both "races are counted and named" 2 "$lines; say \"\$(races) races\"; races"
both "races of a section" 3 "$lines; mark after; say \"\$(races) races\"; x = relu y on io; say \"\$(races) races\"; races"
