import assert from 'node:assert/strict';
import { rmdirSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLines, setConfigs } from '../../src/config/set-configs/index.ts';
import { entry, pod } from './support.ts';

test('a start that fails while it writes is not recorded as configured, so that the next one continues', async () => {
  await using p = await pod();
  const { root, me } = p;
  const configDir = join(root, 'var/lib/kolla/config_files');
  await p.write(join(configDir, 'a.conf'), 'a');
  const config = { command: 'run', config_files: [entry('a.conf', '/opt/a.conf')] };
  await p.write(join(configDir, 'config.json'), JSON.stringify(config));
  await mkdir(join(root, 'opt'));
  const start = async (onWrite: () => void) => {
    const maker = { uid: me.uid, gid: me.gid, umask: 0o022 };
    return await setConfigs({ root, check: false, strategy: 'COPY_ONCE', maker }, createLines(onWrite));
  };
  // The lines are written after the plan and before the files.
  let isFirst = true;
  const code = await start(() => {
    if (isFirst) rmdirSync(join(root, 'opt'));
    isFirst = false;
  });
  assert.equal(code, 2);
  assert.equal(await start(() => {}), 0);
  assert.equal(await readFile(join(root, 'opt/a.conf'), 'utf8'), 'a');
  assert.equal(await readFile(join(root, 'run_command'), 'utf8'), 'run');
  assert.equal(await readFile(join(root, 'configured'), 'utf8'), '');
});
