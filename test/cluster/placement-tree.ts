import { glob, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { must } from '../../tools/process.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { keystoneTree, pythonOf } from './keystone-tree.ts';

/** Placement's dependencies in addition to Keystone's. */
const PACKAGES = [
  'placement-common',
  'python3-microversion-parse',
  'python3-os-resource-classes',
  'python3-os-traits',
  'python3-placement',
];
const UNUSED = [
  'etc/placement',
  'usr/share/{doc,placement-common}',
  'usr/lib/python3/dist-packages/{os_traits,placement}/tests',
];

/** Compiled like Keystone's tree: Placement's modules, including its plugin for Keystone. */
const COMPILE = `
import py_compile, sys
import placement.wsgi, placement.cmd.manage, pymysql, sqlalchemy.dialects.mysql.pymysql
import keystonemiddleware.auth_token, keystoneauth1.loading._plugins.identity.generic
for file in {getattr(module, '__file__', None) or '' for module in list(sys.modules.values())}:
    if file.endswith('.py'):
        py_compile.compile(file, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
`;

/** Keystone's tree with Placement in it: `placement-manage`, and its API under the same uWSGI. Cached. */
export async function placementTree(): Promise<string> {
  const keystone = await keystoneTree();
  const unpacked = await unpackedPackages('placement-packages', PACKAGES, { dependencies: false });
  const madeFrom = [basename(keystone), basename(unpacked), ...UNUSED, COMPILE];
  return await cached('placement', madeFrom, async (directory) => {
    for (const from of [keystone, unpacked]) await must('cp', ['-al', '--remove-destination', `${from}/.`, directory]);
    for await (const path of glob(UNUSED, { cwd: directory })) await rm(join(directory, path), { recursive: true });
    const python = await pythonOf(directory);
    await must(python.command, ['-c', COMPILE], { env: python.env, cwd: directory });
  });
}
