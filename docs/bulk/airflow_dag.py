"""Airflow 3: the traces of each day become cases. A run that was cut short goes on when the task is tried again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from airflow.sdk import dag, task


@dag(
    schedule="@daily", start_date=datetime(2026, 12, 1, tzinfo=UTC), catchup=True, max_active_runs=1, tags=["incidents"]
)
def incident_fixtures() -> None:
    """One run a day into one store: two at once would wait for each other."""

    @task.bash(
        retries=2, retry_delay=timedelta(minutes=10), env={"EXTRACT_FIXTURE_KEY_FILE": "/run/secrets/workspace.key"}
    )
    def bulk() -> str:
        return (
            "extract-fixture bulk s3://traces/{{ ds }}/ --where 'error side_effect' --where grade"
            " --out /srv/incidents/fixtures --resume"
        )

    bulk()


incident_fixtures()
