import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { extendScripts, type ExtendScript } from './extend-start/images.ts';
import { NEEDS_ROOT } from './extend-start/needs-root.ts';
import { pageOf } from './extend-start/page.ts';
import { runAll, type Outcome } from './extend-start/runs.ts';
import { stub } from './extend-start/settings.ts';
import { canHaveKolla, KOLLA_VERSION, kollaPackage, LATEST_KOLLA_VERSION } from './kolla-package.ts';
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
/** Those of the earlier release's scripts that differ from the latest. */
let earlier: readonly Outcome[];
let earlierNames: readonly string[];
before(async () => {
  if (missing !== undefined) return;
  const [docker, former] = [await kollaPackage(LATEST_KOLLA_VERSION), await kollaPackage(KOLLA_VERSION)];
  const scripts = await extendScripts(docker);
  outcomes = await runAll(docker, scripts);
  const texts = new Set(await Promise.all(scripts.map((script) => textOf(docker, script))));
  const all = await extendScripts(former);
  earlierNames = all.map(({ script }) => script);
  const known = await Promise.all(all.map(async (script) => texts.has(await textOf(former, script))));
  earlier = await runAll(
    former,
    all.filter((_, i) => !known[i]),
  );
});

/** All that a start depends on. */
async function textOf(docker: string, { script, user, files }: ExtendScript): Promise<string> {
  const read = async ([path, file]: [string, string]) => [path, file && (await readFile(join(docker, file), 'utf8'))];
  return JSON.stringify([script, user, await Promise.all([...files].map(read))]);
}

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
  for (const starts of [outcomes, earlier]) {
    const failed = starts.filter(({ reason }) => reason !== '');
    for (const outcome of failed) assert.match(outcome.reason, listed.get(keyOf(outcome)) ?? /^(?!)/, keyOf(outcome));
    const known = new Set(starts.map(keyOf));
    const stale = [...listed.keys()].filter((key) => known.has(key) && !failed.some((each) => keyOf(each) === key));
    assert.deepEqual(stale, [], 'these pass: remove them from the list');
  }
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

test("libvirt's start command is root's alone, and starts libvirtd after virtlogd", { skip }, async () => {
  const docker = await kollaPackage(LATEST_KOLLA_VERSION);
  for (const image of ['nova-libvirt', 'nova-libvirt-spice']) {
    const directory = `${docker}/nova/${image}`;
    const dockerfile = await readFile(`${directory}/Dockerfile.j2`, 'utf8');
    assert.match(dockerfile, /chmod 744 \/usr\/local\/bin\/kolla_nova_libvirt_start/);
    const text = await readFile(`${directory}/kolla_nova_libvirt_start.sh`, 'utf8');
    const tree = {
      'usr/local/bin/kolla_nova_libvirt_start': { text, mode: 0o744 },
      // The one in the background may be the later one.
      'usr/sbin/virtlogd': stub(': > /tmp/up'),
      'usr/sbin/libvirtd': stub('read -r < /tmp/up || true'),
    };
    const root = await inThrowAwayRoot('mkfifo /tmp/up; kolla_nova_libvirt_start', { tree });
    assert.deepEqual(
      [root.code, root.stderr.trim().split(/ *\n/).toSorted()],
      [0, ['ran: libvirtd --listen', 'ran: virtlogd']],
    );
    const service = await inThrowAwayRoot('kolla_nova_libvirt_start', { tree, uid: 42_436 });
    assert.equal(service.code, 126, service.stderr);
  }
});

test('docs/reference/rootless-extend-start.md matches the observed behaviour', { skip }, async () => {
  const page = pageOf(
    { version: LATEST_KOLLA_VERSION, outcomes },
    { version: KOLLA_VERSION, outcomes: earlier, names: earlierNames },
  );
  if (process.env['UPDATE_DOCS'] === '1') await writeFile(PAGE, page);
  const there = await readFile(PAGE, 'utf8').catch(() => '');
  assert.equal(
    there === page,
    true,
    'the page is out of date: run this file with UPDATE_DOCS=1 and review the changes',
  );
});
