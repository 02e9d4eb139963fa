"""Fails unless programs without MPI do the same with the libraries preloaded as without. Usage: untouched.py LIBRARY…"""

import os
import subprocess
import sys

COMMANDS = (
    ["ls", "-l", "/usr"],
    ["sh", "-c", "echo started; cat /proc/version; exit 3"],
    [sys.executable, "-c", "import ctypes, json, socket, sys; print(json.dumps(sorted(sys.builtin_module_names)))"],
)


def result(command: list[str], **settings: str) -> tuple[int, str, str]:
    run = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **settings})
    return run.returncode, run.stdout, run.stderr


for library in sys.argv[1:]:
    if not os.path.exists(library):
        sys.exit(f"there is no {library}")
    for command in COMMANDS:
        for binding in ({}, {"LD_BIND_NOW": "1"}):
            with_it = result(command, LD_PRELOAD=library, BCASTGEN_VERBOSE="1", **binding)
            if with_it != result(command):
                sys.exit(f"{command} under {library} with {binding}: {with_it}")
