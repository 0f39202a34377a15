# SPDX-License-Identifier: Apache-2.0
"""meson-python, whose wheel says that it is for the Python that built it and later: ours is for all from the limited API's on."""
import subprocess
import sys

import mesonpy
from mesonpy import *  # noqa: what else pip asks a backend for
from mesonpy import get_requires_for_build_editable, get_requires_for_build_sdist, get_requires_for_build_wheel  # noqa

OLDEST = "cp39"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = mesonpy.build_wheel(wheel_directory, config_settings, metadata_directory)
    if "-abi3-" not in name:
        return name
    r = subprocess.run([sys.executable, "-m", "wheel", "tags", "--remove", "--python-tag", OLDEST, name], cwd=wheel_directory,
                       stdout=subprocess.PIPE, text=True, check=True)
    return r.stdout.split()[-1]
