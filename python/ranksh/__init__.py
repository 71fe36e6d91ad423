"""ranksh: learn how many GPUs work together.

    from ranksh import Session
    with Session(n=4) as s:
        print(s.run("spin 2ms; sync").text)

In a notebook: %load_ext ranksh, then cells that begin with %%ranksh.
"""

from .session import Answer, Answers, Error, Session, find_binary

__all__ = ["Answer", "Answers", "Error", "Session", "find_binary"]


def load_ipython_extension(ipython):
    from .notebook import Magics

    ipython.register_magics(Magics(ipython))


def unload_ipython_extension(ipython):
    magics = ipython.magics_manager.registry.get("Magics")
    if magics:
        magics.stop()
