"""Questions for a layout to answer, and one row of its file at a time; no database."""

from types import SimpleNamespace

from feedback.importing.layouts.registry import get_layout
from feedback.importing.rows import Row, RowError, RowRefused


def asked(*kinds):
    """A layout asks a question for its key, its kind and its title only."""
    return [
        SimpleNamespace(
            key=kind,
            kind=SimpleNamespace(name=kind),
            settings=SimpleNamespace(levels=1),
            spec=SimpleNamespace(title=kind),
        )
        for kind in kinds
    ]


def read_all(name, rows, *kinds, judged=True):
    """rows: values.  → (tasks, errors), as an import would find them."""
    layout, tasks, errors = get_layout(name), [], []
    for row in layout.arrange(Row(number, values) for number, values in enumerate(rows, start=1)):
        try:
            if isinstance(row, RowError):
                errors.append(row)
            else:
                tasks.append(layout.read(row, asked(*kinds), judged=judged))
        except RowRefused as error:
            errors.append(error.at(row.number))
    return tasks, errors


def read_one(name, values, *kinds, judged=True):
    (task,), errors = read_all(name, [values], *kinds, judged=judged)
    assert not errors
    return task


def refusal(name, values, *kinds):
    tasks, errors = read_all(name, [values], *kinds)
    assert not tasks
    assert len(errors) == 1
    return errors[0]


def answer_of(task, kind):
    (judgement,) = task.judgements
    return judgement.answers[kind]


def changed(values, **change):
    return {**values, **change}
