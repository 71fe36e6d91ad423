#!/bin/sh
# dry.sh: --dry tells of the order of things what a run with data tells
. tests/script/lib.sh
# both NAME RANKS LINES: with and without --dry the same is printed, but for the loss and what is said of data
both() {
	"$RANKSH" -n $2 -c "$3" < /dev/null 2>&1 | sed 's/   loss [0-9.]*//' > "$work/real"
	"$RANKSH" --dry -n $2 -c "$3" < /dev/null 2>&1 | sed '/^--dry keeps no data/d' > "$work/dry"
	check "$1" same "$work/real" "$work/dry"
}
lines='stream io compute; tensor x[8,8] y[8,8] = randn; x = relu y on io; y = add x x on compute'
both "races are counted and named" 2 "$lines; say \"\$(races) races\"; races"
both "races of a section" 3 "$lines; mark after; say \"\$(races) races\"; x = relu y on io; say \"\$(races) races\"; races"
# a value that is read fixes what comes before it, and later lines wait for that: also where nobody has the value
both "the loss of a run is waited for" 2 "strategy ddp; run 1; barrier; timeline all; stalls"
both "data of an expect are waited for" 2 \
	"stream s; tensor x[256,256] = randn; y = matmul x x on s; expect norm(y) > 0 and x[0,0] < 10; barrier; z = add x x on s; timeline all; stalls"
