import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { yamlText } from '../../../src/core/yaml-text.ts';
import { mountsOf, objectsOf, type ConfigObject } from '../../../src/toolbox/configmaps/objects.ts';
import { judge } from '../../../src/toolbox/configmaps/secrecy.ts';
import { oneOf, randomFrom } from '../../support/random.ts';
import { projected, type Mounts, type Printed } from './directory.ts';

const NAMES = ['a', 'A', 'a-b', 'a_b', 'a.b', '.a', 'x.conf', 'ß', 'a b', '-', 'key', 'A-1a2b3c4d'];
const PIECES = ['\n', ' ', '[a]\n', 'b = c\n', 'password = hidden\n', '\u0085', '\u0000', '\r', 'é', '|', '# x\n'];

function randomFiles(random: () => number) {
  const paths = new Set(
    Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
      Array.from({ length: 1 + Math.floor(random() * 3) }, () => oneOf(random, NAMES)).join('/'),
    ),
  );
  return [...paths].map((path) => {
    const text = Array.from({ length: Math.floor(random() * 6) }, () => oneOf(random, PIECES)).join('');
    const bytes = random() < 0.1 ? Buffer.from([0xff, Math.floor(random() * 256)]) : Buffer.from(text);
    const perm = oneOf(random, [0o600, 0o644, undefined]);
    const file = { path, bytes, mode: 0o640, entries: random() < 0.2 ? [] : [{ name: 'config_files[0]', perm }] };
    return { file, verdict: judge(file) };
  });
}

test('for any directory, its volume has the same files, and no ConfigMap has a password', () => {
  const random = randomFrom(11);
  for (let i = 0; i < 2_000; i++) {
    const files = randomFiles(random);
    const options = {
      name: 'keystone',
      namespace: undefined,
      reload: oneOf(random, ['rolling', 'live'] as const),
      bundle: oneOf(random, ['file', 'service'] as const),
    };
    const objects = objectsOf(files, options);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    assert.equal(new Set(names).size, names.length, names.join());
    // The objects after printing and parsing.
    const read = objects.map((object) => load(yamlText(asYaml(object), () => undefined)) as Printed);
    const volume = load(yamlText(mountsOf(objects), () => undefined)) as Mounts;
    const there = projected(volume, read);
    assert.deepEqual(
      Object.fromEntries(there),
      Object.fromEntries(files.map(({ file }) => [file.path, file.bytes])),
      JSON.stringify(read),
    );
    const open = read.filter(({ kind }) => kind === 'ConfigMap');
    assert.doesNotMatch(JSON.stringify(open), /hidden|aGlkZGVu/);
  }
});

function asYaml({ kind, metadata, data, binaryData }: ConfigObject) {
  return { kind, metadata, data, binaryData };
}
