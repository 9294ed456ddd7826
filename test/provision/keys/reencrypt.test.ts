import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { reencryptWith } from '../../../src/provision/keys/reencrypt.ts';
import { newRing } from '../../../src/provision/keys/ring.ts';
import { keystone } from '../../../src/catalog/keystone.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { quietEffects } from '../effects-support.ts';

const repository = keystone.keys!.find(({ name }) => name === 'credential')!;

test("the tool finds the Secret's keys through a variable, which no file of the deployment can override", async () => {
  await using directory = await privateDirectory('reencrypt');
  const out = join(directory.path, 'out');
  const script = join(directory.path, 'tool.sh');
  await writeFile(script, `cat "$OS_CREDENTIAL__KEY_REPOSITORY/1" >${out}\n`);
  const ring = newRing(Date.now());
  const env = { ...process.env, OS_CREDENTIAL__KEY_REPOSITORY: '/etc/keystone/credential-keys' };
  const effects = { ...quietEffects(), configFile: '/etc/keystone/keystone.conf', env };
  await reencryptWith({ ...repository, reencrypt: ['sh', script] }, ring, effects);
  assert.equal(await readFile(out, 'utf8'), ring.keys.get(1));
});

test("a signal before the tool's start prevents the start", async () => {
  const signal = AbortSignal.abort(new Error('stopped'));
  const effects = { ...quietEffects(), signal, configFile: '', env: process.env };
  const ran = reencryptWith({ ...repository, reencrypt: ['sleep', '600'] }, newRing(Date.now()), effects);
  await assert.rejects(ran, /stopped/);
});
