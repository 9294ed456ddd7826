/**
 * Runs the documentation's `docker run` command as a plain process with the same arguments, volumes and environment,
 * without an engine.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { canRunMariadb, startMariadb } from '../cluster/mariadb.ts';
import { canRunMemcached, startMemcached } from '../cluster/memcached.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, startHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import { until } from '../support/until.ts';
import { documentedRun } from './docker-words.ts';

const skip = (await canRunMariadb()) ?? (await canRunMemcached()) ?? false;
const CONFIG_FILES = '/var/lib/kolla/config_files';

test(
  "the documentation's docker run installs files, waits for real servers and exits with code 0",
  { skip },
  async () => {
    const { env, volumes, command } = await documentedRun('reference/kolla-init', 'KOLLA_INIT_WAIT');
    assert.equal(command[0], 'kolla-init');
    assert.deepEqual([...volumes.keys()], [CONFIG_FILES, '/etc/keystone']);
    await using directory = await privateDirectory('docker-run');
    const [tree, config] = [join(directory.path, 'tree'), join(directory.path, volumes.get(CONFIG_FILES) ?? '')];
    await mkdir(tree);
    await keystoneConfig(config);
    const [mysqlPort, memcachedPort] = [await freePort(), await freePort()];
    const waits = (env['KOLLA_INIT_WAIT'] ?? '')
      .replace('mysql://mariadb', `mysql://127.0.0.1:${mysqlPort}`)
      .replace('memcached://memcached', `memcached://127.0.0.1:${memcachedPort}`);
    await using running = await startHelper('kolla-init', command.slice(1), {
      keepOutput: true,
      cwd: directory.path,
      // Without an engine, variables replace its mounts, and ports on 127.0.0.1 replace server names of its network.
      env: { ...env, KOLLA_INIT_WAIT: waits, KOLLA_INIT_CONFIG_DIR: config, KOLLA_INIT_ROOT: tree },
    });
    let said = '';
    running.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    const closed = once(running.child, 'close');
    await until('both to be waited for', () =>
      Promise.resolve((said.match(/ECONNREFUSED/g) ?? []).length >= 2 || undefined),
    );
    await using servers = new AsyncDisposableStack();
    servers.use(await startMemcached(memcachedPort));
    servers.use(await startMariadb({ port: mysqlPort }));
    await closed;
    assert.equal(await running.ended, 0, said);
    assert.match(logLines(said).at(-1)?.msg ?? '', /1 file installed.*2 dependencies ready$/);
    assert.equal(await readFile(join(tree, 'etc/keystone/keystone.conf'), 'utf8'), '[DEFAULT]\n');
  },
);

async function keystoneConfig(directory: string): Promise<void> {
  await mkdir(directory);
  const file = {
    source: `${CONFIG_FILES}/keystone.conf`,
    dest: '/etc/keystone/',
    owner: userInfo().username,
    perm: '0600',
  };
  await writeFile(join(directory, 'config.json'), JSON.stringify({ command: 'keystone', config_files: [file] }));
  await writeFile(join(directory, 'keystone.conf'), '[DEFAULT]\n');
}
