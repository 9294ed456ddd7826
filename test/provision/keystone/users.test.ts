import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf } from '../../../src/provision/converge/change.ts';
import { planUsers } from '../../../src/provision/keystone/users/plan.ts';
import { assignmentKey, type UsersState } from '../../../src/provision/keystone/users/state.ts';
import { keyOf, wantedUsers, type FoundAccount } from '../../../src/provision/keystone/users/want.ts';
import { heat } from '../../../src/catalog/heat.ts';
import { placement } from '../../../src/catalog/placement.ts';

const NONE: FoundAccount = { password: 'hidden', passwordPlace: '' };
const wanted = wantedUsers(placement.identity!, () => NONE);
const [user] = wanted.users;
const SERVICE = keyOf({ name: 'service', domain: 'Default' });

/** Keystone with all objects that Placement needs. */
function whole(): UsersState {
  return {
    domains: new Map([['Default', { id: 'default' }]]),
    projects: new Map([[SERVICE, { id: 'p' }]]),
    roles: new Map([
      ['admin', { id: 'a' }],
      ['service', { id: 's' }],
    ]),
    users: new Map([[keyOf(user!), { id: 'u' }]]),
    assignments: new Set(['a', 's'].map((role) => assignmentKey('projects/p', 'u', role))),
    refused: new Set(),
  };
}

function lines(change: (state: UsersState) => void): string[] {
  const state = whole();
  change(state);
  return planUsers(wanted, state).map(lineOf);
}

test('up-to-date objects are not changed', () => {
  assert.deepEqual(
    lines(() => {}),
    [],
  );
});

test('on an empty cloud project, account, roles and assignments are created, in that order', () => {
  const changes = lines((state) => {
    for (const part of [state.projects, state.roles, state.users, state.assignments]) part.clear();
  });
  assert.deepEqual(changes, [
    'create project service',
    'create user placement',
    'create role admin',
    'create role service',
    'create assignment admin of placement on project service',
    'create assignment service of placement on project service',
  ]);
});

test('a password is set only if Keystone rejects it; it is not shown', () => {
  assert.deepEqual(
    lines((state) => state.refused.add(keyOf(user!))),
    ['update password of user placement: token request answered by 401 -> answered by 201'],
  );
});

test('a disabled object is shown as disabled before it is enabled', () => {
  assert.deepEqual(
    lines((state) => {
      state.users.set(keyOf(user!), { id: 'u', enabled: false });
      state.projects.set(SERVICE, { id: 'p', enabled: false });
    }),
    ['update project service: enabled false -> true', 'update user placement: enabled false -> true'],
  );
});

test('a removed role is assigned again, additional ones are kept', () => {
  assert.deepEqual(
    lines((state) => {
      state.assignments.delete(assignmentKey('projects/p', 'u', 's'));
      state.assignments.add(assignmentKey('projects/p', 'u', 'other'));
      state.assignments.add(assignmentKey('projects/q', 'u', 's'));
    }),
    ['create assignment service of placement on project service'],
  );
});

test("names in the service's configuration replace the catalogue's, also in grants", () => {
  const { domains, users, projects } = wantedUsers(heat.identity!, ({ name }) =>
    name === 'heat' ? { ...NONE, name: 'heat-osh', project: 'services' } : { ...NONE, domain: 'stacks' },
  );
  assert.deepEqual(domains, ['stacks']);
  assert.deepEqual(projects, [{ name: 'services', domain: 'Default' }]);
  assert.deepEqual(
    users.map(({ name, domain, grants }) => [name, domain, grants.at(-1)]),
    [
      ['heat-osh', 'Default', { role: 'service', project: { name: 'services', domain: 'Default' } }],
      ['heat_domain_admin', 'stacks', { role: 'admin', domain: 'stacks' }],
    ],
  );
});

test("domains named in the service's configuration are created too, as in openstack-helm", () => {
  const found = { ...NONE, domain: 'service', projectDomain: 'service' };
  const elsewhere = wantedUsers(placement.identity!, () => found);
  const nothing = { ...whole(), projects: new Map(), users: new Map() };
  assert.deepEqual(planUsers(elsewhere, nothing).map(lineOf), [
    'create domain service',
    'create project service in domain service',
    'create user placement in domain service',
    'create assignment admin of placement in domain service on project service in domain service',
    'create assignment service of placement in domain service on project service in domain service',
  ]);
});
