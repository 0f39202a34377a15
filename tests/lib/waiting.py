# SPDX-License-Identifier: Apache-2.0
"""What a page is asked for, whichever browser has it."""
import time


class Waiting:
    """A page that can run(script)."""

    def wait(self, script, timeout=600):
        """Until an expression is true."""
        end = time.monotonic() + timeout
        while not self.run(script):
            if time.monotonic() > end:
                raise TimeoutError(f"waited {timeout} s for {script}")
            time.sleep(0.05)
