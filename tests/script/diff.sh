#!/bin/sh
# diff.sh -- `diff` of two saved journals: each runs in its own world, they are compared operation
# by operation, and the session does not change
. tests/script/lib.sh
cd "$work" || exit 1
printf 'tensor x[256,256] w[256,256] = randn\ny = matmul x w\nallreduce y\nsync\n' > base.rsh
printf 'tensor x[256,256] w[256,256] = randn\n@1 slow 2x\ny = matmul x w\nallreduce y\nspin 1ms\nsync\nwhy y\nwhatif launch=2x\n' > slow.rsh
printf 'tensor g[4] = rank\n@0 allreduce g\n' > waits.rsh
printf 'tensor x[4] = randn\nlet m = x[0]\nif m > 0 { spin 1ms }\n' > reads.rsh
cat > all.rsh <<'END'
tensor q[2] = rank
diff base.rsh slow.rsh
diff base.rsh base.rsh
diff base.rsh waits.rsh
expect error "base.rsh" { diff none.rsh base.rsh }
expect error "two sections, or two files" { diff base base.rsh }
print q
diff base.rsh reads.rsh
END
within 60 "$RANKSH" -n 4 all.rsh > out 2> err
check 'what takes longer' grep -q 'matmul y  *4  4  2.00 ms  2.50 ms  x 1.25' out
check 'what is in one alone' grep -q 'spin  *-  4  *-  1.25 ms$' out
check 'nothing, of one file twice' grep -q 'every operation takes as long in both' out
check 'what waits for ever' grep -q 'allreduce g  *-  1  *-  waits' out
check 'the session goes on' grep -q '\[3\] q = 3 3' out
check 'data that steered is refused, with its line' grep -q 'reads.rsh:2: x\[0\]: --dry keeps no data' err
