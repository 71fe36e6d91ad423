#!/bin/sh
# hostile.sh -- hostile input to the real binary: as a file, by -c, through a pipe, and line after
# line in one session, in which the next line must work. Expected: a message with the word or the
# file, a documented exit status, no dead rank and no hang.
. tests/script/lib.sh
mounted=
trap 'cd /; [ -z "$mounted" ] || umount "$mounted"; rm -rf "$work"' EXIT
cd "$work" || exit 1

# many TEXT COUNT
many() { head -c $(($2 * ${#1})) /dev/zero | sed "s/\x00\{${#1}\}/$1/g"; }
# bytes FORMAT: with \ooo
bytes() { printf "$1"; }

# judged NAME STATUS TEXT: by the exit status and what stands in `out`
judged() {
	if [ $status = "$2" ] && grep -q -e "$3" out; then
		echo "ok hostile: $1"
	else
		echo "FAIL hostile: $1: status $status, wanted $2 and '$3'"
		cut -c1-300 out | tail -5 | sed 's/^/    /'
	fi
}
# file NAME STATUS TEXT: what stands in bad.rsh
file() { within 20 "$RANKSH" -n 2 bad.rsh > out 2>&1 < /dev/null; status=$?; judged "$@"; }
pipe() { within 20 "$RANKSH" -n 2 < bad.rsh > out 2>&1; status=$?; judged "$@"; }
lines() { within 20 "$RANKSH" -n 2 -c "$4" > out 2>&1 < /dev/null; status=$?; judged "$@"; }

# session NAME: each line of `lines` is refused in the words that stand in the same line of `words` (".": it is accepted); after each an honest one works
session() {
	awk '{ print; print "print 7*" NR }' lines > typed
	wire 4 60
	awk '/"is":"done"/ && done++ % 2 == 0 { print }' replies > refused
	number=0
	while IFS= read -r wanted <&3; do
		number=$((number + 1))
		IFS= read -r got <&4 || got='no reply'
		shown=$(sed -n ${number}p lines | head -c 60 | tr -d '\n' | tr -c ' -~' '?')
		if ! printf '%s\n' "$got" | grep -q -e "$wanted"; then
			echo "FAIL hostile: $1: $shown: wanted '$wanted'"
			printf '%s\n' "$got" | cut -c1-300 | sed 's/^/    /'
		elif ! grep -q "\] 7\*$number = $((7 * number))" replies; then
			echo "FAIL hostile: $1: the line after '$shown' does not work"
		else
			echo "ok hostile: $1: $shown"
		fi
	done 3< words 4< refused
	[ $status = 0 ] || { echo "FAIL hostile: $1: status $status"; tail -5 replies | cut -c1-300; }
	rm -f lines words
}
# bad LINE WORDS
bad() { printf '%s\n' "$1" >> lines; printf '%s\n' "$2" >> words; }

# ---- one after the other at a prompt
bad "$(many x 1000000)" "no command 'xxxx"
bad "let s = \"$(many a 1000000)\"" '"status":"ok"'
bad "print $(many '1 + ' 250000)1" 'more than 4096 words'
bad "print $(many '(' 100000)1$(many ')' 100000)" 'nest deeper than'
bad "tensor x$(many '[' 100000)" 'nest deeper than'
bad "$(many '{' 100000) spin 1us $(many '}' 100000)" 'nest deeper than'
bad "$(many '{' 100000)" 'nest deeper than'
bad "print $(many '-' 100001)1" '"status":"ok"'
bad 'def f { f }' '"status":"ok"'
bad 'f' 'deeper than'
bad 'source self.rsh' 'nest deeper than'
bad 'source .' '\. is not a regular file'
# Files that block their reader: a pipe without a writer, the kernel's messages (if they can be
# opened)
mkfifo silent silent.machine silent.npy
for line in 'source silent' 'program silent' 'machine ./silent.machine' 'tensor x = load silent.npy' 'data text silent'; do
	bad "$line" 'silent[.a-z]* is not a regular file'
done
bad 'source /proc/kmsg' '/proc/kmsg: \(Resource\|Operation\|Permission\|No such\)'
bad 'source none.rsh' 'none.rsh'
bad 'source binary.rsh' 'binary.rsh: a NUL byte'
bad "$(bytes 'print "\377\376"')" 'not valid UTF-8'
bad 'print 1e999' '1e999 is too large'
bad 'tensor x[99999999999999999999999]' '99999999999999999999999'
bad 'tensor x[4000000000,4000000000,4000000000]' 'larger than 2^46'
bad 'tensor x[1000000,1000000]' 'no room'
bad 'tensor x[-1]' 'a size of -1'
bad 'tensor x[4]; print x[9999999999]' '9999999999'
bad 'repeat 99999999999999999999 { spin 1us }' '99999999999999999999'
bad 'spin 1e300s' 'from 0 to 30 years'
bad 'spin -5us' 'from 0 to 30 years'
bad '@99999999999 spin 1us' 'ranks are 0-3'
bad 'print 1/0' '1/0 divides by zero'
bad 'print 7%0' '7%0'
bytes 'source self.rsh\n' > self.rsh
head -c 10000 "$RANKSH" > binary.rsh
# what Windows PowerShell's `>` writes, of each kind of text that is read
bytes '\377\376p\000r\000i\000n\000t\000 \0001\000\n\000' > wide.rsh
for kind in machine csv txt; do cp wide.rsh "wide.$kind"; done
utf16='saved as UTF-16: save it as UTF-8'
bad 'source wide.rsh' "wide.rsh: $utf16"
bad 'program wide.rsh' "wide.rsh: $utf16"
bad 'machine ./wide.machine' "wide.machine: $utf16"
bad 'lesson ./wide.rsh' "wide.rsh: $utf16"
bad 'strategy ./wide.rsh' "wide.rsh: $utf16"
bad 'model wide.rsh' "wide.rsh: $utf16"
bad 'data text wide.txt' "wide.txt is $utf16"
bad 'tensor t[4] i32 = load wide.txt' "wide.txt is $utf16"
bad 'strategy pipeline schedule=wide.csv' "wide.csv: $utf16"
# without the mark, either byte first
bytes 'p\000r\000i\000n\000t\000 \0001\000\n\000' > little.rsh
bytes '\000p\000r\000i\000n\000t\000 \0001\000\n' > big.rsh
bad 'source little.rsh' "little.rsh: $utf16"
bad 'source big.rsh' "big.rsh: $utf16"
# lines that end in CR alone
bytes '# a comment\rprint 1\rprint 2\r' > mac.rsh
for kind in machine csv txt; do cp mac.rsh "mac.$kind"; done
cr='lines end in CR alone: `tr .* < OLD > NEW` writes them with LF'
bad 'source mac.rsh' "mac.rsh: $cr"
bad 'machine ./mac.machine' "mac.machine: $cr"
bad 'lesson ./mac.rsh' "mac.rsh: $cr"
bad 'strategy ./mac.rsh' "mac.rsh: $cr"
bad 'strategy pipeline schedule=mac.csv' "mac.csv: $cr"
session "a line"

# ---- .npy files that are none
npy() { # npy NAME HEADER BYTES_OF_DATA
	{ bytes '\223NUMPY\001\000'; bytes "\\$(printf %o $((${#2} + 1)))\\000"; printf '%s\n' "$2"; head -c "$3" /dev/zero; } > "$1"
}
good="{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
npy good.npy "$good" 16
bad 'tensor good = load good.npy' '"status":"ok"'
npy short.npy "$good" 7
bad 'tensor x = load short.npy' 'short.npy is cut short: 7 bytes of data, 16 wanted'
npy shape.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807), }" 16
bad 'tensor x = load shape.npy' 'shape.npy: its shape is too large'
npy minus.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 2), }" 16
bad 'tensor x = load minus.npy' 'minus.npy'
npy object.npy "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }" 32
bad 'tensor x = load object.npy' "object.npy holds '|O'"
npy open.npy "{'descr': '<f4" 16
bad 'tensor x = load open.npy' 'open.npy'
head -c 9 good.npy > nine.npy
bad 'tensor x = load nine.npy' 'nine.npy'
bytes '\223NUMPY\001\000\377\377{' > header.npy
bad 'tensor x = load header.npy' 'header.npy is not a whole .npy file: its header is too long'
bytes '\223NUMPY\011\000' > version.npy && tail -c +9 good.npy >> version.npy
bad 'tensor x = load version.npy' 'version 9.0'
: > empty.npy
bad 'tensor x = load empty.npy' 'empty.npy is not a whole'
head -c 1000 "$RANKSH" > noise.npy
bad 'tensor x = load noise.npy' 'noise.npy is not a whole'
mkdir folder.npy
bad 'tensor x = load folder.npy' 'folder.npy'
bad 'tensor x = load none.npy' 'none.npy cannot be opened'
session "npy"

# ---- files and pipes
bytes 'let a = 1\nlet b\000 = 2\nprint a\n' > bad.rsh
file "a NUL byte in a file" 2 'bad.rsh.*NUL byte'
pipe "a NUL byte down a pipe" 2 'NUL byte'
bytes 'print "\377\376"\n' > bad.rsh
file "invalid UTF-8 in a file" 2 'bad.rsh.*UTF-8'
cp wide.rsh bad.rsh
file "a script in UTF-16" 2 "bad.rsh.*$utf16"
pipe "UTF-16 down a pipe" 2 "$utf16"
bytes 'let a = 1\r\nif a == 1 {\r\n  print a\r\n}\r\nprint 1+1\r\n' > bad.rsh
file "lines that end in CR LF" 0 '1+1 = 2$'
pipe "... down a pipe" 0 '1+1 = 2$'
cp mac.rsh bad.rsh
file "lines that end in CR" 2 "bad.rsh.*$cr"
pipe "... down a pipe" 2 "$cr"
bytes 'print 1+1 \r\r\n  \r' > bad.rsh
file "CR before an end of line" 0 '1+1 = 2$'
bytes 'print 1+1' > bad.rsh
file "no end of line" 0 '1+1 = 2'
pipe "... down a pipe" 0 '1+1 = 2'
bytes 'repeat 2 {\nspin 1us\n' > bad.rsh
file "a brace that stays open" 2 'bad.rsh.*open'
pipe "... down a pipe" 2 'open'
: > bad.rsh
within 20 "$RANKSH" -n 2 bad.rsh > out 2>&1 < /dev/null; status=$?
[ -s out ] || echo quiet > out
judged "an empty file" 0 quiet
head -c 100000 "$RANKSH" > bad.rsh
pipe "a binary down a pipe" 2 'input'
{ many x 1000000; echo; } > bad.rsh
file "a line of 1 MB that is nonsense" 2 "bad.rsh:1: no command 'xxx"
pipe "... down a pipe" 2 "input:1: no command 'xxx"
lines "a long line by -c" 2 'nest deeper' "print $(many '(' 100000)"
within 20 "$RANKSH" -n 2 . > out 2>&1 < /dev/null; status=$?
judged "a folder for a file" 2 'cannot read \.'
within 20 "$RANKSH" -n 2 none.rsh > out 2>&1 < /dev/null; status=$?
judged "a missing file" 2 'cannot read none.rsh'

# ---- disks that are full
if [ -c /dev/full ]; then
	within 20 "$RANKSH" -n 2 -c 'print 1' 2> out > /dev/full; status=$?
	judged "a full disk for the output" 4 'No space left'
else
	echo "skipped a full disk for the output: no /dev/full"
fi
(within 20 "$RANKSH" -n 2 -c 'repeat 100000 { print 1 }'; echo $? > status) 2> out | head -1 > first
status=$(cat status)
[ -s out ] || echo quiet > out
judged "a reader that leaves: quietly" 141 '^quiet$'
check "... after what it has read" grep -q '1 = 1' first
# A script must be a regular file: any other could block, or be read until memory is full.
mkfifo waits
ln -s /dev/zero zero.rsh
for n in 1 2; do
	for wanted in 'waits is not a regular file' 'zero.rsh is not a regular file' 'cannot read \.: it is a folder'; do
		of=$(echo "$wanted" | sed 's/ is not.*//; s/cannot read .\(.\):.*/\1/')
		within 20 "$RANKSH" -n $n $of > out 2>&1 < /dev/null
		status=$?
		judged "$n ranks: $of for a script" 2 "$wanted"
		within 20 "$RANKSH" -n $n --grade 1.1 $of > out 2>&1 < /dev/null
		status=$?
		judged "... handed in" 2 "$wanted"
	done
	for way in "--grade 1.1" --check-lessons --test; do
		within 20 "$RANKSH" $way waits > out 2>&1 < /dev/null
		status=$?
		judged "... what $way reads is a file" 2 "waits is not a regular file: write its lines to one, then .ranksh $way F.rsh.\$"
	done
	within 20 "$RANKSH" -n $n < . > out 2>&1
	status=$?
	judged "$n ranks: a folder for the standard input" 2 'the standard input is a folder'
	echo 'say "it runs"' | within 20 "$RANKSH" -n $n > out 2>&1
	status=$?
	judged "... lines down a pipe run" 0 'it runs'
	echo 'say "it runs"' | within 20 "$RANKSH" -n $n /dev/stdin > out 2>&1
	status=$?
	judged "... not by a name of it, which ranks behind mpirun do not have" 2 '/dev/stdin is not a regular file: .* .COMMAND | ranksh. *'
done
mpirun --oversubscribe -n 2 "$RANKSH" zero.rsh > out 2>&1
status=$?
judged "... where mpirun starts the ranks, too" 2 'zero.rsh is not a regular file'
mkfifo pipe
lines "what is no file is not written" 2 'pipe is not a regular file' 'strategy serial; program save pipe'
if [ -p pipe ]; then echo "ok hostile: ... nor taken away"; else echo "FAIL hostile: the pipe is gone"; fi
mkdir full
if mount -t tmpfs -o size=16k none full 2> /dev/null; then
	mounted=$work/full
	echo keep > full/old.rsh
	head -c 20000 /dev/zero > full/fill 2> /dev/null
	bad 'tensor x[64,64] = 1; save x full/x.npy' 'full/x.npy cannot be written: No space left'
	bad 'repeat 100 { spin 1us }; export full/t.json' 'full/t.json cannot be written: No space left'
	bad 'strategy ddp; program save full/old.rsh force' 'full/old.rsh cannot be written: No space left'
	bad 'spin 1us; spin 1us' '"status":"ok"'
	bad 'journal save full/old.rsh force' 'full/old.rsh cannot be written: No space left'
	session "a full disk"
	if [ "$(cat full/old.rsh)" = keep ]; then echo "ok hostile: the old file stays"; else echo "FAIL hostile: the old file is gone"; fi
	if [ "$(ls full | wc -l)" = 2 ]; then echo "ok hostile: no halves are left"; else echo "FAIL hostile: halves: $(ls full)"; fi
else
	echo "skipped full disks: no right to mount one"
fi
