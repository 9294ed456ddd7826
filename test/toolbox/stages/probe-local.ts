import { cp, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configRecordFile } from '../../../src/fs/config-record.ts';
import { runHelper } from '../../support/helper.ts';
import { freePort } from '../../../tools/port.ts';
import { connects, listens, startService } from '../../probe/local/service.ts';
import { listenTcp } from '../../support/server.ts';
import { clusterAnswering } from './cluster.ts';
import type { Stages } from './stage.ts';

const RUNS = "say('up'); setInterval(() => {}, 1000);";

export const PROBE_LOCAL: Stages = {
  'kolla-probe listen 11211 --process memcached': async (_, stack) => {
    const { said } = stack.use(await startService('memcached', listens()));
    return { replace: { 11211: said } };
  },
  'kolla-probe listen 53 --protocol udp': async (_, stack) => {
    const script = `const socket = require('node:dgram').createSocket('udp6');
socket.bind(0, () => say(String(socket.address().port)));`;
    const { said } = stack.use(await startService('named', script));
    return { replace: { 53: said } };
  },
  'kolla-probe connected nova-compute 5672': async (_, stack) => {
    const { port } = stack.use(await listenTcp(() => {}));
    stack.use(await startService('nova-compute', connects(port)));
    return { replace: { 5672: `${port}` } };
  },
  'kolla-probe connected nova-compute 5672 --at-least 3': async (_, stack) => {
    const { port } = stack.use(await listenTcp(() => {}));
    stack.use(await startService('nova-compute', connects(port, '127.0.0.1', 3)));
    return { replace: { 5672: `${port}` } };
  },
  'kolla-probe connected --any-process 5671 5672': async (_, stack) => {
    const { port } = stack.use(await listenTcp(() => {}));
    stack.use(await startService('nova-compute', connects(port)));
    return { replace: { '5671 5672': `1 ${port}` } };
  },
  'kolla-probe socket /run/openvswitch/db.sock --process ovsdb-server': async (directory, stack) => {
    const path = join(directory, 'db.sock');
    const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => say('up'));`;
    stack.use(await startService('ovsdb-server', script));
    return { replace: { '/run/openvswitch/db.sock': path } };
  },
  'kolla-probe socket /run/libvirt/libvirt-sock': async (directory) => {
    const path = join(directory, 'libvirt-sock');
    await writeFile(path, '');
    return {
      replace: { '/run/libvirt/libvirt-sock': path },
      code: 1,
      stderr: /the file is left over from a process that has exited/,
    };
  },
  'kolla-probe process ovn-controller': async (_, stack) => {
    stack.use(await startService('ovn-controller', RUNS));
    return {};
  },
  "kolla-probe process --pattern 'mistral-server .*engine'": () =>
    Promise.resolve({ code: 1, stderr: /no process whose command line matches 'mistral-server \.\*engine'/ }),
  'kolla-probe file-age /run/heartbeat 90s': async (directory) => {
    const path = join(directory, 'heartbeat');
    await writeFile(path, '');
    return { replace: { '/run/heartbeat': path } };
  },
  'kolla-probe file-age /etc/keystone/fernet-keys/0 36h': async (directory) => {
    const path = join(directory, '0');
    await writeFile(path, '');
    await utimes(path, 0, Date.now() / 1000 - 48 * 3600);
    return {
      replace: { '/etc/keystone/fernet-keys/0': path },
      code: 1,
      stderr: /was written 48h ago, more than the maximum of 36h/,
    };
  },
  'kolla-probe command -- virsh version --daemon': async (directory) => {
    await mkdir(join(directory, 'bin'));
    await writeFile(join(directory, 'bin/virsh'), '#!/bin/sh\n[ "$*" = "version --daemon" ]\n', { mode: 0o755 });
    return {};
  },
  'kolla-probe command --timeout 5s -- ovsdb-client list-dbs': () =>
    Promise.resolve({ code: 1, stderr: /ovsdb-client cannot be run: no such program/ }),
  'kolla-probe config': () =>
    Promise.resolve({
      env: { KOLLA_PROBE_ROOT: '/nowhere' },
      code: 1,
      stderr: /there is no \/nowhere\/run\/kolla\/config-watch\.json: does kolla-init watch run/,
    }),
  'kolla-probe config --root ./tree --config-dir ./config': async (directory) => {
    await mkdir(join(directory, 'tree/run/kolla'), { recursive: true });
    await writeFile(configRecordFile(join(directory, 'tree')), '{"state":"in-step","version":"0123456789ab"}');
    return {};
  },
  'kolla-probe db-sync keystone --release 2026.1 --timeout 5s': async (directory, stack) => {
    const annotations = { 'kolla-pod/state': 'done', 'kolla-pod/phase': 'all', 'kolla-pod/ready-for': '2026.1' };
    const lease = JSON.stringify({ metadata: { name: 'kolla-db-sync-keystone', annotations } });
    return { env: await clusterAnswering((_, response) => void response.end(lease), directory, stack) };
  },
  // Unit tests have no database. test/integration runs it on a real one.
  'kolla-probe db-sync keystone --server mariadb --user keystone --password-file /run/secrets/keystone': async (
    directory,
  ) => {
    await writeFile(join(directory, 'password'), 'hidden\n');
    return {
      replace: { 'mariadb ': `127.0.0.1:${await freePort()} `, '/run/secrets/keystone': join(directory, 'password') },
      code: 1,
      stderr: /ECONNREFUSED|refused/,
    };
  },
  'kolla-probe log-ship --timeout 5s': async (directory) => {
    await shipped(directory);
    return { env: { KOLLA_PROBE_STATE: join(directory, 'logs/.kolla-log-ship') } };
  },
  'kolla-probe log-ship --state ./state --within 10m': async (directory) => {
    await shipped(directory);
    await cp(join(directory, 'logs/.kolla-log-ship'), join(directory, 'state'), { recursive: true });
    return {};
  },
};

/** Logs of which every line was acknowledged. */
async function shipped(directory: string): Promise<void> {
  await mkdir(join(directory, 'logs/nova'), { recursive: true });
  await writeFile(join(directory, 'logs/nova/nova-api.log'), '2026-01-31 10:00:00.123 7 INFO nova [-] a line\n');
  const { code, stderr } = await runHelper('kolla-log-ship', ['--once', '--root', join(directory, 'logs')]);
  if (code !== 0) throw new Error(`the log was not shipped: ${stderr}`);
}
