/**
 * How the stage is set for each example of the helpers' tables, so that it can be run as it stands: where it names a
 * server or a file that is not ours, the word is replaced by one that is. Keyed by the example's line; an example
 * without a stage fails the test.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { events, line as event, scriptedApi } from '../platform/kube/support.ts';
import { freePort, freePorts } from '../support/port.ts';
import { start } from '../support/process.ts';
import { listenHttp, listenTcp } from '../support/server.ts';
import { until } from '../support/until.ts';

export interface Stage {
  /** Words of the line and what stands for them here. */
  readonly replace?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** 0 unless said. */
  readonly code?: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  /** Resolves when the example, which goes on for ever, has done its work and may be stopped. */
  readonly stopAfter?: Promise<void>;
}

/** Sets a stage in the folder; what must be taken down goes onto the stack. */
export type SetStage = (folder: string, stack: AsyncDisposableStack) => Promise<Stage>;

const says =
  (stdout: RegExp): SetStage =>
  () =>
    Promise.resolve({ stdout });

export const STAGES: Readonly<Record<string, SetStage>> = {
  'kolla-pod catalogue': says(/^keystone +Identity +all, expand, migrate, contract +yes$/m),
  'kolla-pod catalogue nova': says(/^online +nova-manage db online_data_migrations, again while it ends with 1$/m),
  'kolla-pod catalogue -o json': says(/^ {2}"skyline": \{/m),
  'kolla-pod completion bash': says(/^complete .*-F _kolla_pod .*kolla-probe/m),
  'kolla-pod completion fish': says(/^complete -c kolla-probe /m),
  'kolla-pod doctor': says(/WHAT +FOUND/),
  'kolla-pod doctor init -o json': says(/"what": "config.json"/),
  'kolla-pod explain 69': says(/^69 unavailable/),
  'kolla-pod explain': says(/^0 ok[^]*^143 terminated/m),
  'kolla-pod man probe': says(/^\.TH KOLLA-PROBE 8/),
  'kolla-pod man': says(/^\.TH KOLLA-POD 8/),
  'kolla-pod schema': says(/"\$schema"/),
  'kolla-pod schema --log-format json': says(/"\$schema"/),

  'kolla-probe tcp mariadb:3306': async (_, stack) => {
    const { port } = stack.use(await listenTcp(() => {}));
    return { replace: { 'mariadb:3306': `127.0.0.1:${port}` } };
  },
  'kolla-probe tcp [::1]:11211 --timeout 300ms': async () => {
    const replace = { '[::1]:11211': `127.0.0.1:${await freePort()}` };
    return { replace, code: 1, stderr: /ECONNREFUSED/ };
  },
  'kolla-probe http http://127.0.0.1:5000/v3': async (_, stack) => {
    const { port } = stack.use(await listenHttp((_request, response) => void response.end()));
    return { replace: { '127.0.0.1:5000': `127.0.0.1:${port}` } };
  },
  'kolla-probe http http://127.0.0.1:9292/ --status 300': async (_, stack) => {
    const { port } = stack.use(await listenHttp((_request, response) => void response.writeHead(300).end()));
    return { replace: { '127.0.0.1:9292': `127.0.0.1:${port}` } };
  },

  kolla_start: nothingPrepared,
  'kolla_start --log-format json': nothingPrepared,
  kolla_set_configs: noConfiguration('kolla_set_configs'),
  'kolla_set_configs --check': noConfiguration('kolla_set_configs'),
  kolla_copy_cacerts: ownStore,
  'kolla_copy_cacerts --log-level debug': ownStore,

  'kolla-init --wait job/keystone-db-sync --wait tcp://mariadb:3306 --timeout 10m': async (folder, stack) => {
    const { port } = stack.use(await listenTcp(() => {}));
    await podFiles(folder);
    const env = { ...(await clusterWithJob(folder, stack)), KOLLA_INIT_CONFIG_DIR: 'config', KOLLA_INIT_ROOT: 'tree' };
    return { replace: { 'mariadb:3306': `127.0.0.1:${port}` }, env, stderr: /2 dependencies met/ };
  },
  "kolla-init --wait service/mariadb --wait 'pod?label=app=ovs&node=own' --wait 'job/nova-db-sync?release=2026.1'":
    async (folder, stack) => {
      const labels = { app: 'ovs', 'kubernetes.io/service-name': 'mariadb', 'app.kubernetes.io/version': '2026.1' };
      const metadata = { name: 'x', resourceVersion: '7', labels };
      const conditions = ['Ready', 'Complete'].map((type) => ({ type, status: 'True' }));
      // One object that is everything: which watch asks first is left to chance.
      const object = {
        metadata,
        spec: { nodeName: 'n' },
        status: { conditions },
        endpoints: [{ addresses: ['10.0.0.1'] }],
      };
      const env = { ...(await clusterWith(object, folder, stack)), NODE_NAME: 'n' };
      return { env, stderr: /3 dependencies met/ };
    },
  "kolla-init --wait mysql://mariadb --wait memcached://memcached --wait '!file:/run/kolla/hold?timeout=5m'": async (
    folder,
    stack,
  ) => {
    const mysql = stack.use(await listenTcp((socket) => void socket.write('\n\0\0\0\n8.0.36\0\0\0')));
    const memcached = stack.use(await listenTcp((socket) => void socket.write('VERSION 1.6.18\r\n')));
    const replace = {
      'mysql://mariadb': `mysql://127.0.0.1:${mysql.port}`,
      'memcached://memcached': `memcached://127.0.0.1:${memcached.port}`,
      '/run/kolla/hold': join(folder, 'hold'),
    };
    return { replace, stderr: /3 dependencies met/ };
  },
  'kolla-init --config-dir ./config --root ./tree --wait http://127.0.0.1:5000/v3': async (folder, stack) => {
    const { port } = stack.use(await listenHttp((_request, response) => void response.end()));
    await podFiles(folder);
    return { replace: { '127.0.0.1:5000': `127.0.0.1:${port}` }, stderr: /1 dependency met/ };
  },

  'kubernetes-entrypoint': async (folder, stack) => {
    const { KUBECONFIG } = await clusterWithJob(folder, stack);
    const env = {
      KUBERNETES_ENTRYPOINT_KUBECONFIG: KUBECONFIG,
      NAMESPACE: 'openstack',
      DEPENDENCY_JOBS: 'keystone-db-sync',
    };
    const stdout = /Dependency Job keystone-db-sync in namespace openstack is resolved\.[^]*COMMAND env is empty/;
    return { env, stdout };
  },
  "kubernetes-entrypoint --dependency-socket /run/openvswitch/db.sock --command 'ovs-vsctl show'": (folder) => {
    const replace = { '/run/openvswitch/db.sock': folder, 'ovs-vsctl show': 'echo shown' };
    return Promise.resolve({ replace, stdout: /is resolved\.\nshown\n$/ });
  },

  'kolla-init watch --on-change signal:HUP:keystone': async (folder, stack) => {
    const env = await changedFiles(folder);
    const [name, heard] = [`ex-${randomUUID().slice(0, 8)}`, join(folder, 'heard')];
    const script = `#!/bin/bash\ntrap 'touch ${heard}' HUP\ntouch ${heard}.up\nwhile :; do sleep 0.1; done\n`;
    await writeFile(join(folder, name), script, { mode: 0o755 });
    stack.use(await start(join(folder, name), []));
    await until('the service', 20_000, () => Promise.resolve(existsSync(`${heard}.up`) || undefined));
    const stopAfter = until('the signal', 20_000, () => Promise.resolve(existsSync(heard) || undefined));
    return { replace: { 'HUP:keystone': `HUP:${name}` }, env, code: 143, stopAfter: stopAfter.then(() => undefined) };
  },
  "kolla-init watch --on-change 'http:POST http://127.0.0.1:8080/reload'": async (folder, stack) => {
    const env = await changedFiles(folder);
    let reloaded = () => {};
    const stopAfter = new Promise<void>((resolve) => (reloaded = resolve));
    const { port } = stack.use(await listenHttp((_, response) => void response.end(reloaded)));
    return { replace: { '127.0.0.1:8080': `127.0.0.1:${port}` }, env, code: 143, stopAfter };
  },
  'kolla-init watch --config-dir ./config --root ./tree --on-change exit': async (folder) => {
    await changedFiles(folder);
    return { stderr: /to be started anew/ };
  },

  'kolla-init check': async (folder) => {
    await podFiles(folder);
    const env = { KOLLA_INIT_CONFIG_DIR: 'config', KOLLA_INIT_ROOT: 'tree' };
    return { env, stdout: /^$/, stderr: /nothing differs/ };
  },
  'kolla-init check --config-dir ./config --root ./tree -o json': async (folder) => {
    await podFiles(folder);
    return { stdout: /^\{"config":"config\/config.json","same":true,.*"differences":\[\]\}\n$/ };
  },
  'kolla-init plan config.json': planFiles(/^spec:\n {2}securityContext:[^]*runAsUser: 42425/),
  'kolla-init plan config.json --explain': planFiles(/^config_files\[0\] .* mount \/etc\/keystone; .* mode 0600/m),
  'kolla-init plan --image / -o json': async (folder) => {
    await planFile(folder, 'root');
    const replace = { '--image /': `--image / --user nobody --config-dir ${folder}` };
    return { replace, stdout: /"satisfied": true/ };
  },

  'kolla-init rbac --wait job/keystone-db-sync --wait service/mariadb -n openstack --service-account keystone': says(
    /^kind: Role\nmetadata: \{ name: kolla-init-keystone, namespace: openstack \}[^]*resourceNames: \[keystone-db-sync\]/m,
  ),
  'kolla-init rbac --wait node?label=role=network --events -o json': says(/"kind": "ClusterRole"/),

  // No database in a unit test: it is said which one is waited for. On a real one they run in test/integration.
  'kolla-db-sync keystone': noDatabase,
  'kolla-db-sync keystone --admin-user root --admin-password-file /run/secrets/mariadb-root --release 2026.1':
    noDatabase,
  'kolla-db-sync ensure keystone --admin-user root --admin-password-file /run/secrets/mariadb-root': noDatabase,
  'kolla-db-sync ensure keystone --admin-user root --admin-password-file /run/secrets/mariadb-root --rotate':
    noDatabase,
  'kolla-db-sync keystone --host mariadb-0 --host mariadb-1 --host mariadb-2': noNode,
  'kolla-db-sync keystone --phase expand --release 2026.1': noDatabase,
  'kolla-db-sync keystone --phase contract --release 2026.1 --after-rollout deployment/keystone': async (
    folder,
    stack,
  ) => {
    const { env, ...stage } = await noDatabase(folder);
    return { ...stage, env: { ...env, ...(await clusterWithJob(folder, stack)) } };
  },
  'kolla-db-sync keystone -- keystone-manage db_sync --expand': noDatabase,
  'kolla-db-sync keystone --stay': async (folder) => ({
    ...(await noDatabase(folder)),
    replace: { '--stay': '--stay --listen 127.0.0.1:0' },
    stderr: /\/startupz, \/readyz and \/livez are answered on 127\.0\.0\.1:\d+/,
  }),
  'kolla-db-sync rbac keystone --stay -n openstack --service-account keystone': says(
    /^ {2}- \{ apiGroups: \[""\], resources: \[pods\], verbs: \[get\] \}$/m,
  ),
  'kolla-db-sync rbac keystone -n openstack --service-account keystone-db-sync': says(
    /^kind: Role\n[^]*resourceNames: \[kolla-db-sync-keystone\][^]*^kind: RoleBinding$/m,
  ),
  'kolla-db-sync rbac keystone --after-rollout deployment/keystone -n openstack --service-account keystone-db-sync':
    says(
      /^ {2}- \{ apiGroups: \[apps\], resources: \[deployments\], resourceNames: \[keystone\], verbs: \[watch\] \}$/m,
    ),
  'kolla-db-sync rbac nova --lease-name nova-cell2 -o json': says(/"kolla-db-sync-nova-cell2"/),
  'kolla-db-sync status keystone': noDatabase,
  'kolla-db-sync status keystone -o json': noDatabase,

  'kolla-log-ship --url http://elasticsearch:9200': async (folder, stack) => {
    await logs(folder);
    let shipped = () => {};
    const stopAfter = new Promise<void>((resolve) => (shipped = resolve));
    const { port } = stack.use(
      await listenHttp((request, response) => {
        request.resume().once('end', () => {
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ errors: false, took: 1, items: [{ create: { status: 201 } }] }));
          if (request.url?.includes('_bulk') === true) response.once('finish', shipped);
        });
      }),
    );
    const env = { KOLLA_LOG_SHIP_ROOT: join(folder, 'logs') };
    return { replace: { 'elasticsearch:9200': `127.0.0.1:${port}` }, env, stopAfter };
  },
  'kolla-log-ship --once --root /tmp/logs': async (folder) => {
    await logs(folder);
    return { replace: { '/tmp/logs': join(folder, 'logs') }, stdout: /"Payload":"\[-\] started"/ };
  },
};

/** As root the example would work on this machine's own certificates: it gets a view in which there are none. */
function ownStore(): Promise<Stage> {
  const hide = ['/etc/ssl/certs', '/usr/local/share'].map((folder) => `mount -t tmpfs none ${folder}`).join(' && ');
  const view = `unshare --mount bash -c '${hide} && exec kolla_copy_cacerts "$@"' example`;
  const isKnown = ['/etc/debian_version', '/etc/redhat-release'].some((file) => existsSync(file));
  const replace: Record<string, string> = process.geteuid?.() === 0 ? { kolla_copy_cacerts: view } : {};
  return Promise.resolve({ replace, code: isKnown ? 0 : 1 });
}

/** As root it finds no configuration in a view of its own; else nobody has prepared one, and sudo may not help. */
function nothingPrepared(): Promise<Stage> {
  const view = `unshare --mount bash -c 'mount -t tmpfs none /var/lib && exec kolla_start "$@"' example`;
  if (process.geteuid?.() === 0)
    return Promise.resolve({ replace: { kolla_start: view }, code: 1, stderr: /InvalidConfig: Could not read file/ });
  const replace = { kolla_start: 'setpriv --no-new-privs kolla_start' };
  return Promise.resolve({ replace, code: 69, stderr: /configuration is not in place/ });
}

async function podFiles(folder: string): Promise<void> {
  await mkdir(join(folder, 'config'));
  await mkdir(join(folder, 'tree'));
  await writeFile(join(folder, 'config/config.json'), JSON.stringify({ command: 'true' }));
}

/** A configuration that is not in place yet. */
async function changedFiles(folder: string): Promise<NodeJS.ProcessEnv> {
  await podFiles(folder);
  const [source, dest] = ['/var/lib/kolla/config_files/a.conf', '/etc/a.conf'];
  const file = { source, dest, owner: userInfo().username, perm: '0600' };
  await writeFile(join(folder, 'config/a.conf'), 'a');
  await writeFile(join(folder, 'config/config.json'), JSON.stringify({ command: 'true', config_files: [file] }));
  return { KOLLA_INIT_CONFIG_DIR: 'config', KOLLA_INIT_ROOT: 'tree' };
}

function planFiles(stdout: RegExp): SetStage {
  return async (folder) => {
    await planFile(folder, 'keystone');
    return { stdout };
  };
}

async function planFile(folder: string, owner: string): Promise<void> {
  const source = '/var/lib/kolla/config_files/keystone.conf';
  const config_files = [{ source, dest: '/etc/keystone/keystone.conf', owner, perm: '0600' }];
  await writeFile(join(folder, 'config.json'), JSON.stringify({ command: 'true', config_files }));
}

async function logs(folder: string): Promise<void> {
  await mkdir(join(folder, 'logs/keystone'), { recursive: true });
  await writeFile(
    join(folder, 'logs/keystone/keystone.log'),
    '2026-11-21 03:00:00.000 7 INFO keystone.server.flask [-] started\n',
  );
}

/** An API server that knows one finished Job, by a kubeconfig. */
function clusterWithJob(folder: string, stack: AsyncDisposableStack): Promise<NodeJS.ProcessEnv> {
  const metadata = { name: 'keystone-db-sync', resourceVersion: '7' };
  return clusterWith({ metadata, status: { conditions: [{ type: 'Complete', status: 'True' }] } }, folder, stack);
}

/** An API server that knows one object, by a kubeconfig. */
async function clusterWith(object: object, folder: string, stack: AsyncDisposableStack): Promise<NodeJS.ProcessEnv> {
  const bookmark = event('BOOKMARK', { metadata: { resourceVersion: '7' } });
  const api = stack.use(await scriptedApi(events(event('ADDED', object), bookmark)));
  const file = join(folder, 'kubeconfig');
  const config = {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me', namespace: 'openstack' } }],
    clusters: [
      { name: 'here', cluster: { server: api.url, 'certificate-authority': join(api.accountFolder, 'ca.crt') } },
    ],
    users: [{ name: 'me', user: { token: 'token' } }],
  };
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config));
  return { KUBECONFIG: file };
}

/** Nodes of which none is there. */
async function noNode(folder: string): Promise<Stage> {
  const stage = await noDatabase(folder);
  const ports = await freePorts(3);
  const replace = Object.fromEntries(ports.map((port, i) => [`mariadb-${i}`, `127.0.0.1:${port}`]));
  return {
    ...stage,
    replace,
    stderr: new RegExp(ports.map((port) => `127\\.0\\.0\\.1:${port}: .*ECONNREFUSED`).join('.*')),
  };
}

async function noDatabase(folder: string): Promise<Stage> {
  const port = await freePort();
  const [password, config] = [join(folder, 'mariadb-root'), join(folder, 'keystone.conf')];
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/keystone-manage'), '#!/bin/sh\nexit 99\n', { mode: 0o755 });
  await writeFile(password, 'secret\n');
  await writeFile(config, `[database]\nconnection = mysql+pymysql://keystone:hidden@127.0.0.1:${port}/keystone\n`);
  return {
    replace: { '/run/secrets/mariadb-root': password },
    env: { KOLLA_DB_SYNC_SERVICE_CONFIG: config, KOLLA_DB_SYNC_TIMEOUT: '300ms' },
    code: 75,
    stderr: new RegExp(`127\\.0\\.0\\.1:${port}`),
  };
}

/** Only root may hide this machine's /var/lib; anybody else's has no configuration for Kolla either. */
function noConfiguration(name: string): SetStage {
  const view = `unshare --mount bash -c 'mount -t tmpfs none /var/lib && exec ${name} "$@"' example`;
  const replace: Record<string, string> = process.geteuid?.() === 0 ? { [name]: view } : {};
  return () => Promise.resolve({ replace, code: 1, stderr: /InvalidConfig: Could not read file/ });
}
