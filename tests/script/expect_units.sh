#!/bin/sh
# expect_units.sh -- the report of a false `expect`: the part that decided; of several sections
# with one name the last; the words as typed, without trailing blanks. A comparison of a time, a
# size or a rate with a number without a unit is refused.
. tests/script/lib.sh
# says LINES WORDS
says() { "$RANKSH" -n 2 -c "$1" > "$work/out" 2>&1; check "$2" grep -qF -- "$2" "$work/out"; }
says 'tensor m[8k]; expect bytes(m) == 8B*1024' 'bytes(m) = 32 kB, which is not 8 kB = 8B*1024'
says 'tensor m[8k]; expect 8B*1024 == bytes(m)' '8B*1024 = 8 kB, which is not 32 kB = bytes(m)'
says 'expect count(sync) + count(print) == 7' 'count(sync) + count(print) = 0, which is not 7'
says 'let n = 3; expect n == 2 + 2' 'n = 3, which is not 4 = 2 + 2'
says 'let n = 3; expect 1 == 1 and n == 4 and n == 5' 'n = 3, which is not 4'
says 'mark m; spin 1ms; mark m; expect count(spin,m) == 7' 'count(spin,m) = 0, which is not 7'
# a number without a unit
says 'spin 1ms; expect time < 9' 'time is a time: write 9ms (or another unit)'
says 'spin 1ms; if 0.5 < time { spin 1ms }' 'time is a time: write 0.5ms (or another unit)'
says 'spin 1ms; expect time < 80%' 'time is a time: write 0.8ms (or another unit)'
says 'tensor m[8k]; expect peak < 32768' 'peak is a size: write 32768B (or another unit)'
says 'tensor m[8k]; expect peak <= 32k' 'peak is a size: write 32kB (or another unit)'
says 'tensor m[8k]; expect peak <= 1.5' 'peak is a size: write 1.5B (or another unit)'
says 'tensor m[8k]; let n = 8k; expect bytes(m) == 4*n' 'bytes(m) is a size: 4*n is 32768, without a unit, which a factor of 1B would give it'
says 'tensor m[8k]; let n = 3; expect max(0,bytes(m),n) > 0' 'bytes(m) is a size: n is 3, without a unit'
says 'print min(4k,1kB,2)' '1kB is a size: write 4kB (or another unit)'
says 'tensor g[8k]; allreduce g; sync; expect busbw(g) > 0.1' 'busbw(g) is a rate: write 0.1GB/s (or another unit)'
says 'tensor m[8k]; expect exposed < bytes(m)/273' 'exposed < bytes(m)/273: a time and bytes cannot be combined'
says 'expect error "write 9ms" { expect time < 9 }; expect time != 9ms; say "said"' 'said'
# Zero and infinity need no unit; bytes divided by a rate are a time, also with a plain number of
# bytes.
"$RANKSH" -n 2 -c 'tensor m[8k]; spin 1ms; sync
expect time > 0 and time < inf and peak != 0 and max(0,time) == time and min(inf,time) == time and time >= 0*2
expect bytes(m)/32MB/s == 1.024ms and 32k/32MB/s == 1.024ms and exposed < 4*8k/273MB/s
if time > 0 { say "fine" }' > "$work/out" 2>&1
check "0 and inf need no unit; bytes/rate is a time" sh -c 'grep -q fine "$1" && ! grep -q false "$1"' - "$work/out"
