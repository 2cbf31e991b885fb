import json
from subprocess import PIPE, Popen
from urllib.request import Request, urlopen

import pytest


class Logs:
    def __init__(self, server):
        self.server = server
        self.address = json.loads(server.stdout.readline())

    def change(self, **change):
        print(json.dumps(change), file=self.server.stdin, flush=True)
        assert json.loads(self.server.stdout.readline()) == {}

    def query(self, endpoint, **parameters):
        headers = {"x-api-key": self.address["token"], "content-type": "application/json"}
        url = f"{self.address['url']}/api/endpoints/query/{endpoint}"
        return json.load(urlopen(Request(url, json.dumps(parameters).encode(), headers)))["result"]


@pytest.fixture(scope="session")
def server():
    command = ["log-endpoints", "test-server", "--now", "2026-03-10T12:00:00Z"]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as server:
        yield Logs(server)


@pytest.fixture
def logs(server):
    server.change(reset=True)
    return server
