/** Runs Kolla's healthcheck_curl with the real curl, and ours, against the same servers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { makeAuthority } from '../cluster/authority.ts';
import { freePort } from '../../tools/port.ts';
import { listenHttp, listenTcp } from '../support/server.ts';
import { allSides, canHaveSides, type Sides } from './healthcheck/sides.ts';

const missing = await canHaveSides();
const skip = missing ?? false;

let sides: Sides;
const stack = new AsyncDisposableStack();
/** Servers by their names in the arguments of a case: `{web}` is replaced by its address. */
const servers: Record<string, string> = {};

before(async () => {
  if (missing !== undefined) return;
  sides = await allSides();
  const web = stack.use(
    await listenHttp(({ url = '', headers }, response) => {
      const status = Number(/^\/(\d{3})/.exec(url)?.[1] ?? 200);
      const isLocked = url === '/locked' && headers.authorization !== `Basic ${Buffer.from('u:p').toString('base64')}`;
      response.writeHead(isLocked ? 401 : status, { location: '/elsewhere', 'content-type': 'text/x' });
      response.end(status === 204 || status === 304 ? undefined : `${headers['user-agent']} ${url}`);
    }),
  );
  servers['web'] = `127.0.0.1:${web.port}`;
  servers['ssh'] = `127.0.0.1:${stack.use(await listenTcp((one) => one.end('SSH-2.0-x\r\n'))).port}`;
  const mute = await listenTcp((one) => void one.once('data', () => one.end()));
  servers['mute'] = `127.0.0.1:${stack.use(mute).port}`;
  servers['silent'] = `127.0.0.1:${stack.use(await listenTcp(() => {})).port}`;
  const cut = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123';
  servers['cut'] = `127.0.0.1:${stack.use(await listenTcp((one) => void one.once('data', () => one.end(cut)))).port}`;
  servers['nobody'] = `127.0.0.1:${await freePort()}`;
  const { certificate: cert, key } = makeAuthority('x').issue({ commonName: 'x', hosts: ['other.example'] });
  const tls = createServer({ cert, key }, (_, response) => void response.end()).listen(0, '::1');
  stack.defer(() => void tls.close());
  await once(tls, 'listening');
  servers['tls6'] = `[::1]:${(tls.address() as AddressInfo).port}`;
});
after(() => stack.disposeAsync());

type Case = readonly [args: readonly string[], env?: NodeJS.ProcessEnv];

/** What both must have in common: exit code, stdout without times, and curl's exit code on stderr. */
const SAME: Readonly<Record<string, Case>> = {
  'a bare host and port': [['{web}']],
  'a path and a query': [['http://{web}/a/b?c=d#e']],
  ...Object.fromEntries(
    [204, 300, 302, 304, 399, 400, 401, 404, 500, 503].map((s) => [`status ${s}`, [[`{web}/${s}`]]]),
  ),
  'user and password': [['-u', 'u:p', '{web}/locked']],
  'user and password in the URL': [['http://u:p@{web}/locked']],
  'a wrong password': [['-u', 'u:x', '{web}/locked']],
  'short options in one argument': [['-gksSuu:p', '{web}/locked']],
  'a path that curl would take for a pattern': [['{web}/[1-2]/{a,b}']],
  'the body to stdout': [['{web}/x'], { HEALTHCHECK_CURL_OUTPUT: '-' }],
  'another user agent': [['-A', 'me', '{web}/x'], { HEALTHCHECK_CURL_OUTPUT: '-' }],
  'the user agent from its variable': [['{web}'], { HEALTHCHECK_CURL_OUTPUT: '-', HEALTHCHECK_CURL_USER_AGENT: 'me' }],
  'another line': [
    ['{web}/302'],
    {
      HEALTHCHECK_CURL_WRITE_OUT:
        '%{http_code}|%{response_code}|%{remote_ip}|%{content_type}|%{size_download}|%{redirect_url}|%{num_redirects}|%{method}|%{url_effective}|%{scheme}|%{http_version}|%{exitcode}|%%|%x|\\t|\\q|\\n',
    },
  ],
  'a line break in the arguments': [['-w', '%{http_code}', '{web}']],
  'empty variables': [['{web}'], { HEALTHCHECK_CURL_WRITE_OUT: '', HEALTHCHECK_CURL_MAX_TIME: '' }],
  'a HEAD': [['-I', '{web}/x']],
  'TLS with an untrusted certificate, at IPv6': [['https://{tls6}/']],
  'HTTP to a TLS port': [['http://{tls6}/x']],
  'TLS to an HTTP port': [['https://{web}/x']],
  'no server': [['{nobody}']],
  'an unresolvable name': [['http://kolla-pod.invalid/']],
  'no HTTP': [['{ssh}']],
  'no response': [['{mute}']],
  'a truncated response': [['{cut}']],
  silence: [['{silent}'], { HEALTHCHECK_CURL_MAX_TIME: '0.5' }],
  'no response, with a time limit in the arguments': [['-m', '0.5', '{silent}']],
  'a limit that is not a number': [['-m', 'soon', '{web}']],
  'an unknown option': [['--nonsense', '{web}']],
  'an option without its value': [['{web}', '-u']],
  'another protocol': [['gopher9://x/']],
  'an invalid port': [['http://127.0.0.1:99999/']],
  'a space in the URL': [['http://a b/']],
};

/** curl exits before it prints its write-out line, and prints no code on stderr. */
const WORDS = /^(?:a limit that is not a number|an option .*)$/;

for (const [what, [args, env = {}]] of Object.entries(SAME)) {
  test(`equals curl: ${what}`, { skip }, async () => {
    const words = args.map((word) => word.replaceAll(/\{(\w+)\}/g, (whole, name: string) => servers[name] ?? whole));
    const theirs = await sides.theirs('healthcheck_curl', words, env);
    const ours = await sides.ours('healthcheck_curl', words, env);
    assert.deepEqual(
      [ours.code, masked(ours.stdout)],
      [theirs.code, WORDS.test(what) ? '' : masked(theirs.stdout)],
      theirs.stderr + ours.stderr,
    );
    if (!WORDS.test(what)) assert.equal(numberIn(ours.stderr), numberIn(theirs.stderr), theirs.stderr + ours.stderr);
    assert.equal(ours.stderr === '', ours.code === 0);
  });
}

function masked(stdout: string): string {
  return stdout.replaceAll(/\d+\.\d{6}/g, 'TIME');
}

function numberIn(stderr: string): string | undefined {
  return /^curl: \((\d+)\)/m.exec(stderr)?.[1];
}

test('differs from curl: no proxy is used', { skip }, async () => {
  const env = { http_proxy: `http://${servers['nobody']}` };
  const url = [`http://${servers['web']}/`];
  assert.equal((await sides.theirs('healthcheck_curl', url, env)).code, 1, "curl's behaviour has changed");
  assert.equal((await sides.ours('healthcheck_curl', url, env)).code, 0);
});
