import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from feedback.access import require_manager
from feedback.models import DatasetVersion
from training.access import access_run, visible_versions
from training.forms import RunForm
from training.services.estimates import Estimate, estimate_run, memory_of_this_machine
from training.services.runs import queue_run
from training.services.train_extra import train_extra
from training.views.viewer import viewer
from training.views.wording import duration


@require_http_methods(["GET", "POST"])
def run_new(request: HttpRequest) -> HttpResponse:
    """The form, prefilled from a dataset version or from the run it copies; its post queues the run."""
    require_manager(viewer(request))
    if request.method == "POST":
        form = RunForm(viewer(request), request.POST)
        if form.is_valid():
            values = form.cleaned_data
            run = queue_run(
                dataset_version=values["dataset_version"],
                recipe=values["recipe"],
                base_model=values["base"],
                settings=values["settings"],
                seed=values["settings"]["seed"],
                name=values["name"],
                actor=viewer(request),
            )
            return redirect("training:run-detail", run.pk)
        return render(request, "training/run_new.html", _context(request, form), status=422)
    form = RunForm(viewer(request), initial=_initial(request))
    return render(request, "training/run_new.html", _context(request, form))


@require_GET
def run_new_settings(request: HttpRequest) -> HttpResponse:
    """The settings with the defaults for the base model just chosen."""
    chosen = {
        name: request.GET.get(name) for name in ("base_model", "recipe", "dataset_version") if name in request.GET
    }
    form = RunForm(viewer(request), initial=chosen)
    return render(request, "training/run_new.html#settings", _context(request, form))


@require_GET
def run_estimate(request: HttpRequest) -> HttpResponse:
    """A rough word on time and memory for the form as it stands."""
    form = RunForm(viewer(request), request.GET)
    form.is_valid()
    return render(request, "training/run_new.html#estimate", {"estimate": _estimate_of(request, form)})


def _initial(request: HttpRequest) -> dict[str, Any]:
    initial: dict[str, Any] = {"dataset_version": request.GET.get("dataset_version")}
    if copied := request.GET.get("copy"):
        run = access_run(viewer(request), _uuid(copied))
        initial |= {
            "dataset_version": run.dataset_version_id,
            "name": run.name,
            "recipe": run.recipe,
            "base_model": run.base_model["kind"],
            "base_name": run.base_model["name"],
            "settings": run.settings,
        }
    return initial


def _uuid(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise Http404("No such run.") from None


def _context(request: HttpRequest, form: RunForm) -> dict[str, Any]:
    return {
        "form": form,
        "recipe": form.chosen_recipe,
        "has_versions": visible_versions(viewer(request)).exists(),
        "extra": train_extra(),
        "estimate": _estimate_of(request, form),
    }


def _estimate_of(request: HttpRequest, form: RunForm) -> dict[str, Any] | None:
    """The estimate in words; None while the form does not say enough."""
    if not form.is_bound:
        form = RunForm(viewer(request), {name: form[name].value() for name in form.fields})
    form.is_valid()
    values = form.cleaned_data
    if not all(values.get(name) for name in ("dataset_version", "base", "settings")):
        return None
    version: DatasetVersion = values["dataset_version"]
    return _in_words(version, estimate_run(version, values["base"], values["settings"]))


def _in_words(version: DatasetVersion, found: Estimate | None) -> dict[str, Any] | None:
    if found is None:
        return None
    memory = memory_of_this_machine()
    return {
        "time": duration(found.seconds),
        "gigabytes": found.bytes / 1e9,
        "n_groups": found.n_groups,
        "source": found.source,
        "too_large": bool(memory) and found.bytes > memory,
        "version": version,
    }
