#!/bin/sh
# python.sh -- the Python class Session: answers, numbers, an interrupt, a dead rank, pictures, ends;
# the programs of docs/guide/notebook.md, whose cells tests/packages/notebook.sh runs
. tests/script/lib.sh
python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2> /dev/null || { echo "skipped: no Python 3.8"; exit 0; }
PYTHONPATH=$PWD/python RANKSH_BINARY=$RANKSH XDG_STATE_HOME=$work/state
export PYTHONPATH RANKSH_BINARY XDG_STATE_HOME PYTHONDONTWRITEBYTECODE=1
page=$PWD/docs/guide/notebook.md
cd "$work" || exit 1
cat > session.py <<'END'
import os, signal, time
from ranksh import Error, Session


def check(name, true):
    print("ok python:" if true else "FAIL python:", name, flush=True)


def children(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(word) for word in file.read().split()]


def alive(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def all_gone(processes):
    until = time.time() + 60
    while any(map(alive, processes)) and time.time() < until:
        time.sleep(0.02)
    return not any(map(alive, processes))


heard = []
with Session(n=2, listen=heard.append) as s:
    check("the ranks have started", s.ranks == 2 and "2 ranks" in s.start["text"])
    a = s.run("tensor x[4] = iota\n\n# a comment\nprint x[3] rank\nrepeat 2 {\n  spin 1ms\n}")
    check("an answer for each line or block", [b.line[:6] for b in a] == ["tensor", "print ", "repeat"])
    check("... has the text", a.text.startswith("[0] x[3] = 3\n    rank = 0\n[1]"))
    check("... and numbers", a.numbers == {"x[3]": 3, "rank": [0, 1]} and a[1].numbers == a.numbers)
    check("... and is right", a.ok and a[1].ok and not a.error)
    kinds = [thing["kind"] for thing in heard]
    check("a listener hears each object", "start" in kinds and kinds[-1] == "done")
    a = s.run("print 1\nfoo\nprint 2")
    check("a refused line is the last one", [b.status for b in a] == ["ok", "name"])
    check("... with its reason", a.error.startswith("no command 'foo'") and not a.ok)
    check("... unless others shall follow", len(s.run("foo\nprint 2", go_on=True)) == 2)
    a = s.run("expect 1 == 2\nprint 3")
    check("after a false expect the next line runs", [b.status for b in a] == ["expect", "ok"])
    check("an open block is refused", s.run("repeat 2 {").error.startswith("a bracket"))
    check("... and forgotten", s.run("print 4").text == "[0,1] 4 = 4")
    check("a picture", s.picture("all").startswith("<!-- written by ranksh: export -->\n<svg "))
    check("no picture of what is not there", s.picture("nowhere") is None)

    s.listen = lambda thing: thing["kind"] == "progress" and os.kill(os.getpid(), signal.SIGINT)
    try:
        s.run("repeat 100000000 { spin 1us }\nprint 5")
        check("Ctrl-C raises KeyboardInterrupt", False)
    except KeyboardInterrupt:
        check("Ctrl-C raises KeyboardInterrupt", True)
    s.listen = None
    check("... and the session goes on", s.run("reset\nlet b = 7\nprint b").text.endswith("[0,1] b = 7"))

    (mpirun,) = children(s._process.pid)
    ranks = children(mpirun)
    os.kill(ranks[1], signal.SIGKILL)
    check("a killed rank ends the others", all_gone(ranks))
    a = s.run("print b")
    check("... which the next line says", a[0].status == "mpi" and s.ranks == 0)
    check("... with the rank", "rank 1 died of signal 9" in a.error)
    check("restart starts new ones", s.restart().ok and s.ranks == 2)
    check("... with the lines of before", s.run("print b").numbers == {"b": 7})
    s.stop()
    check("stop ends the session", s.exit is not None)
try:
    s.run("print 1")
    check("... and further lines are refused", False)
except Error as error:
    check("... and further lines are refused", "ended" in str(error))

s = Session(n=2, dry=True)
s.run("tensor x[4]\n@0 send x to=1")
check("the exit status of a script: stuck", s.finish() == 3)
s = Session(n=1)
check("lessons", ("check", "1.1", "right") in s.run("lesson 1; skip\nsolution run\ncheck")[2].lessons)
check("quit", s.run("quit").ok and s.exit == 0)
for name, options, words in (
    ("a bad number of ranks", {"n": 0}, "1 to 4096"),
    ("an unknown machine", {"machine": "nowhere"}, "no machine 'nowhere'"),
    ("a binary that is not there", {"binary": "/nowhere/ranksh"}, "No such file"),
):
    try:
        Session(**options)
        check(f"{name} is refused", False)
    except Error as error:
        check(f"{name} is refused: {words}", words in str(error))

# a program that is killed takes its session with it, also while a line runs
pid = os.fork()
if pid == 0:
    s = Session(n=2)
    with open("processes", "w") as file:
        (mpirun,) = children(s._process.pid)
        print(s._process.pid, mpirun, *children(mpirun), file=file)
    s.run("repeat 100000000 { spin 1us }")
    os._exit(1)
until = time.time() + 60
while time.time() < until and not (os.path.exists("processes") and os.path.getsize("processes")):
    time.sleep(0.02)
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
with open("processes") as file:
    check("a killed program leaves no process", all_gone([int(word) for word in file.read().split()]))
END
within 60 python3 session.py 2> errors
check "the program ends" [ $? = 0 -a ! -s errors ]
[ ! -s errors ] || sed 's/^/    /' errors
check "python -m ranksh" sh -c '[ "$(python3 -m ranksh --version)" = "$("$RANKSH" --version)" ]'

# fences of the page: ```ranksh file=NAME is a file; all ```python are one program, then ```sh
awk '/^```ranksh file=/ { out = substr($0, 16); next } /^```python/ { out = "page.py"; next }
	/^```sh/ { out = "page.sh"; next } /^```/ { out = "" } out { print > out }' "$page"
ln -s "$RANKSH" ranksh
within 60 python3 page.py > out 2>&1
check "the programs of the page run" [ $? = 0 -a -s out ]
PATH=$work:$PATH within 60 sh -e page.sh > board 2> out
check "its commands run" [ $? = 0 ]
check "... and the board has the learners" sh -c 'grep -q "^ ada  *1  1.1 ✓" board && grep -q "^ bob .* 3  away" board && grep -q "^ eve " board'
