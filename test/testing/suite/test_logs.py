import pytest

SQL = "select count(*) as n, min(event_message) as first from edge_logs"
RECORD = {"timestamp": "2026-03-10T12:00:00Z", "project": "p"}


def test_failures_among_three_records(logs):
    metadata = [{"response": {"status_code": code}} for code in (200, 500, 503)]
    logs(write={"edge_logs": [{**RECORD, "metadata": each} for each in metadata]})
    sql = """select count(*) as n from edge_logs cross join unnest(metadata) as m
        cross join unnest(m.response) as r where r.status_code >= 500"""
    assert logs(query="logs.all", parameters={"project": "p", "sql": sql}) == [{"n": 2}]


@pytest.mark.parametrize("n", range(19))
def test_rows_are_those_just_written(logs, n):
    records = [{**RECORD, "event_message": f"{n}-{i}"} for i in range(n + 1)]
    logs(write={"edge_logs": records})
    rows = logs(query="logs.all", parameters={"project": "p", "sql": SQL})
    assert rows == [{"n": n + 1, "first": f"{n}-0"}]
