"""`python -m ranksh ARGUMENTS` becomes the program ranksh."""

import os
import sys

from .session import Error, find_binary

try:
    binary = find_binary()
    os.execv(binary, [binary, *sys.argv[1:]])
except Error as error:
    sys.exit(f"ranksh: {error}")
except OSError as error:
    sys.exit(f"ranksh: cannot start {binary}: {error.strerror}; `pip install --force-reinstall ranksh` restores it")
