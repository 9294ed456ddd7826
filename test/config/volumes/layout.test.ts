import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { test } from 'node:test';
import type { Mount } from '../../../src/config/mounts.ts';
import { parseDocument, type Document } from '../../../src/config/read/schema.ts';
import { isWithin } from '../../../src/fs/within.ts';
import { INIT_ROOT, layOut, type Layout } from '../../../src/config/volumes/layout.ts';
import { podSpec, type VolumeMount } from '../../../src/config/volumes/pod-spec.ts';

const USER = { name: 'nova', uid: 42_436, gid: 42_436, groups: [], supplementalGroups: [] };

function documentWith(permissions: readonly string[]): Document {
  const document = parseDocument({
    command: 'true',
    permissions: permissions.map((path) => ({ path, owner: 'nova' })),
  });
  if ('problems' in document) throw new Error(String(document.problems));
  return document;
}

function mount(path: string, more: Partial<Mount> = {}): Mount {
  return { path, kind: 'directory', entries: [path], reload: 'live', seed: undefined, data: false, ...more };
}

function mountsOf(layout: Layout): { readonly init: readonly VolumeMount[]; readonly service: readonly VolumeMount[] } {
  const parts = { user: USER, layout, limit: '16Mi', name: undefined, initArguments: [], environment: [] };
  const { initContainers, containers } = podSpec(parts);
  return { init: initContainers[0].volumeMounts, service: containers[0].volumeMounts };
}

/** The volume that contains a path of the container, and the path in that volume. */
function placeIn(mounts: readonly VolumeMount[], path: string): string | undefined {
  const inside = mounts.filter(({ mountPath }) => isWithin(mountPath, path));
  const [mounted] = inside.toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  if (mounted === undefined) return undefined;
  const rest = path.slice(mounted.mountPath.length);
  return `${mounted.name}:/${mounted.subPath ?? ''}${rest}`.replace('//', '/');
}

/** Deterministic pseudo-random numbers below `n`. */
function seeded(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const WORDS = ['etc', 'var', 'lib', 'log', 'kolla', 'nova', 'share', 'run', 'srv'];

function randomLayout(seed: number): Layout {
  const below = seeded(seed);
  const path = () => `/${Array.from({ length: 1 + below(4) }, () => WORDS[below(WORDS.length)]).join('/')}`;
  const found = new Map<string, Mount>();
  for (let i = below(8); i >= 0; i--) {
    const kind = below(4) === 0 ? 'file' : 'directory';
    const at = path();
    // Rules as in mountsFor: no mount is inside another one, and shared directories are not mounted.
    const isInner = [...found.keys()].some((other) => isWithin(other, at) || isWithin(at, other));
    const isShared = ['/etc', '/var', '/var/lib', '/var/log', '/run'].includes(at) || isWithin(at, '/var/log/kolla');
    if (!isInner && !isShared) found.set(at, mount(at, { kind, data: kind === 'directory' && below(3) === 0 }));
  }
  return layOut([...found.values()], documentWith([]));
}

test('the service finds the files that kolla-init writes, for 500 random layouts', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const layout = randomLayout(seed);
    const { init, service } = mountsOf(layout);
    for (const { path, purpose } of layout.places) {
      if (purpose === 'temporary') continue;
      for (const file of [path, `${path}/some/file`]) {
        const written = placeIn(init, `${INIT_ROOT}${file}`);
        assert.ok(written, `seed ${seed}: kolla-init has no volume at ${file}`);
        assert.equal(placeIn(service, file), written, `seed ${seed}: ${file}`);
      }
    }
  }
});

test('the runtime need not create a directory of a volume as root, for 500 random layouts', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const { init } = mountsOf(randomLayout(seed));
    const tree = init.filter(({ name }) => name === 'kolla');
    for (const { name, mountPath } of init) {
      if (name === 'kolla' || !tree.some((outer) => isWithin(outer.mountPath, mountPath))) continue;
      const above = dirname(mountPath);
      assert.ok(
        tree.some((each) => each.mountPath === above),
        `seed ${seed}: ${mountPath} is in a volume, and ${above} would be root's`,
      );
    }
  }
});

test('the kubelet creates an outer directory before an inner one', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const paths = mountsOf(randomLayout(seed)).init.map(({ mountPath }) => mountPath);
    for (const [i, inner] of paths.entries())
      for (const outer of paths.slice(i + 1))
        assert.ok(outer === inner || !isWithin(outer, inner), `seed ${seed}: ${outer}`);
  }
});

test('logs and temporary files have separate volumes, whatever their content', () => {
  const { places } = layOut([mount('/var/log/kolla/nova'), mount('/tmp/nova')], documentWith([]));
  assert.deepEqual(
    places.map(({ path, volume, entries }) => [path, volume, entries]),
    [
      ['/run/kolla', 'kolla', []],
      ['/tmp', 'tmp', ['/tmp/nova']],
      ['/var/log/kolla', 'logs', ['/var/log/kolla/nova']],
    ],
  );
});

test('a directory whose owner is set by an entry is data, also if a file is installed into it; in /etc it is configuration', () => {
  const document = documentWith(['/var/lib/rabbitmq/', '/etc/rabbitmq']);
  const { places } = layOut([mount('/etc/rabbitmq'), mount('/var/lib/rabbitmq')], document);
  const purposes = new Set(places.map(({ path, purpose }) => `${path} ${purpose}`));
  assert.ok(purposes.has('/var/lib/rabbitmq data'));
  assert.ok(purposes.has('/etc/rabbitmq config'));
});

test('two directories with colliding names have two volumes', () => {
  const { places } = layOut([mount('/srv/a-b', { data: true }), mount('/srv/a/b', { data: true })], documentWith([]));
  const volumes = places.filter(({ purpose }) => purpose === 'data').map(({ volume }) => volume);
  assert.deepEqual(volumes, ['srv-a-b', 'srv-a-b-2']);
});

test('a directory inside a mount of the same volume is not mounted again', () => {
  const { places } = layOut([mount('/etc/ssl'), mount('/etc/ssl/certs')], documentWith([]));
  assert.deepEqual(
    places.filter(({ purpose }) => purpose === 'config').map(({ path }) => path),
    ['/etc/ssl'],
  );
});
