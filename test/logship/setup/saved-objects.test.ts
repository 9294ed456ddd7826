import assert from 'node:assert/strict';
import { test } from 'node:test';
import { savedObjects } from '../../../src/logship/setup/saved-objects/index.ts';

interface Saved {
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>> & {
    readonly kibanaSavedObjectMeta?: { readonly searchSourceJSON: string };
  };
  readonly references: readonly { readonly name: string; readonly type: string; readonly id: string }[];
}

const DAILY = { schema: 'kolla', indexPrefix: 'flog', dataStream: undefined } as const;

function read(text: string): Saved[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Saved);
}

function dashboardOf(objects: readonly Saved[]): Saved {
  const found = objects.find(({ type }) => type === 'dashboard');
  assert.ok(found);
  return found;
}

for (const flavor of ['kibana', 'dashboards'] as const) {
  for (const schema of ['kolla', 'ecs'] as const) {
    const objects = read(savedObjects(flavor, { ...DAILY, schema }));

    test(`${flavor}, ${schema}: every reference is to an object before it, and no two have one id`, () => {
      const seen = new Set<string>();
      for (const { id, type, references } of objects) {
        for (const to of references) assert.ok(seen.has(`${to.type} ${to.id}`), `${id} refers to ${to.type} ${to.id}`);
        assert.ok(!seen.has(`${type} ${id}`), `${id} is there twice`);
        seen.add(`${type} ${id}`);
      }
    });

    test(`${flavor}, ${schema}: JSON inside of JSON is JSON, and names the references that are there`, () => {
      for (const { id, attributes, references } of objects) {
        for (const [key, value] of Object.entries(attributes)) {
          if (/JSON$|^visState$/.test(key)) assert.doesNotThrow(() => JSON.parse(value as string), `${id} ${key}`);
        }
        const source = JSON.parse(attributes.kibanaSavedObjectMeta?.searchSourceJSON ?? '{}') as {
          indexRefName?: string;
        };
        const names = references.map(({ name }) => name);
        if (source.indexRefName !== undefined) assert.ok(names.includes(source.indexRefName), id);
      }
    });
  }

  test(`${flavor}: each panel of the overview has its reference, and none lies on another`, () => {
    const { attributes, references } = dashboardOf(read(savedObjects(flavor, DAILY)));
    const panels = JSON.parse(attributes['panelsJSON'] as string) as {
      panelIndex: string;
      panelRefName: string;
      gridData: { x: number; y: number; w: number; h: number };
    }[];
    assert.equal(panels.length, references.length);
    const taken = new Set<string>();
    for (const { panelIndex, panelRefName, gridData } of panels) {
      const name = flavor === 'kibana' ? `${panelIndex}:${panelRefName}` : panelRefName;
      assert.ok(references.some((reference) => reference.name === name));
      assert.ok(gridData.x + gridData.w <= 48);
      for (let x = gridData.x; x < gridData.x + gridData.w; x++) {
        for (let y = gridData.y; y < gridData.y + gridData.h; y++) {
          assert.ok(!taken.has(`${x} ${y}`), `two panels at ${x}, ${y}`);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
}

test('each importer is told the shape in its own words', () => {
  for (const object of read(savedObjects('kibana', DAILY))) assert.ok('typeMigrationVersion' in object);
  for (const object of read(savedObjects('dashboards', DAILY))) {
    assert.deepEqual(Object.keys((object as unknown as { migrationVersion: object }).migrationVersion), [object.type]);
  }
});

test('a data stream is its own pattern', () => {
  const [pattern] = read(savedObjects('kibana', { ...DAILY, dataStream: 'logs-openstack-default' }));
  assert.equal(pattern?.attributes['title'], 'logs-openstack-default');
});

test('raw lines have nothing to show', () => {
  assert.throws(() => savedObjects('kibana', { ...DAILY, schema: 'raw' }), /--schema raw/);
});
