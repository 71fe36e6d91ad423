#!/bin/sh
# data.sh -- data: texts and pairs of .npy files with mistakes. The message names the file and
# what was expected; the earlier data stays set.
. tests/script/lib.sh
cd "$work" || exit 1
# says LINE TEXT: --dry reads the files too, and one process starts sooner than two
numbers() { "$RANKSH" -n 2 -c "$1" > out 2>&1; check "$2" grep -qF -- "$2" out; }
says() { "$RANKSH" --dry -n 2 -c "$1" > out 2>&1; check "$2" grep -qF -- "$2" out; }

: > empty
printf 'a\0b' > zero
printf 'good \303( bad' > bad
printf 'cut off \342\234' > cut
printf 'line one\r\nline two\r\n' > crlf
printf 'zw\303\266lf \346\274\242\345\255\227' > utf8
mkdir folder
says "data text empty" "empty is empty"
says "data text zero" "zero is binary, not text: its byte 1 is zero"
says "data text bad" "bad is not text: it is not UTF-8 from byte 5 on"
says "data text cut" "cut is not text: it is not UTF-8 from byte 8 on"
says "data text none" "none: No such file or directory"
says "data text folder" "folder is not a regular file"
says "data text crlf" "crlf: 20 characters, 10 different ones"  # the end of a line is two of them
says "data text utf8" "utf8: 8 characters, 8 different ones"
says "model gpt seq=8 batch=2; data text crlf; strategy ddp; run 2" "iteration 2"
says "model gpt seq=20 batch=2; data text crlf; strategy ddp" "a sequence takes 20 tokens and one more; the data has 20: seq=19 fits"
says "model gpt seq=8 batch=3; data text crlf; strategy ddp" "a batch takes 3 sequences of 8 tokens and one more, 25 in all; the data has 20: batch=2 fits"
# A model chosen before its data is built again: its parameters are those of the text's
# vocabulary, 10*8 twice, 4*8, and 12 of 8*8.
"$RANKSH" --dry -n 2 -c "model gpt layers=1 hidden=8 heads=2 seq=4 batch=2; data text crlf" > out 2>&1
check "a model before its data has the data's vocabulary" grep -qF "gpt: 960 parameters" out
"$RANKSH" --dry -n 2 -c "data text crlf; model gpt layers=1 hidden=8 heads=2 seq=4 batch=2" > after 2>&1
check "... as one behind it" grep -qF "gpt: 960 parameters" after
says "data" "data text FILE | data SAMPLES.npy TARGETS.npy | data synthetic"
says "data txt crlf" "write: data text FILE, data SAMPLES.npy TARGETS.npy or data synthetic"
for value in 0 -1 1.5 1e12; do says "data synthetic count=$value" ": a whole number from 1 to 1000000000 was expected"; done

# npy NAME SHAPE TYPE BYTES [ORDER]: all bytes are alike, f4 is 0.747
npy() {
	head="{'descr': '$3', 'fortran_order': ${5:-False}, 'shape': $2, }"
	{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$head"; head -c "$4" /dev/zero | tr '\0' '?'; } > "$1"
}
npy x.npy "(8, 4)" '<f4' 128
npy y.npy "(8, 2)" '<f4' 64
npy half.npy "(8, 2)" '<f2' 32
npy seven.npy "(7, 2)" '<f4' 56
npy line.npy "(8,)" '<f4' 32
npy cube.npy "(8, 2, 2)" '<f4' 128
npy whole.npy "(8, 2)" '<i4' 64
npy double.npy "(8, 2)" '<f8' 128
npy big.npy "(8, 2)" '>f4' 64
npy columns.npy "(8, 2)" '<f4' 64 True
npy none.npy "(0, 2)" '<f4' 0
npy short.npy "(8, 2)" '<f4' 10
printf 'hello' > words.npy
says "data x.npy y.npy" "8 rows of 4 numbers, targets of 2"
says "data x.npy half.npy" "8 rows of 4 numbers, targets of 2"
says "data x.npy seven.npy" "x.npy has 8 rows, seven.npy has 7: each row of samples needs its row of targets"
says "data x.npy line.npy" "line.npy is f32 [8]: rows of numbers are required, [rows,columns] in f32 or f16"
says "data cube.npy y.npy" "cube.npy is f32 [8,2,2]: rows of numbers are required"
says "data whole.npy y.npy" "whole.npy is i32 [8,2]: rows of numbers are required"
says "data x.npy double.npy" "double.npy holds '<f8'; f4, f2 and i4 can be read"
says "data x.npy big.npy" "big.npy is big endian"
says "data x.npy columns.npy" "columns.npy is in Fortran order"
says "data x.npy none.npy" "none.npy is f32 [0,2]: rows of numbers are required"
says "data x.npy short.npy" "short.npy is cut short: 10 bytes of data, 64 wanted"
says "data x.npy words.npy" "words.npy is not a whole .npy file"
says "data x.npy missing.npy" "missing.npy cannot be opened: No such file or directory"
says "data x.npy" "write: data text FILE"
says "model gpt; data x.npy y.npy; strategy ddp" "a gpt reads tokens"
says "model mlp batch=9; data x.npy y.npy; strategy ddp" "a batch takes 9 rows; the data has 8: batch=8 fits"

numbers "data x.npy half.npy; model mlp batch=4 hidden=8 layers=2; strategy ddp; verify iterations=2; expect targets[0,0] == 1.8115234375" \
	"as one rank after 2 iterations" # of f16, and trained in f32
check "... to the end" sh -c '! grep -q "does not convert\|false" out'

# a refused line changes nothing
numbers "model mlp batch=4 hidden=8 layers=2; data x.npy y.npy; expect error \"none: No such file\" { data text none }; expect error \"x.npy has 8 rows, seven.npy has 7\" { data x.npy seven.npy }; strategy ddp; run 1; verify" \
	"as one rank after 1 iteration"
check "the rows are still those of the pair" grep -qF "w1         [4,8]" out

# If undo reads a file that has been replaced meanwhile, this is reported, and a line that is
# refused now is named.
printf '%s\n' 'data x.npy y.npy' 'model mlp layers=2 hidden=8 batch=4' 'strategy serial' 'run 1' \
	'tensor b[8,4] = 2; save b x.npy' undo 'step back' 'say "--- fewer"' 'tensor b[3,4] c[3,2]; save b x.npy; save c y.npy' undo | one_process -n 1 > replies
sed '/--- fewer/q' replies > out
check "undo says which file is another one now" grep -q 'a file that `data x.npy y.npy` reads has changed: x.npy' out
check "... once, and of none that is what it was" [ "$(grep -o 'reads has changed' out | wc -l)" = 1 ]
sed '1,/--- fewer/d' replies > out
check "... and which line is refused now" grep -q '`strategy serial`, run again, is refused: .*a batch takes 4 rows; the data has 3' out
check "... and the log says so" grep -q '{"line":"strategy serial","refused":true}' out
