"""One assignment per person and task, for good; it names the form and the guidelines it was shown with.

`form` has no default: no assignment was ever stored without one outside of a developer's database.
"""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_initial"), ("feedback", "0001_initial")]

    operations = [
        migrations.AddField(
            "assignment",
            "form",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="feedback.formversion"
            ),
        ),
        migrations.AddField(
            "assignment",
            "guideline",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="feedback.guidelineversion",
            ),
        ),
        migrations.AlterField(
            "assignment",
            "judgement",
            models.ForeignKey(
                blank=True,
                help_text="The current one.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="feedback.judgement",
            ),
        ),
        migrations.AlterField(
            "assignment",
            "started_at",
            models.DateTimeField(default=django.utils.timezone.now, help_text="When it was first shown."),
        ),
        migrations.RemoveConstraint("assignment", "assignment_turn_once"),
        migrations.AddConstraint(
            "assignment", models.UniqueConstraint(fields=["task", "rater"], name="assignment_turn_once")
        ),
        migrations.RemoveIndex("assignment", "assignment_live"),
        migrations.AddIndex(
            "assignment",
            models.Index(
                condition=models.Q(("status", "leased")), fields=["campaign", "rater"], name="assignment_live"
            ),
        ),
    ]
