import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { start } from '../../../tools/process.ts';
import { listenHttp, listenTcp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { clusterAnswering, clusterWith, clusterWithJob } from './cluster.ts';
import { says, type SetStage, type Stages } from './stage.ts';

export const INIT: Stages = {
  'kolla-init --wait job/keystone-db-sync --wait tcp://mariadb:3306 --timeout 10m': async (directory, stack) => {
    const { port } = stack.use(await listenTcp(() => {}));
    await podFiles(directory);
    const env = {
      ...(await clusterWithJob(directory, stack)),
      KOLLA_INIT_CONFIG_DIR: 'config',
      KOLLA_INIT_ROOT: 'tree',
    };
    return { replace: { 'mariadb:3306': `127.0.0.1:${port}` }, env, stderr: /2 dependencies ready/ };
  },
  "kolla-init --wait service/mariadb --wait 'pod?label=app=ovs&node=own' --wait 'job/nova-db-sync?release=2026.1'":
    async (directory, stack) => {
      const labels = { app: 'ovs', 'kubernetes.io/service-name': 'mariadb', 'app.kubernetes.io/version': '2026.1' };
      const metadata = { name: 'x', resourceVersion: '7', labels };
      const conditions = ['Ready', 'Complete'].map((type) => ({ type, status: 'True' }));
      // One object that satisfies every wait, because the order of the watches is random.
      const object = {
        metadata,
        spec: { nodeName: 'n' },
        status: { conditions },
        endpoints: [{ addresses: ['10.0.0.1'] }],
      };
      const env = { ...(await clusterWith(object, directory, stack)), NODE_NAME: 'n' };
      return { env, stderr: /3 dependencies ready/ };
    },
  "kolla-init --wait mysql://mariadb --wait memcached://memcached --wait '!file:/run/kolla/hold?timeout=5m'": async (
    directory,
    stack,
  ) => {
    const mysql = stack.use(await listenTcp((socket) => void socket.write('\n\0\0\0\n8.0.36\0\0\0')));
    const memcached = stack.use(await listenTcp((socket) => void socket.write('VERSION 1.6.18\r\n')));
    const replace = {
      'mysql://mariadb': `mysql://127.0.0.1:${mysql.port}`,
      'memcached://memcached': `memcached://127.0.0.1:${memcached.port}`,
      '/run/kolla/hold': join(directory, 'hold'),
    };
    return { replace, stderr: /3 dependencies ready/ };
  },
  'kolla-init --config-dir ./config --root ./tree --wait http://127.0.0.1:5000/v3': async (directory, stack) => {
    const { port } = stack.use(await listenHttp((_request, response) => void response.end()));
    await podFiles(directory);
    return { replace: { '127.0.0.1:5000': `127.0.0.1:${port}` }, stderr: /1 dependency ready/ };
  },
  'kubernetes-entrypoint': async (directory, stack) => {
    const { KUBECONFIG } = await clusterWithJob(directory, stack);
    const env = {
      KUBERNETES_ENTRYPOINT_KUBECONFIG: KUBECONFIG,
      NAMESPACE: 'openstack',
      DEPENDENCY_JOBS: 'keystone-db-sync',
    };
    const stdout = /Dependency Job keystone-db-sync in namespace openstack is resolved\.[^]*COMMAND env is empty/;
    return { env, stdout };
  },
  "kubernetes-entrypoint --dependency-socket /run/openvswitch/db.sock --command 'ovs-vsctl show'": (directory) => {
    const replace = { '/run/openvswitch/db.sock': directory, 'ovs-vsctl show': 'echo shown' };
    return Promise.resolve({ replace, stdout: /is resolved\.\nshown\n$/ });
  },
  'kolla-init watch --on-change signal:HUP:keystone': async (directory, stack) => {
    const env = await changedFiles(directory);
    const [name, heard] = [`ex-${randomUUID().slice(0, 8)}`, join(directory, 'heard')];
    const script = `#!/bin/bash\ntrap 'touch ${heard}' HUP\ntouch ${heard}.up\nwhile :; do sleep 0.1; done\n`;
    await writeFile(join(directory, name), script, { mode: 0o755 });
    stack.use(await start(join(directory, name), []));
    await until('the service', () => Promise.resolve(existsSync(`${heard}.up`) || undefined));
    const stopAfter = until('the signal', () => Promise.resolve(existsSync(heard) || undefined));
    return { replace: { 'HUP:keystone': `HUP:${name}` }, env, code: 143, stopAfter: stopAfter.then(() => undefined) };
  },
  "kolla-init watch --on-change 'http:POST http://127.0.0.1:8080/reload'": async (directory, stack) => {
    const env = await changedFiles(directory);
    let reloaded = () => {};
    const stopAfter = new Promise<void>((resolve) => (reloaded = resolve));
    const { port } = stack.use(await listenHttp((_, response) => void response.end(reloaded)));
    return { replace: { '127.0.0.1:8080': `127.0.0.1:${port}` }, env, code: 143, stopAfter };
  },
  'kolla-init watch --config-dir ./config --root ./tree --on-change exit': async (directory) => {
    await changedFiles(directory);
    return { stderr: /to be restarted/ };
  },
  'kolla-init check': async (directory) => {
    await podFiles(directory);
    const env = { KOLLA_INIT_CONFIG_DIR: 'config', KOLLA_INIT_ROOT: 'tree' };
    return { env, stdout: /^$/, stderr: /no differences/ };
  },
  'kolla-init check --config-dir ./config --root ./tree -o json': async (directory) => {
    await podFiles(directory);
    return { stdout: /^\{"config":"config\/config.json","same":true,.*"differences":\[\]\}\n$/ };
  },
  'kolla-init plan config.json': planFiles(/^spec:\n {2}securityContext:[^]*runAsUser: 42425/),
  'kolla-init plan config.json --explain': planFiles(/^config_files\[0\] .* mount \/etc\/keystone; .* mode 0600/m),
  'kolla-init plan --image / -o json': async (directory) => {
    await planFile(directory, 'root');
    const replace = { '--image /': `--image / --user nobody --config-dir ${directory}` };
    return { replace, stdout: /"satisfied": true/ };
  },
  'kolla-init rbac --wait job/keystone-db-sync --wait service/mariadb -n openstack --service-account keystone': says(
    /^kind: Role\nmetadata: \{ name: kolla-init-keystone, namespace: openstack \}[^]*resourceNames: \[keystone-db-sync\]/m,
  ),
  'kolla-init rbac --wait node?label=role=network --events --service-account nova -o json':
    says(/"kind": "ClusterRole"/),
  'kolla-init restart deployment/nova-api deployment/nova-scheduler': restarted(
    /restarted deployment\/nova-api[^]*restarted deployment\/nova-scheduler/,
  ),
  'kolla-init restart statefulset/rabbitmq@infrastructure': restarted(/restarted statefulset\/rabbitmq@infrastructure/),
};

/** An API server that accepts every patch. */
function restarted(stderr: RegExp): SetStage {
  return async (directory, stack) => {
    const env = await clusterAnswering((_, response) => void response.end('{}'), directory, stack);
    return { env, stderr };
  };
}

async function podFiles(directory: string): Promise<void> {
  await mkdir(join(directory, 'config'));
  await mkdir(join(directory, 'tree'));
  await writeFile(join(directory, 'config/config.json'), JSON.stringify({ command: 'true' }));
}

/** A configuration that was not installed yet. */
async function changedFiles(directory: string): Promise<NodeJS.ProcessEnv> {
  await podFiles(directory);
  const [source, dest] = ['/var/lib/kolla/config_files/a.conf', '/etc/a.conf'];
  const file = { source, dest, owner: userInfo().username, perm: '0600' };
  await writeFile(join(directory, 'config/a.conf'), 'a');
  await writeFile(join(directory, 'config/config.json'), JSON.stringify({ command: 'true', config_files: [file] }));
  return { KOLLA_INIT_CONFIG_DIR: 'config', KOLLA_INIT_ROOT: 'tree' };
}

function planFiles(stdout: RegExp): SetStage {
  return async (directory) => {
    await planFile(directory, 'keystone');
    return { stdout };
  };
}

async function planFile(directory: string, owner: string): Promise<void> {
  const source = '/var/lib/kolla/config_files/keystone.conf';
  const config_files = [{ source, dest: '/etc/keystone/keystone.conf', owner, perm: '0600' }];
  await writeFile(join(directory, 'config.json'), JSON.stringify({ command: 'true', config_files }));
}
