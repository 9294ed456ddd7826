import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSeries, optsIntoKhepri, refusalOf, removesMirroring } from '../../src/rabbitmq/steps.ts';
import { parseVersion, type Version } from '../../src/rabbitmq/version.ts';

function version(text: string): Version {
  const parsed = parseVersion(text);
  assert.ok(parsed, text);
  return parsed;
}

const judge = (from: string, to: string, flags?: readonly string[]) =>
  refusalOf({ from: version(from), to: version(to), flags: flags && new Set(flags) });

test('supported upgrades, and other patch releases in both directions, are allowed', () => {
  for (const [from, to] of [
    ['3.10.8', '3.11.0'],
    ['3.12.14', '3.13.7'],
    ['3.13.7', '4.0.5'],
    ['3.13.7', '4.2.1'],
    ['4.0.5', '4.1.0'],
    ['4.0.5', '4.2.9'],
    ['4.2.9', '4.3.6'],
    ['4.3.6', '4.4.0'],
    ['4.3.6', '4.3.6'],
    ['4.3.2', '4.3.6'],
    ['4.3.6', '4.3.2'],
  ] as const)
    assert.equal(judge(from, to), undefined, `${from} -> ${to}`);
});

test('an unsupported upgrade is refused with both versions, the next series and the whole way', () => {
  for (const [from, to, next, way] of [
    ['3.10.8', '4.0.5', '3.11', '3.10 -> 3.11 -> 3.12 -> 3.13 -> 4.0'],
    ['4.0.5', '4.3.6', '4.1 or 4.2', '4.0 -> 4.2 -> 4.3'],
    ['3.13.7', '4.3.6', '4.0 or 4.1 or 4.2', '3.13 -> 4.2 -> 4.3'],
    ['4.1.8', '4.3.6', '4.2', '4.1 -> 4.2 -> 4.3'],
    ['3.12.1', '4.0.5', '3.13', '3.12 -> 3.13 -> 4.0'],
  ] as const) {
    const said = judge(from, to) ?? '';
    assert.ok(said.startsWith(`RabbitMQ ${from} -> ${to}: `), said);
    assert.ok(said.includes(`the next is ${next}.`) && said.includes(`upgrade in steps: ${way};`), said);
    assert.match(said, /docs\/how-to\/upgrades\.md/);
  }
  assert.match(judge('4.3.6', '5.0.0') ?? '', /create a new cluster and move the clients/);
});

test('there is no way back to an older series', () => {
  for (const [from, to] of [
    ['4.3.6', '4.2.9'],
    ['4.0.5', '3.13.7'],
  ] as const)
    assert.match(judge(from, to) ?? '', /no way back/);
});

test('a series with Khepri alone needs its feature flag, and Khepri of 3.13 cannot be upgraded', () => {
  assert.equal(judge('4.2.9', '4.3.6', ['khepri_db']), undefined);
  assert.match(judge('4.2.9', '4.3.6', ['quorum_queue']) ?? '', /enable_feature_flag --opt-in khepri_db/);
  assert.equal(judge('4.0.5', '4.2.9', ['quorum_queue']), undefined);
  assert.equal(judge('4.3.6', '4.4.0', []), undefined);
  assert.match(judge('3.13.7', '4.0.5', ['khepri_db']) ?? '', /Khepri of 3\.13 cannot be upgraded/);
});

test('Khepri is opted into from 4.0 to 4.2, and mirrored queues end with 4.0', () => {
  const opted = ['3.13.7', '4.0.5', '4.1.0', '4.2.9', '4.3.6'].filter((text) => optsIntoKhepri(version(text)));
  assert.deepEqual(opted, ['4.0.5', '4.1.0', '4.2.9']);
  assert.equal(removesMirroring({ from: version('3.13.7'), to: version('4.2.9') }), true);
  assert.equal(removesMirroring({ from: version('3.12.1'), to: version('3.13.7') }), false);
  assert.equal(removesMirroring({ from: version('4.0.5'), to: version('4.2.9') }), false);
  assert.deepEqual(nextSeries(version('3.11.28')), ['3.12']);
});

test('a text that is no version is none', () => {
  for (const text of ['', '4', 'v4.0.5', '4.0.5\n4.0.6', '4.0. 5', '99999.0.0', '4.x.1', 'x'.repeat(1e5)])
    assert.equal(parseVersion(text), undefined, text.slice(0, 20));
  for (const text of ['4.3.0-rc.1', '3.10.8', '4.0', '4.1.0+1.gabc']) assert.equal(version(text).text, text);
});
