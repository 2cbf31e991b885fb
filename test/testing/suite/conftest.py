import json
import os
import subprocess
import urllib.request

import pytest

TOKEN = "a-token-of-the-tests"
COMMAND = "log-endpoints serve --port 0 --now 2026-03-10T12:00:00Z --quiet --log-level error --no-disk-cache --exit-with-parent --data"


class Logs:
    def post(self, path, body):
        headers = {"x-api-key": TOKEN, "content-type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        return json.load(urllib.request.urlopen(request))

    def query(self, endpoint, **parameters):
        return self.post(f"/api/endpoints/query/{endpoint}", parameters)["result"]

    def write(self, **records):
        for file in self.data.iterdir():
            file.unlink()
        for source, lines in records.items():
            (self.data / f"{source}.ndjson").write_text("\n".join(map(json.dumps, lines)))
        self.post("/-/reload", {})


@pytest.fixture(scope="session")
def logs(tmp_path_factory):
    logs = Logs()
    logs.data = tmp_path_factory.mktemp("logs")
    environment = {**os.environ, "LOG_ENDPOINTS_TOKENS": TOKEN}
    command = [*COMMAND.split(), str(logs.data)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        logs.url = server.stdout.readline().strip()
        yield logs
        server.terminate()
