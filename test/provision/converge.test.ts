import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Part } from '../../src/provision/converge/change.ts';
import { converge } from '../../src/provision/converge/converge.ts';
import type { Effects } from '../../src/provision/converge/effects.ts';
import { ConflictError } from '../../src/provision/converge/conflict.ts';
import { UnavailableError } from '../../src/core/errors.ts';
import type { Log } from '../../src/core/log.ts';

const never = new AbortController().signal;

function effects(said: string[] = [], deadline: AbortSignal = never): Effects {
  const say = (text: string) => void said.push(text);
  const log: Log = { debug: say, info: say, warn: say, error: say, with: () => log };
  return { signal: never, log, deadline, timeoutMs: 1000 };
}

/** A part that consists of these objects. `make` creates one. */
function part(
  things: readonly string[],
  make: (name: string, there: Set<string>) => void,
): Pick<Part, 'name' | 'plan'> & { readonly there: Set<string> } {
  const there = new Set<string>();
  return {
    name: 'users',
    there,
    plan: () =>
      Promise.resolve(
        things
          .filter((name) => !there.has(name))
          .map((name) => ({ action: 'create', kind: 'role', name, fields: [], apply: async () => make(name, there) })),
      ),
  };
}

test('every difference is shown before the first change', async () => {
  const said: string[] = [];
  const made = await converge(
    part(['a', 'b'], (name, there) => {
      said.push(`made ${name}`);
      there.add(name);
    }),
    effects(said),
  );
  assert.equal(made, 2);
  assert.deepEqual(said, ['create role a', 'create role b', 'made a', 'made b']);
});

test('outdated state is read again, and an object created meanwhile by another client is not created twice', async () => {
  const tried: string[] = [];
  const made = await converge(
    part(['a', 'b'], (name, there) => {
      tried.push(name);
      there.add(name);
      if (name === 'a') throw new ConflictError(new UnavailableError('409'));
    }),
    effects(),
  );
  assert.deepEqual([made, tried], [1, ['a', 'b']]);
});

test('state that stays outdated is read again until the deadline, whose error names the next change', async () => {
  const never409 = part(['a'], () => {
    throw new ConflictError(new UnavailableError('Keystone answers 409'));
  });
  await assert.rejects(converge(never409, effects([], AbortSignal.timeout(200))), /next change: create role a/);
});

for (const [action, most] of [
  ['update', 1],
  ['create', 4],
] as const) {
  test(`an ${action} that does not persist is an error; number of attempts: ${most}`, async () => {
    let times = 0;
    const apply = async () => void times++;
    const fought: Pick<Part, 'name' | 'plan'> = {
      name: 'users',
      plan: () => Promise.resolve([{ action, kind: 'role', name: 'a', fields: [], apply }]),
    };
    await assert.rejects(
      converge(fought, effects()),
      /role a was set, but still differs: another client changes it too/,
    );
    assert.equal(times, most);
  });
}

test('contradicting state is read again, and is an error if it persists', async () => {
  let reads = 0;
  const twice = new ConflictError(new UnavailableError('there are 2'));
  const settling: Pick<Part, 'name' | 'plan'> = {
    name: 'endpoints',
    plan: () => (++reads < 3 ? Promise.reject(twice) : Promise.resolve([])),
  };
  assert.equal(await converge(settling, effects()), 0);
  assert.equal(reads, 3);
  await assert.rejects(
    converge({ name: 'endpoints', plan: () => Promise.reject(twice) }, effects()),
    /^UnavailableError: there are 2$/,
  );
});

test('a denied request ends the run immediately', async () => {
  const refused = part(['a', 'b'], () => {
    throw new UnavailableError('no');
  });
  await assert.rejects(converge(refused, effects()), /^UnavailableError: no$/);
});
