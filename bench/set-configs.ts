import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kollaPackage } from '../test/contract/kolla-package.ts';
import type { Tree } from '../test/contract/throw-away-root.ts';
import { rowOf, type DuelBench, type Row } from './bench.ts';
import { canDuelWithKolla, duel } from './in-root.ts';

const CONFIG = 'var/lib/kolla/config_files';
const BYTES = 4000;
const ROUNDS = 15;
const FILES = [0, 1, 20, 200, 10_000];
/** Target ratios by number of files. */
const REACH: Readonly<Record<number, number>> = { 20: 0.25, 200: 0.6, 10_000: 0.6 };
/** With this many files a start takes seconds. */
const MANY = { files: 10_000, rounds: 3 };

/** kolla_set_configs against Kolla's set_configs.py: a first start, and an unchanged one. */
export const setConfigs: DuelBench = {
  kind: 'duel',
  name: 'set-configs',
  title: 'kolla_set_configs: installing files',
  peer: "Kolla's set_configs.py, Python",
  capability: canDuelWithKolla,
  async run(say) {
    const script = await readFile(join(await kollaPackage(), 'base/set_configs.py'), 'utf8');
    say('startup only');
    const rows: Row[] = [await starting()];
    for (const files of FILES) {
      for (const again of [false, true]) {
        const work = `${files} file${files === 1 ? '' : 's'}, ${again ? 'unchanged' : 'first start'}`;
        say(work);
        const rounds = files === MANY.files ? MANY.rounds : ROUNDS;
        rows.push(await measure(work, treeOf(files, script), again, rounds, REACH[files]));
      }
    }
    return rows;
  },
};

/** The startup alone, which is the lower bound of both. */
async function starting(): Promise<Row> {
  const { ours, peer } = await duel({
    tree: {},
    prepare: ':',
    ours: '/ours/kolla_set_configs --version',
    peer: '/usr/bin/python3 -c pass',
    rounds: ROUNDS,
  });
  return rowOf('startup only: `--version`; `python3 -c pass`', ours, peer);
}

async function measure(
  work: string,
  tree: Tree,
  again: boolean,
  rounds: number,
  reach: number | undefined,
): Promise<Row> {
  const clean = 'rm -rf /etc/service /etc/kolla/defaults /run_command';
  const { ours, peer } = await duel({
    tree,
    prepare: again ? ':' : clean,
    // Each checks its own files; both tools write the same ones.
    ours: '/ours/kolla_set_configs',
    peer: '/usr/local/bin/set_configs.py',
    rounds: again ? rounds + 1 : rounds,
    env: { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' },
  });
  // The first unchanged run, which is left out, has installed everything.
  return rowOf(work, ours.slice(again ? 1 : 0), peer.slice(again ? 1 : 0), reach);
}

function treeOf(files: number, script: string): Tree {
  const names = Array.from({ length: files }, (_, i) => `service-${i}.conf`);
  const entries = names.map((name) => ({
    source: `/${CONFIG}/${name}`,
    dest: `/etc/service/${name}`,
    owner: 'keystone',
    perm: '0600',
  }));
  return {
    'etc/passwd': 'root:x:0:0::/root:/bin/sh\nkeystone:x:42425:42425::/:/bin/sh\n',
    'etc/group': 'root:x:0:\nkeystone:x:42425:\n',
    'usr/local/bin/set_configs.py': { text: script, mode: 0o755 },
    [`${CONFIG}/config.json`]: JSON.stringify({ command: 'service', config_files: entries }),
    ...Object.fromEntries(names.map((name) => [`${CONFIG}/${name}`, `# ${name}\n`.padEnd(BYTES, 'key = value\n')])),
  };
}
