# SPDX-License-Identifier: Apache-2.0
"""What parsl-perf measures: one node, two workers, and what experiment.yaml varies."""
import os

from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.providers import LocalProvider
from parsl.usage_tracking.levels import DISABLED


def is_on(name):
    return os.environ.get(name) == "1"


config = Config(
    executors=[HighThroughputExecutor(
        address="127.0.0.1",
        max_workers_per_node=2,
        encrypted=is_on("ENCRYPTED"),
        worker_debug=is_on("WORKER_DEBUG"),
        prefetch_capacity=100 if is_on("PREFETCH") else 0,
        poll_period=100 if is_on("POLL_100") else 10,
        provider=LocalProvider(init_blocks=1, max_blocks=1),
    )],
    initialize_logging=not is_on("NO_LOG"),
    strategy="none",
    usage_tracking=DISABLED,
)
