from annotation.models.assignments import Absence, Assignment, Cursor, Draft, Flag, Parking, Reservation

__all__ = ["Absence", "Assignment", "Cursor", "Draft", "Flag", "Parking", "Reservation"]
