#!/bin/sh
# notebook.sh -- the Jupyter extension in a virtual environment with nbclient from PyPI: cells, a
# picture, a lesson, another -n, errors, an interrupt of the kernel, its end; the cells of the page
# docs/guide/notebook.md. Uses the wheel of dist/ if there is one, else python/ and build/ranksh.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/environment
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" 2> /dev/null || { echo "skipped packages: notebook (python3-venv is missing)"; exit 0; }
wheel=$(find dist -name 'ranksh-*.whl' 2> /dev/null | tail -1)
"$work/venv/bin/pip" install -q nbclient ipykernel ${wheel:+"$wheel"} > "$work/log" 2>&1 || {
	echo "FAIL packages: pip installs nbclient and ipykernel"
	tail -5 "$work/log"
	exit 1
}
if [ -z "$wheel" ]; then
	PYTHONPATH=$PWD/python RANKSH_BINARY=$(realpath "${RANKSH:-build/ranksh}")
	export PYTHONPATH RANKSH_BINARY
fi
# PRTE_...: the same for Open MPI 5
export XDG_STATE_HOME="$work/state" RANKSH_DEVICE=sim OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 PYTHONDONTWRITEBYTECODE=1
cat > "$work/notebook.py" <<'END'
import re, subprocess, time
import nbformat
from nbclient import NotebookClient
from jupyter_client.manager import start_new_kernel

CELLS = {
    "load": "%load_ext ranksh",
    "timeline": "%%ranksh -n 2\ntensor x[256,256] w[256,256] = randn seed=1\nstream c\ny = matmul x w on c\nsync; timeline",
    "later": "%%ranksh\nprint y[0,0]\nrepeat 2 {\n  spin 1ms\n}",
    "stream": "%%ranksh\ntimeline c",
    "text": "%%ranksh --text\ntimeline",
    "error": "%%ranksh\ny = matmul x nobody\nprint 1",
    "race": "%%ranksh\nstream a\nspin 1ms on a\nz = relu x on a; copy w -> x\nexpect 1 == 2\nprint 3",
    "other": "%%ranksh -n 1\nlesson 1\nskip\ncheck\nsolution run\ncheck",
    "which": "%ranksh",
    "restart": "%ranksh restart",
    "line": "%ranksh print (6 * 7)",
    "wrong": "%%ranksh -n 0\nprint 1",
    "kept": "%%ranksh\nprint rank",
    "option": "%%ranksh --nothing\nprint 1",
    "stop": "%ranksh stop",
    "none": "%ranksh",
    "dry": "%%ranksh --dry -n 64 --machine dgx-h100\nprint world",
    "python": "from ranksh import Session\nwith Session(n=1) as s:\n    print(s.run('print 5').numbers)",
}


def executed(sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=300, allow_errors=True).execute()
    return notebook


nb = executed(CELLS.values())
said, pictures = {}, {}
for name, cell in zip(CELLS, nb.cells):
    said[name] = "".join(o.get("text", "") for o in cell.outputs if o.output_type == "stream")
    pictures[name] = [o.data["image/svg+xml"] for o in cell.outputs if "image/svg+xml" in o.get("data", {})]
GREEN, RED = r"\x1b\[38;5;114m", r"\x1b\[38;5;203m"


def check(name, true, words=""):
    print("ok packages:" if true else "FAIL packages:", "notebook:", name, flush=True)
    if not true:
        print("    " + repr(words)[:2000], flush=True)


def has(name, cell, pattern):
    check(name, re.search(pattern, said[cell], re.S) is not None, said[cell])


has("a cell starts the ranks", "timeline", "2 ranks on the simulated machine")
has("... and shows the timeline as text", "timeline", "waited 2.00 ms in `sync`.*matmul y")
check("... and as a picture", len(pictures["timeline"]) == 1 and ">matmul y<" in pictures["timeline"][0])
has("the session lives in the next cell", "later", r"\[0,1\].* y\[0,0\] = ")
ROWS = re.findall(r'<text x="78"[^>]*>([^<]*)<', "".join(pictures["stream"]))
check("a picture of one stream", ROWS == ["c"], ROWS)
check("no picture with --text", not pictures["text"])
has("an error is red, with its line", "error", r"\x1b\[31my = matmul x nobody\nno tensor 'nobody'")
check("... and ends the cell", "1 = 1" not in said["error"], said["error"])
has("a race has a colour", "race", r"\x1b\[38;5;172m +race: ")
has("a false expect is red", "race", r"\x1b\[31mfalse: expect 1 == 2")
has("... and does not end the cell", "race", "3 = 3")
has("another -n is a new session", "other", "1 rank on .*this is a new session; that of 2 ranks has ended")
has("a wrong check is red", "other", RED + "not yet")
has("a right one is green", "other", GREEN + "right")
has("%ranksh says which session there is", "which", "^1 rank on .*; it is now ")
has("%ranksh restart starts new ranks", "restart", "1 new rank; ")
has("%ranksh LINE runs a line", "line", "= 42")
has("a wrong -n is refused", "wrong", "1 to 4096, not '0'")
has("... and the session lives on", "kept", "rank = 0")
check("a wrong option is refused", "unrecognized arguments: --nothing" in str(nb.cells[13].outputs))
has("%ranksh stop ends the session", "none", "no session")
has("--dry and --machine", "dry", "64 ranks on the simulated machine .dgx-h100.*world = 64")
has("Session beside it", "python", "'5': 5")

with open("docs/guide/notebook.md") as file:
    page = executed(re.findall(r"```ipython\n(.*?)```", file.read(), re.S))
outputs = [output for cell in page.cells for output in cell.outputs]
words = "".join(output.get("text", "") for output in outputs)
check("the page's cells run", len(page.cells) > 4 and "\x1b[31m" not in words and "lesson 1" in words, words)
check("... and draw", sum("image/svg+xml" in output.get("data", {}) for output in outputs) == 2)


def ranks_of(kernel):
    """Returns the processes of ranksh below the kernel."""
    table = subprocess.run(["ps", "-eo", "pid,ppid,stat,args"], capture_output=True, text=True).stdout
    rows = [line.split(None, 3) for line in table.splitlines()[1:]]
    family, grown = {str(kernel)}, True
    while grown:
        more = {pid for pid, parent, *_ in rows if parent in family} - family
        grown = bool(more)
        family |= more
    return [pid for pid, _, state, words in rows if pid in family and "ranksh" in words and state[0] != "Z"]


def execute(client, source, wait="end"):
    """Returns the text that the cell has printed at its end, or up to a line of progress."""
    message = client.execute(source)
    words = []
    while True:
        reply = client.get_iopub_msg(timeout=120)
        if reply["parent_header"].get("msg_id") != message:
            continue
        content = reply["content"]
        words.append(content.get("text", "") + content.get("data", {}).get("text/plain", ""))
        progress = wait == "progress" and "interrupt stops it" in words[-1]
        if progress or content.get("execution_state") == "idle":
            break
    return "".join(words)


manager, client = start_new_kernel()
execute(client, "%load_ext ranksh")
execute(client, "%%ranksh -n 2\nlet a = 3")
words = execute(client, "%%ranksh\nrepeat 100000000 { spin 1us }\nprint 9", wait="progress")
check("a long line shows its progress", "repeat 100000000 { spin 1us }   1 s" in words, words)
manager.interrupt_kernel()
while True:
    message = client.get_iopub_msg(timeout=120)["content"]
    words += message.get("text", "")
    if message.get("execution_state") == "idle":
        break
check("an interrupt of the kernel stops the line", "interrupted" in words and "9 = 9" not in words, words)
words = execute(client, "%%ranksh\nprint a")
check("... and the session goes on", "a = 3" in words, words)
kernel = manager.provisioner.pid
processes = ranks_of(kernel)
check("there are processes", len(processes) >= 4, processes)
manager.shutdown_kernel(now=True)
until = time.time() + 60
left = processes
while left and time.time() < until:
    table = subprocess.run(["ps", "-o", "pid=,stat=", "-p", ",".join(processes)], capture_output=True, text=True).stdout
    left = [line for line in table.splitlines() if "Z" not in line]
    time.sleep(0.05)
check("the end of the kernel ends them", not left, left)
END
"$work/venv/bin/python" "$work/notebook.py" 2> "$work/errors" || {
	echo "FAIL packages: the notebook runs"
	tail -20 "$work/errors"
}
