"""The pipeline: stages, workspace, configuration, Prefect, MLflow and the command line."""

import os
import sys

# Several threads add up in any order: a result would depend on the number of cores, and small sparse products are
# faster on one. Libraries read this when they are imported, so it stands before all that imports them.
os.environ["OMP_NUM_THREADS"] = "1"
if "numpy" in sys.modules:
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
