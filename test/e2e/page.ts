/**
 * A page of the docs, walked on the node: its own commands, section by section.
 *
 *   page -> blocks of `sh` under each heading -> bash with the node's kubectl -> what they wrote
 */
import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kubeBinary } from '../cluster/kubernetes/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must, tied } from '../../tools/process.ts';
import type { Stage } from './keystone-pod.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface PageOptions {
  /** Programs that its commands call besides kubectl, each by its name. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Where they run. Default: the repository's top. */
  readonly cwd?: string;
}

export interface Page extends AsyncDisposable {
  /** Runs all commands under a heading, or the block of that number, and returns what they wrote. */
  run(heading: string, block?: number): Promise<string>;
  /** The blocks that were not run yet, under a heading or on the whole page. */
  left(heading?: string): string[];
}

/**
 * The commands of docs/NAME.md, on the node.
 * @param name of the page with its directory, without `.md`
 */
export async function openPage(
  { node }: Pick<Stage, 'node'>,
  name: string,
  { programs = {}, cwd = ROOT }: PageOptions = {},
): Promise<Page> {
  const page = `docs/${name}.md`;
  const directory = await privateDirectory('page');
  const kubectl = join(directory.path, 'kubectl');
  const program = [await kubeBinary(), 'kubectl', '--kubeconfig', node.kubeconfig];
  await writeFile(kubectl, `#!/bin/sh\nexec ${program.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  await chmod(kubectl, 0o755);
  for (const [called, file] of Object.entries(programs)) await symlink(file, join(directory.path, called));
  const path = `${directory.path}:${process.env['PATH']}`;
  const env = { PATH: path, HOME: directory.path, KUBERC: 'off', KUBECONFIG: node.kubeconfig };
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
      // In a PID namespace: what they start in the background ends with bash, and with this process however it ends.
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
