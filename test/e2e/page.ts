/**
 * Runs the commands of a documentation page on the node, section by section.
 *
 *   page -> blocks of `sh` under each heading -> bash with the node's kubectl -> their output
 */
import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kubectlBinary, SHORT_LIVED } from '../cluster/kubernetes/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must, tied } from '../../tools/process.ts';
import type { Stage } from './keystone-pod.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface PageOptions {
  /** Programs other than kubectl that the commands use, by name. */
  readonly programs?: Readonly<Record<string, string>>;
  /** The working directory; by default the repository root. */
  readonly cwd?: string;
}

export interface Page extends AsyncDisposable {
  /** Runs the commands under a heading, or only the block with that number, and returns their output. */
  run(heading: string, block?: number): Promise<string>;
  /** Blocks that were not run yet, under a heading or on the whole page. */
  left(heading?: string): string[];
}

/**
 * The commands of docs/NAME.md, on the node.
 * @param name name of the page with its directory, without `.md`
 */
export async function openPage(
  { node }: Pick<Stage, 'node'>,
  name: string,
  { programs = {}, cwd = ROOT }: PageOptions = {},
): Promise<Page> {
  const page = `docs/${name}.md`;
  const directory = await privateDirectory('page');
  const kubectl = join(directory.path, 'kubectl');
  const program = [await kubectlBinary(), '--kubeconfig', node.kubeconfig];
  await writeFile(kubectl, `#!/bin/sh\nexec ${program.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  await chmod(kubectl, 0o755);
  for (const [called, file] of Object.entries(programs)) await symlink(file, join(directory.path, called));
  const path = `${directory.path}:${process.env['PATH']}`;
  const env = { PATH: path, HOME: directory.path, KUBERC: 'off', KUBECONFIG: node.kubeconfig, ...SHORT_LIVED };
  const sections = (await readFile(join(ROOT, page), 'utf8')).split(/^## /m);
  const blocksIn = (text: string) => [...text.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block = '']) => block);
  const blocksUnder = (heading: string): string[] => {
    const section = sections.find((text) => text.startsWith(`${heading}\n`));
    if (section === undefined) throw new Error(`${page} has no section '${heading}'`);
    return blocksIn(section);
  };
  const done = new Set<string>();
  return {
    async run(heading, block) {
      const blocks = blocksUnder(heading);
      const chosen = block === undefined ? blocks : blocks.slice(block, block + 1);
      if (chosen.length === 0) throw new Error(`section '${heading}' of ${page} has no such commands`);
      // A PID namespace makes background processes exit with bash and with this process, however it exits.
      const words = ['--pid', '--fork', '--kill-child', 'bash', '--norc', '-euc', chosen.join('')];
      for (const each of chosen) done.add(each);
      return await must(...tied('unshare', words), { env, cwd });
    },
    left: (heading) => {
      const blocks = heading === undefined ? sections.flatMap((text) => blocksIn(text)) : blocksUnder(heading);
      return blocks.filter((block) => !done.has(block));
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
