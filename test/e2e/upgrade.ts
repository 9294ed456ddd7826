/**
 * docs/upgrades.md, walked on the node: its own commands, section by section, on the Keystone that is deployed there.
 *
 *   page -> blocks of `sh` under each heading -> bash with the node's kubectl -> what the database, the API server and
 *   Keystone itself say
 */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kubeBinary } from '../cluster/kubernetes/index.ts';
import { privateFolder } from '../support/folder.ts';
import { must } from '../support/process.ts';
import type { Stage } from './keystone-pod.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = join(ROOT, 'docs/upgrades.md');

export interface Page extends AsyncDisposable {
  /** Runs all commands under a heading, or the block of that number, and returns what they wrote. */
  run(heading: string, block?: number): Promise<string>;
}

/** The page's commands, on the node. */
export async function openPage({ node }: Stage): Promise<Page> {
  const folder = await privateFolder('upgrade');
  const kubectl = join(folder.path, 'kubectl');
  const words = [await kubeBinary(), 'kubectl', '--kubeconfig', node.kubeconfig];
  await writeFile(kubectl, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  await chmod(kubectl, 0o755);
  const env = { PATH: `${folder.path}:${process.env['PATH']}`, HOME: folder.path, KUBERC: 'off' };
  const sections = (await readFile(PAGE, 'utf8')).split(/^## /m);
  return {
    async run(heading, block) {
      const section = sections.find((text) => text.startsWith(`${heading}\n`));
      if (section === undefined) throw new Error(`${PAGE} has no section '${heading}'`);
      const blocks = [...section.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, text = '']) => text);
      const chosen = block === undefined ? blocks : blocks.slice(block, block + 1);
      if (chosen.length === 0) throw new Error(`section '${heading}' of ${PAGE} has no such commands`);
      return await must('bash', ['--norc', '-euc', chosen.join('')], { env, cwd: ROOT });
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The schema's revisions as a database from before Keystone's first release in phases has them. */
export async function undoPhases({ mariadb }: Stage, database: string): Promise<void> {
  await mariadb.query(`DELETE FROM ${database}.alembic_version`);
  await mariadb.query(`INSERT INTO ${database}.alembic_version VALUES ('27e647c0fad4')`);
}

/** Asks again and again, one after the other, until it is disposed of. */
export function asking(ask: () => Promise<void>): { readonly count: () => number } & AsyncDisposable {
  const over = new AbortController();
  let count = 0;
  const ended = (async () => {
    while (!over.signal.aborted) {
      try {
        await ask();
      } catch (cause) {
        throw new Error(`number ${count + 1} failed at ${new Date().toISOString()}`, { cause });
      }
      count += 1;
    }
  })();
  ended.catch(() => {}); // thrown when it is disposed of
  return {
    count: () => count,
    async [Symbol.asyncDispose]() {
      over.abort();
      await ended;
    },
  };
}
