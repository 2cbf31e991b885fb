import json
from subprocess import PIPE, Popen

import pytest


@pytest.fixture(scope="session")
def server():
    command = ["log-endpoints", "test-server", "--now", "2026-03-10T12:00:00Z"]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as server:
        server.address = json.loads(server.stdout.readline())
        yield server


@pytest.fixture
def logs(server):
    def ask(**line):
        print(json.dumps(line), file=server.stdin, flush=True)
        answer = json.loads(server.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer.get("result")

    ask(reset=True)
    return ask
