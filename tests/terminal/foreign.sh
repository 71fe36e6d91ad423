# foreign.sh -- output that a rank prints itself does not break the screen
. tests/terminal/lib.sh

open 80 24 -n 4
check "a prompt" shows 'ms >'
echo 'hello from outside' > "/proc/$(rank 2)/fd/1"
check "what a rank prints is shown with its number" shows '^\[rank 2\] hello from outside'
check "... and the prompt comes back" ends_with_prompt
echo 'an error of its own' > "/proc/$(rank 0)/fd/2"
check "rank 0's too" shows '^\[rank 0\] an error of its own'
keys -l 'say "not '
check "half a line is typed" shows 'say "not *$'
echo 'in between' > "/proc/$(rank 1)/fd/1"
check "something is printed meanwhile" shows '^\[rank 1\] in between'
keys -l 'torn"'
keys Enter
check "the line is whole" shows '^\(\[0-3\] \)\{0,1\}not torn'
two=$(rank 2) three=$(rank 3)
line 'repeat 200 { say "answer of rank zero" }'
for i in 1 2 3 4 5 6 7 8 9; do
	echo "chatter $i" > "/proc/$two/fd/1"
	echo "chatter $i" > "/proc/$three/fd/2"
done
check "all of it arrives" showed '^\[rank 3\] chatter 9'
line 'say "the end"'
check "the wire holds" shows 'the end$'
torn() { screens | grep -e answer -e chatter | grep -v -e 'answer of rank zero' -e '^\[rank [23]\] chatter [1-9] *$' -e 'repeat 200' | grep -q .; }
refute "no line is torn" torn
seq 30000 > "/proc/$two/fd/2" # three times what a pipe holds
check "so does a flood: all of it comes" shows '^\[rank 2\] 30000'
torn() { screens | grep '^\[rank 2\] [0-9]' | grep -q -v '^\[rank 2\] [0-9]\{5\} *$'; }
refute "... and no line of it is torn" torn
