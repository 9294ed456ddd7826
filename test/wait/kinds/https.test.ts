import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { dependenciesOf, waitTrust } from '../../../src/container/init/waits.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import { runHelper } from '../../support/helper.ts';

async function serving(authority = makeAuthority('waits'), hosts = ['127.0.0.1']) {
  const { certificate: cert, key } = authority.issue({ commonName: 'api', hosts });
  const server = createServer({ cert, key }, (_, response) => response.end('ok'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => void (server.close(), await once(server, 'close')),
  };
}

test('a wait for https:// is verified by --ca-file, or not at all with --tls require', async () => {
  const authority = makeAuthority('waits');
  await using directory = await privateDirectory('https-waits');
  const caFile = join(directory.path, 'ca.pem');
  await writeFile(caFile, authority.certificate);
  await using server = await serving(authority);
  const waited = (...args: string[]) => runHelper('kolla-init', ['--wait', server.url, ...args]);
  for (const args of [
    ['--ca-file', caFile],
    ['--tls', 'verify', '--ca-file', caFile],
    ['--tls', 'require'],
  ]) {
    const { code, stderr } = await waited(...args);
    assert.equal(code, 0, stderr);
  }
  // Long enough for a busy machine to connect.
  const { code, stderr } = await waited('--timeout', '4s');
  assert.equal(code, 75, stderr);
  assert.match(stderr, /its certificate is not signed by a CA of this image's CA bundle; --ca-file names another/);
});

test('a server whose certificate is for another name is not ready until the deadline, unless --tls require', async () => {
  await using server = await serving(makeAuthority('waits'), ['other.test']);
  const strict = await runHelper('kolla-init', ['--wait', server.url, '--timeout', '1s']);
  assert.equal(strict.code, 75, strict.stderr);
  assert.equal((await runHelper('kolla-init', ['--wait', server.url, '--tls', 'require'])).code, 0);
});

test('--tls off with https:// is a usage error; other modes do not affect http://', async () => {
  const both = await dependenciesOf(['http://a/', 'https://b/']);
  assert.throws(() => waitTrust({ tls: 'off', caFile: undefined }, both), {
    exitCode: 64,
    message: "--tls off contradicts wait 'https://b/': write http://, or leave --tls out",
  });
  assert.deepEqual(waitTrust({ tls: 'require', caFile: undefined }, both), { caFile: undefined, insecure: true });
  const plain = await dependenciesOf(['http://a/']);
  assert.deepEqual(waitTrust({ tls: 'off', caFile: undefined }, plain), { insecure: false });
  assert.throws(() => waitTrust({ tls: 'require', caFile: '/ca' }, both), {
    exitCode: 64,
    message: '--ca-file is given with --tls require, which verifies no certificate: leave it out, or give --tls verify',
  });
});
