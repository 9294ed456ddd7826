/**
 * kolla-init, as root on the image itself, on the cases of kolla_set_configs: the same files, except for the listed cases.
 * It is compared with our kolla_set_configs, which other tests compare with Kolla's on the same cases.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { canGiveFilesAway } from '../../tools/capability.ts';
import { byInit } from './init-play.ts';
import { CASES } from './set-configs/cases/index.ts';
import { byUs } from './set-configs/ours.ts';
import { play, type Case } from './set-configs/play.ts';
import { differences, type Seen } from './set-configs/tree.ts';

const STRICT = 'a value of the wrong type is rejected, even if Python treats it as empty';
const IN_THE_WAY = "the existing file may be the service's own, so the entry is rejected with the fix";
const OWN_COMMAND = 'the command is written to /run/kolla, and /run_command is not used';

/** Cases with a different result, with the reasons. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'perm []': STRICT,
  'config_files {}': STRICT,
  'config_files ""': STRICT,
  'the section permissions {}': STRICT,
  'the section permissions ""': STRICT,
  'config.json "{\\"command\\": \\"a\\", \\"x\\": -Infinity, \\"command\\": \\"b\\"}"':
    'rejected (exit code 65): not valid JSON',
  'a relative dest': 'rejected (exit code 65): there is no directory to resolve it against',
  'a directory over a file': IN_THE_WAY,
  'a directory merged over a file': IN_THE_WAY,
  'a file over a directory': IN_THE_WAY,
  'a file merged over a directory': IN_THE_WAY,
  'a dest that is not normalized': 'directories before a `..` are not created',
  'a dest through .. of a file': 'a `..` is resolved without checking the path before it',
  'one entry’s dest is the next one’s source': 'sources are read before anything is written',
  'no configuration': 'not an error: kolla-init only waits',
  'files without a parent': 'the parent is created, as for config_files',
  'permissions of a link': 'a link is never followed by chown or chmod',
  '/run_command is a link': OWN_COMMAND,
  '/run_command is a directory': OWN_COMMAND,
};

/** The cases without strategies and --check, which only kolla_set_configs has. */
const PLAYED = CASES.filter(({ runs = [] }) => !runs.some((run) => run.argv !== undefined || 'strategy' in run));
const skip = (await canGiveFilesAway()) ?? false;

test(
  'every applicable case of kolla_set_configs has the same result here, or is listed with the reason',
  { skip },
  async (t) => {
    const different = new Map<string, string>();
    for (const one of PLAYED) {
      const found = await compare(one);
      if (found !== undefined) different.set(one.name, found);
    }
    t.diagnostic(`cases run: ${PLAYED.length}, alike: ${PLAYED.length - different.size}, listed: ${different.size}`);
    const unlisted = [...different].filter(([name]) => DIFFERENT[name] === undefined);
    assert.deepEqual(unlisted, []);
    assert.deepEqual(
      [...different.keys()].toSorted(),
      Object.keys(DIFFERENT).toSorted(),
      'listed, but with the same result',
    );
  },
);

test('every reason is in docs/reference/kolla-contract.md', () => {
  const page = readFileSync(new URL('../../docs/reference/kolla-contract.md', import.meta.url), 'utf8');
  const missing = new Set(Object.values(DIFFERENT).filter((reason) => !page.includes(reason)));
  assert.deepEqual([...missing], []);
});

async function compare(one: Case): Promise<string | undefined> {
  const theirs = await play(one, byUs);
  const ours = await play(one, byInit);
  for (const [i, their] of theirs.entries()) {
    const our = ours[i]!;
    if ((their.code === 0) !== (our.code === 0))
      return `start ${i + 1} ended with ${their.code} | ${our.code}: ${our.stderr}`;
    if (their.code !== 0) continue;
    const found = differences(placed(their.tree), placed(our.tree));
    if (found.length > 0) return `start ${i + 1}: ${found.join('; ')}`;
  }
  return undefined;
}

/** The tree without the private state of either tool. */
function placed(tree: Map<string, Seen>): Map<string, Seen> {
  const own =
    /^(?:|run|run\/kolla.*|etc|etc\/kolla|etc\/kolla\/defaults.*|run_command|configured|var|var\/lib|var\/lib\/kolla.*)$/s;
  return new Map([...tree].filter(([path]) => !own.test(path)));
}
