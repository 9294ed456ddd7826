import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../src/core/errors.ts';
import { readCloud } from '../../src/provision/keystone/api/clouds.ts';
import { readFileOptions } from '../../src/cli/file.ts';
import { readConfig } from '../../src/config/read/read.ts';
import { loadValues } from '../../src/core/helm-yaml.ts';
import { credentialsFrom } from '../../src/kube/credentials.ts';
import { valueIn } from '../../src/migrate/server/service-config.ts';
import { documentsIn } from '../../src/operator/helm/documents.ts';
import { privateDirectory } from '../../tools/directory.ts';

/** A hundred kilobytes that are five megabytes where each alias is replaced. */
const LARGE = `text: &text "${'x'.repeat(100_000)}"\ntexts: [${Array(50).fill('*text').join(', ')}]\n`;

const READERS: Readonly<Record<string, (file: string) => unknown>> = {
  'kolla-pod.yaml': (file) => readFileOptions(file, [], [], [], []),
  'config.yaml': (file) => readConfig('/', file),
  'a service configuration': (file) => valueIn(file, LARGE, { section: 'a', key: 'b' }, {}),
  'clouds.yaml': (file) => readCloud('a', [file]),
  'a kubeconfig': (file) => credentialsFrom({ kind: 'kubeconfig', files: [file] })(false),
  'values of a chart': () => loadValues(LARGE),
  'what a chart renders': () => documentsIn(LARGE, () => []),
};

for (const [what, read] of Object.entries(READERS))
  test(`${what} is refused if its aliases expand it beyond the budget`, async () => {
    await using directory = await privateDirectory('yaml-readers');
    const file = join(directory.path, 'file.yaml');
    await writeFile(file, LARGE);
    await assert.rejects(async () => await read(file), /more than 4 MiB with its aliases expanded/);
  });

for (const [what, text, problem] of [
  ['equal keys', 'a: hidden\nb: 1\na: hidden\n', /^FILE is not YAML: duplicated mapping key \(3:1\)$/],
  ['an unclosed quote', 'a:\n  b: "hidden\n', /^FILE is not YAML: the quote of line 2 is not closed$/],
] as const)
  test(`${what} in a file are refused with file and line, not with the text`, async () => {
    await using directory = await privateDirectory('yaml-readers');
    const file = join(directory.path, 'file.yaml');
    await writeFile(file, text);
    for (const read of [
      () => readFileOptions(file, [], [], [], []),
      () => readCloud('a', [file]),
      () => valueIn(file, text, { section: 'a', key: 'b' }, {}),
    ])
      await assert.rejects(
        async () => await read(),
        (error: Error) => {
          assert.match(error.message.replace(file, 'FILE'), problem);
          return error instanceof ConfigError;
        },
      );
  });

test('a file with comments only, and the documents after the first one, are no error', async () => {
  await using directory = await privateDirectory('yaml-readers');
  const file = join(directory.path, 'file.yaml');
  for (const text of ['# nothing\n', '', 'probe: {}\n---\nother: 1\n']) {
    await writeFile(file, text);
    assert.equal(readFileOptions(file, [], [], [], []).file, file);
  }
});
