import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnavailableError } from '../../../src/core/errors.ts';
import { parseWorkload } from '../../../src/kube/rollout-kinds.ts';
import { watchWorkload } from '../../../src/migrate/rollout/watch.ts';
import type { KubeObject, Observation, SetRef } from '../../../src/kube/types.ts';
import { scriptedClient, seen, setOf, type Script } from '../../wait/support.ts';

const db = parseWorkload('statefulset/db', '--after-rollout');
const withSelector = (app: string) => seen({ spec: { selector: { matchLabels: { app } } } }, { name: 'db' });
const pod = { metadata: { name: 'db-0' } };

/** The first `count` observations, as text. */
async function sights(script: Script, count: number): Promise<string[]> {
  const stop = new AbortController();
  const told: string[] = [];
  const context = { kube: scriptedClient(script), signal: stop.signal, warn: assert.fail };
  for await (const sight of watchWorkload(db, context)) {
    if (sight.is === 'there') told.push(sight.pods.map(({ metadata }) => metadata.name).join(' '));
    else told.push(sight.is === 'absent' ? 'absent' : sight.why);
    if (told.length === count) break;
  }
  return told;
}

test('the state is unknown while one of the watches fails, and is known again afterwards', async () => {
  const set: Script['set'] = () => [
    setOf(pod),
    { kind: 'trouble', reason: 'ECONNREFUSED' },
    { kind: 'connected' },
    setOf(),
  ];
  const told = await sights({ one: () => [withSelector('db')], set }, 4);
  assert.deepEqual(told, ['db-0', 'API server: ECONNREFUSED', 'db-0', '']);
});

test('after a re-creation with another selector, the Pods of the new selector are watched', async () => {
  const one = (): Observation<KubeObject>[] => [
    { kind: 'absent' },
    withSelector('old'),
    { kind: 'deleted', object: undefined },
    withSelector('new'),
  ];
  const asked: (string | undefined)[] = [];
  const set = ({ labelSelector }: SetRef) => {
    asked.push(labelSelector);
    return labelSelector === 'app=new' ? [setOf(pod)] : [];
  };
  assert.deepEqual(await sights({ one, set }, 3), ['absent', 'absent', 'db-0']);
  assert.deepEqual(asked, ['app=old', 'app=new']);
});

test('a denied watch is an error', async () => {
  const set: Script['set'] = () => {
    throw new UnavailableError('no way');
  };
  await assert.rejects(sights({ one: () => [withSelector('db')], set }, 1), /no way/);
});
