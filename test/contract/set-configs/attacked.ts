/** A tool that runs as root while a service's user tries to redirect it (fixtures/attacker.ts). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Ended, Start } from './reference.ts';
import { plant, type Files, type Seen } from './tree.ts';

export const RUNS = 200;
/** The attacker's uid. */
export const NOVA = 42_436;
/** The target of the attacker, in the root. */
export const OUTSIDE = 'srv/outside';
const ATTACKER = fileURLToPath(new URL('fixtures/attacker.ts', import.meta.url));

export interface Attacked {
  readonly how: 'always' | 'woken';
  readonly runs: number;
  readonly codes: ReadonlyMap<number, number>;
  readonly swaps: number;
  /** Everything outside of the expected paths: before, and at the first difference or at the end. */
  readonly before: Map<string, Seen>;
  readonly now: Map<string, Seen>;
  /** The output of the tool in its last run. */
  readonly last: string;
}

export interface Attack {
  readonly how: 'always' | 'woken';
  /** Maximum number of runs. */
  readonly most: number;
  /** A private, empty directory. */
  readonly root: string;
  readonly files: Files;
  /** Paths in the root that the attacker swaps. */
  readonly swapped: readonly string[];
  /** Paths that must not change. */
  readonly outside: (root: string) => Map<string, Seen>;
}

/** Runs a tool repeatedly next to the attacker, until a path outside of the expected ones has changed. */
export async function attacked(
  { how, most, root, files, swapped, outside }: Attack,
  tool: (at: Start) => Promise<Ended>,
): Promise<Attacked> {
  mkdirSync(root);
  plant(root, files);
  const before = outside(root);
  const attacker = spawn(process.execPath, [ATTACKER, how, root, `/${OUTSIDE}`, ...swapped], {
    uid: NOVA,
    gid: NOVA,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: attacker.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'ready');
  const codes = new Map<number, number>();
  let [now, runs, last] = [before, 0, ''];
  while (runs < most && isSame(before, now)) {
    const { code, stderr } = await tool({ root, argv: [], env: { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' } });
    codes.set(code, (codes.get(code) ?? 0) + 1);
    runs++;
    if (code !== 0) last = stderr;
    // An error in the test itself is not a result.
    if (code === 70) break;
    now = outside(root);
  }
  const exited = once(attacker, 'exit');
  attacker.stdin.end();
  const { swaps } = JSON.parse((await lines.next()).value as string) as { swaps: number };
  await exited;
  rmSync(root, { recursive: true });
  return { how, runs, codes, swaps, before, now, last };
}

export function judge(t: TestContext, { how, runs, codes, swaps, before, now, last }: Attacked): void {
  const ends = [...codes].map(([code, count]) => `${code}: ${count}`).join(', ');
  t.diagnostic(`${swaps} swaps in ${runs} runs; exit codes ${ends}`);
  assert.deepEqual([...now], [...before]);
  assert.equal(runs, RUNS, last);
  // Without this, swaps would hit no run or every run, which proves little. For a fast tool, an attacker that has to be
  // woken is mostly too late.
  assert.ok(codes.size > 1 || (how === 'woken' && swaps > RUNS / 2), last);
}

export function isSame(a: Map<string, Seen>, b: Map<string, Seen>): boolean {
  return JSON.stringify([...a]) === JSON.stringify([...b]);
}
