import { join } from 'node:path';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import { suggestion } from '../../core/nearest.ts';
import { as, bad, either, json, within, type Field, type Item, type Table } from '../tables/items.ts';
import { compile } from '../tables/compile.ts';
import { ecsField } from './ecs.ts';
import { elsewhere, timeIn } from './elsewhere.ts';
import { FORMATS, type FormatRule } from './index.ts';
import { patternItems } from './own-pattern.ts';

const KEYS = ['files', 'line', 'json', 'time', 'other-lines', 'process', 'numbers', 'ecs', 'program'];
const OTHER_LINES = ['follow', 'alone'] as const;
/** Fields of documents that no line may set. */
const RESERVED = new Set(['@timestamp', 'kubernetes', 'parse_error']);
const PAYLOAD = 'Payload';

type Tell = (place: string, what: string) => void;
type Values = Readonly<Record<string, unknown>>;

/**
 * The formats of kolla-pod.yaml's `formats:`, each compiled to a table, as rules for their files.
 * @param file name of kolla-pod.yaml, for messages
 * @param section the unvalidated value of `formats:`
 * @param root the log root, to which globs are relative
 * @throws ConfigError with every problem and its place: `formats.x.line: column 12: 'Y-q' is neither ...`
 */
export function ownFormats(file: string, section: unknown, root: string): FormatRule[] {
  if (section === undefined || section === null) return [];
  if (!isMapping(section)) throw new ConfigError(`${file}: formats: is not a mapping of names to formats`);
  const problems: string[] = [];
  const tell: Tell = (place, what) => void problems.push(`${place}: ${what}`);
  const rules = Object.entries(section).flatMap(([name, value]) => rulesOf(name, value, root, tell));
  if (problems.length > 0) throw new ConfigError(`${file}: ${problems.join('; ')}`);
  return rules;
}

function rulesOf(name: string, value: unknown, root: string, tell: Tell): FormatRule[] {
  const place = `formats.${name}`;
  if (!/^[a-z][a-z0-9-]{0,47}$/.test(name)) tell(place, 'is not a name of lower-case letters, digits and -');
  if (Object.hasOwn(FORMATS, name)) tell(place, 'is the name of a built-in format; use another');
  if (!isMapping(value)) {
    tell(place, 'is not a mapping with files and line');
    return [];
  }
  for (const key of Object.keys(value))
    if (!KEYS.includes(key)) tell(`${place}.${key}`, `no such key${suggestion(key, KEYS)}`);
  const files = textsOf(value['files'], `${place}.files`, tell);
  if (files.length === 0) tell(`${place}.files`, "is missing, such as files: ['proxysql/*.log']");
  const program = typeof value['program'] === 'string' ? value['program'] : undefined;
  const table = tableOf(name, value, place, tell);
  if (table === undefined) return [];
  return files.map((glob) => ({
    glob: glob.startsWith('/') ? glob : join(root, glob),
    format: { name, table, program },
  }));
}

function tableOf(name: string, value: Values, place: string, tell: Tell): Table | undefined {
  const others = value['other-lines'] ?? (value['json'] === undefined ? 'follow' : 'alone');
  if (!OTHER_LINES.some((one) => one === others))
    tell(`${place}.other-lines`, `is not one of ${OTHER_LINES.join(', ')}`);
  const isFollowed = others === 'follow';
  const lines = value['json'] === undefined ? linesOf(value, isFollowed, place, tell) : jsonOf(value, place, tell);
  if (lines === undefined) return undefined;
  const process = processOf(value['process'], lines.columns, place, tell);
  const table: Table = {
    name,
    otherwise: isFollowed ? 'follows' : 'alone',
    ...(process !== undefined && { process }),
    fields: fieldsOf(value, lines, place, tell),
    line: [either(...lines.choices, [elsewhere, bad()])],
  };
  try {
    compile(table);
  } catch (error) {
    tell(place, `${messageOf(error)}: use fewer columns and shorter texts`);
  }
  return table;
}

/** The column with the ID of the process. */
function processOf(value: unknown, columns: readonly string[], place: string, tell: Tell): string | undefined {
  if (value === undefined) return undefined;
  const column = columns.find((one) => one === value);
  if (column === undefined) tell(`${place}.process`, `is not the name of a column: ${columns.join(', ')}`);
  return column;
}

interface Lines {
  readonly choices: readonly (readonly Item[])[];
  readonly columns: readonly string[];
  /** The captures that one document may have together. */
  readonly together: readonly (readonly string[])[];
}

/** The patterns of `line`: one, or several of which the first that matches counts. */
function linesOf(value: Values, isFollowed: boolean, place: string, tell: Tell): Lines | undefined {
  const patterns = textsOf(value['line'], `${place}.line`, tell);
  if (patterns.length === 0) tell(`${place}.line`, "is missing, such as line: '{Timestamp:Y-m-d H:M:S} {Payload...}'");
  const choices = patterns.flatMap((pattern, at) => {
    try {
      return [patternItems(pattern, isFollowed)];
    } catch (error) {
      tell(`${place}.line${patterns.length === 1 ? '' : `[${at}]`}`, messageOf(error));
      return [];
    }
  });
  const together = patterns.map((pattern) =>
    [...pattern.matchAll(/\{([\w.@-]+?)(?:\.\.\.)?(?::[^{}]*)?\}/g)].map(([, column]) => column!),
  );
  return choices.length === 0
    ? undefined
    : { choices, columns: together.flat(), together: together.map((all) => all.filter((one) => !one.startsWith('_'))) };
}

/** JSON lines: the payload is the line, unless that is the name of a column that it has. The columns of `json` are added to it. */
function jsonOf(value: Values, place: string, tell: Tell): Lines | undefined {
  if (value['line'] !== undefined) tell(`${place}.line`, 'cannot be combined with json');
  const { json: named } = value;
  if (!isMapping(named) || !Object.values(named).every((key) => typeof key === 'string')) {
    tell(`${place}.json`, 'is not a mapping of field names to keys, such as log_level: level');
    return undefined;
  }
  const times = textsOf(value['time'], `${place}.time`, tell);
  const keys = Object.fromEntries(Object.entries(named).map(([field, key]) => [key as string, field]));
  const timeKeys = Object.fromEntries(times.map((key) => [key, keys[key] ?? `_${key}`]));
  const dated = times.map((key): readonly Item[] => [timeIn(timeKeys[key]!)]);
  const all = { ...keys, ...timeKeys };
  const others = Object.fromEntries(Object.entries(all).filter(([, field]) => field !== PAYLOAD));
  const line: readonly Item[] = [as('_line', json(others))];
  const columns = Object.keys(named);
  if (Object.keys(keys).length < columns.length) tell(`${place}.json`, 'has a key for two fields');
  return {
    choices: [
      [columns.includes(PAYLOAD) ? either([json(all), within(PAYLOAD)], line) : either(line), either(...dated, [])],
    ],
    columns,
    together: [columns, ['_line', ...columns.filter((column) => column !== PAYLOAD)]],
  };
}

function fieldsOf(value: Values, lines: Lines, place: string, tell: Tell): Record<string, Field> {
  const { columns, together } = lines;
  const numbers = textsOf(value['numbers'], `${place}.numbers`, tell);
  const { ecs = {} } = value;
  if (!isMapping(ecs)) tell(`${place}.ecs`, 'is not a mapping of columns to ECS names');
  const names = isMapping(ecs) ? ecs : {};
  for (const column of [...numbers, ...Object.keys(names)])
    if (!columns.includes(column)) tell(place, `no column is named '${column}'${suggestion(column, [...columns])}`);
  for (const column of columns)
    if (RESERVED.has(column)) tell(place, `'${column}' is a field of every document; use another name`);
  const isJson = value['json'] !== undefined;
  const fields = Object.fromEntries(
    columns.map((column): [string, Field] => {
      const name = names[column];
      const kind = numbers.includes(column) ? ({ kind: 'number' } as const) : isJson ? ({ kind: 'json' } as const) : {};
      return [column, { ...kind, ...(typeof name === 'string' && { ecs: name }) }];
    }),
  );
  if (isJson) fields['_line'] = { name: PAYLOAD };
  // A label for one pattern may be what `ecs` names in another, which only the second round sees.
  for (const each of together) giveNames(each, fields, place, () => {});
  for (const each of together) giveNames(each, fields, place, tell);
  return isJson ? fields : withoutHidden(fields);
}

/**
 * No document has a name twice. Of columns to which ECS gives the same name, that of `ecs` has it, or the first one; the others become
 * labels.
 */
function giveNames(captures: readonly string[], fields: Record<string, Field>, place: string, tell: Tell): void {
  const taken = new Map<string, string>();
  const [chosen, others] = [true, false].map((is) => captures.filter((one) => (fields[one]!.ecs !== undefined) === is));
  for (const capture of [...chosen!, ...others!]) {
    const field = fields[capture]!;
    const column = field.name ?? capture;
    const first = ecsField(column, field)?.name;
    if (first === undefined) continue;
    const name = taken.has(first) && field.ecs === undefined ? `labels.${column}` : first;
    if (name !== first) fields[capture] = { ...field, ecs: name };
    const before = RESERVED.has(name) ? 'every document' : taken.get(name);
    if (before !== undefined)
      tell(`${place}.ecs`, `'${name}' of '${column}' is a field of ${before}; use another name`);
    taken.set(name, column);
  }
}

/** Columns whose names start with `_` are in no document. */
function withoutHidden(fields: Record<string, Field>): Record<string, Field> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('_')));
}

/** One text or a list of texts. */
function textsOf(value: unknown, place: string, tell: Tell): readonly string[] {
  if (value === undefined) return [];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (all.every((one) => typeof one === 'string' && one !== '')) return all as string[];
  tell(place, 'is not a text or a list of texts');
  return [];
}
