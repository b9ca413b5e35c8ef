from training.models.jobs import Job
from training.models.rounds import Round
from training.models.runs import Checkpoint, Evaluation, Metric, Run

__all__ = ["Checkpoint", "Evaluation", "Job", "Metric", "Round", "Run"]
