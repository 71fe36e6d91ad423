"""Names the wheel for any Python 3 on Linux x86-64; auditwheel then finds the least glibc."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Platform(BuildHookInterface):
    def initialize(self, version, build_data):
        if not os.path.exists(os.path.join(self.root, "ranksh", "bin", "ranksh")):
            raise FileNotFoundError("ranksh/bin/ranksh is not here: `make wheel` builds it and the wheel")
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-linux_x86_64"
