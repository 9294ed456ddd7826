import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { ownServices } from '../../src/catalog/own.ts';
import { CELLS } from '../../src/catalog/common.ts';
import { KOLLA_SERVICES } from '../../src/catalog/kolla-services.ts';
import { PHASES, SERVICES, serviceNamed, type Service, type Step } from '../../src/catalog/index.ts';

/** Each program in a service's data, with its location in the data. */
function argvsOf({ migration }: Service): (readonly string[])[] {
  const steps = PHASES.flatMap((phase): readonly Step[] => migration.phases[phase] ?? []);
  return [...steps.map((step) => step.argv), ...(migration.check === undefined ? [] : [migration.check.argv])];
}

test('every service has a unique name and is found by it', () => {
  for (const service of SERVICES) assert.equal(serviceNamed(service.name), service);
});

test("the names' type has the name of every service", () => {
  assert.deepEqual(
    Object.keys(KOLLA_SERVICES),
    SERVICES.map(({ name }) => name),
  );
});

test('services are sorted by name', () => {
  const names = SERVICES.map(({ name }) => name);
  assert.deepEqual(names, names.toSorted());
});

for (const service of SERVICES) {
  test(`the data of ${service.name} can be written as YAML`, () => {
    const { name, ...rest } = service;
    // A round trip like that of YAML: only plain data survives.
    const read: unknown = load(JSON.stringify({ [name]: rest }));
    assert.deepEqual(ownServices('catalogue', read, []), [service]);
  });

  test(`every command line of ${service.name} is a list of arguments, without a shell`, () => {
    assert.notDeepEqual(argvsOf(service), []);
    for (const argv of argvsOf(service)) {
      assert.doesNotMatch(argv[0] ?? '', /(?:^|\/)(?:ba|da|z)?sh$/);
      for (const word of argv) assert.match(word, /^[\w./-]+$/);
    }
  });
}

const ONLINE = SERVICES.filter(({ migration }) => migration.phases.online !== undefined);

test('no step is repeated: the tools run all batches of their data themselves', () => {
  const repeated = SERVICES.flatMap(({ name, migration }) =>
    Object.values(migration.phases).flatMap((steps: readonly Step[]) =>
      steps.flatMap(({ again = [] }) => (again.length === 0 ? [] : [name])),
    ),
  );
  assert.deepEqual(repeated, []);
  assert.deepEqual(
    ONLINE.map(({ name }) => name),
    ['cinder', 'cyborg', 'ironic', 'nova', 'nova-cell', 'placement'],
  );
});

for (const { name, migration } of ONLINE)
  if (name === 'cyborg')
    test("cyborg's full migration, which is Kolla's, does not move its data: that needs the login in [nova]", () => {
      assert.deepEqual(migration.phases.all, migration.phases.expand);
    });
  else
    test(`${name}'s full migration moves its data too`, () => {
      const { all, online = [] } = migration.phases;
      assert.deepEqual(all.slice(-online.length), online);
    });

test("task names of a service's tool are unique", () => {
  const tools = SERVICES.filter(({ tool = [] }) => tool.length > 0);
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['glance', 'keystone', 'nova', 'nova-cell'],
  );
  for (const { name, tool = [] } of tools) {
    const names = tool.map((task) => task.name);
    assert.deepEqual(names, [...new Set(names)], name);
  }
});

test('no command line of a tool contains a secret, or needs a shell', () => {
  for (const { tool = [] } of SERVICES)
    for (const { steps, done } of tool)
      for (const { argv } of [...steps, ...('listed' in done ? done.update : [])]) {
        assert.match(argv[0], /^[\w-]+-manage$/);
        for (const word of argv) assert.match(word, /^(?:[\w./:-]|\{\w+\}|[@?])+$/);
      }
});

test("the rows of nova-manage's table are parsed, and its header and rules skipped", () => {
  const line = new RegExp(CELLS.line);
  const rows = [
    '+-------+--------------------------------------+---------------+',
    '| Name | UUID | Transport URL | Database Connection | Disabled |',
    '| cell0 | 00000000-0000-0000-0000-000000000000 |    none:///   | mysql+pymysql://n:p%25|@h:3306/nova_cell0?charset=utf8 |  False   |',
    '|       | ee8b8a73-470b-4356-971d-dbf7ed03c943 | rabbit://o:p@h:5672// |    mysql+pymysql://n:p@h/nova    |  True   |',
  ].map((row) => line.exec(row)?.groups);
  assert.deepEqual(rows.slice(0, 2), [undefined, undefined]);
  assert.deepEqual(
    { ...rows[2] },
    {
      name: 'cell0',
      uuid: '00000000-0000-0000-0000-000000000000',
      transport: 'none:///',
      database: 'mysql+pymysql://n:p%25|@h:3306/nova_cell0?charset=utf8',
    },
  );
  assert.deepEqual([rows[3]?.['name'], rows[3]?.['database']], ['', 'mysql+pymysql://n:p@h/nova']);
});

test('no two services share a database', () => {
  const names = SERVICES.flatMap(({ databases }) => databases.map((database) => database.name));
  assert.ok(names.length > 20);
  assert.deepEqual(names, [...new Set(names)]);
});

test('split upgrades have a first and a last phase', () => {
  const split = SERVICES.filter(({ migration }) => Object.keys(migration.phases).length > 1);
  assert.ok(split.length > ONLINE.length, 'some are split without being moved online');
  for (const { name, migration } of split) {
    const { expand, contract, online } = migration.phases;
    assert.ok(expand && (contract ?? online), name);
  }
});

test('no two services share a catalogue entry or an account', () => {
  const entries = SERVICES.flatMap(({ identity }) => identity?.services ?? []);
  for (const key of ['name', 'type'] as const) {
    const words = entries.map((entry) => entry[key]);
    assert.ok(words.length > 10);
    assert.deepEqual(words, [...new Set(words)]);
  }
  const users = SERVICES.flatMap(({ identity }) => identity?.users ?? []).map(({ name }) => name);
  assert.deepEqual(users, [...new Set(users)]);
});

test('every account has a role, in an existing domain', () => {
  for (const { name, identity } of SERVICES)
    for (const { grants, domain } of identity?.users ?? []) {
      assert.ok(grants.length > 0, name);
      assert.ok(domain === undefined || identity?.domains?.includes(domain), name);
    }
});

test('an unknown name is not found', () => {
  assert.equal(serviceNamed('keyston'), undefined);
});

// Connections of Neutron 2025.1 to 2026.2 according to its code, since no test can run it.
test("neutron's periodic worker is ready when connected to the broker, as it is on start, or to the database", () => {
  const probe = serviceNamed('neutron')?.probes?.find(({ container }) => container === 'neutron_periodic_worker');
  assert.equal(probe?.readiness, 'connected neutron-periodic-workers 5672 3306');
  assert.equal(probe.declared, 'healthcheck_port neutron-periodic-workers 3306');
});
