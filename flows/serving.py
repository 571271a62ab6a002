"""The recommender as a served model: an MLflow pyfunc in the registry, answering what `hnn recommend --json` prints.

    mlflow models serve -m models:/hnn-style-recommender@champion --env-manager local

Called by flows/tracking.py with what stage train published, at once or when the server is back. A model that does not
load and answer never gets the alias, so whoever serves ``@champion`` keeps the last one that did.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import mlflow
import pandas as pd
from mlflow.models import Model, ModelSignature
from mlflow.pyfunc.model import PythonModel
from mlflow.types import ColSpec, DataType, Schema
from mlflow.types.schema import AnyType

from flows.advice import RECOMMENDER, TARGETS, Advisor
from flows.errors import HnnError

MODEL = "hnn-style-recommender"
ALIAS = "champion"
CODE = Path(__file__).with_name("served_model.py")

TARGET, TOP = "button", 10
"""What is asked where an email comes without them."""

SIGNATURE = ModelSignature(
    inputs=Schema(
        [
            ColSpec(DataType.string, "html"),
            ColSpec(DataType.string, "target", required=False),
            ColSpec(DataType.long, "top", required=False),
        ]
    ),
    outputs=Schema([ColSpec(AnyType())]),  # type: ignore[no-untyped-call]
)
EXAMPLE = pd.DataFrame(
    [
        {
            "html": "<table><tr><td style='padding:32px;color:#222222'><h1>Autumn sale</h1><p>Two days only.</table>",
            "target": TARGET,
            "top": 3,
        }
    ]
)
#: Versions of these decide what an answer is; the rest comes with hnn.
REQUIREMENTS = (
    "hnn",
    "mlflow",
    "numpy",
    "pandas",
    "pyarrow",
    "scikit-learn",
    "scipy",
    "selectolax",
    "tinycss2",
    "torch",
)


class StyleRecommender(PythonModel):
    """One email a row: ``html`` and, if wanted, ``target`` and ``top``."""

    def load_context(self, context: Any) -> None:
        self._advisor = Advisor.load(Path(context.artifacts[RECOMMENDER]))

    def predict(self, context: Any, model_input: pd.DataFrame, params: Any = None) -> list[dict[str, Any]]:
        """An answer a row; a row that cannot be answered says why, and the others are answered."""
        return [self._answer(dict(row)) for _, row in model_input.iterrows()]

    def _answer(self, row: dict[str, Any]) -> dict[str, Any]:
        target = TARGET if pd.isna(row.get("target")) else row["target"]
        top = TOP if pd.isna(row.get("top")) else int(row["top"])
        if target not in (*TARGETS, *TARGETS.values()):
            return {"error": f"field target is {target!r}: expected one of {', '.join(TARGETS)}"}
        try:
            advice = self._advisor.advise(row["html"], target, top)
        except HnnError as error:
            return {"error": str(error)}
        return advice.as_json()


def publish(client: Any, run_id: str, recommender: Path) -> None:
    """Log the recommender to a run, load it from there, ask it, and only then call it the champion.

    Where that fails half-way the half is deleted again: the next try starts anew.
    """
    experiment = client.get_run(run_id).info.experiment_id
    model = client.create_logged_model(experiment, name=RECOMMENDER, source_run_id=run_id)
    try:
        logged = Model.log(
            artifact_path=None,
            model_id=model.model_id,
            flavor=mlflow.pyfunc,
            run_id=run_id,
            python_model=str(CODE),
            artifacts={RECOMMENDER: str(recommender)},
            signature=SIGNATURE,
            input_example=EXAMPLE,
            pip_requirements=[f"{name}=={metadata.version(name)}" for name in REQUIREMENTS],
        )
        check(logged.model_uri)
        version = _register(client, run_id, logged.model_uri, model.model_id)
    except Exception:
        with suppress(Exception):
            client.delete_logged_model(model.model_id)
        raise
    client.set_registered_model_alias(MODEL, ALIAS, version)


def check(model_uri: str) -> None:
    """Load a logged model as a server would and ask it for every target; a corpus need not have styles of all."""
    questions = pd.concat([EXAMPLE.assign(target=target) for target in TARGETS])
    answers = mlflow.pyfunc.load_model(model_uri).predict(questions)
    if not any(answer.get("fragments") for answer in answers):
        raise HnnError(f"the logged recommender {model_uri} does not answer: {answers}")


def _register(client: Any, run_id: str, model_uri: str, model_id: str) -> str:
    if not client.search_registered_models(f"name = '{MODEL}'"):
        client.create_registered_model(MODEL, description="Styles for the fragments of an email")
    return str(client.create_model_version(MODEL, model_uri, run_id, model_id=model_id).version)
