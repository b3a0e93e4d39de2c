from tests.triage.desk.conftest import project as project
