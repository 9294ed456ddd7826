/** kolla-core for arm64, by qemu: AWS-LC's assembly for that processor against Node's servers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { SecureContextOptions } from 'node:tls';
import { HERE, onTarget, type Target } from '../../build/base.ts';
import { targetFor } from '../../build/images/arm64.ts';
import { messageOf } from '../../src/core/errors.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { fileLimit } from '../support/file-limit.ts';

// The TLS library is compiled once for that processor.
fileLimit(30);

let target: Target = HERE;
let skip = await canBuildCore();
try {
  target = await targetFor('arm64');
} catch (error) {
  skip = `a binary for arm64 can't be run here: ${messageOf(error)}`;
}
const directory = await privateDirectory('arm64-tls');
const stack = new AsyncDisposableStack();
stack.use(directory);
after(() => stack.disposeAsync());

const authority = makeAuthority('arm64');
const CA = join(directory.path, 'ca.pem');
const { certificate: cert, key } = authority.issue({ commonName: 'localhost', hosts: ['127.0.0.1'] });
/** Each with the ciphers and groups whose assembly differs between processors. */
const SERVERS: Readonly<Record<string, SecureContextOptions>> = {
  'TLS 1.2': { maxVersion: 'TLSv1.2' },
  'TLS 1.2 with ChaCha20': { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' },
  'TLS 1.3': { minVersion: 'TLSv1.3' },
  'TLS 1.3 with AES-128 and P-384': { minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256', ecdhCurve: 'P-384' },
};

async function serving(options: SecureContextOptions): Promise<number> {
  const body = Buffer.alloc(100_000, 'x');
  const server: Server = createServer({ cert, key, ...options }, (_, response) => response.end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => server.closeAllConnections());
  stack.defer(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe('kolla-probe for arm64', { skip: skip ?? false }, () => {
  for (const [name, options] of Object.entries(SERVERS))
    test(name, async () => {
      await writeFile(CA, authority.certificate);
      const { names } = await coreBinary(join(directory.path, name), ['kolla-probe'], undefined, 'arm64');
      const port = await serving(options);
      const asked = async (...words: string[]) =>
        await run(...onTarget(target, join(names, 'kolla-probe'), [...words, '--timeout', '60s']), {});
      for (const words of [
        ['http', `https://127.0.0.1:${port}/`, '--ca-file', CA],
        ['tls', `127.0.0.1:${port}`, '--ca-file', CA],
      ]) {
        const { code, stderr } = await asked(...words);
        assert.equal(code, 0, stderr);
      }
      const { code, stderr } = await asked('http', `https://127.0.0.1:${port}/`);
      assert.equal(code, 1);
      assert.match(stderr, /its certificate is not signed by a CA of this image's CA bundle|no CA bundle/);
    });
});
