/**
 * The real nova-manage and glance-manage from Debian's packages, unpacked, run as whoever runs the test:
 *
 *   packages -> tree (compiled; in the cache) -> command lines
 *
 * They bring no configuration and no database: the caller writes nova.conf and glance-api.conf, and starts what it is given.
 */
import { basename, join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must } from '../../tools/process.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { pythonOf } from './keystone-tree.ts';
import type { CommandLine } from './keystone.ts';

/** Its own libc would meet the machine's dynamic loader, and the two must be of one build. */
const MACHINE_HAS = ['libc6'];
const PACKAGES = ['nova-common', 'glance-common', 'python3-pymysql'];
const TOOLS = { nova: 'nova.cmd.manage', glance: 'glance.cmd.manage' };

export type ToolOwner = keyof typeof TOOLS;

/** Imports what each tool imports, in a process of its own, and keeps it compiled: half of a tool's time is that. */
const COMPILE = `
import importlib, py_compile, sys
for name in (sys.argv[1], 'pymysql', 'sqlalchemy.dialects.mysql.pymysql', 'alembic.command'):
    importlib.import_module(name)
for file in {getattr(module, '__file__', None) or '' for module in list(sys.modules.values())}:
    if file.endswith('.py'):
        py_compile.compile(file, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
`;

/** Proven by unpacking them and by their own Python having imported them. */
export const canRunOpenstackTools: Capability = async () => {
  try {
    await openstackTools();
    return undefined;
  } catch (error) {
    return `Nova's and Glance's tools can't be unpacked here: ${messageOf(error)}`;
  }
};

export interface OpenstackTools {
  /** The unpacked tree. */
  readonly directory: string;
  /** What they need in their environment to find each other. */
  readonly env: NodeJS.ProcessEnv;
  /** Where Glance's definitions lie: `metadata_source_path`, which its package names as an image does. */
  readonly metadefs: string;
  /** The tool with a configuration; append `cell_v2 list_cells`, `db_load_metadefs` ... */
  readonly manage: (owner: ToolOwner, configFile: string) => CommandLine;
}

/** Unpacks them, or finds them unpacked. */
export async function openstackTools(): Promise<OpenstackTools> {
  const unpacked = await unpackedPackages('openstack-packages', PACKAGES, { except: MACHINE_HAS });
  const madeFrom = [basename(unpacked), ...Object.values(TOOLS), COMPILE];
  const directory = await cached('openstack-tools', madeFrom, async (tree) => {
    await must('cp', ['-al', `${unpacked}/.`, tree]);
    const python = await pythonOf(tree);
    for (const module of Object.values(TOOLS)) {
      await must(python.command, ['-c', COMPILE, module], { env: python.env, cwd: tree });
    }
  });
  const { command, env } = await pythonOf(directory);
  return {
    directory,
    env,
    metadefs: join(directory, 'usr/share/glance-common/metadefs'),
    manage: (owner, configFile) => {
      return { command, args: [join(directory, `usr/bin/${owner}-manage`), '--config-file', configFile], env };
    },
  };
}
