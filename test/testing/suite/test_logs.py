import pytest

SQL = "select count(*) as n, min(event_message) as first from edge_logs"


@pytest.mark.parametrize("n", range(20))
def test_rows_are_those_just_written(logs, n):
    record = {"timestamp": "2026-03-10T12:00:00Z", "project": "p"}
    logs.write(edge_logs=[{**record, "event_message": f"{n}-{i}"} for i in range(n + 1)])
    rows = logs.query("logs.all", project="p", sql=SQL)
    assert rows == [{"n": n + 1, "first": f"{n}-0"}]
