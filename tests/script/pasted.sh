#!/bin/sh
# pasted.sh -- pasted lines with tabs, trailing blanks, Windows line ends and look-alike
# characters
. tests/script/lib.sh
# runs TEXT EXPECTED-STATUS: TEXT is printf's
run() { printf "$1" > "$work/f.rsh"; within 60 "$RANKSH" -n 1 "$work/f.rsh" > "$work/out" 2>&1; [ $? = "$2" ]; }
says() { grep -qF "$1" "$work/out"; }

check "tabs and blanks behind" run '\ttensor\tx[4] =\t1 \t \nexpect x[3] == 1  \t\n' 0
check "lines end as on Windows" run 'tensor x[4] = 1\r\nrepeat 2 {\r\n\ty = relu x\r\n}\r\nsay "a"\r\nexpect y[0] == 1\r\n' 0
check "... and say what they say" grep -q '^a$' "$work/out"
check "... and a text has no end of line in it" sh -c "! grep -q '$(printf '\r')' '$work/out'"
check "a byte order mark" run '\357\273\277let a = 1\nexpect a == 1\n' 0
check "microseconds by either letter" run 'let a = 20\302\265s\nlet b = 20\316\274s\nexpect a == b\nexpect a == 20us\n' 0
check "letters of the world" run 'let \316\261 = 3\nexpect \316\261 == 3\n' 0
check "texts and comments are free" run '# \342\200\234comment\342\200\235\nsay "\342\200\234text\342\200\235 \302\240 \342\206\222"  # \342\200\223\n' 0
check "a no-break space" run 'let a = 1\ntensor\302\240q[4] = 1\n' 2
check "... is named, with its line" says "f.rsh:2: '$(printf '\302\240')' after 'tensor' is a no-break space (U+00A0): write a blank"
check "curly quotes" run 'say \342\200\234hello\342\200\235\n' 2
check "... are named" says "is a curly quote (U+201C): write \""
check "a dash" run 'let b = 2 \342\200\223 1\n' 2
check "... is named" says "is a typographic dash (U+2013): write -"
check "an arrow" run 'tensor x[4] y[4] = 1\ncopy x \342\206\222 y\n' 2
check "... is named" says "is an arrow (U+2192): write ->"
check "full-width brackets" run 'repeat 2 \357\275\233 spin 1us }\n' 2
check "... are named" says "is a full-width character (U+FF5B): write {"
check "an invisible character" run 'tensor z\342\200\213[4] = 1\n' 2
check "... is named" says "after 'z' is an invisible character (U+200B): take it out"
check "a sign of mathematics" run 'expect 1 \342\211\244 2\n' 2
check "... is named" says "(U+2264): write <="
