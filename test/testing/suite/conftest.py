import json
import shutil
from subprocess import PIPE, Popen

import pytest


def find_program():
    for path in (None, "node_modules/.bin"):
        if program := shutil.which("log-endpoints", path=path):
            return program
    pytest.exit("log-endpoints is not on the PATH, nor in node_modules/.bin", returncode=3)


@pytest.fixture(scope="session")
def server():
    command = [find_program(), "test-server", "--now", "2026-03-10T12:00:00Z"]
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
