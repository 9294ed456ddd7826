/** No document has a key twice: a server refuses such a document. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ConfigError } from '../../../src/core/errors.ts';
import { FORMATS, type FormatRule } from '../../../src/logship/formats/index.ts';
import { ownFormats } from '../../../src/logship/formats/own.ts';
import { FileFormat } from '../../../src/logship/formats/parser.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { numbersFrom, oneOf, randomFrom } from '../../support/random.ts';

const into = Buffer.alloc(1024 * 1024);

/** The document of a line of that file, as text. */
function textOf(line: string, schema: 'kolla' | 'ecs', formats: readonly FormatRule[]): string {
  const origin = { hostname: 'h', pod: 'p', namespace: 'n', node: undefined, labels: { a: 'b' } };
  using format = new FileFormat('/l/a/b.log', { root: '/l', origin, zone: zoneTableNamed('UTC'), schema, formats });
  return into.toString('utf8', 0, format.table.document(into, 0, Buffer.from(line), 0, true));
}

/** The keys of the outer object of a JSON text, as often as they are there. */
function keysOf(text: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  for (const [token, key] of text.matchAll(/"((?:[^"\\]|\\.)*)"(?=:)|"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (key !== undefined && depth === 1) keys.push(key);
  }
  return keys;
}

function assertOnce(text: string, what: string): void {
  const keys = keysOf(text);
  assert.deepEqual(
    keys.filter((key, at) => keys.indexOf(key) !== at),
    [],
    `${what}: ${text}`,
  );
  assert.deepEqual(keys, Object.keys(JSON.parse(text) as object), what);
}

function own(value: object): FormatRule[] {
  return ownFormats('f', { x: { files: ['/**'], ...value } }, '/l');
}

test('the sample lines of all formats have each key once', () => {
  const samples = readFileSync(new URL('fixtures/today.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  for (const line of samples) {
    const [name, text] = JSON.parse(line) as [keyof typeof FORMATS, string];
    for (const schema of ['kolla', 'ecs'] as const)
      assertOnce(textOf(text, schema, [{ glob: '/**', format: name }]), name);
  }
});

test('a JSON column Payload takes the place of the line in lines that have it', () => {
  const formats = own({ json: { Payload: 'msg', log_level: 'level' } });
  for (const [line, payload] of [
    ['{"level":"info","msg":"a \\"b\\""}', 'a "b"'],
    ['{"level":"info"}', '{"level":"info"}'],
    ['x', 'x'],
  ] as const)
    for (const [schema, name] of [
      ['kolla', 'Payload'],
      ['ecs', 'message'],
    ] as const) {
      const text = textOf(line, schema, formats);
      assertOnce(text, line);
      assert.equal((JSON.parse(text) as Record<string, unknown>)[name], payload);
    }
});

test('of columns with the same ECS name the chosen or the first one has it, and others are labels', () => {
  const document = (value: object) => {
    const text = textOf('one two', 'ecs', own(value));
    assertOnce(text, text);
    const fields = JSON.parse(text) as Record<string, unknown>;
    return Object.fromEntries(Object.entries(fields).filter(([, given]) => given === 'one' || given === 'two'));
  };
  const line = '{module} {python_module}';
  assert.deepEqual(document({ line }), { 'log.logger': 'one', 'labels.python_module': 'two' });
  const ecs = { python_module: 'log.logger' };
  assert.deepEqual(document({ line, ecs }), { 'log.logger': 'two', 'labels.module': 'one' });
  assert.deepEqual(document({ line: ['{module:digits} x', '{python_module} {b}'], ecs }), {
    'log.logger': 'one',
    'labels.b': 'two',
  });
  assert.deepEqual(document({ line: '{x} {duration_us}', ecs: { x: 'event.duration', duration_us: 'y' } }), {
    'event.duration': 'one',
    y: 'two',
  });
  for (const [one, other] of [
    ['x', 'x'],
    ['@timestamp', 'x'],
    ['x', 'labels.c'],
  ] as const)
    assert.throws(() => own({ line: '{a} {b} {c}', ecs: { a: one, b: other, ...(one === other && { c: one }) } }), {
      name: 'ConfigError',
      message: /formats\.x\.ecs: '(?:x|@timestamp|labels\.c)' of '[abc]' is a field of/,
    });
});

test('whatever columns and names a site gives, each document has each key once', () => {
  const next = randomFrom(7);
  const random = numbersFrom(7);
  const COLUMNS = [
    'Payload',
    'message',
    'module',
    'python_module',
    'Hostname',
    'programname',
    'client',
    'Address',
    '_x',
  ];
  const NAMES = [
    'message',
    'log.logger',
    'host.name',
    'service.name',
    'labels.client',
    'labels.Payload',
    'event.dataset',
  ];
  let refused = 0;
  for (let n = 0; n < 2000; n++) {
    const columns = () => COLUMNS.filter(() => random(2) === 0);
    const patterns = [columns(), columns()].map((all) => all.map((name) => `{${name}}`).join(' '));
    const line = patterns.filter((one) => one !== '');
    const json = Object.fromEntries(columns().map((name) => [name, oneOf(next, ['a', 'b', 'c', name])]));
    const isJson = random(2) === 0;
    const all = isJson ? Object.keys(json) : COLUMNS.filter((name) => line.some((one) => one.includes(`{${name}}`)));
    const ecs = Object.fromEntries(all.filter(() => random(4) === 0).map((name) => [name, oneOf(next, NAMES)]));
    try {
      const formats = own({ ecs, ...(isJson ? { json, time: 'c' } : { line }) });
      const text = isJson ? '{"a":"1","b":2,"message":"m","client":{"a":1}}' : 'a b c d e f g'.slice(0, 2 * random(8));
      for (const schema of ['kolla', 'ecs'] as const)
        assertOnce(textOf(text, schema, formats), JSON.stringify([line, json, ecs]));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      refused++;
    }
  }
  assert.ok(refused < 1500, `${refused} refused`);
});
