"""Which tasks are asked first, and of whom: priorities, and tasks reserved for a person."""

from __future__ import annotations

import re
import uuid
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Flag, Reservation
from annotation.reserving import drop_reservation, open_reservations, reserve_tasks
from feedback.access import MANAGER, access_campaign, rater_of
from feedback.exceptions import WrongState
from feedback.models import Campaign, Task, User
from feedback.services.priorities import HIGHEST, set_priority

MANY = 1000
"""Tasks that one post may name."""
SHOWN = 200


class AssignForm(forms.Form):
    """tasks: external ids, or our own numbers as `#12`, apart by spaces, commas or lines."""

    tasks = forms.CharField(
        label=gettext_lazy("Tasks"),
        help_text=gettext_lazy("Their ids, one on each line. A number after # is the task's own: #12."),
        widget=forms.Textarea(attrs={"rows": 4}),
        required=False,
    )
    flagged = forms.BooleanField(label=gettext_lazy("The flagged ones"), required=False)
    person = forms.ModelChoiceField(
        User.objects.none(),
        label=gettext_lazy("Ask this person first"),
        empty_label=gettext_lazy("nobody in particular"),
        required=False,
    )
    priority = forms.IntegerField(
        label=gettext_lazy("Priority"),
        help_text=gettext_lazy("Higher is asked first, of everybody; 0 is the common order. Empty: as it is."),
        min_value=0,
        max_value=HIGHEST,
        required=False,
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        members = Q(memberships__campaign=campaign, memberships__is_active=True)
        person = cast("forms.ModelChoiceField[User]", self.fields["person"])
        person.queryset = User.objects.filter(members).order_by("username")

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("person") is None and given.get("priority") is None and not self.errors:
            raise forms.ValidationError(_("Choose a person or a priority."))
        given["found"] = self._tasks(given) if not self.errors else []
        return given

    def _tasks(self, given: dict[str, Any]) -> list[Task]:
        names = list(dict.fromkeys(re.split(r"[\s,]+", given["tasks"].strip()))) if given["tasks"].strip() else []
        found = tasks_named(self.campaign, names, self)
        if given["flagged"]:
            flags = Flag.objects.filter(campaign=self.campaign, replied_at__isnull=True).values("task")
            found += [task for task in self.campaign.tasks.filter(pk__in=flags)[:MANY] if task not in found]
        if not found and not self.errors:
            self.add_error("tasks", _("Name at least one task, or choose the flagged ones; none is flagged now."))
        return found


def tasks_named(campaign: Campaign, names: list[str], form: forms.Form) -> list[Task]:
    """The tasks in the order named; every name that leads nowhere is an error of the field."""
    if len(names) > MANY:
        form.add_error("tasks", _("At most %(most)d at a time.") % {"most": MANY})
        return []
    numbers = {int(name[1:]) for name in names if re.fullmatch(r"#\d{1,18}", name)}
    rows = campaign.tasks.filter(Q(external_id__in=names) | Q(pk__in=numbers))
    known = {task.external_id: task for task in rows if task.external_id} | {f"#{task.pk}": task for task in rows}
    if missing := [name for name in names if name not in known]:
        message = _("Not in this campaign: %(names)s.")
        form.add_error("tasks", message % {"names": ", ".join(missing[:10]) + (" …" if missing[10:] else "")})
        return []
    return list(dict.fromkeys(known[name] for name in names))


def campaign_assign(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """Choose tasks and a person, or a priority; below, what was reserved and is not served yet."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    if request.method == "POST" and "drop" in request.POST:
        return _drop(request, found, user)
    posted = request.POST if request.method == "POST" else None
    form = AssignForm(posted, campaign=found, initial=_asked_for(request))
    if request.method == "POST" and form.is_valid():
        try:
            messages.success(request, _assign(found, form.cleaned_data, user))
            return redirect("annotation:campaign-assign", found.pk)
        except WrongState as error:
            form.add_error(None, str(error))
    context = {"campaign": found, "form": form, "reservations": open_reservations(found)[:SHOWN], "shown": SHOWN}
    return render(request, "annotation/campaign_assign.html", context, status=422 if form.is_bound else 200)


def _asked_for(request: HttpRequest) -> dict[str, Any]:
    """What a link to the form names: `?flagged`, `?tasks=#12`."""
    return {"flagged": "flagged" in request.GET, "tasks": request.GET.get("tasks", "")}


def _assign(campaign: Campaign, given: dict[str, Any], actor: User) -> str:
    tasks, said = given["found"], []
    if given["priority"] is not None:
        n = set_priority(campaign, [task.pk for task in tasks], given["priority"], actor=actor)
        said.append(_("Priority of %(n)d tasks: %(priority)d.") % {"n": n, "priority": given["priority"]})
    if given["person"] is not None:
        done = reserve_tasks(tasks, rater_of(given["person"]), actor=actor)
        said.append(_("%(person)s is asked %(n)d of them first.") % {"person": given["person"], "n": done.n_reserved})
        if done.refused:
            said.append(" ".join(done.refused[:3]))
    return " ".join(said)


def _drop(request: HttpRequest, campaign: Campaign, actor: User) -> HttpResponse:
    id = request.POST["drop"]
    wish = Reservation.objects.filter(campaign=campaign, pk=int(id)).first() if id.isdecimal() else None
    if wish is None:
        raise Http404("No such reservation.")
    drop_reservation(wish, actor=actor)
    return redirect("annotation:campaign-assign", campaign.pk)
