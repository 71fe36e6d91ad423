# lib.sh -- begins each script here: the path of the program, a folder for the script in `work`,
# which is deleted at the end, and checks, which print "ok SCRIPT: NAME", or "FAIL SCRIPT: NAME"
# with the text of $work/out
set -u
RANKSH=$(realpath "${RANKSH:-./ranksh}")
RANKSH_DEVICE=${RANKSH_DEVICE:-sim}
. tests/environment
export RANKSH RANKSH_DEVICE OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
area=$(basename "$0" .sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check NAME COMMAND...: the command is true
check() {
	name=$1
	shift
	if "$@"; then
		echo "ok $area: $name"
	else
		echo "FAIL $area: $name"
		[ ! -f "$work/out" ] || tail -40 "$work/out" | cut -c1-300 | sed 's/^/    /'
	fi
}
# within SECONDS COMMAND...: stops a command that hangs, after at least 300 seconds, because under
# load the start of mpirun alone may take 30. SLOW multiplies the time.
within() { limit=$((($1 < 300 ? 300 : $1) * ${SLOW:-1})); shift; timeout $limit "$@"; }
# wire RANKS SECONDS: sends the requests in `typed` to ranks, with the answers in `replies` and
# the exit status in $status. The input stays open until all are answered or the time is over,
# because its end interrupts work that still runs.
wire() {
	rm -f over
	: > replies
	asked=$(wc -l < typed)
	{ cat typed; for look in $(seq $(($2 * 20 * ${SLOW:-1}))); do
		[ -e over ] || [ "$(grep -c '"is":"\(done\|view\|complete\)"' replies)" -ge "$asked" ] && break
		timeout 0.05 tail -f /dev/null
	done; } | {
		timeout $((($2 + 300) * ${SLOW:-1})) mpirun --oversubscribe -n "$1" "$RANKSH" --wire > replies 2> errors
		echo $? > over
	}
	status=$(cat over)
	answered=$(grep -c '"is":"\(done\|view\|complete\)"' replies)
}
# one_process OPTIONS...: prints the answers of a session in one process to the lines and requests
# on standard input and a final `quit`. The input stays open until the session has left, because a
# second after its end running work would be interrupted.
one_process() {
	rm -f left
	mkfifo left
	{ printf '\036{"do":"hello","width":120,"height":24}\n'; cat; echo quit; read -r left < left; } | { "$RANKSH" "$@" --wire 2>&1; : > left; }
}
# same WANTED GOT: two files say the same, and something
same() {
	[ -s "$1" ] && cmp -s "$1" "$2" && return
	diff "$1" "$2" > "$work/differ"; mv "$work/differ" "$work/out"
	return 1
}
# part TITLE: writes to $work/out what $work/said has between the line `--- TITLE` and the next
# line of this kind. Several programs share a session, and a `say "--- TITLE"` precedes each.
part() { TITLE="--- $1" awk '/^--- / { inside = $0 == ENVIRON["TITLE"]; next } inside' "$work/said" > "$work/out"; }
# own_files: a model and a strategy of a user's own, line.rsh and mean.rsh in the folder
own_files() {
cat > "$work/line.rsh" <<'END'
# line: one matrix
option hidden=8 least=1 "columns"
option batch=8 least=1 "rows of all ranks together"
refuse hidden % 2 != 0 "hidden=$hidden: an even number is required"
def gradient_made p { }
let rows = batch;  let from = 0
def setup {
  ## the matrix
  tensor w[hidden,hidden] = randn seed=1 scale=0.3;  part w of w
  tensor all[batch,hidden] goals[batch,hidden] = randn seed=2
  x = all[from:from+rows];  t = goals[from:from+rows]
}
def iteration {
  ## forward and backward
  y = matmul x w;  loss = mse y t;  dy = mse_grad y t;  dw = matmul x.T dy
  gradient_made w
  ## the step
  sgd w dw lr=0.1
}
END
cat > "$work/mean.rsh" <<'END'
# mean: gradients are averaged, one allreduce a parameter
# axis dp
option often=1 least=1 "how many times"
refuse batch % size(dp) != 0 "batch=$batch does not divide by $(size(dp)) ranks"
let rows = batch//size(dp);  let from = dp*rows
def gradient_made p { replaced p;  for i in 0:often { allreduce d$p op=avg in dp } }
END
}
