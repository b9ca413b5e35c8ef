"""Install the message queue (pgmq, plain SQL, no extension) that is the broker unless another is named.

The package's client calls `send_topic` with headers and no delay, which its own SQL lacks; without that
overload Celery cannot broadcast (revoke, shutdown), so it is added.
"""

from django.db import migrations
from pgmq.install import get_embedded_install_sql

SEND_TOPIC = """
CREATE OR REPLACE FUNCTION pgmq.send_topic(routing_key text, msg jsonb, headers jsonb)
RETURNS integer LANGUAGE sql VOLATILE AS
$$ SELECT pgmq.send_topic(routing_key, msg, headers, 0) $$;
"""


def install(apps, schema_editor):
    """A database that has pgmq already (as an extension, say) keeps its own."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT to_regproc('pgmq.list_queues') IS NOT NULL")
        if not cursor.fetchone()[0]:
            cursor.execute(get_embedded_install_sql())
        cursor.execute(SEND_TOPIC)


def remove(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA IF EXISTS pgmq CASCADE")


class Migration(migrations.Migration):
    dependencies = [("feedback", "0002_append_only")]

    operations = [migrations.RunPython(install, remove)]
