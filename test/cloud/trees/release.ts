/**
 * OpenStack from PyPI in the layout of Kolla's images, as one layer above Debian's tree:
 *
 *   releases/NAME.txt (versions and hashes) -> /var/lib/kolla/venv (environment.ts)
 *     -> the environment's etc/ -> /etc/SERVICE, /etc/openstack-dashboard
 *
 * One tree has all services, while each of Kolla's images has one. Errors: no root, no PyPI, a file with another hash.
 */
import { chmod, cp, glob, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached } from '../../../tools/cache.ts';
import { debianTree } from './debian.ts';
import { compile, install, UNUSED, VENV } from './environment.ts';

/** NAME.in: what a release has, NAME.txt: its lock (lock.ts). */
export const RELEASES: string = fileURLToPath(new URL('../releases/', import.meta.url));
/** Directories in the environment's etc/ that its services look for in /etc. */
const CONFIGURED = ['cinder', 'glance', 'heat', 'keystone', 'neutron', 'nova', 'placement'];
/** manage.py, which Kolla's images have next to the environment's programs; Horizon's package has none. */
const MANAGE = `#!${VENV}/bin/python3
import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'openstack_dashboard.settings')
execute_from_command_line(sys.argv)
`;
const RECIPE_VERSION = '1';

/** The releases that can be built: those with a lock. */
export async function releaseNames(): Promise<string[]> {
  return (await readdir(RELEASES)).flatMap((file) => /^(\S+)\.txt$/.exec(file)?.[1] ?? []).toSorted();
}

/** The versions in a release's lock, by distribution. */
export async function versionsOf(release: string): Promise<ReadonlyMap<string, string>> {
  const lock = await readFile(join(RELEASES, `${release}.txt`), 'utf8');
  return new Map([...lock.matchAll(/^([\w.-]+)==(\S+)/gm)].map(([, name = '', version = '']) => [name, version]));
}

/** A release's tree: the files above Debian's. Cached. */
export async function releaseTree(release: string): Promise<string> {
  const lock = join(RELEASES, `${release}.txt`);
  const debian = await debianTree();
  const madeFrom = [RECIPE_VERSION, basename(debian), await readFile(lock, 'utf8'), ...UNUSED, ...CONFIGURED, MANAGE];
  return await cached(`openstack-${release}`, madeFrom, async (root) => {
    const site = await install(root, lock);
    await configure(root);
    await placeHorizon(root, site);
    await compile(root);
    await chmod(root, 0o755);
  });
}

async function configure(root: string): Promise<void> {
  for (const service of CONFIGURED) {
    const place = join(root, 'etc', service);
    await mkdir(place, { recursive: true });
    for await (const from of glob(`etc/${service}`, { cwd: join(root, VENV) }))
      await cp(join(root, VENV, from), place, { recursive: true });
  }
  for await (const file of glob('etc/*/rootwrap.conf', { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8');
    await writeFile(join(root, file), text.replace(/^exec_dirs=.*$/m, `exec_dirs=${VENV}/bin,/usr/sbin,/usr/bin`));
  }
}

/** Moves Horizon's settings out of the virtual environment, which gets links to them. */
async function placeHorizon(root: string, site: string): Promise<void> {
  const dashboard = join(root, 'etc/openstack-dashboard');
  await cp(join(site, 'openstack_dashboard/conf'), dashboard, { recursive: true });
  await mkdir(join(dashboard, 'local_settings.d'), { recursive: true });
  const local = join(site, 'openstack_dashboard/local');
  for (const name of ['local_settings.py', 'local_settings.d']) {
    await rm(join(local, name), { recursive: true, force: true });
    await symlink(`/etc/openstack-dashboard/${name}`, join(local, name));
  }
  await cp(join(local, 'local_settings.py.example'), join(dashboard, 'local_settings.py'));
  await writeFile(join(root, VENV, 'bin/manage.py'), MANAGE, { mode: 0o755 });
}
