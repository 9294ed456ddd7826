import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { canHaveKolla } from '../test/contract/kolla-package.ts';
import { canThrowAwayRoots, inThrowAwayRoot, type Tree } from '../test/contract/throw-away-root.ts';
import type { Capability } from '../tools/capability.ts';
import type { Sample } from './bench.ts';

const NAMES = fileURLToPath(new URL('../dist/bin', import.meta.url));

/** Two bash command lines, each run after `prepare`. */
export interface Duel {
  readonly tree: Tree;
  readonly prepare: string;
  readonly ours: string;
  readonly peer: string;
  readonly rounds: number;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Cost of the binary and the peer, run alternately in one throw-away root: our names are in /ours, and bash's `time`
 * reads the usage of each child and its descendants, in milliseconds.
 * @throws Error if one of the two fails
 */
export async function duel({
  tree,
  prepare,
  ours,
  peer,
  rounds,
  env,
}: Duel): Promise<{ ours: Sample[]; peer: Sample[] }> {
  const line = `TIMEFORMAT='%3U %3S %3R'
mkdir /ours; for name in kolla_set_configs kolla_start kolla_copy_cacerts; do ln -s "$(readlink -f '${NAMES}'/$name)" "/ours/$name"; done
prepare() { ${prepare}
}
measure() { prepare > /dev/null 2>&1; { time eval "$2" > /out 2> /err; } 2> /times; code=$?
  if ((code != 0)); then tail -n 5 /err >&2; echo "$1 ended with $code" >&2; exit 1; fi; echo "$1 $(cat /times)"; }
for ((i = 0; i < ${rounds}; i++)); do
  measure ours ${quoted(ours)}; measure peer ${quoted(peer)}
done`;
  const { code, stdout, stderr } = await inThrowAwayRoot(line, { tree, ...(env ? { env } : {}) });
  if (code !== 0) throw new Error(`the bench's root ended with ${code}: ${stderr.slice(-2000)}`);
  const samples = stdout
    .trim()
    .split('\n')
    .map((text) => text.split(' '));
  const of = (who: string) =>
    samples.filter(([name]) => name === who).map(([, ...times]) => sampleOf(times.map(Number)));
  return { ours: of('ours'), peer: of('peer') };
}

function sampleOf([user = NaN, system = NaN, real = NaN]: readonly number[]): Sample {
  return { cpuMs: (user + system) * 1000, wallMs: real * 1000 };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whether Kolla's own scripts and the built binary can run in such a root. */
export const canDuelWithKolla: Capability = async () => {
  if (!existsSync(NAMES)) return 'dist/bin does not exist: run `make build`';
  const missing = (await canThrowAwayRoots()) ?? (await canHaveKolla());
  if (missing !== undefined) return missing;
  const { code, stderr } = await inThrowAwayRoot('/usr/bin/python3 -c "import yaml"', { tree: {} });
  return code === 0 ? undefined : `/usr/bin/python3 has no PyYAML, as Kolla's images have it: ${stderr.trim()}`;
};
