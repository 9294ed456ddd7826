/** kolla-init watch plans each version in the same process, for as long as the Pod exists. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { makePlan } from '../../src/config/index.ts';
import { mountsFor } from '../../src/config/mounts.ts';
import { readConfig } from '../../src/config/read/read.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { entry, pod } from './support.ts';

const openDescriptors = () => readdirSync('/proc/self/fd').length;

test('a plan leaves no descriptor open, applied or not', async () => {
  await using at = await pod();
  await at.write(`${at.configDir}/a.conf`, 'a');
  await at.write(`${at.root}/etc/service/own.conf`, 'own');
  await at.config({
    command: 'true',
    config_files: [entry('a.conf', '/etc/service/a.conf')],
    permissions: [{ path: '/etc/service/*', owner: 'keystone', perm: '0640' }],
  });
  const { log } = recordedLog();
  const context = { signal: new AbortController().signal, log };
  const options = { root: at.root, configDir: at.configDir, configFile: undefined, me: at.me };
  await makePlan(options, context);
  const before = openDescriptors();
  for (let times = 0; times < 5; times++) {
    await makePlan(options, context);
    await at.apply();
    mountsFor((await readConfig(at.configDir, undefined))!, { root: at.root });
  }
  assert.equal(openDescriptors(), before);
});
