from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from feedback.exceptions import WrongState
from training.access import access_checkpoint
from training.services.checkpoints import promote_checkpoint
from training.views.viewer import viewer


@require_POST
def checkpoint_promotion(request: HttpRequest, id: int) -> HttpResponse:
    """Make the checkpoint a reward model that may rank fresh responses."""
    checkpoint = access_checkpoint(viewer(request), id)
    try:
        rater = promote_checkpoint(checkpoint, actor=viewer(request))
        messages.success(request, _("Promoted: “%(name)s” can rank fresh responses now.") % {"name": rater})
    except WrongState as error:
        messages.warning(request, str(error))
    return redirect("training:run-detail", checkpoint.run_id)
