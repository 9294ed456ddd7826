import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, isObject, type Json } from '../../../src/logship/setup/mappings/json.ts';
import { mappingsOf } from '../../../src/logship/setup/mappings/mappings.ts';
import { oneDocument } from '../one-document.ts';
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

/** The index template's mapping of a field, by name or by the dynamic rule for strings. */
function mappingOf(schema: 'kolla' | 'ecs', field: string): Json | undefined {
  const { properties, dynamic_templates: rules } = mappingsOf(schema, 'elasticsearch');
  const whole = field.replace(/\.keyword$/, '');
  const named = at({ properties }, 'properties', ...whole.replaceAll('.', '.properties.').split('.'));
  const rule = (rules as readonly Json[]).map((each) => at(each, 'strings', 'mapping')).find(isObject);
  return whole === field ? (named ?? rule) : at(named, 'fields', 'keyword');
}

/** A document with every field shown in the overview. */
function documentOf(schema: 'kolla' | 'ecs'): Readonly<Record<string, unknown>> {
  const request = 'req-0e9ee5a4-4b3f-4b9a-8a5f-6c1f6b1f1f1f';
  const text = `2026-11-20 00:30:00.250 7 INFO nova.api [None ${request} u p - - - -] up`;
  return oneDocument('/logs/nova/nova-api.log', text, { schema }).fields;
}

for (const flavor of ['kibana', 'dashboards'] as const) {
  for (const schema of ['kolla', 'ecs'] as const) {
    const objects = read(savedObjects(flavor, { ...DAILY, schema }));

    test(`${flavor}, ${schema}: every reference is to an earlier object, and ids are unique`, () => {
      const seen = new Set<string>();
      for (const { id, type, references } of objects) {
        for (const to of references) assert.ok(seen.has(`${to.type} ${to.id}`), `${id} refers to ${to.type} ${to.id}`);
        assert.ok(!seen.has(`${type} ${id}`), `${id} is given twice`);
        seen.add(`${type} ${id}`);
      }
    });

    test(`${flavor}, ${schema}: nested JSON is valid, and names existing references`, () => {
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

  for (const schema of ['kolla', 'ecs'] as const) {
    const text = savedObjects(flavor, { ...DAILY, schema });
    const documented = Object.keys(documentOf(schema));

    test(`${flavor}, ${schema}: aggregated fields are mapped as whole values, and documents have them`, () => {
      const counted = [...text.matchAll(/\\"field\\":\\"([^\\]+)\\"/g)].map(([, field = '']) => field);
      const asked = [...text.matchAll(/\\"query\\":\\"([\w.@]+):/g)].map(([, field = '']) => field);
      assert.ok(counted.length > 5);
      assert.ok(asked.length > 2);
      for (const field of [...counted, ...asked].filter((name) => name !== '@timestamp')) {
        assert.equal(at(mappingOf(schema, field), 'type'), 'keyword', field);
        assert.ok(documented.includes(field.replace(/\.keyword$/, '')), field);
      }
    });

    test(`${flavor}, ${schema}: documents have each column of a search, and no placeholder is left`, () => {
      const columns = read(text).flatMap(({ attributes }) => (attributes['columns'] ?? []) as string[]);
      assert.equal(columns.length, 12);
      for (const column of columns) assert.ok(documented.includes(column), column);
      assert.doesNotMatch(text, /\{\{/);
    });
  }

  test(`${flavor}: each panel of the overview has its reference, and panels do not overlap`, () => {
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

test('Kibana and OpenSearch Dashboards each get objects in their own format', () => {
  for (const object of read(savedObjects('kibana', DAILY))) assert.ok('typeMigrationVersion' in object);
  for (const object of read(savedObjects('dashboards', DAILY))) {
    assert.deepEqual(Object.keys((object as unknown as { migrationVersion: object }).migrationVersion), [object.type]);
  }
});

test('the index pattern of a data stream is its name', () => {
  const [pattern] = read(savedObjects('kibana', { ...DAILY, dataStream: 'logs-openstack-default' }));
  assert.equal(pattern?.attributes['title'], 'logs-openstack-default');
});

test('there are no saved objects for --schema raw', () => {
  assert.throws(() => savedObjects('kibana', { ...DAILY, schema: 'raw' }), /--schema raw/);
});
