# SPDX-License-Identifier: Apache-2.0
"""Three simulations on two workers, a program in a bash app, and a sum."""
import parsl
from parsl import bash_app, python_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.launchers import SingleNodeLauncher
from parsl.providers import LocalProvider

import spanloom.parsl


@python_app
@spanloom.parsl.app(args=True)
def simulate(n):
    import heat
    return heat.solve(n)


@spanloom.parsl.app()
@bash_app
def program(stdout):
    return "python3 heat.py"


@python_app
@spanloom.parsl.app()
def total(*parts):
    return sum(parts)


if __name__ == "__main__":
    parsl.load(Config(executors=[HighThroughputExecutor(
        label="workers", address="127.0.0.1", encrypted=False, max_workers_per_node=2, worker_debug=True,
        provider=LocalProvider(max_blocks=1, launcher=spanloom.parsl.Launcher(SingleNodeLauncher())))]))
    ran = program(stdout="program.out")
    print(total(*(simulate(n) for n in (10, 20, 40))).result() > 0, ran.result())
    parsl.dfk().cleanup()
