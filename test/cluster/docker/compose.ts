import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../src/core/errors.ts';
import type { Capability } from '../../../tools/capability.ts';
import { must } from '../../../tools/process.ts';
import { unpackedPackages } from '../../../tools/debian.ts';
import { pythonOf } from '../keystone-tree.ts';
import type { Docker } from './index.ts';

/** The programs run on this machine's own libc; only the configuration of packages needs debconf and perl. */
const NOT_NEEDED = ['libc6', 'debconf', 'perl-base'];

/** Tested by printing its version. */
export const canRunCompose: Capability = async () => {
  try {
    const { command, args, env } = await compose();
    await must(command, [...args, 'version'], { env: { ...process.env, ...env } });
    return undefined;
  } catch (error) {
    return `compose can't be run here: ${messageOf(error).slice(0, 300)}`;
  }
};

async function compose() {
  const tree = await unpackedPackages('compose-packages', ['docker-compose'], { except: NOT_NEEDED });
  const { command, env } = await pythonOf(tree);
  return { command, args: [join(tree, 'usr/bin/docker-compose')], env };
}

/** Makes `docker compose` run Debian's docker-compose; docker itself expects a plugin in the home directory. */
export async function installCompose({ directory }: Docker): Promise<void> {
  const { command, args, env } = await compose();
  const plugins = join(directory, '.docker/cli-plugins');
  await mkdir(plugins, { recursive: true });
  const about = JSON.stringify({ SchemaVersion: '0.1.0', Vendor: 'Debian', Version: '1' });
  const variables = Object.entries(env).flatMap(([name, value]) => (name === 'PATH' ? [] : [`${name}='${value}'`]));
  const script = [
    '#!/bin/sh',
    `if [ "$1" = docker-cli-plugin-metadata ]; then echo '${about}'; exit; fi`,
    'shift',
    `exec env ${variables.join(' ')} '${command}' '${args.join("' '")}' "$@"`,
    '',
  ];
  await writeFile(join(plugins, 'docker-compose'), script.join('\n'), { mode: 0o755 });
}
