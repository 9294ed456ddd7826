import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connects, listens, startService } from '../../probe/local/service.ts';
import { listenTcp } from '../../support/server.ts';
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
  'kolla-probe connected --any-process 5671 5672': async (_, stack) => {
    const { port } = stack.use(await listenTcp(() => {}));
    stack.use(await startService('nova-compute', connects(port)));
    return { replace: { '5671 5672': `1 ${port}` } };
  },
  'kolla-probe socket /run/openvswitch/db.sock --process ovsdb-server': async (folder, stack) => {
    const path = join(folder, 'db.sock');
    const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => say('up'));`;
    stack.use(await startService('ovsdb-server', script));
    return { replace: { '/run/openvswitch/db.sock': path } };
  },
  'kolla-probe socket /run/libvirt/libvirt-sock': async (folder) => {
    const path = join(folder, 'libvirt-sock');
    await writeFile(path, '');
    return {
      replace: { '/run/libvirt/libvirt-sock': path },
      code: 1,
      stderr: /a file lies there that nobody listens on any more/,
    };
  },
  'kolla-probe process ovn-controller': async (_, stack) => {
    stack.use(await startService('ovn-controller', RUNS));
    return {};
  },
  "kolla-probe process --pattern 'mistral-server .*engine'": () =>
    Promise.resolve({ code: 1, stderr: /no process whose command line matches 'mistral-server \.\*engine'/ }),
  'kolla-probe file-age /run/heartbeat 90s': async (folder) => {
    const path = join(folder, 'heartbeat');
    await writeFile(path, '');
    return { replace: { '/run/heartbeat': path } };
  },
  'kolla-probe file-age /etc/keystone/fernet-keys/0 36h': async (folder) => {
    const path = join(folder, '0');
    await writeFile(path, '');
    await utimes(path, 0, Date.now() / 1000 - 48 * 3600);
    return {
      replace: { '/etc/keystone/fernet-keys/0': path },
      code: 1,
      stderr: /was written 48h ago, and may be 36h old/,
    };
  },
  'kolla-probe command -- virsh version --daemon': async (folder) => {
    await mkdir(join(folder, 'bin'));
    await writeFile(join(folder, 'bin/virsh'), '#!/bin/sh\n[ "$*" = "version --daemon" ]\n', { mode: 0o755 });
    return {};
  },
  'kolla-probe command --timeout 5s -- ovsdb-client list-dbs': () =>
    Promise.resolve({ code: 1, stderr: /ovsdb-client cannot be run: .*ENOENT/ }),
};
