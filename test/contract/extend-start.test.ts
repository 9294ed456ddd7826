import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { extendScripts } from './extend-start/images.ts';
import { NEEDS_ROOT } from './extend-start/needs-root.ts';
import { pageOf } from './extend-start/page.ts';
import { runAll, type Outcome } from './extend-start/runs.ts';
import { KOLLA_VERSION, canHaveKolla, kollaPackage } from './kolla-package.ts';
import { canThrowAwayRoots, inThrowAwayRoot } from './throw-away-root.ts';

const PAGE = new URL('../../docs/reference/rootless-extend-start.md', import.meta.url);

/** Whether an image's programs outside of /usr/local can be overlaid on this machine's /usr. */
async function canLayOver(): Promise<string | undefined> {
  const { code, stderr } = await inThrowAwayRoot('test -e /usr/share/laid-over', {
    tree: { 'usr/share/laid-over': '' },
  });
  return code === 0 ? undefined : `no overlay file system: ${stderr.trim().slice(0, 200)}`;
}

const missing = (await canThrowAwayRoots()) ?? (await canLayOver()) ?? (await canHaveKolla());
const skip = missing ?? false;

let outcomes: readonly Outcome[];
before(async () => {
  if (missing !== undefined) return;
  const docker = await kollaPackage();
  outcomes = await runAll(docker, await extendScripts(docker));
});

const keyOf = ({ script, variable }: Pick<Outcome, 'script' | 'variable'>) => `${script} ${variable}`.trim();

test('every extend script of the package starts without root', { skip }, () => {
  const scripts = new Set(outcomes.map(({ script }) => script));
  const good = outcomes.filter(({ reason }) => reason === '').length;
  console.log(
    `${scripts.size} scripts, ${outcomes.length} starts without root: ${good} pass, ${outcomes.length - good} listed`,
  );
  assert.ok(scripts.size >= 95, `only ${scripts.size} were found`);
});

test('exactly the listed starts need root, each for the listed reason', { skip }, () => {
  const listed = new Map(
    NEEDS_ROOT.flatMap((each) => each.variables.map((variable) => [keyOf({ ...each, variable }), each.why] as const)),
  );
  const failed = outcomes.filter(({ reason }) => reason !== '');
  for (const outcome of failed) assert.match(outcome.reason, listed.get(keyOf(outcome)) ?? /^(?!)/, keyOf(outcome));
  const known = new Set(outcomes.map(keyOf));
  const stale = [...listed.keys()].filter((key) => known.has(key) && !failed.some((each) => keyOf(each) === key));
  assert.deepEqual(stale, [], 'these pass: remove them from the list');
});

test('KOLLA_BOOTSTRAP runs the migration instead of the service', { skip }, () => {
  const ran = (key: string) => outcomes.find((outcome) => keyOf(outcome) === key)?.ran;
  assert.deepEqual(ran('keystone/keystone/extend_start.sh KOLLA_BOOTSTRAP'), ['keystone-manage db_sync']);
  assert.deepEqual(ran('glance/glance-api/extend_start.sh KOLLA_BOOTSTRAP'), [
    'glance-manage db_sync',
    'glance-manage db_load_metadefs',
  ]);
  assert.deepEqual(ran('gnocchi/gnocchi-api/extend_start.sh KOLLA_BOOTSTRAP'), [
    'gnocchi-upgrade --log-file /var/log/kolla/gnocchi/gnocchi-upgrade.log',
  ]);
});

test('docs/reference/rootless-extend-start.md matches the observed behaviour', { skip }, async () => {
  const page = pageOf(outcomes, KOLLA_VERSION);
  if (process.env['UPDATE_DOCS'] === '1') await writeFile(PAGE, page);
  const there = await readFile(PAGE, 'utf8').catch(() => '');
  assert.equal(
    there === page,
    true,
    'the page is out of date: run this file with UPDATE_DOCS=1 and review the changes',
  );
});
