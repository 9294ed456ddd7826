import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { ConfigError } from '../../src/core/errors.ts';
import { ownServices } from '../../src/catalog/own.ts';

const MURANO = `
murano:
  configFile: /etc/murano/murano.conf
  databases: [{ name: murano, url: [{ section: database, key: connection }] }]
  migration:
    phases:
      all: [{ argv: [murano-db-manage, upgrade] }]
      online: [{ argv: [murano-db-manage, move, 10], again: [1], codes: { 2: some failed } }]
    check: { argv: [murano-db-manage, check], codes: { 0: complete, 3: expand } }
  probes: [{ container: murano, liveness: process murano, readiness: connected murano 5672 }]
`;

function problemsOf(yaml: string): string {
  try {
    ownServices('kolla-pod.yaml', load(yaml), ['status']);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return '';
}

test('a service from YAML has the shape of a built-in one', () => {
  const [murano] = ownServices('kolla-pod.yaml', load(MURANO), []);
  assert.equal(murano?.name, 'murano');
  assert.deepEqual(murano?.migration.phases.online, [
    { argv: ['murano-db-manage', 'move', '10'], again: [1], codes: { 2: 'some failed' } },
  ]);
});

for (const [what, from, to, says] of [
  ['a misspelt key', 'databases', 'database', /services\.murano\.database: .*did you mean 'databases'/],
  [
    'a misspelt key of a probe',
    'readiness',
    'readyness',
    /murano\.probes\[0\]\.(?:readiness: is missing|readyness: there is no such key; did you mean 'readiness')/,
  ],
  ['a missing phase "all"', 'all:', 'expand:', /services\.murano\.migration\.phases\.all: is missing/],
  [
    'a command line for a shell',
    '[murano-db-manage, upgrade]',
    'murano-db-manage upgrade',
    /argv: must be a list of words/,
  ],
  ['an empty command line', '[murano-db-manage, upgrade]', '[]', /all\[0\]\.argv: has no program/],
  ['an invalid exit code', 'again: [1]', 'again: [256]', /again\[0\]: must be an exit code/],
  ['an unknown meaning', '3: expand', '3: expanded', /check\.codes\.3: must be one of complete, expand/],
  ['a check that never reports completion', '0: complete', '0: error', /codes: has no code for complete/],
  ['a relative file', '/etc/murano/murano.conf', 'murano.conf', /configFile: must be an absolute path/],
  ['a name that is invalid for Kubernetes objects', 'murano:', 'Murano:', /services\.Murano: is not a name/],
  ['the name of a command', 'murano:', 'status:', /services\.status: is the name of a command/],
  ['a list of services', 'murano:', '- murano:', /services: must be a mapping/],
  [
    'a URL without a file',
    'configFile: /etc/murano/murano.conf',
    'user: murano',
    /databases\[0\]\.url: requires a configFile/,
  ],
] as const) {
  test(`${what} is rejected with its location`, () => {
    assert.equal(problemsOf(MURANO), '');
    assert.match(problemsOf(MURANO.replace(from, to)), says);
  });
}

const MURANO_OF_BOOTSTRAP = `${MURANO}
  identity:
    users:
      - name: murano
        grants: [{ role: admin, project: service }]
        places: { password: { section: keystone_authtoken, key: password } }
    services:
      - { name: murano, type: application-catalog, description: Applications, endpoints: { public: { port: 8082, path: "" } } }
  queue: { vhost: /, user: murano, url: [{ section: DEFAULT, key: transport_url }] }
`;

test("the Keystone and RabbitMQ sections of a user's service are parsed", () => {
  const [murano] = ownServices('kolla-pod.yaml', load(MURANO_OF_BOOTSTRAP), []);
  assert.deepEqual(murano?.identity?.users?.[0]?.grants, [{ role: 'admin', project: 'service' }]);
  assert.deepEqual(murano?.identity?.services?.[0]?.endpoints, { public: { port: 8082, path: '' } });
  assert.equal(murano?.queue?.user, 'murano');
});

for (const [what, from, to, says] of [
  ['a grant on nothing', ', project: service', '', /grants\[0\]: must name one of project, domain and system/],
  ['a misspelt target', 'project: service', 'projekt: service', /grants\[0\]\.projekt: .*did you mean 'project'/],
  ['an invalid port', '8082', '80820', /endpoints\.public\.port: must be a port/],
  ['a path without its slash', 'path: ""', 'path: v1', /endpoints\.public\.path: must be empty or start with \//],
  ['an invalid interface', 'public:', 'pubilc:', /endpoints\.pubilc: .*did you mean 'public'/],
  ['an account whose password has no location', 'password: {', 'name: {', /places\.password: is missing/],
] as const) {
  test(`Keystone and RabbitMQ sections with ${what} are rejected with the location`, () => {
    assert.equal(problemsOf(MURANO_OF_BOOTSTRAP), '');
    assert.match(problemsOf(MURANO_OF_BOOTSTRAP.replace(from, to)), says);
  });
}

const TOOL = `${MURANO}
  tool:
    - name: cell
      summary: its cell
      steps: [{ argv: [murano-manage, make, '{cell}'] }]
      settings: { cell: one }
      variables: [{ name: MURANO_PASSWORD, otherwise: [OS_PASSWORD], secret: true, required: true }]
      done:
        listed:
          argv: [murano-manage, list]
          line: '^(?<name>\\w+) (?<url>\\S+)$'
          is: { name: '{cell}' }
          holds: { url: { section: database, key: connection } }
        update: [{ argv: [murano-manage, set, '{name}'] }]
    - { name: packages, summary: its packages, steps: [{ argv: [murano-manage, load] }], done: { once: release, fills: package } }
`;

test("the tool section of a user's service is parsed", () => {
  const [murano] = ownServices('kolla-pod.yaml', load(TOOL), []);
  assert.deepEqual(
    murano?.tool?.map(({ name, done }) => [name, Object.keys(done)]),
    [
      ['cell', ['listed', 'update']],
      ['packages', ['once', 'fills']],
    ],
  );
});

for (const [what, from, to, says] of [
  [
    'an invalid regular expression',
    '(?<name>',
    '(?<name',
    /tool\[0\]\.done\.listed\.line: is not a regular expression/,
  ],
  [
    'a group missing from the expression',
    'holds: { url',
    'holds: { uri',
    /listed: names a group that line does not have: it has name, url/,
  ],
  ['a listing in which every line is ours', "is: { name: '{cell}' }", 'is: {}', /listed: has no group in is/],
  ['an unknown time', 'once: release', 'once: always', /done\.once: must be 'release' or 'ever'/],
  ['a misspelt key of a task', 'settings:', 'setings:', /tool\[0\]\.setings: .*did you mean 'settings'/],
  ['two tasks with the same name', 'name: packages', 'name: cell', /tool: has two entries of one name/],
  ['a name too long for a record', 'name: packages', `name: ${'p'.repeat(28)}`, /tool\[1\]\.name: is not a name/],
] as const) {
  test(`${what} is rejected with its location`, () => {
    assert.ok(TOOL.includes(from));
    assert.match(problemsOf(TOOL.replace(from, to)), says);
  });
}

test('all problems are reported at once', () => {
  const both = MURANO.replace('all:', 'expand:').replace('again: [1]', 'again: [256]');
  assert.match(problemsOf(both), /phases\.all: .*; .*again\[0\]/);
});

test('the documented example is parsed as printed', async () => {
  const page = await readFile(new URL('../../docs/reference/kolla-db-sync.md', import.meta.url), 'utf8');
  const [, yaml = ''] = /```yaml\n(services:\n[^`]*)```/.exec(page) ?? [];
  const { services } = load(yaml) as { services: unknown };
  const [murano] = ownServices('docs/reference/kolla-db-sync.md', services, []);
  assert.deepEqual(Object.keys(murano?.migration.phases ?? {}), ['all', 'expand', 'online']);
});

for (const [what, second, says] of [
  ['with the same name', 'name: a, type: y', /identity\.services: has two entries of one name/],
  ['of the same type', 'name: b, type: x', /identity\.services: has two entries of one type/],
] as const) {
  test(`two entries of Keystone's catalogue ${what} are rejected`, () => {
    const rest = 'description: D, endpoints: { public: { port: 1, path: "" } }';
    const identity = `identity: { services: [{ name: a, type: x, ${rest} }, { ${second}, ${rest} }] }`;
    assert.match(problemsOf(`${MURANO}  ${identity}\n`), says);
  });
}

for (const [what, second, says] of [
  ['with the same name', 'name: a, secret: t', /murano\.keys: has two entries of one name/],
  ['in the same Secret', 'name: b, secret: s', /murano\.keys: has two in one Secret/],
] as const) {
  test(`two repositories of keys ${what} are rejected`, () => {
    const rest = 'directory: /f, directoryAt: { section: x, key: y }, keep: { usual: 3 }';
    const keys = `keys: [{ name: a, secret: s, ${rest} }, { ${second}, ${rest} }]`;
    assert.match(problemsOf(`${MURANO}  ${keys}\n`), says);
  });
}
