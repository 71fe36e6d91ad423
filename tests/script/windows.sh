#!/bin/sh
# windows.sh -- windows at the prompt: ranks that wait, undo, reset, abort, a mismatch; and
# scripts whose ranks' lines come in another order
. tests/script/lib.sh
cd "$work" || exit 1

# typed NAME: runs the lines of NAME as at a prompt, in one process; their output in `out`, on one
# line
typed() { one_process --dry -n 3 < "$1" | grep -o '"text":"[^"]*"' | sed 's/\\n/ /g' | tr -s ' \n' ' ' > out; echo >> out; }

cat > waits <<'END'
stream s
tensor y[4] = zeros; tensor x[4] = ones
@0 window y
stuck
@1-2 window y
@0 put x -> y@1 on s
@0 close y
stuck
@1-2 close y
stuck
END
typed waits
check 'a window waits for the lines of the others' grep -q 'window: window y waits for a line on rank 1; window y waits for a line on rank 2' out
check 'so does close' grep -q 'close: close y waits for a line on rank 1; close y waits for a line on rank 2' out
check 'nothing is left in the end' grep -q 'no rank waits for another' out

cat > differs <<'END'
@0 tensor y[4] = zeros
@1-2 tensor y[8] = zeros
@0-2 tensor z[4] = zeros
window y
abort world
window z
@0 close z
@1 put z -> z@0
@2 close z
abort world
@1 put z -> z@0
free z
END
typed differs
check 'unequal sizes never meet' grep -q 'rank 0 brings 16 B, ranks 1,2 bring 32 B' out
check 'behind an abort no window is open' sh -c "! grep -q 'free: ' out && grep -q 'put: z is in no window' out"
cat > names <<'END'
tensor y[4] z[4] = zeros
@0 window y
@1-2 window z
END
typed names
check 'other names never meet' grep -q 'rank 0 names y, ranks 1,2 name z' out

cat > undone <<'END'
tensor y[4] x[4] = ones
window y
@0 put x -> y@1
@1 get y@2 -> x
sync
timeline
undo 2
sync
timeline
close y
undo
@2 put x -> y@0
close y
free y
END
typed undone
check 'an undone operation is gone, and so is a close' sh -c "! grep -q 'free: \|put: ' out && grep -q get out"

# an operation queued behind a window that cannot open: rank 0 calls a barrier in its place
for behind in 'get y@(1-rank) -> x' 'put x -> y@(1-rank)' 'add x -> y@(1-rank)'; do
	for look in stats 'say "$(stale)"' 'expect stale == 0' 'close y; stats' 'abort world; stats; say "$(stale)"; print y'; do
		for dry in '' --dry; do
			within 20 "$RANKSH" -n 2 $dry -c "tensor y[4] x[4] = ones; @0 barrier; window y; $behind; $look" > out 2>&1
			check "a window that cannot open: $behind; $look $dry" test $? -lt 4
		done
	done
done
cat > cut.rsh <<'END'
tensor y[4] x[4] = zeros
window y
@1 get y@0 -> x
@2 recv x from=0
@2 add x -> y@0
@1 sync
abort world
window y
@1 add x -> y@0
sync
@1 expect stale == 0
END
within 20 "$RANKSH" -n 3 cut.rsh > out 2>&1
check 'an add that was aborted has changed nothing' test $? -eq 0

# The order of different ranks' lines has no effect: in a file each rank's lines are together, or
# mixed.
setup='stream s t
tensor y[64,64] x[64,64] got[64,64] = randn seed=rank
window y'
lines0='@0 put x -> y@1 on s
@0 add x -> y@2 scale=-0.5 on t
@0 y = relu y'
lines1='@1 get y@0 -> got on s
@1 host 30us
@1 put got -> y@0 on s'
lines2='@2 add x -> y@0
@2 host 10us
@2 x = gelu y on t
@2 get y@1 -> got'
looks='sync
print sum(y) norm(y) sum(x) norm(got)
timeline
stalls
close y'
put() { printf '%s\n' "$@"; }
put "$setup" "$lines0" "$lines1" "$lines2" "$looks" > a.rsh
put "$setup" "$lines2" "$lines1" "$lines0" "$looks" > b.rsh
put "$setup" "$lines1" "$lines0" "$lines2" "$looks" > c.rsh
{ put "$setup"; for k in 1 2 3; do put "$lines2" "$lines0" "$lines1" | grep "^@" | awk -v k=$k '++n[$1] == k'; done; put "$lines2" | tail -1; put "$looks"; } > d.rsh
for file in a b c d; do within 20 "$RANKSH" -n 3 $file.rsh > said.$file 2>&1; done
for file in b c d; do check "the order of ranks' lines means nothing: $file" same said.a said.$file; done
check 'one that stands elsewhere in its own rank does' sh -c "sed 's/^@1 get.*//; s/^@1 put.*/&; get y@0 -> got on s/' a.rsh > e.rsh; '$RANKSH' -n 3 e.rsh > said.e 2>&1; ! cmp -s said.a said.e"
