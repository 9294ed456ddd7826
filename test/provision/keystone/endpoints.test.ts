import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf } from '../../../src/provision/converge/change.ts';
import { planCatalogue } from '../../../src/provision/keystone/endpoints/plan.ts';
import type { CatalogueState } from '../../../src/provision/keystone/endpoints/state.ts';
import { isSameUrl, wantedServices, type Templates } from '../../../src/provision/keystone/endpoints/want.ts';
import { cinder } from '../../../src/catalog/cinder.ts';
import { heat } from '../../../src/catalog/heat.ts';
import { nova } from '../../../src/catalog/nova.ts';

const NONE: Templates = { public: [], internal: [], admin: [] };

/** `name interface region url` of each endpoint. */
function urls(service: typeof nova, templates: Partial<Templates>, regions = ['RegionOne']): string[] {
  const wanted = wantedServices(service.name, service.identity!.services!, { ...NONE, ...templates }, regions);
  return wanted.flatMap(({ name, endpoints }) =>
    endpoints.map((one) => `${name} ${one.interface} ${one.region} ${one.url}`),
  );
}

test("a URL without a path gets the service's own path", () => {
  assert.deepEqual(urls(nova, { public: ['https://nova.example.com'], internal: ['http://nova:8774/'] }), [
    'nova public RegionOne https://nova.example.com/v2.1',
    'nova internal RegionOne http://nova:8774/v2.1',
  ]);
});

test('a URL with a path is used unchanged', () => {
  assert.deepEqual(urls(nova, { public: ['https://example.com/compute'] }), [
    'nova public RegionOne https://example.com/compute',
  ]);
});

test('a template applies to every entry and region', () => {
  assert.deepEqual(urls(cinder, { internal: ['http://{name}.{region}:{port}{path}'] }, ['a', 'b']), [
    'cinder internal a http://cinder.a:8776/v3',
    'cinder internal b http://cinder.b:8776/v3',
    'cinderv3 internal a http://cinderv3.a:8776/v3/%(project_id)s',
    'cinderv3 internal b http://cinderv3.b:8776/v3/%(project_id)s',
  ]);
});

test('a separate entry takes precedence over a general one, in any order', () => {
  assert.deepEqual(urls(heat, { public: ['heat-cfn=https://cfn.example.com', 'https://api.example.com:{port}'] }), [
    'heat public RegionOne https://api.example.com:8004/v1/%(project_id)s',
    'heat-cfn public RegionOne https://cfn.example.com/v1',
  ]);
});

for (const [what, service, templates, says] of [
  ['no URL', nova, {}, /set --public-url and --internal-url/],
  [
    'an unknown placeholder',
    nova,
    { public: ['http://{host}'] },
    /'\{host\}' in http:\/\/\{host\} is none of \{service\}/,
  ],
  ['no URL', nova, { public: ['nova.example.com'] }, /not an http or https URL/],
  ['another scheme', nova, { public: ['ftp://nova'] }, /not an http or https URL/],
  ['an invalid entry', heat, { public: ['heatcfn=http://x'] }, /no entry 'heatcfn'; there is heat, heat-cfn/],
  ['one URL for two entries', heat, { public: ['http://x/v1'] }, /the same URL for endpoints of several entries/],
] as const) {
  test(`${what} is rejected`, () => {
    assert.throws(() => urls(service, templates), says);
  });
}

test('one URL for two regions is rejected', () => {
  assert.throws(() => urls(nova, { public: ['http://x'] }, ['a', 'b']), /put \{region\}/);
});

test("Keystone's two forms of a project's id are the same URL", () => {
  assert.ok(isSameUrl('http://x/v3/$(tenant_id)s', 'http://x/v3/%(project_id)s'));
  assert.ok(!isSameUrl('http://x/v3/%(user_id)s', 'http://x/v3/%(project_id)s'));
});

const wanted = wantedServices('nova', nova.identity!.services!, { ...NONE, public: ['http://x'] }, ['a']);

function lines(state: Partial<CatalogueState>): string[] {
  return planCatalogue(wanted, {
    regions: new Set('a'),
    services: new Map([['nova', { id: 's' }]]),
    endpoints: new Map([['nova public a', { id: 'e', url: 'http://x/v2.1' }]]),
    ...state,
  }).map(lineOf);
}

test('up-to-date objects are not changed', () => {
  assert.deepEqual(lines({}), []);
});

test('on an empty catalogue region, service and endpoints are created, in that order', () => {
  assert.deepEqual(lines({ regions: new Set(), services: new Map(), endpoints: new Map() }), [
    'create region a',
    'create service nova: type compute',
    'create endpoint nova public a: url http://x/v2.1',
  ]);
});

test('a different URL, or a disabled endpoint, is updated in place and shown with its previous value', () => {
  assert.deepEqual(lines({ endpoints: new Map([['nova public a', { id: 'e', url: 'http://y', enabled: false }]]) }), [
    'update endpoint nova public a: url http://y -> http://x/v2.1, enabled false -> true',
  ]);
});

test('an edited description is kept', () => {
  assert.deepEqual(lines({ services: new Map([['nova', { id: 's', description: 'ours' }]]) }), []);
});
