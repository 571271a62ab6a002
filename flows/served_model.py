"""What MLflow copies into a logged model and runs to load it: code by name, no pickle."""

from mlflow.models import set_model

from flows.serving import StyleRecommender

set_model(StyleRecommender())
