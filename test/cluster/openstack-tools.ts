/**
 * The real nova-manage and glance-manage from Debian's packages, unpacked, run as the test's user:
 *
 *   packages -> tree (compiled; in the cache) -> command lines
 *
 * They have no configuration and no database: the caller writes nova.conf and glance-api.conf, and runs the command
 * lines.
 */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must } from '../../tools/process.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { pythonOf, SELDOM_COLLECT } from './keystone-tree.ts';
import type { CommandLine } from './keystone.ts';

/** Debian's libc would conflict with the machine's dynamic loader, which must be of the same build. */
const MACHINE_HAS = ['libc6'];
const PACKAGES = ['nova-common', 'glance-common', 'python3-pymysql'];
const TOOLS = {
  nova: ['nova.cmd.manage', 'cell_v2', 'list_cells'],
  glance: ['glance.cmd.manage', 'db_version'],
} as const;

export type ToolOwner = keyof typeof TOOLS;

/**
 * Imports each tool's modules, in a separate process, and stores them compiled, which halves a tool's run time. A command that
 * fails without a database has imported what main() does, such as all of Nova's objects and the driver of its queue.
 */
const COMPILE = `
import importlib, py_compile, sys
for name in (sys.argv[1], 'pymysql', 'sqlalchemy.dialects.mysql.pymysql', 'alembic.command'):
    importlib.import_module(name)
tool, sys.argv = sys.modules[sys.argv[1]], [sys.argv[1], '--config-file', '/dev/null', *sys.argv[2:]]
try:
    tool.main()
except (Exception, SystemExit):
    pass
for file in {getattr(module, '__file__', None) or '' for module in list(sys.modules.values())}:
    if file.endswith('.py'):
        py_compile.compile(file, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
`;

/** Tested by unpacking them and importing them with their own Python. */
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
  /** The environment in which the programs find each other. */
  readonly env: NodeJS.ProcessEnv;
  /** The directory of Glance's definitions: `metadata_source_path`, as in an image. */
  readonly metadefs: string;
  /** The tool with a configuration, to which a command is appended: `cell_v2 list_cells`, `db_load_metadefs` ... */
  readonly manage: (owner: ToolOwner, configFile: string) => CommandLine;
}

/** Unpacks them, unless they are cached. */
export async function openstackTools(): Promise<OpenstackTools> {
  const unpacked = await unpackedPackages('openstack-packages', PACKAGES, { except: MACHINE_HAS });
  const madeFrom = [basename(unpacked), ...Object.values(TOOLS).flat(), SELDOM_COLLECT.text, COMPILE];
  const directory = await cached('openstack-tools', madeFrom, async (tree) => {
    await must('cp', ['-al', `${unpacked}/.`, tree]);
    await writeFile(join(tree, SELDOM_COLLECT.file), SELDOM_COLLECT.text);
    const python = await pythonOf(tree);
    for (const words of Object.values(TOOLS))
      await must(python.command, ['-c', COMPILE, ...words], { env: python.env, cwd: tree });
  });
  const { command, env: common } = await pythonOf(directory);
  // The tools serve nothing, and replacing Python's sockets and threads is a fifth of the CPU time of nova-manage.
  const env = { ...common, OS_NOVA_DISABLE_EVENTLET_PATCHING: '1' };
  return {
    directory,
    env,
    metadefs: join(directory, 'usr/share/glance-common/metadefs'),
    manage: (owner, configFile) => {
      return { command, args: [join(directory, `usr/bin/${owner}-manage`), '--config-file', configFile], env };
    },
  };
}
