#!/bin/sh
# What a false `expect` shows: the part that decided; of sections with one name the last; a plain number beside one with a unit is of that unit, and the
# words are as typed, without their last blanks.
. tests/script/lib.sh
# says LINES WORDS
says() { "$RANKSH" -n 2 -c "$1" > "$work/out" 2>&1; check "$2" grep -qF -- "$2" "$work/out"; }
says 'tensor m[8k]; expect bytes(m) == 8*1024' 'bytes(m) = 32 kB, which is not 8 kB = 8*1024'
says 'tensor m[8k]; expect 8*1024 == bytes(m)' '8*1024 = 8 kB, which is not 32 kB = bytes(m)'
says 'expect count(sync) + count(print) == 7' 'count(sync) + count(print) = 0, which is not 7'
says 'let n = 3; expect n == 2 + 2' 'n = 3, which is not 4 = 2 + 2'
says 'let n = 3; expect 1 == 1 and n == 4 and n == 5' 'n = 3, which is not 4'
says 'mark m; spin 1ms; mark m; expect count(spin,m) == 7' 'count(spin,m) = 0, which is not 7'
