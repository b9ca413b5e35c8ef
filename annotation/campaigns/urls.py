from django.urls import path, register_converter

from annotation.campaigns import (
    assigning,
    changing,
    flags,
    hours,
    imports,
    insight_pages,
    inviting,
    making,
    pages,
    states,
    tasks,
)
from annotation.campaigns.builder import views as builder


class StateNoun:
    regex = "|".join(states.NOUNS)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(StateNoun, "state")

urlpatterns = [
    path("presets/screen/", builder.preset_screen, name="preset-screen"),
    path("", pages.campaign_list, name="campaign-list"),
    path("new/", making.campaign_new, name="campaign-new"),
    # one campaign
    path("<uuid:campaign>/", pages.campaign_detail, name="campaign-detail"),
    path("<uuid:campaign>/figures/", pages.campaign_figures, name="campaign-figures"),
    path("<uuid:campaign>/agreement/", pages.campaign_agreement_table, name="campaign-agreement"),
    path("<uuid:campaign>/imports/", imports.campaign_imports, name="campaign-imports"),
    path("<uuid:campaign>/questions/", builder.campaign_questions, name="campaign-questions"),
    path("<uuid:campaign>/questions/draft/", builder.campaign_questions_draft, name="campaign-questions-draft"),
    path("<uuid:campaign>/questions/screen/", builder.campaign_questions_screen, name="campaign-questions-screen"),
    path("<uuid:campaign>/forms/", builder.campaign_forms, name="campaign-forms"),
    path("<uuid:campaign>/settings/", changing.campaign_settings, name="campaign-settings"),
    path("<uuid:campaign>/guidelines/", changing.campaign_guidelines, name="campaign-guidelines"),
    path(
        "<uuid:campaign>/guidelines/preview/", changing.campaign_guidelines_preview, name="campaign-guidelines-preview"
    ),
    path("<uuid:campaign>/copy/", making.campaign_copy, name="campaign-copy"),
    path("<uuid:campaign>/insights/", insight_pages.campaign_insights, name="campaign-insights"),
    path("<uuid:campaign>/invitations/", inviting.campaign_invitations, name="campaign-invitations"),
    path(
        "<uuid:campaign>/invitations/<uuid:id>/revocation/",
        inviting.invitation_revocation,
        name="invitation-revocation",
    ),
    path("<uuid:campaign>/hours/", hours.campaign_hours, name="campaign-hours"),
    path("<uuid:campaign>/members/", pages.campaign_members, name="campaign-members"),
    path("<uuid:campaign>/tasks/", tasks.campaign_tasks, name="campaign-tasks"),
    path("<uuid:campaign>/tasks/<int:task>/", tasks.campaign_task, name="campaign-task"),
    path("<uuid:campaign>/assign/", assigning.campaign_assign, name="campaign-assign"),
    path("<uuid:campaign>/flags/", flags.campaign_flags, name="campaign-flags"),
    path("<uuid:campaign>/flags/<int:flag>/reply/", flags.campaign_flags_reply, name="campaign-flags-reply"),
    path("<uuid:campaign>/flags/tasks/<int:task>/", flags.campaign_flags_task, name="campaign-flags-task"),
    path("<uuid:campaign>/activation/", states.campaign_activation, name="campaign-activation"),
    path("<uuid:campaign>/<state:noun>/", states.campaign_state, name="campaign-state"),
]
