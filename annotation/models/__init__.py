from annotation.models.assignments import Absence, Assignment, Cursor, Draft, Flag, Parking, Reservation
from annotation.models.judges import Endpoint, Judge, JudgeCall, Judging
from annotation.models.limits import Limit, SeatLease

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
    "Limit",
    "Parking",
    "Reservation",
    "SeatLease",
]
