import { randomBytes } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { ConfigError } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { replaceFile } from '../../fs/replace-file.ts';
import { writeError } from '../../fs/write-error.ts';
import { parseValues, type Values } from '../helm/helm-values.ts';
import { PASSWORD_NAMES } from './names.ts';

const EMPTY = 'global:\n  passwords:\n';
/** 160 bits, in characters that no file of a service and no URL needs to escape. */
const PASSWORD_BYTES = 20;

export interface Passwords {
  /** Every value of the file, by name. */
  readonly all: Values;
  /** The names that were added. */
  readonly added: readonly string[];
}

/**
 * Adds the passwords that the charts need and the file lacks; no other line changes. A new file is for `helm --values`;
 * one of kolla-ansible, with names at the top level, stays as it is. Readable by its owner only, and written at once.
 * @throws ConfigError if the file is invalid, NotPermittedError, UnavailableError; no message has a password
 */
export async function completePasswords(file: string): Promise<Passwords> {
  const { path, given } = await existing(file);
  const before = valuesOf(given ?? EMPTY, file);
  const added = PASSWORD_NAMES.filter((name) => (before[name] ?? '') === '');
  for (const name of PASSWORD_NAMES) checkText(before[name] ?? '', name, file);
  if (added.length === 0) return { all: before, added };
  const made = Object.fromEntries(added.map((name) => [name, randomBytes(PASSWORD_BYTES).toString('hex')]));
  const text = withPasswords(given ?? EMPTY, made);
  const after = valuesOf(text, file);
  // The text is edited by line, and YAML has other forms of a mapping, such as {a: b}.
  if (JSON.stringify(sorted(after)) !== JSON.stringify(sorted({ ...before, ...made })))
    throw new ConfigError(`${file}: passwords can be added only to a mapping with one NAME: PASSWORD a line`);
  try {
    await replaceFile(path, { content: Buffer.from(text), mode: 0o600, ...(await ownerOf(path)) });
  } catch (error) {
    throw writeError(`cannot write ${file}`, 'name a file in a directory that you may write', error);
  }
  return { all: after, added };
}

/** A link's target and its text, if there is one. */
async function existing(file: string): Promise<{ path: string; given: string | undefined }> {
  try {
    const path = (await realpath(file).catch(ignoreAbsent)) ?? file;
    return { path, given: await readFile(path, 'utf8').catch(ignoreAbsent) };
  } catch (error) {
    throw writeError(`cannot read ${file}`, 'name a file that you may read', error);
  }
}

/** Root keeps the owner of an existing file; anyone else can only write as themselves. */
async function ownerOf(path: string): Promise<{ uid: number; gid: number }> {
  const found = process.getuid?.() === 0 ? await stat(path).catch(ignoreAbsent) : undefined;
  return { uid: found?.uid ?? -1, gid: found?.gid ?? -1 };
}

/** The passwords of kolla-ansible's file, or `global.passwords` of one for Helm. */
function valuesOf(text: string, file: string): Values {
  const { global, ...names } = parseValues(text, file);
  if (global === undefined) return names;
  const passwords = isMapping(global) ? (global['passwords'] ?? {}) : undefined;
  if (!isMapping(passwords)) throw new ConfigError(`${file}: global.passwords is no mapping of names to passwords`);
  return passwords;
}

function checkText(value: unknown, name: string, file: string): void {
  if (typeof value !== 'string') throw new ConfigError(`${file}: ${name} is no text; put it in quotes`);
}

/** Fills in `NAME:` without a value, as in kolla-ansible's template, and adds other names next to the existing ones. */
function withPasswords(text: string, made: Readonly<Record<string, string>>): string {
  const lines = text.replace(/\n*$/, '\n').split('\n').slice(0, -1);
  const parent = lines.findIndex((line) => /^ +passwords:\s*(?:\{\s*\}\s*)?(?:#.*)?$/.test(line));
  const next = lines.slice(parent + 1).find((line) => /^ *\w/.test(line));
  const depth = parent === -1 ? 0 : (lines[parent] ?? '').search(/\S/);
  const own = next === undefined ? 0 : next.search(/\S/);
  const indent = ' '.repeat(parent === -1 ? 0 : own > depth ? own : depth + 2);
  const rest: string[] = [];
  for (const [name, password] of Object.entries(made)) {
    const at = lines.findIndex((line) => new RegExp(`^${indent}${name}:\\s*(?:""|''|~|null)?\\s*(?:#.*)?$`).test(line));
    const line = `${indent}${name}: "${password}"`;
    if (at === -1) rest.push(line);
    else lines[at] = line;
  }
  if (parent === -1) lines.push(...rest);
  else lines.splice(parent, 1, (lines[parent] ?? '').replace(/\{\s*\}/, ''), ...rest);
  return `${lines.join('\n')}\n`;
}

function sorted(values: Values): [string, unknown][] {
  return Object.entries(values)
    .filter(([, value]) => (value ?? '') !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}
