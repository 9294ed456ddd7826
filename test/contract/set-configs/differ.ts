import { after, before, test } from 'node:test';
import { entry } from './entries.ts';
import { byUs } from './ours.ts';
import { byReference, CONFIG, play, type Case, type Outcome } from './play.ts';
import { canRunReference, startReference, type Reference } from './reference.ts';
import type { Files } from './tree.ts';

export const skip = (await canRunReference()) ?? false;
let reference: Reference;
before(async () => {
  if (skip === false) reference = await startReference();
});
after(async () => await reference?.[Symbol.asyncDispose]());

/** The results of the last start. */
export interface Both {
  readonly theirs: Outcome;
  readonly ours: Outcome;
}

export async function both(one: Case): Promise<Both> {
  const theirs = await play(one, byReference(reference));
  const ours = await play(one, byUs);
  return { theirs: theirs.at(-1)!, ours: ours.at(-1)! };
}

export function at({ tree }: Outcome, path: string): string {
  return tree.get(path)?.what ?? 'absent';
}

export function differs(name: string, one: Omit<Case, 'name'>, judge: (outcome: Both) => void): void {
  test(`unlike Kolla: ${name}`, { skip }, async () => judge(await both({ name, ...one })));
}

export const A = { [`${CONFIG}/a.conf`]: 'deployed' };
export const config = (...entries: object[]) => ({ command: 'run', config_files: entries });
export const plain = config(entry('a.conf', '/etc/a.conf'));
export const check = { argv: ['--check'] };
export const image: Files = { ...A, 'etc/a.conf': { text: 'image', mode: 0o640 } };
export const IMAGE = 'file 0:0 640 image';
