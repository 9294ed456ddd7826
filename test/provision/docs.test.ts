import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { wantedServices } from '../../src/provision/keystone/endpoints/index.ts';
import { nova } from '../../src/catalog/nova.ts';
import { ownServices } from '../../src/catalog/own.ts';

const page = await readFile(new URL('../../docs/reference/kolla-bootstrap.md', import.meta.url), 'utf8');

test("the page's service is parsed as printed", () => {
  const [, yaml = ''] = /```yaml\n(services:\n[^`]*)```/.exec(page) ?? [];
  const { services } = load(yaml) as { services: unknown };
  const [murano] = ownServices('docs/reference/kolla-bootstrap.md', services, []);
  assert.equal(murano?.identity?.services?.[0]?.type, 'application-catalog');
  assert.equal(murano?.queue?.user, 'murano');
});

test("the page's URL templates give the documented URLs", () => {
  const rows = [...page.matchAll(/^\| `(http[^`]*)` \| (?:`(http[^`]*)`|the URL unchanged)/gm)];
  assert.ok(rows.length >= 4);
  for (const [, template = '', url = template] of rows) {
    const templates = { public: [template], internal: [], admin: [] };
    const [entry] = wantedServices('nova', nova.identity!.services!, templates, ['RegionOne']);
    assert.equal(entry?.endpoints[0]?.url, url);
  }
});
