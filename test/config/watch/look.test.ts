import assert from 'node:assert/strict';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lookAt } from '../../../src/config/watch/look.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { pod } from '../support.ts';
import { oneFile, Volume } from './support.ts';

test('a version whose new names the kubelet has not linked yet is not examined', async () => {
  await using p = await pod();
  const { root, configDir, me } = p;
  await new Volume(configDir).swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  const { signal } = new AbortController();
  const look = async () =>
    (await lookAt({ root, configDir, configFile: undefined, me }, [], { signal, log: recordedLog().log }))?.kind;
  assert.equal(await look(), 'planned');
  const next = join(configDir, '..next');
  await mkdir(join(next, 'ca-certificates'), { recursive: true });
  for (const [name, text] of Object.entries({
    'config.json': oneFile(),
    'a.conf': 'two',
    'ca-certificates/own.crt': 'x',
  }))
    await writeFile(join(next, name), text);
  await symlink('..next', join(configDir, '..data_tmp'));
  await rename(join(configDir, '..data_tmp'), join(configDir, '..data'));
  assert.equal(await look(), undefined);
  await symlink('..data/ca-certificates', join(configDir, 'ca-certificates'));
  assert.equal(await look(), 'planned');
});
