"""The Jupyter extension: %load_ext ranksh, then cells that begin with %%ranksh.

A session lives from cell to cell. Its answers are printed with their colours; a timeline is drawn
below its text as a picture, too.
"""

import re

from IPython.core.magic import Magics as Base
from IPython.core.magic import cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from .session import Error, Session

RED, YELLOW, GREY, PLAIN = "\x1b[31m", "\x1b[38;5;172m", "\x1b[38;5;244m", "\x1b[0m"
TINTS = {"note": GREY, "warning": YELLOW, "error": RED}
WIDTH = 100
# The picture takes the colours of JupyterLab's theme, or else those that the browser prefers.
STYLE = """<style>
.ranksh { --paper: var(--jp-layout-color0, white); --ink: var(--jp-content-font-color1, #333) }
@media (prefers-color-scheme: dark) {
.ranksh { --paper: var(--jp-layout-color0, #181818); --ink: var(--jp-content-font-color1, #ccc) } }
.ranksh rect[fill="white"] { fill: var(--paper) }
.ranksh rect[fill="#f4d3d0"] { fill: #dd5555; fill-opacity: 0.25 }
.ranksh text { fill: var(--ink) } .ranksh text[fill="white"] { fill: white }
.ranksh path { stroke: #888; stroke-opacity: 0.4 }
</style>"""


def timeline_words(line):
    """Returns the words and the ranks of the picture if the line ends with `timeline`; else None."""
    last = re.split(r";(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", line)[-1].split(" #")[0].strip()
    found = re.fullmatch(r"(?:(@\S+)\s+)?timeline((?:\s+[\w.]+)*)", last)
    words = found.group(2).split() if found else []
    if not found or {"on", "off", "critical"} & set(words):
        return None
    return " ".join(words) or "current", found.group(1) or ""


class Progress:
    """A line below the cell for a line that takes longer than a second; it goes when that ends."""

    def __init__(self):
        self.shown = None

    def say(self, words):
        content = {"text/plain": words}
        if self.shown:
            self.shown.update(content, raw=True)
        elif words:
            self.shown = display(content, raw=True, display_id=True)
        if not words:
            self.shown = None


@magics_class
class Magics(Base):
    def __init__(self, shell):
        super().__init__(shell)
        self.session = None
        self.options = {}

    def stop(self):
        if self.session:
            self.session.stop()
        self.session = None

    # ---- words

    def _hear(self, thing):
        kind = thing["kind"]
        if kind == "progress":
            self.progress.say(f"   {thing['text']}   {thing['seconds']} s   (interrupt stops it)")
            return
        self.progress.say("")
        words = thing.get("ansi", thing.get("text"))
        if kind == "error" and self.session:  # a start's error is raised
            line = self.session.line.strip()
            print(f"{RED}{line}\n{thing['text']}{PLAIN}" if line else f"{RED}{thing['text']}{PLAIN}")
        elif kind == "rank":
            print(f"{GREY}[rank {thing['rank']}] {words}{PLAIN}")
        elif kind in ("job", "start"):
            print(f"{GREY}{words}{PLAIN}")
        elif kind in ("output", "note"):
            tint = TINTS.get(thing["severity"])
            own = "38;5;203m" in words  # a check's table has its own red
            print(f"{tint}{thing['text']}{PLAIN}" if tint and not own else words, flush=True)

    def _draw(self, line):
        words = timeline_words(line)
        picture = self.session.picture(*words) if words else None
        if picture:
            picture = re.sub(r"<svg( [^>]*>)", r'<svg class="ranksh"\1' + STYLE, picture, count=1)
            content = {"text/html": picture, "image/svg+xml": picture, "text/plain": "<timeline>"}
            display(content, raw=True)  # as HTML the boxes have titles; viewers without it show the SVG

    # ---- the session

    def _open(self, wanted):
        """Keeps the session if it has the wanted options; otherwise starts one, and says so."""
        wanted = {name: value for name, value in wanted.items() if value is not None and value is not False}
        old = self.session if self.session and self.session.exit is None else None
        if old and all(self.options.get(name) == value for name, value in wanted.items()):
            return
        self.session = None
        try:
            self.session = Session(width=WIDTH, listen=self._hear, **wanted)
            self.options = wanted
        finally:
            if not self.session:  # the old one lives on
                self.session = old
        if old:
            ranks = old.start["ranks"]
            old.stop()
            print(f"{GREY}this is a new session; that of {ranks} rank{'s' * (ranks != 1)} has ended{PLAIN}")

    def _run(self, lines, wanted, pictures=True):
        self.progress = Progress()
        try:
            self._open(wanted)
            for answer in self.session.each(lines):
                if pictures and answer.ok:
                    self._draw(answer.line)
        except KeyboardInterrupt:
            pass
        except Error as error:
            print(f"{RED}{error}{PLAIN}")
        self.progress.say("")

    # ---- magics

    @magic_arguments()
    @argument("-n", type=int, help="number of ranks (4); another number starts a new session")
    @argument("--dry", action="store_true", help="shapes and times only, no data")
    @argument("--machine", metavar="M", help="hardware to simulate: a name or a file")
    @argument("--text", action="store_true", help="draws no pictures")
    @cell_magic
    def ranksh(self, line, cell):
        """Runs the lines of the cell; the session lives from cell to cell."""
        options = parse_argstring(self.ranksh, line)
        wanted = {"n": options.n, "dry": options.dry, "machine": options.machine}
        self._run(cell, wanted, not options.text)

    @line_magic("ranksh")
    def ranksh_line(self, line):
        """%ranksh restart: new ranks run the lines again. %ranksh stop: ends the session. %ranksh
        LINE: runs one line; without a line it says which session there is."""
        if line == "stop":
            self.stop()
        elif line:
            self._run(line, {})
        elif self.session and self.session.exit is None:
            print(f"{self.session.start['text']}; it is now {self.session.now / 1e6:.2f} ms")
        else:
            print("no session; a cell with %%ranksh starts one")
