#!/bin/sh
# class.sh -- a class: the events of a lesson that rank 0 reports, the lines that the instructor's
# file allows, over the wire; a folder's board and table; options that exclude each other
. tests/script/lib.sh
cd "$work" || exit 1
mkdir lab
XDG_STATE_HOME=$work/state
export XDG_STATE_HOME

# ---- what is told
told() { grep -c "\"learned\":\"$1" out; }
one_process -n 1 > out <<'END'
lesson 1
hint
predict 3us
y1 = matmul x w
check
predict 3us
undo
solution run
check
next
next
lessons
END
check "a task that is opened is told" [ "$(told 'open\\t1.1\\tQueue three multiplications\\n"')" = 1 ]
check "... a hint" [ "$(told 'hint\\t1.1\\t\\n"')" = 1 ]
check "... a check, with what is wrong" [ "$(told 'check\\t1.1\\ty3 is not x w w w')" = 1 ]
check "... what was predicted" [ "$(told 'predict\\t1.1\\t3us\\n"')" = 1 ]
check "... the solution" [ "$(told 'solution\\t1.1\\trun\\n"')" = 1 ]
check "... a check that is right" [ "$(told 'check\\t1.1\\tright\\n"')" = 1 ]
check "... one that is left unsolved" [ "$(told 'skip\\t1.2\\t\\nopen\\t1.3\\t')" = 1 ]
printf 'lesson 1.3\n' | one_process -n 1 > skipped
check "... but no task that nobody has opened" sh -c '! grep -q skip.t skipped && grep -q "open.t1.3" skipped'
check "... and nothing where lines run again" sh -c "grep -q 'taken back: y1' out && [ $(told '') = 8 ]"
check "the list has ticks, and what is next" grep -q 'lesson 1 [^n]*✓··.*next: lesson 1.2' out

printf '\036{"do":"hello","width":120,"solved":"1.1 1.3 2.1 "}\nlessons\nquit\n' | "$RANKSH" -n 1 --wire > out 2>&1
check "a front end tells what was solved before" grep -q '✓·✓.*✓··.*next: lesson 2.2' out
check "in a script there is no progress" sh -c '"$RANKSH" -n 1 -c "lesson 1; solution run; check; lessons" > out && grep -q "lesson 1 *x\.\. .*20 min" out && grep -q "next: lesson 1.2" out'
check "... and none is read or kept" [ ! -e state ]

printf 'lesson 1\nsolution run\ncheck\nnext\nsolution run\ncheck\nnext\nsolution run\ncheck\n' | one_process -n 1 > out
"$RANKSH" -n 4 -c 'lesson 14.4; solution run; check; lessons' > last 2>&1
check "behind the last task of all the list is named, and the open one in it" sh -c 'grep -q "this was the last task: .lessons. lists" last && grep -q "task 14.4 is open" last'
check "a lesson that is done is told" [ "$(told 'check\\t1.3\\tright\\ndone\\t1.3\\t')" = 1 ]

# ---- what the class allows
rules() { cat > lab/class; }
rules <<'END'
lessons = 1 3    # not 2
minutes = 90
hint = after 23:59
solution = no
END
begun=$(date +%H:%M)
printf 'lessons\nlesson 2\nlesson 1\nhint\nsolution\nsolution run\ncheck\n' | one_process -n 1 --class lab > out
check "a lesson that the class has not got" grep -q 'lesson 2 is not open in this class: lessons 1 3 are' out
check "... stands as closed in the list" grep -q 'lesson 2 [^n]*closed  Pinned' out
check "the time is told" grep -q 'the class gives it 90 minutes' out
[ "$begun" = 23:59 ] || [ "$(date +%H:%M)" = 23:59 ] || check "a hint comes later" grep -q 'hint: this class shows it from 23:59 on, and it is' out
check "a solution never" [ "$(grep -c 'solution: this class shows none' out)" = 2 ]
rules <<'END'
hint = yes
solutions = no
until = 0:01
END
printf 'lesson 1\nhint\nsolution\ncheck\n' | one_process -n 1 --class lab > out
check "a mistake in the file is told, with its line" grep -q "lab/class, line 2: no setting 'solutions'; did you mean solution?" out
[ "$(date +%H)" = 00 ] || check "time that is over is told" grep -q "the class's time is over" out
[ "$(date +%H)" = 00 ] || check "... by a check, too" grep -q "time for this lesson was over" out
check "what the file does not forbid is shown" grep -q 'y3 = matmul y2 w' out
printf '\036{"do":"hello","width":120}\nlesson 1\n' > typed
wire 2 20
check "two ranks go by the same file" grep -q '"learned":"open' replies

# ---- the board
mkdir big
printf '{"ranksh":"0.1","class":1,"name":"ada","id":"A"}\n{"what":"open","task":"1.1","seconds":0}\n{"what":"check","task":"1.1","words":"the order","typed":1,"lines":"x\\n","seconds":120}\n{"what":"che' > big/ada.1.jsonl
printf '{"ranksh":"0.1","class":1,"name":"ada","id":"B"}\n{"what":"check","task":"1.1","words":"the order","seconds":60}\n' > big/ada.2.jsonl
printf '{"class":1,"name":"\\u001b[2Jeve\\u009b\\u202e","id":"C"}\n{"what":"check","task":"1.1","words":"\\u001b]0;title\\u0007","seconds":60}\n' > big/eve.jsonl
printf '\377\376{{{{\n' > big/junk.jsonl
"$RANKSH" --overview big --once > out 2>&1
check "the board is printed once" grep -q '^ ada  *0  1.1 ··· *2  *1  the order' out
check "... half a line left out, and two of one name apart" grep -q '^ ada (2)  *0  1.1' out
check "... with what went wrong for how many" grep -q '^ *2 *2 *2 *1.1 *the order' out
check "no escape sequence gets through" sh -c '! LC_ALL=C grep -q "[[:cntrl:]]" out && grep -q "^ ?\[2Jeve? " out'
LC_ALL=C "$RANKSH" --overview big --once > out 2>&1
check "plain signs where there is no UTF-8" sh -c '! LC_ALL=C grep -q "[^ -~]" out && grep -q "^ ada  *0  1.1 \.\.\." out'
"$RANKSH" --overview big --csv > out
check "a table: a row each" [ "$(wc -l < out)" = 4 ]
check "... with what was typed" grep -q '^"ada","1.1","open","","",2.0,1,1,0,0,0,"the order","x"' out
before=$(ls -lR --time-style=full-iso big)
chmod a-w big big/*
"$RANKSH" --overview big --once > out
chmod u+w big big/*
check "the board writes nothing" [ "$(ls -lR --time-style=full-iso big)" = "$before" ]
mkdir none
check "a class of nobody" sh -c '"$RANKSH" --overview none --once | grep -q "0 learners"'

# ---- mistakes
refused() {     # words wanted
	"$RANKSH" $1 > out 2>&1 < /dev/null
	[ $? = 2 ] && grep -q -e "$2" out
}
check "no such folder, for the board" refused '--overview nowhere --once' 'nowhere cannot be read: No such file'
check "no such folder, for a learner" refused '--wire --class nowhere' '--class nowhere: No such file'
check "a file in its place" refused '--wire --class out' '--class out: this is a file'
check "a name with a slash" refused '--wire --class lab --as a/b' 'contain a slash'
check "a name with a dot" refused '--wire --class lab --as .a' 'must not begin with a dot'
check "a name without a class" refused '--as ada' '--as ada: in which class?'
check "once, of what" refused '--once' '--once: of which class?'
check "a class and a test" refused '--class lab --test F.rsh' 'cannot be combined with --test'
check "a board and a session" refused '--overview lab --class lab' 'a session, a file or lines'
check "a board that cannot be painted" refused '--overview lab' 'cannot show it; --once prints'
check "nothing was written" [ "$(ls lab)" = class ]
