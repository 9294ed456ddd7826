import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placesOf, preferring, parseMysqlUrl, urlAt, whyUnusable, type GaleraState } from '../../src/mysql/index.ts';

const SYNCED: GaleraState = { replicates: true, isReady: true, component: 'Primary', state: 'Synced', size: 3 };

test('a node that is Synced, ready and in the majority is usable', () => {
  assert.equal(whyUnusable(SYNCED, 'wait'), undefined);
});

test('a donor is usable by policy', () => {
  const donor = { ...SYNCED, state: 'Donor/Desynced' };
  assert.equal(whyUnusable(donor, 'ok'), undefined);
  assert.match(whyUnusable(donor, 'wait') ?? '', /Donor\/Desynced, not Synced/);
});

test('any other node reports why it is not usable', () => {
  const cases: [Partial<GaleraState>, RegExp][] = [
    [{ replicates: false }, /wsrep_on is OFF/],
    [{ component: 'non-Primary', state: 'Initialized', isReady: false }, /non-Primary: it has no quorum/],
    [{ component: 'Disconnected', state: 'Initialized', isReady: false }, /disconnected .* restart it/],
    [{ isReady: false, state: 'Joining' }, /Joining and not ready/],
    [{ state: 'Joined' }, /Joined, not Synced/],
  ];
  for (const [change, why] of cases) assert.match(whyUnusable({ ...SYNCED, ...change }, 'ok') ?? '', why);
});

const URL = 'mysql+pymysql://u:p%2F@db/d';
const PLACES = [
  { host: 'n1', port: 1 },
  { host: 'n2', port: 2 },
];

test('a target with several addresses is tried at each of them, but not if it has a socket', () => {
  const target = { ...parseMysqlUrl(URL), places: PLACES };
  assert.deepEqual(
    placesOf(target).map(({ host, port }) => ({ host, port })),
    PLACES,
  );
  assert.equal(placesOf({ ...target, socket: '/run/s' }).length, 1);
});

test('the address that accepted a connection is tried first from then on', () => {
  const target = { ...parseMysqlUrl(URL), places: PLACES };
  assert.deepEqual(preferring(target, PLACES[1]!).places, PLACES.toReversed());
  assert.deepEqual(preferring(target, { host: 'elsewhere', port: 2 }).places, PLACES);
  assert.equal(preferring(parseMysqlUrl(URL), PLACES[0]!).places, undefined);
});

test("a URL's host is replaced without touching account, database and parameters", () => {
  const moved = { host: 'n1', port: 3310 };
  assert.equal(urlAt(URL, moved), 'mysql+pymysql://u:p%2F@n1:3310/d');
  assert.equal(urlAt('mysql://u:p@[::1]:1/d?charset=utf8', moved), 'mysql://u:p@n1:3310/d?charset=utf8');
});
