"""``python -m bigmkl COMMAND ..``, and the script bigmkl of an installed package, run the command that the estimators run."""

import contextlib
import os
import subprocess
import sys

from ._command import locate
from ._errors import BigMKLError


def main() -> int:
    """Become the command, so that its signals and its exit code are those of this process."""
    try:
        command = [locate(), *sys.argv[1:]]
    except BigMKLError as error:
        print(f"bigmkl: {error}", file=sys.stderr)
        return 1
    if os.name != "nt":
        os.execv(command[0], command)
    # Windows has no exec. Ctrl-C reaches both processes, and the command decides what it means.
    with subprocess.Popen(command) as process:
        while True:
            with contextlib.suppress(KeyboardInterrupt):
                return process.wait()


if __name__ == "__main__":
    sys.exit(main())
