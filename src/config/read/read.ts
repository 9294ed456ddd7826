import { isUtf8 } from 'node:buffer';
import { accessSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, ConfigError, reasonOf } from '../../core/errors.ts';
import { yamlProblem } from '../../core/yaml-problem.ts';
import { placeOfMistake } from './json-place.ts';
import { parseDocument, type Document } from './schema.ts';

export interface Loaded {
  readonly file: string;
  /** Directory that replaces CONFIG_DIR, also in the document's sources. */
  readonly configDir: string;
  readonly document: Document;
}

/**
 * Reads and validates config.yaml or else config.json of `directory`, or the `named` file. Undefined if none was named
 * and neither exists. Throws ConfigError with all problems of the document.
 */
export async function readConfig(directory: string, named: string | undefined): Promise<Loaded | undefined> {
  const file = named ?? firstPresent([join(directory, 'config.yaml'), join(directory, 'config.json')]);
  if (file === undefined) return undefined;
  const text = readText(file);
  const document = parseDocument(/\.ya?ml$/.test(file) ? await parseYaml(file, text) : parseJson(file, text));
  if (!('problems' in document)) return { file, configDir: directory, document };
  const { problems } = document as { problems: string[] };
  throw new ConfigError(`${file}: ${problems.join('; ')}`);
}

const NAMED = 3;

/** Why a directory has no configuration. */
export function whyAbsent(directory: string): string {
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => !name.startsWith('..'));
  } catch (error) {
    const code = codeOf(error);
    const why = code === 'ENOENT' ? 'there is no such directory' : reasonOf(error);
    return `no config.json in ${directory}: ${why}`;
  }
  if (names.length === 0) return `no config.json in ${directory}, which is empty`;
  const some = names.toSorted().slice(0, NAMED).join(', ');
  return `no config.json in ${directory}, only ${some}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ''}`;
}

function firstPresent(files: readonly string[]): string | undefined {
  for (const file of files) {
    try {
      // A dangling link counts as missing, as in Kolla.
      accessSync(file);
      return file;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') return file; // reading it reports the error
    }
  }
  return undefined;
}

function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new ConfigError(`cannot read ${file}: ${reasonOf(cause)}`, { cause });
  }
  if (!isUtf8(bytes)) throw new ConfigError(`${file} is not UTF-8`);
  return bytes.toString();
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(`${file} is not JSON: ${placeOfMistake(text)}`);
  }
}

/** The YAML dialect of Kolla's own reader, a subset of YAML 1.1. */
async function parseYaml(file: string, text: string): Promise<unknown> {
  const { parsePythonYaml } = await import('../python/yaml.ts');
  try {
    return await parsePythonYaml(file, text);
  } catch (error) {
    throw new ConfigError(`${file} is not YAML: ${yamlProblem((error as Error).cause ?? error)}`);
  }
}
