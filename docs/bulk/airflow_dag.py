"""Airflow 3: the traces of each day become cases. A run that was killed goes on when the task is tried again."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, date, datetime, timedelta

from airflow.exceptions import AirflowException, AirflowFailException
from airflow.sdk import dag, task

KEY_FILE = "/run/secrets/workspace.key"
JUDGED = {
    1: "a trace failed, or records could not be read",
    2: "the command cannot be meant so",
    3: "flagged traces are not in the sources",
    5: "a proof failed, or redaction refused a trace",
    6: "no source can be read",
    7: "the store's register is damaged",
}


# Airflow 3 names a run by the moment at which it is due, and the traces are those of the day before. By a quarter past one the last of
# them have settled; none would be taken later, since the next run looks elsewhere.
@dag(
    schedule="15 1 * * *",
    start_date=datetime(2026, 12, 1, tzinfo=UTC),
    catchup=True,
    max_active_runs=1,
    tags=["incidents"],
)
def incident_fixtures() -> None:
    """One run a day into one store: two at once refuse to meet."""

    @task(retries=2, retry_delay=timedelta(minutes=10))
    def bulk(ds: str) -> None:
        """What was judged is not tried again, since it would end the same; what was killed is, and goes on."""
        day = date.fromisoformat(ds) - timedelta(days=1)
        command = ["extract-fixture", "bulk", f"s3://traces/{day}/", "--where", "error side_effect", "--where", "grade"]
        command += ["--out", "/srv/incidents/fixtures", "--resume"]
        status = subprocess.run(
            command, env={**os.environ, "EXTRACT_FIXTURE_KEY_FILE": KEY_FILE}, check=False
        ).returncode
        if status in JUDGED:
            raise AirflowFailException(f"{JUDGED[status]} ({status}): /srv/incidents/fixtures/.bulk/report")
        if status:
            raise AirflowException(f"the run ended with {status}")

    bulk(ds="{{ ds }}")


incident_fixtures()
