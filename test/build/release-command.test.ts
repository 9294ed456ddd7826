/** What ends `make release` before it builds anything: wrong options (64) and wrong input files (65). */
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, scryptSync, verify } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { readSigner } from '../../build/release/key.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must, run } from '../../tools/process.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const RELEASE = join(ROOT, 'build/release.ts');

for (const [args, message] of [
  [['--arch', 'riscv64'], /--arch 'riscv64': not one of amd64, arm64/],
  [['--compression', 'lz4'], /--compression 'lz4': not one of gzip, zstd/],
  [['--repository', 'kolla-pod:1'], /--repository 'kolla-pod:1': not a name without tag/],
  [['--kay', 'x'], /Unknown option '--kay'/],
] as const)
  test(`exits with code 64: ${args.join(' ')}`, async () => {
    const { code, stdout, stderr } = await run(process.execPath, [RELEASE, ...args]);
    assert.deepEqual([code, stdout], [64, '']);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, / at /);
  });

test('exits with code 65 and creates nothing if the key is missing', async () => {
  await using directory = await privateDirectory('release');
  const out = join(directory.path, 'out');
  const { code, stderr } = await run(process.execPath, [
    RELEASE,
    '--out',
    out,
    '--key',
    join(directory.path, 'none.key'),
  ]);
  assert.equal(code, 65);
  assert.match(stderr, /--key .*none\.key: no such file or directory/);
  const listed = await run('ls', [out]);
  assert.notEqual(listed.code, 0);
});

test('exits with code 65 for a file that git ignores next to the charts, which would be packaged', async () => {
  await using directory = await privateDirectory('release');
  const copy = join(directory.path, 'copy');
  await mkdir(copy);
  const git = async (...args: string[]) =>
    await must('git', ['-C', copy, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args]);
  await must(
    'sh',
    ['-c', 'git ls-files -z | tar --null --files-from=- --create | tar --extract --directory "$0"', copy],
    {
      cwd: ROOT,
    },
  );
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'x');
  // A cache without Helm, and no Go: without the error the build would end here, with code 69.
  await symlink((await must('sh', ['-c', 'command -v git'])).trim(), join(directory.path, 'git'));
  const env = { PATH: directory.path, KOLLA_POD_CACHE: join(directory.path, 'cache') };
  const release = async (...args: string[]) =>
    await run(process.execPath, [join(copy, 'build/release.ts'), '--out', join(directory.path, 'out'), ...args], {
      env,
    });
  const refused = await release();
  assert.equal(refused.code, 65);
  assert.match(refused.stderr, /docs\/evidence\/cloud\.md: [0-9a-f]{12} is no commit of this history: make cloud /);
  assert.equal((await release('--stale-evidence')).code, 69);
  await writeFile(join(copy, 'k8s/charts/keystone/files/debug.log'), 'password\n');
  const { code, stderr } = await release();
  assert.equal(code, 65, stderr);
  assert.match(stderr, /k8s\/charts\/keystone\/files\/debug\.log/);
});

test('signs with a PEM and with a key that cosign encrypted', async () => {
  await using directory = await privateDirectory('release');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const plain = join(directory.path, 'plain.pem');
  await writeFile(plain, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const encrypted = join(directory.path, 'cosign.key');
  await writeFile(encrypted, encryptedKey(privateKey.export({ type: 'pkcs8', format: 'der' }), 'open sesame'));
  for (const [file, password] of [
    [plain, ''],
    [encrypted, 'open sesame'],
  ] as const) {
    const signer = await readSigner(file, password);
    assert.ok(verify('sha256', Buffer.from('text'), signer.publicKey, Buffer.from(signer.sign('text'), 'base64')));
    assert.equal(signer.publicKey, createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }));
  }
  await assert.rejects(readSigner(encrypted, 'wrong'), (error) => isRefusal(error, /wrong COSIGN_PASSWORD/));
});

test('rejects a file that is no private key, and a key on another curve', async () => {
  await using directory = await privateDirectory('release');
  const file = join(directory.path, 'key.pem');
  await writeFile(file, 'no key');
  await assert.rejects(readSigner(file, ''), (error) => isRefusal(error, /not a private key in PEM/));
  for (const { privateKey } of [
    generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
    generateKeyPairSync('ed25519'),
  ]) {
    await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await assert.rejects(readSigner(file, ''), (error) => isRefusal(error, /not an ECDSA key on the curve P-256/));
  }
});

function isRefusal(error: unknown, message: RegExp): boolean {
  return error instanceof ConfigError && message.test(error.message);
}

/** A private key in the format of `cosign generate-key-pair`. */
function encryptedKey(der: Uint8Array, password: string): string {
  const params = { N: 32_768, r: 8, p: 1 };
  const [salt, nonce] = [Buffer.alloc(32, 's'), Buffer.alloc(24, 'n')];
  const key = scryptSync(password, salt, 32, { ...params, maxmem: 2 ** 28 });
  const ciphertext = Buffer.from(xsalsa20poly1305(key, nonce).encrypt(der)).toString('base64');
  const json = JSON.stringify({
    kdf: { name: 'scrypt', params, salt: salt.toString('base64') },
    cipher: { name: 'nacl/secretbox', nonce: nonce.toString('base64') },
    ciphertext,
  });
  const body = Buffer.from(json).toString('base64');
  return `-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n${body}\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n`;
}
