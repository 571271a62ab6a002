"""The pipeline: stages, workspace, configuration, Prefect, MLflow and the command line."""
