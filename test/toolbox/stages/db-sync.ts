import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, freePorts } from '../../../tools/port.ts';
import { clusterWithJob } from './cluster.ts';
import { says, type Stage, type Stages } from './stage.ts';

export const DB_SYNC: Stages = {
  // Unit tests have no database: the output names the one that the command waits for. test/integration has a real one.
  'kolla-db-sync keystone': noDatabase,
  'kolla-db-sync keystone --admin-user root --admin-password-file /run/secrets/mariadb-root --release 2026.1':
    noDatabase,
  'kolla-db-sync ensure keystone --admin-user root --admin-password-file /run/secrets/mariadb-root': noDatabase,
  'kolla-db-sync ensure keystone --admin-user root --admin-password-file /run/secrets/mariadb-root --rotate':
    noDatabase,
  'kolla-db-sync keystone --host mariadb-0 --host mariadb-1 --host mariadb-2': noNode,
  'kolla-db-sync keystone --phase expand --release 2026.1': noDatabase,
  'kolla-db-sync keystone --phase contract --release 2026.1 --after-rollout deployment/keystone': async (
    directory,
    stack,
  ) => {
    const { env, ...stage } = await noDatabase(directory);
    return { ...stage, env: { ...env, ...(await clusterWithJob(directory, stack)) } };
  },
  'kolla-db-sync keystone -- keystone-manage db_sync --expand': noDatabase,
  'kolla-db-sync keystone --stay': async (directory) => ({
    ...(await noDatabase(directory)),
    replace: { '--stay': '--stay --listen 127.0.0.1:0' },
    stderr: /probes, metrics and the status page are answered on 127\.0\.0\.1:\d+/,
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
  'kolla-db-sync rbac nova --lease-name nova-cell2 --service-account nova-db-sync -o json':
    says(/"kolla-db-sync-nova-cell2"/),
  'kolla-db-sync upgrade-check keystone': async (directory) => {
    await writeProgram(directory, 'keystone-status', 'exit 0');
    return { stderr: /keystone-status upgrade check: success/ };
  },
  'kolla-db-sync upgrade-check nova': async (directory) => {
    const table = '+---+\n| Check: Placement API |\n| Result: Failure |\n| Details: none found |\n+---+';
    await writeProgram(directory, 'nova-status', `echo '${table}'; exit 2`);
    return { code: 1, stderr: /nova-status upgrade check: Placement API: Failure: none found/ };
  },
  'kolla-db-sync status keystone': noDatabase,
  'kolla-db-sync status keystone -o json': noDatabase,
};

/** Writes a program to the directory that is first in PATH. */
async function writeProgram(directory: string, name: string, script: string): Promise<void> {
  await mkdir(join(directory, 'bin'));
  await writeFile(join(directory, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** None of the nodes is reachable. */
async function noNode(directory: string): Promise<Stage> {
  const stage = await noDatabase(directory);
  const ports = await freePorts(3);
  const replace = Object.fromEntries(ports.map((port, i) => [`mariadb-${i}`, `127.0.0.1:${port}`]));
  return {
    ...stage,
    replace,
    // Long enough for each node to refuse the connection, even on a busy machine.
    env: { ...stage.env, KOLLA_DB_SYNC_TIMEOUT: '3s' },
    stderr: new RegExp(ports.map((port) => `127\\.0\\.0\\.1:${port}: .*ECONNREFUSED`).join('.*')),
  };
}

async function noDatabase(directory: string): Promise<Stage> {
  const port = await freePort();
  const [password, config] = [join(directory, 'mariadb-root'), join(directory, 'keystone.conf')];
  await writeProgram(directory, 'keystone-manage', 'exit 99');
  await writeFile(password, 'secret\n');
  await writeFile(config, `[database]\nconnection = mysql+pymysql://keystone:hidden@127.0.0.1:${port}/keystone\n`);
  return {
    replace: { '/run/secrets/mariadb-root': password },
    env: { KOLLA_DB_SYNC_SERVICE_CONFIG: config, KOLLA_DB_SYNC_TIMEOUT: '300ms' },
    code: 75,
    stderr: new RegExp(`127\\.0\\.0\\.1:${port}`),
  };
}
