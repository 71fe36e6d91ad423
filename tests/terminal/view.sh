# view.sh -- the full-screen view, from the smallest to the largest screen
. tests/terminal/lib.sh

program='tensor x[256,256] w[256,256] = randn; stream io; y = matmul x w; z = matmul x w on io'
painted() { shows 'q quit'; }
foot() { screen | tail -1 | grep -q 'q quit'; }
open 80 24 -n 4
check "a prompt" shows 'ms >'
line "$program"
line 'view'
check "view opens" painted
check "it shows the operations" shows 'matmul'
keys Tab
check "tab selects one and says its facts" shows 'queued at'
keys + + l h j k - 0 g G
check "it still stands" painted
tm resize-window -x 40 -y 12
check "it follows the terminal's size" painted
tm resize-window -x 100 -y 30
check "... both ways" foot
keys q
check "q goes back to the prompt" ends_with_prompt
line 'view'
check "view again" painted
keys C-c
check "so does Ctrl-C" ends_with_prompt
line 'timeline'
check "the prompt works after it" shows 'default'

for size in '20 5' '300 100' '1 1' '60 10'; do
	# shellcheck disable=SC2086
	open $size -n 2
	# too small for text: what matters is that it lives, and leaves when told
	check "$size: it starts" has_rank 1
	line "$program"
	line 'view'
	nap
	keys + - Tab
	nap
	keys q
	line 'quit'
	check "$size: it leaves" left
done
open 20 5 -n 2
check "20 x 5: a prompt" shows 'ms >'
line 'tensor x[4,4] = ones'
line 'view'
check "20 x 5: a view" shows 'q quit'
keys q
check "20 x 5: the prompt again" shows 'ms >'
open 300 100 -n 4
check "300 x 100: a prompt" shows 'ms >'
line "$program"
line 'view'
check "300 x 100: a view" painted

kill -9 "$(rank 1)"
check "a rank that dies under the view is named" shows 'rank 1 died of signal 9'
line 'restart'
check "restart after it" shows 'new ranks'

# COLUMNS and LINES of the environment are of another terminal, or of an earlier size: readline sets them
ENVIRONMENT='COLUMNS=20 LINES=6'
open 100 30 -n 1
check "a prompt with another size in the environment" ends_with_prompt
line "$program"
line 'view'
check "the view has the terminal's size" shows 'q quit'
check "... down to its foot" foot
keys q
