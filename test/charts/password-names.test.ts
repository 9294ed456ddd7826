/** `kolla-pod passwords` makes what the charts ask for: each chart without passwords -> the names in Helm's error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartNames } from '../../build/charts.ts';
import { PASSWORD_NAMES } from '../../src/toolbox/passwords/names.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { PASSWORDS, rendering } from './support.ts';

const NONE = Object.fromEntries(Object.keys(PASSWORDS).map((name) => [name, null]));

test(
  'kolla-pod passwords has the name of every password that a chart needs, and no others',
  { skip: (await canRunHelm()) ?? false },
  async () => {
    const needed = new Set<string>();
    for (const name of chartNames()) {
      await using chart = await rendering(name);
      const said = (await chart.complaint({ global: { passwords: NONE } })) ?? '';
      const [, names = ''] = /no password ([a-z0-9_, ]+); put it under/.exec(said) ?? [];
      for (const one of names.split(', ').filter(Boolean)) needed.add(one);
    }
    assert.deepEqual(new Set(PASSWORD_NAMES), needed);
  },
);
