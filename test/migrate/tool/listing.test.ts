import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChildError, UnavailableError } from '../../../src/core/errors.ts';
import { Pulse } from '../../../src/migrate/child/pulse.ts';
import { findListed, type Reader } from '../../../src/migrate/tool/listing.ts';
import { toDo } from '../../../src/migrate/tool/plan-tool.ts';
import type { Task } from '../../../src/migrate/tool/task.ts';
import { redactor } from '../../../src/core/redact.ts';
import { recordedLog } from '../../support/recorded-log.ts';

/** Used in place of the lock session's socket where the test does not need it. */
const NO_SOCKET = 2;
const reader = {
  session: { at: { host: 'db', port: 1 }, descriptor: NO_SOCKET },
  childEnv: () => ({ PATH: process.env['PATH'] }),
} as unknown as Reader;

function effects(signal: AbortSignal = new AbortController().signal) {
  return { signal, log: recordedLog().log, redact: redactor([]) };
}

/** A tool that lists the output of the script. */
function listing(script: string) {
  const done = {
    listed: {
      argv: ['sh', '-c', script] as [string, ...string[]],
      line: String.raw`^(?<name>\w*) (?<id>\d) (?<url>\S+)$`,
      is: { name: 'ours' },
      not: { id: '0' },
      sameUrl: 'url',
    },
    update: [{ argv: ['tool', 'set', '{id}', '{name}', '{other}'] }] as const,
    wanted: { url: 'mysql://u:new-s3cret@db/ours' },
  };
  const task: Task = {
    name: 'thing',
    steps: [{ argv: ['tool', 'make'] }],
    environment: {},
    shown: {},
    secrets: {},
    throwawayKeys: [],
    lacks: undefined,
    settings: { name: 'ours' },
    done,
    redact: redactor(['new-s3cret']),
  };
  return { task, done };
}

async function found(script: string) {
  const { task, done } = listing(script);
  return await findListed(task, done, reader, effects());
}

test('our line is found among others, and other text is skipped', async () => {
  const line = await found("echo warning: old; echo other 1 u; echo 'ours 2 v'; echo >&2 more words here");
  assert.deepEqual({ ...line }, { name: 'ours', id: '2', url: 'v' });
  assert.equal(await found('echo other 1 u'), undefined);
});

test('an entry with another name but the same URL is ours, except for excluded names', async () => {
  assert.equal((await found('echo theirs 3 mysql://x:y@db:3306/ours'))?.['name'], 'theirs');
  assert.equal(await found('echo theirs 0 mysql://x:y@db:3306/ours; echo ours 0 u'), undefined);
});

test('two candidates are rejected, without their URLs', async () => {
  await assert.rejects(
    found('echo ours 1 mysql://u:old-s3""cret@a/a; echo x 2 mysql://u:old-s3""cret@db/ours'),
    (error: unknown) => {
      assert.ok(error instanceof UnavailableError);
      assert.match(error.message, /2 candidates match \(name 'ours'; name 'x'\)/);
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    },
  );
});

test('a failing tool is an error with its exit code and reason', async () => {
  await assert.rejects(found("echo 'why: new-s3cret'; exit 3"), (error: unknown) => {
    assert.ok(error instanceof ChildError);
    assert.equal(error.exitCode, 3);
    assert.match(error.message, /^sh exited with code 3 listing existing objects: why: \*\*\*$/);
    return true;
  });
});

test('shutdown does not wait for a hanging tool', async () => {
  const { task, done } = listing('sleep 1000');
  const reason = new Error('ended');
  await assert.rejects(findListed(task, done, reader, effects(AbortSignal.abort(reason))), reason);
});

test('a lost lock stops the tool too', async () => {
  const { task, done } = listing('sleep 1000');
  const reason = new Error('lost');
  await assert.rejects(findListed(task, done, { ...reader, lost: AbortSignal.abort(reason) }, effects()), reason);
});

test('a tool that was not started, because the lock was not confirmed in time, has not failed itself', async () => {
  const { task, done } = listing('echo ours 2 v');
  const pulse = new Pulse(() => performance.now() - 1);
  await assert.rejects(findListed(task, done, { ...reader, pulse }, effects()), {
    exitCode: 69,
    message: /^sh: the lock was not confirmed in time/,
  });
});

test('neither of two passwords is shown, and the same object is updated', async () => {
  const { task } = listing('echo theirs 3 mysql://u:old-s3cret@db/ours');
  const todo = await toDo(task, { service: 's', release: '' }, reader, effects());
  assert.deepEqual(todo?.change.fields, [
    { name: 'name', after: 'theirs' },
    { name: 'url password', before: 'another', after: 'as configured' },
  ]);
  assert.deepEqual(todo?.steps, [{ argv: ['tool', 'set', '3', 'theirs', '{other}'] }]);
});

test('missing objects are created, and up-to-date ones kept', async () => {
  const site = { service: 's', release: '' };
  const missing = await toDo(listing('true').task, site, reader, effects());
  assert.deepEqual(missing?.change, {
    action: 'create',
    kind: 'tool',
    name: 'thing',
    fields: [
      { name: 'run', after: 'tool make' },
      { name: 'name', after: 'ours' },
      { name: 'url', after: 'mysql://u:***@db/ours' },
    ],
  });
  assert.equal(
    await toDo(listing('echo ours 1 mysql://u:new-s3cret@db/ours').task, site, reader, effects()),
    undefined,
  );
});
