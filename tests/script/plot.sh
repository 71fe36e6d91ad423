#!/bin/sh
# plot.sh -- `plot loss`: one curve for each program, with every iteration; in colour on a
# terminal, plain in a pipe, and as SVG. Undone iterations disappear.
. tests/script/lib.sh
cd "$work" || exit 1
cat > two.rsh <<'END'
model mlp layers=2 hidden=64 batch=384
strategy ps
run 12
strategy ps mode=async
step
@1 slow 3x
run 12
plot loss
plot loss loss.svg
END
within 60 "$RANKSH" -n 4 two.rsh > out 2>&1
check 'two curves, by name, with units' grep -q '^ *o ps, mlp layers=2 hidden=64 batch=384: [0-9.]* at [0-9.]* ms' out
check 'and the second' grep -q '^ *+ ps mode=async, mlp' out
check 'an axis of the loss and one of time' sh -c "grep -qx 'loss' out && grep -q '^ *0 .* ms$' out"
check 'plain in a pipe' sh -c "! grep -q \"\$(printf '\\033')\" out"
check 'no wider than a pipe' [ "$(awk '{ if (length > most) most = length } END { print most }' out)" -le 130 ]
check 'the picture is well-formed' sh -c "python3 -c 'import xml.dom.minidom as d; d.parse(\"loss.svg\")' 2>/dev/null || grep -q '</svg>' loss.svg"
# every iteration of every worker is a point, though `run` read the losses at its end alone
check 'asynchronous: each worker has points of its own' [ "$(grep 'stroke-width' loss.svg | tail -1 | grep -o 'L' | wc -l)" -ge 22 ]
# the last point is the loss that `run` says
said=$(grep 'iteration 12' out | head -1 | sed 's/.*loss \([0-9.]*\).*/\1/')
check 'the curve ends where run ended' sh -c "grep '^ *o ps' out | grep -q ' $(printf '%.4g' "$said") at'"

cat > refused.rsh <<'END'
expect error "no program in this session has computed a loss" { plot loss }
expect error "plot loss x.png.svg" { plot loss x.png }
expect error "loss" { plot time }
END
check 'what it refuses' within 20 "$RANKSH" -n 2 refused.rsh
check 'without numbers there is none' within 20 "$RANKSH" --dry -n 2 -c 'expect error "so no losses" { plot loss }'

# looks at the same lines are equal, whether undone in between or not
lines='model mlp layers=2 hidden=8 batch=8\nstrategy serial\nrun 4\n'
seen() { grep -o '"is":"output","text":"loss.*' replies | tail -1 > "$1"; }
printf "${lines}plot loss\n" > typed
wire 2 20
seen straight
printf "${lines}run 3\nplot loss\nundo\nplot loss\n" > typed
wire 2 20
seen undone
check 'undo takes its points back' same straight undone
printf "${lines}strategy ddp\nrun 3\nundo 2\nplot loss\n" > typed
wire 2 20
seen undone
check 'and a program its curve' same straight undone

# the number counts equal names only, not one that continues the other
"$RANKSH" -n 2 -c "model mlp layers=2 hidden=8 batch=80; strategy serial; run 2; model mlp layers=2 hidden=8 batch=8; strategy serial; run 2; strategy serial; run 2; plot loss" > out 2>&1
check 'a longer name is another name' grep -q '^ *+ serial, mlp layers=2 hidden=8 batch=8: ' out
check 'an equal name gets a number' grep -q '^ *[^ ] serial, mlp layers=2 hidden=8 batch=8 (2): ' out

# A curve's name is the line as typed, in any order of reading. A long name is cut, its figures
# are not.
"$RANKSH" -n 4 -c "model mlp layers=2 hidden=16 batch=8; strategy ddp=2 bucket=8k + tp=2; run 2; plot loss; strategy ddp=2 bucket=123456 overlap=off + tp=2; run 6; plot loss" > out 2>&1
check 'the line as typed' grep -q '^ *o ddp=2 bucket=8k + tp=2, mlp.*: [0-9.]* at [0-9.]* [mu]s$' out
check 'a long name is cut before the figures' grep -q '^ *+ ddp=2 bucket=123456 overlap=off + tp=2, .*[^0-9]: [0-9.]* at [0-9.]* [mu]s$' out
