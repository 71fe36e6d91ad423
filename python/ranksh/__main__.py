"""`python -m ranksh ARGUMENTS` becomes the binary of this package."""

import os
import sys

binary = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "ranksh")
try:
    os.execv(binary, [binary, *sys.argv[1:]])
except OSError as error:
    sys.exit(f"ranksh: cannot start {binary}: {error.strerror}; `pip install --force-reinstall ranksh` restores it")
