import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadValues } from '../../src/core/helm-yaml.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canRunHelm, helm } from '../../tools/helm.ts';

const VALUES = `
words: [yes, No, ON, off, y, n, true, False, ~, null, yesterday, "yes", 'off']
numbers: [0440, -017, 0o17, 0x1F, 0b11, 08, 1_000, +5, 1.5, 1_000.5, .5, 1e3, 12:30, 1:2:3.5, 1e309, 0xyz, 12a, "0440"]
dates: [2026-01-01, 2026-01-01T00:00:00Z]
base: &base { a: 1, b: no }
over:
  <<: *base
  a: 2
`;

test('reads values as Helm does', { skip: (await canRunHelm()) ?? false }, async () => {
  await using directory = await privateDirectory('values');
  const chart = join(directory.path, 'chart');
  await mkdir(join(chart, 'templates'), { recursive: true });
  await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: values\nversion: 1.0.0\n');
  await writeFile(join(chart, 'templates/values.yaml'), 'values: {{ omit .Values "global" | toJson | quote }}\n');
  const file = join(directory.path, 'values.yaml');
  await writeFile(file, VALUES);
  const { code, stdout, stderr } = await helm(directory.path, ['template', 'values', chart, '--values', file]);
  assert.equal(code, 0, stderr);
  const [, rendered = '""'] = /^values: (".*")$/m.exec(stdout) ?? [];
  assert.deepEqual(loadValues(VALUES), JSON.parse(JSON.parse(rendered) as string));
});
