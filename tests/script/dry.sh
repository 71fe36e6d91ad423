#!/bin/sh
# dry.sh -- with --dry a script prints the same about the order of operations as with data
. tests/script/lib.sh
# both NAME RANKS LINES: prints the same with --dry as without, apart from the loss and notes
# about data
both() {
	"$RANKSH" -n $2 -c "$3" < /dev/null 2>&1 | sed 's/   loss [0-9.]*//' > "$work/real"
	"$RANKSH" --dry -n $2 -c "$3" < /dev/null 2>&1 | sed '/^--dry keeps no data/d' > "$work/dry"
	check "$1" same "$work/real" "$work/dry"
}
lines='stream io compute; tensor x[8,8] y[8,8] = randn; x = relu y on io; y = add x x on compute'
both "races are counted and named" 2 "$lines; say \"\$(races) races\"; races"
both "races of a section" 3 "$lines; mark after; say \"\$(races) races\"; x = relu y on io; say \"\$(races) races\"; races"
"$RANKSH" --dry -n 2 -c "tensor x[64] = 1; tensor h[64] pinned = 0; stream io; copy x -> h on io; print h; races" > "$work/out" 2>&1 < /dev/null
check "races of the host's reads" grep -q 'race: `copy` on io writes h while `print` on host reads it' "$work/out"
# Reading a value fixes the operations before it, and later lines wait for it, even without data.
both "the loss of a run is waited for" 2 "strategy ddp; run 1; barrier; timeline all; stalls"
both "what verify compares is waited for" 2 "strategy serial; expect verify; barrier; timeline all; stalls"
both "data of an expect are waited for" 2 \
	"stream s; tensor x[256,256] = randn; y = matmul x x on s; expect norm(y) > 0 and x[0,0] < 10; barrier; z = add x x on s; timeline all; stalls"
# Transfers over different links have different costs, in one line too: ranks 7 and 8 are in two
# nodes, 0 and 1 in one.
costs() {
	"$RANKSH" --dry -n 16 -c "machine dgx-h100-2; tensor x[1M] y[1M] z[1M] = rank; group g 0,1 7,8; stream s; window y in world; sync; $2; sync; stalls" \
		> "$work/$3" 2>&1 < /dev/null
}
two_ways() {
	costs "$1" "$2" one
	costs "$1" "$3" each
	grep -q 'work' "$work/one" && ! grep -q slowed "$work/one"
	check "$1: nothing is slowed" test $? = 0
	check "$1: as on lines of their own" same "$work/one" "$work/each"
}
two_ways "a collective in two nodes" "@0,1,7,8 allreduce x in g" "@7,8 allreduce x in g; @0,1 allreduce x in g"
two_ways "a send from another node" "@1,9 send x to=0; @0 { recv x from=1; recv z from=9 on s }" \
	"@9 send x to=0; @1 send x to=0; @0 { recv x from=1; recv z from=9 on s }"
two_ways "a put from another node" "@1,9 put x -> y@0" "@9 put x -> y@0; @1 put x -> y@0"
"$RANKSH" --dry -n 4 -c "tensor x[4] = 1; tensor k[3] n[4] i32 = 1; y = alltoall x send=k recv=n" > "$work/out" 2>&1 < /dev/null
check "counts that do not fit the ranks are refused" grep -q 'alltoall: send= has 3 numbers for 4 ranks' "$work/out"
