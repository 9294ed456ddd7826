/** A virtual environment with distributions from PyPI, at the place of those in Kolla's images. */
import { glob, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPILE, debianTree, pythonOf } from './debian.ts';
import { inTree } from './in-tree.ts';
import { runUv } from './uv.ts';

export const VENV = '/var/lib/kolla/venv';

/** Not read by any service: tests, other languages, other clouds' APIs. Horizon's `test` stays: Horizon imports it. */
export const UNUSED: readonly string[] = [
  '**/tests',
  '**/locale/!(en)/LC_MESSAGES',
  'babel/locale-data/!(root|en*).dat',
  'botocore/data/!(e*)',
  'googleapiclient/discovery_cache/documents',
];

/**
 * Installs the distributions of a lock into `root`, without the unused files.
 * @returns the directory with their modules
 */
export async function install(root: string, lock: string): Promise<string> {
  const [debian, venv] = [await debianTree(), join(root, VENV)];
  await mkdir(venv, { recursive: true });
  const environment = { from: venv, to: VENV };
  await inTree(debian, ['python3', '-m', 'venv', '--without-pip', VENV], { binds: [environment] });
  const command = ['pip', 'install', '--quiet', '--python', `${VENV}/bin/python3`, '--require-hashes'];
  await runUv([...command, '--requirements', '/build/lock.txt'], [environment, { from: lock, to: '/build/lock.txt' }]);
  const python = await pythonOf(debian);
  await symlink(python, join(venv, 'lib/python3'));
  const site = join(venv, 'lib', python, 'site-packages');
  for await (const path of glob(UNUSED, { cwd: site })) await rm(join(site, path), { recursive: true, force: true });
  return site;
}

/** Stores the bytecode of the environment in `root`. */
export async function compile(root: string): Promise<void> {
  const debian = await debianTree();
  const binds = [{ from: join(root, VENV), to: VENV }];
  await inTree(debian, [`${VENV}/bin/python3`, ...COMPILE, `${VENV}/lib/${await pythonOf(debian)}`], { binds });
}
