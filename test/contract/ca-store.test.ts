import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { makeAuthority } from '../cluster/authority.ts';
import { HELPERS } from '../support/helper.ts';
import { run } from '../../tools/process.ts';
import { canThrowAwayRoots, inThrowAwayRoot, type Tree } from './throw-away-root.ts';

/** This machine's store stands in for the image's. */
const BUNDLE = '/etc/ssl/certs/ca-certificates.crt';
const curl = await run('curl', ['--version']).catch(() => undefined);
const skip =
  (await canThrowAwayRoots()) ??
  (existsSync(BUNDLE) && existsSync('/etc/debian_version') ? undefined : `no ${BUNDLE} as Debian has it`) ??
  (/ OpenSSL\//.test(curl?.stdout ?? '') ? false : 'no curl with OpenSSL');

const program = (name: string) => ({
  text: `#!/bin/bash\nexec '${process.execPath}' '${HELPERS}' ${name} "$@"\n`,
  mode: 0o755,
});
const authority = makeAuthority('The Deployment');
const CONFIG = 'var/lib/kolla/config_files';
const IMAGE: Tree = {
  'etc/debian_version': '12\n',
  'etc/passwd': 'root:x:0:0::/root:\nkeystone:x:42425:42425::/:\n',
  'etc/group': 'root:x:0:\nkeystone:x:42425:\n',
  [`${CONFIG}/config.json`]: '{"command": "tell"}',
  'usr/local/bin/kolla-init': program('kolla-init'),
  'usr/local/bin/kolla_start': program('kolla_start'),
};

/** Runs a line as keystone's uid, without privileges, with this machine's store read-only in place of the image's. */
function within(line: string, more: Tree = {}) {
  return inThrowAwayRoot(`mkdir /tmp/vol; ${line}`, {
    tree: { ...IMAGE, ...more },
    uid: 42_425,
    noNewPrivileges: true,
    directories: ['/etc/ssl/certs'],
  });
}

test(
  'with the store prepared by kolla-init, OpenSSL trusts a server of the deployment, and no other',
  { skip },
  async () => {
    const { certificate: cert, key } = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'] });
    const stranger = makeAuthority('A Stranger').issue({ commonName: 'api', hosts: ['127.0.0.1'] });
    await using own = await listen(cert, key);
    await using other = await listen(stranger.certificate, stranger.key);
    const store = '/tmp/vol/etc/ssl/certs';
    const ask = (how: string, port: number) => `curl -sS ${how} https://127.0.0.1:${port}/ -o /dev/null; echo "$?"`;
    const line = [
      'kolla-init --root /tmp/vol',
      ask('', own.port),
      ask(`--cacert ${store}/ca-certificates.crt --capath /nonexistent`, own.port),
      ask(`--cacert ${BUNDLE} --capath ${store}`, own.port),
      ask(`--cacert ${store}/ca-certificates.crt`, other.port),
    ].join('; ');
    const { stdout, stderr } = await within(line, { [`${CONFIG}/ca-certificates/own.crt`]: authority.certificate });
    // curl's exit codes with the image's own store, the bundle and the hashes, and for an untrusted server. 60: the
    // certificate cannot be verified.
    assert.equal(stdout, '60\n0\n0\n60\n', stderr);
  },
);

async function listen(cert: string, key: string): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createServer({ cert, key }, (_, response) => void response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dispose = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: dispose };
}

test('for a file without a certificate kolla-init exits with code 65 and names it', { skip }, async () => {
  const { code, stderr } = await within('kolla-init --root /tmp/vol', { [`${CONFIG}/ca-certificates/bad.crt`]: 'x' });
  assert.equal(code, 65);
  assert.match(stderr, /ca-certificates\/bad\.crt: it contains no PEM certificate/);
});

test('in the image itself, with a read-only store, kolla-init reports the fix', { skip }, async () => {
  const { code, stderr } = await within('kolla-init', { [`${CONFIG}/ca-certificates/a.crt`]: authority.certificate });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /certificates in \S+ are not added: give --root a volume/);
});

test('kolla_start warns of certificates missing from the store, and only of those', { skip }, async () => {
  const prepared = {
    'run/kolla/run_command': 'true',
    'usr/local/bin/kolla_extend_start': '',
    [`${CONFIG}/ca-certificates/a.crt`]: authority.certificate,
  };
  const start = (more: Tree) =>
    inThrowAwayRoot('kolla_start', { tree: { ...IMAGE, ...prepared, ...more }, uid: 42_425, noNewPrivileges: true });
  assert.match((await start({})).stderr, /certificates in .* are not added/);
  assert.match((await start({ [BUNDLE.slice(1)]: makeAuthority('x').certificate })).stderr, /are not added/);
  const { code, stderr } = await start({ [BUNDLE.slice(1)]: `# own\n${authority.certificate}` });
  assert.deepEqual([code, stderr], [0, '']);
});
