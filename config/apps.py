from django.apps import AppConfig


class TouchstoneConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        """Bind `shared_task` to our Celery application in every process, web ones included."""
        from config import celery  # noqa: F401  (needs settings, so not at import time)
