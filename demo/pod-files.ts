import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keystoneConf } from '../test/cluster/keystone.ts';

/** Settings that differ between runs. */
export interface PodSettings {
  readonly databaseHost: string;
  readonly databasePort: number;
  /** Name of the database and of its account. */
  readonly databaseName: string;
  readonly databasePassword: string;
}

/** Paths in the pod's tree that later steps need, all under the private root. */
export interface PodFiles {
  readonly configDir: string;
  readonly keystoneConf: string;
  readonly logs: string;
}

/**
 * Creates a pod's tree under `root`, with config.json and files as kolla-ansible writes them for Keystone. The
 * container's paths become paths under the root, since the demo's processes share this file system; the user running
 * the demo replaces Kolla's user `keystone`.
 */
export async function writePodFiles(root: string, settings: PodSettings): Promise<PodFiles> {
  const configDir = join(root, 'var/lib/kolla/config_files');
  const logs = join(root, 'var/log/kolla');
  for (const directory of ['etc', 'etc/keystone', 'var/lib/keystone', 'tmp'])
    await mkdir(join(root, directory), { recursive: true });
  await mkdir(configDir, { recursive: true });
  await mkdir(logs, { recursive: true });
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  await writeFile(join(root, 'etc/passwd'), `keystone:x:${uid}:${gid}:Keystone:/var/lib/keystone:/usr/sbin/nologin\n`);
  await writeFile(join(root, 'etc/group'), `keystone:x:${gid}:\nkolla:x:42400:keystone\n`);
  await chown(logs, uid, gid);
  await writeFile(join(configDir, 'config.json'), `${JSON.stringify(configJson(), undefined, 2)}\n`);
  await writeFile(join(configDir, 'keystone.conf'), keystoneConfText(root, settings), { mode: 0o600 });
  return {
    configDir,
    keystoneConf: join(root, 'etc/keystone/keystone.conf'),
    logs,
  };
}

function configJson(): unknown {
  return {
    command: '/usr/bin/keystone-wsgi-public --host 127.0.0.1 --port 5000',
    config_files: [
      {
        source: '/var/lib/kolla/config_files/keystone.conf',
        dest: '/etc/keystone/keystone.conf',
        owner: 'keystone',
        perm: '0600',
      },
      {
        source: '/var/lib/kolla/config_files/domains',
        dest: '/etc/keystone/domains',
        owner: 'keystone',
        perm: '0600',
        optional: true,
      },
    ],
    directories: [{ path: '/var/log/kolla/keystone', owner: 'keystone:keystone', perm: '0755' }],
  };
}

function keystoneConfText(root: string, settings: PodSettings): string {
  const { databaseHost: host, databasePort: port, databaseName: name, databasePassword } = settings;
  return keystoneConf({
    connection: `mysql+pymysql://${name}:${encodeURIComponent(databasePassword)}@${host}:${port}/${name}?charset=utf8`,
    keys: join(root, 'var/lib/keystone/keys'),
    logDirectory: join(root, 'var/log/kolla/keystone'),
  });
}
