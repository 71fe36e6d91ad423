"""A session of ranksh: one process `ranksh --json`, whose objects become answers.

The objects are described in docs/guide/json.md. A thread reads them. The process has a process group
of its own: Ctrl-C reaches this program alone, which passes it on.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading

FORMAT = 1
RUNS_ON = ("ok", "expect", "incomplete")  # after these the next line runs


class Error(Exception):
    """The session could not start, or has ended."""


def find_binary():
    """Returns the path of the program: beside this module, else $RANKSH_BINARY, else on PATH."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "ranksh")
    if os.access(beside, os.X_OK):
        return beside
    named = os.environ.get("RANKSH_BINARY")
    found = named or shutil.which("ranksh")
    if not found:
        raise Error("the program ranksh was not found: it is not on PATH; RANKSH_BINARY names it")
    if named and not os.access(named, os.X_OK):
        raise Error(f"RANKSH_BINARY names {named}, which cannot be run")
    return found


class Answer:
    """What one line answered.

    line      the line, or the lines of a block
    status    "ok", "expect" (an `expect` is false, a check wrong), "interrupted", "mpi" (there are
              no ranks), or the reason for which it was refused: "name", "syntax", ...
    text      what a user sees, without the error; ansi: the same with colours
    error     why it was refused; "" if it was not
    severity  the highest one of its objects: "ok", "note", "warning", "error"
    numbers   {name: number, or a list with one for each rank}; times in ns, sizes in bytes
    objects   its objects, as dictionaries
    """

    def __init__(self, line):
        self.line = line
        self.status = "incomplete"
        self.severity = "ok"
        self.numbers = {}
        self.objects = []

    def _take(self, thing):
        self.objects.append(thing)
        order = ["ok", "note", "warning", "error"]
        if order.index(thing["severity"]) > order.index(self.severity):
            self.severity = thing["severity"]
        if thing["kind"] == "done":
            self.status = thing["status"]
            self.numbers.update(thing.get("numbers", {}))

    def _words(self, member, *kinds):
        return "\n".join(o.get(member, o["text"]) for o in self.objects if o["kind"] in kinds)

    @property
    def ok(self):
        return self.status in ("ok", "quit")

    @property
    def text(self):
        return self._words("text", "output", "note")

    @property
    def ansi(self):
        return self._words("ansi", "output", "note")

    @property
    def error(self):
        return self._words("text", "error")

    @property
    def lessons(self):
        """The line's lesson events: (event, task, words), such as ("check", "1.1", "right")."""
        return [(o["event"], o["task"], o["words"]) for o in self.objects if o["kind"] == "lesson"]

    def __repr__(self):
        return f"<Answer {self.status} to {self.line!r}>"


class Answers(list):
    """The answers of several lines, in order."""

    @property
    def ok(self):
        return all(answer.ok for answer in self)

    @property
    def text(self):
        return "\n".join(answer.text for answer in self if answer.text)

    @property
    def numbers(self):
        """The numbers of all answers; a later one replaces an earlier one of its name."""
        return {name: value for answer in self for name, value in answer.numbers.items()}

    @property
    def error(self):
        """The first error, or ""."""
        return next((answer.error for answer in self if answer.error), "")

    def __str__(self):
        return self.text


class Session:
    """Ranks that run lines.

    n, machine, dry    as on the command line; None: ranksh's default
    arguments          further words of the command line, such as ["--class", "lab", "--as", "ada"]
    width              columns of an answer, at least 40
    listen             called with each object when it comes, as a dictionary: for progress
    binary             the program; None: find_binary()

    Fails with Error, which has ranksh's message, if the ranks do not start.
    """

    def __init__(self, n=None, machine=None, dry=False, arguments=(), width=80, listen=None, binary=None):
        words = [binary or find_binary(), "--json"]
        words += ["-n", str(n)] if n is not None else []
        words += ["--machine", machine] if machine else []
        words += ["--dry"] if dry else []
        self.listen = listen
        self.ranks = 0
        self.now = 0
        self.task = ""
        self.line = ""  # the line, or block, that runs
        self.exit = None  # the exit status, after the end
        self._objects = []
        self._taken = 0
        self._news = threading.Condition()
        try:
            self._process = subprocess.Popen(
                words + list(arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=dict(os.environ, COLUMNS=str(width)),
                start_new_session=True,
            )
        except OSError as error:
            raise Error(f"cannot start {words[0]}: {error.strerror}") from None
        threading.Thread(target=self._read, daemon=True).start()
        with self._interrupts():
            self.start = self._await("start", Answer(""))
        if self.start["ranksh"] != FORMAT:
            self.stop()
            raise Error(f"this ranksh prints format {self.start['ranksh']}, and this module reads {FORMAT}")

    # ---- objects

    def _read(self):
        """Runs in a thread of its own."""
        for line in self._process.stdout:
            try:
                thing = json.loads(line)
            except ValueError:  # no program but ranksh itself may write there
                thing = {"kind": "job", "severity": "note", "text": line.decode("utf-8", "replace")}
            with self._news:
                self._objects.append(thing)
                self._news.notify()
        with self._news:
            self._objects.append({"kind": "gone", "severity": "error", "text": ""})
            self._news.notify()

    def _next(self):
        with self._news:
            while self._taken == len(self._objects):
                self._news.wait()
        thing = self._objects[self._taken]
        self._taken += 1
        return thing

    @contextlib.contextmanager
    def _interrupts(self):
        """Passes SIGINT on, and raises KeyboardInterrupt at the end. A third one kills the process."""
        came = []

        def pass_on(number, frame):
            came.append(number)
            if len(came) < 3:
                self.interrupt()
            else:
                self._process.kill()

        main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, pass_on) if main else None
        try:
            yield
        finally:
            if main:
                signal.signal(signal.SIGINT, before or signal.SIG_DFL)
            if came:
                raise KeyboardInterrupt

    def _await(self, kind, answer):
        """Adds objects to the answer up to one of this kind, which it returns."""
        while True:
            thing = self._next()
            if thing["kind"] in ("end", "gone"):
                self._gone(thing)
                if kind == "end":
                    return thing
                raise Error(answer.error or f"ranksh has ended with status {self.exit}")
            answer._take(thing)
            self.ranks = thing.get("ranks", self.ranks)
            self.now = thing.get("now", self.now)
            if self.listen:
                self.listen(thing)
            if thing["kind"] == kind:
                del self._objects[: self._taken]
                self._taken = 0
                self.task = thing.get("task", "")
                return thing

    def _gone(self, thing):
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        code = self._process.wait()
        self.exit = thing.get("exit", code)
        self.ranks = 0

    # ---- lines

    def run(self, lines, go_on=False):
        """Runs lines of text; returns their Answers.

        As in a script the first refused line is the last one that runs, unless go_on is true; after
        a false `expect` the next line runs. Ctrl-C (KeyboardInterrupt) stops the line that runs, and
        is raised again when it has stopped. Fails with Error if the session has ended.
        """
        answers = Answers()
        for answer in self.each(lines, go_on):
            answers.append(answer)
        return answers

    def each(self, lines, go_on=False):
        """The same, as a generator of each answer after its line."""
        if self.exit is not None:
            raise Error("the session has ended")
        answer = None
        for line in lines.split("\n"):
            if answer is None and not re.match(r"\s*[^\s#]", line):
                continue
            if answer is None:
                answer = Answer(line)
            else:
                answer.line += "\n" + line
            self.line = answer.line
            with self._interrupts():
                with contextlib.suppress(OSError):  # if it has ended, this is read next
                    self._process.stdin.write(line.encode() + b"\n")
                    self._process.stdin.flush()
                self._await("done", answer)
            if answer.status == "incomplete":
                continue
            yield answer
            if answer.status == "quit":
                self._await("end", Answer(""))
                return
            if answer.status not in RUNS_ON and not go_on:
                return
            answer = None
        if answer is not None:  # SIGINT drops the open block, so that later lines do not continue it
            self.interrupt()
            words = "a bracket, brace or quote is still open at the end"
            answer._take({"kind": "error", "severity": "error", "text": words})
            answer.status = "syntax"
            yield answer

    def picture(self, words="current", ranks=""):
        """Returns `RANKS timeline WORDS` as the text of an SVG; None if it cannot be drawn."""
        handle, path = tempfile.mkstemp(suffix=".svg")
        os.close(handle)
        listen, self.listen = self.listen, None
        try:
            if not self.run(f"{ranks} export {json.dumps(path)} {words} force").ok:
                return None
            with open(path, encoding="utf-8") as file:
                return file.read()
        finally:
            self.listen = listen
            os.unlink(path)

    def restart(self):
        """Starts new ranks, which run the lines again, also after a rank has died."""
        return self.run("restart")[0]

    def interrupt(self):
        """Stops the line that runs, as Ctrl-C; a second call within 2 s may end the ranks."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    # ---- the end

    def finish(self):
        """Ends the session as a script ends: remaining work runs. Returns the exit status."""
        if self.exit is None:
            self._process.stdin.close()
            with self._interrupts():
                self._await("end", Answer(""))
        return self.exit

    def stop(self):
        """Ends the session at once. Returns the exit status."""
        if self.exit is None:
            self._process.terminate()
            self._await("end", Answer(""))
        return self.exit

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()
