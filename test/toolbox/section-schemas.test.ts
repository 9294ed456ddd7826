import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { SERVICES } from '../../src/catalog/index.ts';
import { ServicesSection } from '../../src/catalog/own.ts';
import { OverlaysSection } from '../../src/config/overlays/schema.ts';
import { SECTION_SCHEMAS } from '../../src/toolbox/section-schemas.ts';

type Node = Readonly<Record<string, unknown>>;

const SECTIONS = { services: ServicesSection, overlays: OverlaysSection } as const;
type Name = keyof typeof SECTIONS;

/** What a problem of valibot's says that JSON Schema has no words for: functions of several values, and formats. */
const BEYOND =
  /has no code for complete|names a group that line does not have|has two (?:entries )?(?:of one|in one)|is not a regular expression|must be an exit code|has no program/;

const FILE = '/etc/nova/nova.conf';
const DATABASE = { section: 'database', key: 'connection' };
const ARGV = ['murano-manage', 'do', 1];
const OVERLAYS = {
  allow: ['POD_IP'],
  ini: [{ file: FILE, section: 'a', key: 'b', value: 'c' }],
  text: [{ file: FILE }],
  passwords: [{ file: FILE, name: 'a', source: '/a', secret: 'b', key: 'c' }],
};
const MURANO = {
  summary: 'Murano',
  configFile: '/etc/murano/murano.conf',
  databases: [
    { name: 'murano', url: [DATABASE], versionTable: 'version', scripts: 'a/b', parts: [{ versionTable: 'v' }] },
  ],
  migration: {
    phases: {
      all: [{ argv: ARGV, directory: '/x', again: [1], codes: { 2: 'some failed' } }],
      online: [{ argv: ARGV, afterwards: { what: 'a', begins: '^b', fails: 'c', later: 'd' } }],
    },
    check: { argv: ARGV, codes: { 0: 'complete', 3: 'expand' } },
    upgradeCheck: { argv: ARGV, readsDatabase: true, moot: { check: 'a', unless: DATABASE, environment: { A: '' } } },
  },
  identity: {
    domains: ['heat'],
    users: [{ name: 'murano', grants: [{ role: 'admin', project: 'service' }], places: { password: DATABASE } }],
    services: [{ name: 'murano', type: 'a', description: 'b', endpoints: { public: { port: 8082, path: '' } } }],
  },
  queue: { vhost: '/', user: 'murano', url: [DATABASE], optional: true },
  keys: [
    { name: 'a', secret: 's', directory: '/f', directoryAt: DATABASE, keep: { usual: 3 }, lifetime: [{ usual: 1 }] },
  ],
  tool: [
    {
      name: 'cell',
      summary: 'its cell',
      steps: [{ argv: ARGV }],
      settings: { cell: 'one' },
      variables: [{ name: 'MURANO_PASSWORD', otherwise: ['OS_PASSWORD'], secret: true }],
      throwawayKeys: ['A'],
      done: {
        listed: {
          argv: ARGV,
          line: '^(?<name>.*)$',
          is: { name: 'a' },
          not: {},
          sameUrl: 'name',
          holds: { name: DATABASE },
        },
        update: [{ argv: ARGV }],
      },
    },
    { name: 'packages', summary: 'b', steps: [{ argv: ARGV }], done: { once: 'release', fills: 'package' } },
  ],
  probes: [{ container: 'a', disabledSince: 20, liveness: 'b', readiness: 'c' }],
};

test('the JSON Schema accepts every service of the catalogue as one of a user', () => {
  for (const { name, ...service } of SERVICES) isAgreed('services', { [name]: service });
});

for (const [name, document] of [
  ['services', { murano: MURANO }],
  ['overlays', OVERLAYS],
] as const) {
  test(`${name}: the JSON Schema and the parser accept the same documents`, () => {
    assert.ok(isAgreed(name, document));
    const verdicts = new Set([...changed(document)].map((one) => isAgreed(name, one)));
    assert.equal(verdicts.size, 2);
  });
}

/** Whether both accept it. */
function isAgreed(name: Name, document: unknown): boolean {
  const { success, issues = [] } = v.safeParse(SECTIONS[name], document);
  const problem = problemOf(SECTION_SCHEMAS[name] as Node, document, name);
  const said = issues.map(({ message }) => message);
  const isExpressible = success || said.some((message) => !BEYOND.test(message));
  const shown = () =>
    `${problem ?? 'accepted'}, but valibot: ${said.join('; ') || 'accepted'}: ${JSON.stringify(document)}`;
  if (isExpressible) assert.equal(problem === undefined, success, shown());
  return success;
}

const VALUES = [null, '', ' ', 'x', '/x', '/x/', -1, 0, 1.5, 256, 99_999, true, false, [], {}, ['x'], { x: 'y' }, '1'];

/** The document with each value replaced or left out, and with another key in each mapping. */
function* changed(document: unknown): Generator {
  if (typeof document !== 'object' || document === null) return;
  for (const [key, child] of Object.entries(document)) {
    const put = (value: readonly unknown[]): unknown =>
      Array.isArray(document)
        ? document.toSpliced(Number(key), 1, ...value)
        : Object.fromEntries(
            Object.entries(document).flatMap(([name, old]) =>
              name === key ? value.map((one) => [key, one]) : [[name, old]],
            ),
          );
    yield put([]);
    for (const value of VALUES) yield put([value]);
    for (const value of changed(child)) yield put([value]);
    if (!Array.isArray(document)) for (const name of ['unknown', 'Bad Name', '7']) yield { ...document, [name]: child };
  }
}

/** A validator of the keywords that the schemas use: the first problem, or undefined. Another keyword is an error. */
function problemOf(schema: Node, value: unknown, at: string): string | undefined {
  for (const [keyword, rule] of Object.entries(schema)) {
    const check = KEYWORDS[keyword];
    assert.ok(check, `${at}: the keyword ${keyword} is unknown to this test`);
    const problem = check(rule as never, value as never, at, schema);
    if (problem !== undefined && problem !== true) return problem === false ? `${at}: ${keyword}` : problem;
  }
  return undefined;
}

type Check = (rule: never, value: never, at: string, schema: Node) => boolean | string | undefined;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** A rule about values of one type, which others meet. */
function about(is: (value: unknown) => boolean, check: Check): Check {
  return (rule, value, at, schema) => !is(value) || check(rule, value, at, schema);
}

function firstOf(problems: Iterable<string | undefined>): string | undefined {
  return [...problems].find((problem) => problem !== undefined);
}

const [isText, isNumber, isList, isMapping] = [TYPES['string']!, TYPES['number']!, TYPES['array']!, TYPES['object']!];
const KEYWORDS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(['description', 'examples', 'default', 'format'].map((name) => [name, () => true])),
  type: (rule: string, value: unknown) => TYPES[rule]!(value),
  const: (rule: unknown, value: unknown) => rule === value,
  enum: (rule: readonly unknown[], value: unknown) => rule.includes(value),
  pattern: about(isText, (rule: string, value: string) => new RegExp(rule, 'u').test(value)),
  minLength: about(isText, (rule: number, value: string) => value.length >= rule),
  minimum: about(isNumber, (rule: number, value: number) => value >= rule),
  maximum: about(isNumber, (rule: number, value: number) => value <= rule),
  minItems: about(isList, (rule: number, value: unknown[]) => value.length >= rule),
  items: about(isList, (rule: Node, value: unknown[], at: string) =>
    firstOf(value.map((item, i) => problemOf(rule, item, `${at}[${i}]`))),
  ),
  minProperties: about(isMapping, (rule: number, value: object) => Object.keys(value).length >= rule),
  required: about(isMapping, (rule: string[], value: object) => rule.every((key) => Object.hasOwn(value, key))),
  properties: about(isMapping, (rule: Record<string, Node>, value: Node, at: string) =>
    firstOf(
      Object.entries(rule).map(([key, one]) => (key in value ? problemOf(one, value[key], `${at}.${key}`) : undefined)),
    ),
  ),
  propertyNames: about(isMapping, (rule: Node, value: object, at: string) =>
    firstOf(Object.keys(value).map((key) => problemOf(rule, key, `${at}.${key}`))),
  ),
  additionalProperties: about(isMapping, (rule: Node | false, value: Node, at: string, { properties = {} }: Node) => {
    const others = Object.entries(value).filter(([key]) => !Object.hasOwn(properties as Node, key));
    if (rule === false) return others.length === 0;
    return firstOf(others.map(([key, one]) => problemOf(rule, one, `${at}.${key}`)));
  }),
  anyOf: (rule: readonly Node[], value: unknown, at: string) =>
    rule.some((one) => problemOf(one, value, at) === undefined),
  oneOf: (rule: readonly Node[], value: unknown, at: string) =>
    rule.filter((one) => problemOf(one, value, at) === undefined).length === 1,
};
