#!/bin/sh
# dry.sh: --dry tells of the order of things what a run with data tells
. tests/script/lib.sh
# both NAME RANKS LINES: with and without --dry the same is printed
both() {
	"$RANKSH" -n $2 -c "$3" < /dev/null > "$work/real" 2>&1
	"$RANKSH" --dry -n $2 -c "$3" < /dev/null > "$work/dry" 2>&1
	check "$1" same "$work/real" "$work/dry"
}
lines='stream io compute; tensor x[8,8] y[8,8] = randn; x = relu y on io; y = add x x on compute'
both "races are counted and named" 2 "$lines; say \"\$(races) races\"; races"
both "races of a section" 3 "$lines; mark after; say \"\$(races) races\"; x = relu y on io; say \"\$(races) races\"; races"
