"""A result does not depend on the number of cores: everything that adds up numbers has one thread."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

THREADS = """
import scipy.linalg
from threadpoolctl import threadpool_info
pools = threadpool_info()
assert pools
print(max(pool["num_threads"] for pool in pools))
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core has one thread anyway")
@pytest.mark.parametrize(
    "before",
    [
        "from flows.running import corpus_from_anywhere as c; c('mails')",  # reads with pyarrow, which imports numpy
        "import flows.pipeline",  # imports MLflow, as a worker does
        "import numpy, flows.cli",  # somebody else was first
    ],
)
def test_sums_are_made_by_one_thread_whoever_imports_numpy(before: str) -> None:
    free = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    result = subprocess.run([sys.executable, "-c", before + THREADS], capture_output=True, text=True, env=free)
    assert (result.stdout.strip(), result.stderr) == ("1", "")
