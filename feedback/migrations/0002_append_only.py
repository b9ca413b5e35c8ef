"""Append-only and immutable rows, kept by the database: no code path can rewrite what a rater saw or said."""

from django.db import migrations

REFUSE = """
CREATE FUNCTION feedback_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER task_content_immutable
    BEFORE UPDATE OF campaign_id, external_id, content, content_hash, prompt_hash, order_key ON feedback_task
    FOR EACH ROW EXECUTE FUNCTION feedback_refuse('a task is what raters saw; import a new one');
CREATE TRIGGER judgement_append_only
    BEFORE DELETE OR UPDATE OF campaign_id, task_id, rater_id, form_id, guideline_id, answers, shown, seconds, key,
        body_hash, supersedes_id, created_at ON feedback_judgement
    FOR EACH ROW EXECUTE FUNCTION feedback_refuse('judgements are append-only; a revision supersedes');
CREATE TRIGGER formversion_immutable BEFORE UPDATE OR DELETE ON feedback_formversion
    FOR EACH ROW EXECUTE FUNCTION feedback_refuse('publish a new form version');
CREATE TRIGGER guidelineversion_immutable BEFORE UPDATE OR DELETE ON feedback_guidelineversion
    FOR EACH ROW EXECUTE FUNCTION feedback_refuse('publish a new guideline version');
CREATE TRIGGER auditevent_append_only BEFORE UPDATE OR DELETE ON feedback_auditevent
    FOR EACH ROW EXECUTE FUNCTION feedback_refuse('the audit trail is append-only');
CREATE TRIGGER datasetversion_immutable BEFORE UPDATE OR DELETE ON feedback_datasetversion
    FOR EACH ROW WHEN (OLD.status = 'frozen')
    EXECUTE FUNCTION feedback_refuse('a frozen dataset version never changes; freeze a new one');
"""

ALLOW = """
DROP TRIGGER datasetversion_immutable ON feedback_datasetversion;
DROP TRIGGER auditevent_append_only ON feedback_auditevent;
DROP TRIGGER guidelineversion_immutable ON feedback_guidelineversion;
DROP TRIGGER formversion_immutable ON feedback_formversion;
DROP TRIGGER judgement_append_only ON feedback_judgement;
DROP TRIGGER task_content_immutable ON feedback_task;
DROP FUNCTION feedback_refuse();
"""


class Migration(migrations.Migration):
    dependencies = [("feedback", "0001_initial")]
    operations = [migrations.RunSQL(REFUSE, ALLOW)]
