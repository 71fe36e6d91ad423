# owed.sh -- a print that waits for another rank's line prints as soon as that line is typed
. tests/terminal/lib.sh
open 80 24 -n 2
check "a prompt" ends_with_prompt
line '@0 tensor a[4] = 1; @1 tensor a[4] = 7; @0 recv a from=1'
check "one waits" shows '(1 wait)'
line '@0 print a'
check "the missing line is named" shows 'print: recv a waits for a line on rank 1'
line '@1 send a to=0'
check "the print is answered" shows 'a = 7 7 7 7'
line 'quit'
check "quit" left
