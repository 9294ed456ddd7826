import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { Keystone, type Login } from '../../../src/provision/keystone/api/keystone.ts';
import { planUserRemoval } from '../../../src/provision/keystone/users/index.ts';
import { readUsers } from '../../../src/provision/keystone/users/state.ts';
import { keyOf, wantedUsers } from '../../../src/provision/keystone/users/want.ts';
import { UnavailableError } from '../../../src/core/errors.ts';
import { placement } from '../../../src/catalog/placement.ts';
import { listenHttp } from '../../support/server.ts';
import { quietEffects } from '../effects-support.ts';

const LOGIN: Login = { name: 'placement', domain: 'default', password: 'hidden' };
const wanted = wantedUsers(placement.identity!, () => ({ password: 'hidden', passwordPlace: '' }));
const [user] = wanted.users;

/** A server with these responses by `METHOD /path`, without the query; other requests get Keystone's 404. */
async function keystoneOf(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const server = await listenHttp((request: IncomingMessage, response: ServerResponse) => {
    const at = `${request.method} ${request.url?.replace(/\?.*/, '')}`;
    asked.push(at);
    const found = answers[at];
    if (typeof found === 'number') return void response.writeHead(found).end('<html>');
    if (typeof found === 'string') return void response.end(found);
    if (found === undefined) return void response.writeHead(404).end('{"error":{"message":"none"}}');
    response.end(JSON.stringify(found));
  });
  const keystone = keystoneAt(server.port);
  return { keystone, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

function keystoneAt(port: number): Keystone {
  const url = new URL(`http://127.0.0.1:${port}/v3`);
  const access = {
    authUrl: url,
    apiUrl: url,
    trust: { insecure: false },
    proof: { token: 't' },
    who: 'x',
    region: undefined,
  };
  return new Keystone({ ...access, secrets: ['t'] }, quietEffects());
}

for (const [what, answer] of [
  ['a page', '<html>back soon</html>'],
  ['another JSON', { status: 'ok' }],
  ['null', 'null'],
] as const) {
  test(`${what} with status 200 counts neither as an empty list nor as a created object`, async () => {
    await using fake = await keystoneOf({
      'GET /v3/users': answer,
      'GET /v3/regions/a': answer,
      'POST /v3/users': answer,
    });
    const { keystone } = fake;
    for (const ask of [
      () => keystone.list('/users', 'users'),
      () => keystone.find('/regions/a', 'region'),
      () => keystone.create('/users', 'user', {}, 'create user x'),
    ]) {
      await assert.rejects(
        ask,
        (error) => error instanceof UnavailableError && error.message.endsWith('is not Keystone'),
      );
    }
  });
}

test('a 401 from another server does not mean a wrong password', async () => {
  await using fake = await keystoneOf({ 'POST /v3/auth/tokens': 401 });
  await assert.rejects(fake.keystone.knows(LOGIN), /the server at .*, which responds with 401, is not Keystone/);
});

test('while the domain is disabled no token is requested, so that no password is set', async () => {
  await using fake = await keystoneOf({
    'GET /v3/domains': { domains: [{ id: 'default', name: 'Default', enabled: false }] },
    'GET /v3/projects': { projects: [] },
    'GET /v3/roles': { roles: [] },
    'GET /v3/users': { users: [{ id: 'u', name: 'placement' }] },
    'GET /v3/role_assignments': { role_assignments: [] },
  });
  const state = await readUsers(fake.keystone, wanted);
  assert.deepEqual([state.users.get(keyOf(user!))?.id, state.refused.size], ['u', 0]);
  assert.ok(!fake.asked.includes('POST /v3/auth/tokens'));
});

test('a password is tested in the domain that was found, whatever its name', async () => {
  const tokens: unknown[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '', 'http://keystone');
    if (pathname === '/v3/auth/tokens') {
      const { auth } = (await json(request)) as { auth: { identity: { password: { user: object } } } };
      tokens.push(auth.identity.password.user);
      return void response.writeHead(201, { 'x-subject-token': 't' }).end('{}');
    }
    const key = pathname.split('/')[2] ?? '';
    const found = {
      '/v3/domains/default': { domain: { id: 'default', name: 'Corporate' } },
      '/v3/users': { users: [{ id: 'u', name: 'placement' }] },
    }[pathname];
    response.end(JSON.stringify(found ?? { [key]: [] }));
  };
  await using server = await listenHttp((request, response) => void answer(request, response));
  await readUsers(keystoneAt(server.port), wanted);
  assert.deepEqual(tokens, [{ name: 'placement', domain: { id: 'default' }, password: 'hidden' }]);
});

test('account names are compared without regard to case', async () => {
  for (const [name, count] of [
    ['somebody', 0],
    ['Placement', 1],
  ] as const) {
    await using fake = await keystoneOf({
      'GET /v3/domains': { domains: [{ id: 'default', name: 'Default' }] },
      'GET /v3/users': { users: [{ id: 'u', name }] },
      'GET /v3/auth/tokens': { token: { user: { id: 'admin' } } },
    });
    assert.equal((await planUserRemoval(fake.keystone, wanted)).length, count);
  }
});

test('the account in use is not removed', async () => {
  await using fake = await keystoneOf({
    'GET /v3/domains': { domains: [{ id: 'default', name: 'Default' }] },
    'GET /v3/users': { users: [{ id: 'u', name: 'placement' }] },
    'GET /v3/auth/tokens': { token: { user: { id: 'u' } } },
  });
  await assert.rejects(
    planUserRemoval(fake.keystone, wanted),
    /user placement is the account in use, and is not removed/,
  );
});
