from annotation.models.assignments import Absence, Assignment, Cursor, Draft, Flag, Parking, Reservation
from annotation.models.judges import Endpoint, Judge, JudgeCall, Judging

__all__ = [
    "Absence",
    "Assignment",
    "Cursor",
    "Draft",
    "Endpoint",
    "Flag",
    "Judge",
    "JudgeCall",
    "Judging",
    "Parking",
    "Reservation",
]
