import { readFileSync } from 'node:fs';
import { ConfigError, reasonOf } from '../core/errors.ts';
import { loadFile } from '../core/yaml.ts';
import { suggestion } from '../core/nearest.ts';
import { isMapping } from '../core/mapping.ts';
import type { Option } from './option.ts';
import { SECTIONS } from './sections.ts';

/** The options that kolla-pod.yaml sets for one command. */
export interface FileOptions extends PodFile {
  wordsOf(option: Option): { words: readonly string[]; place: string } | undefined;
}

/** kolla-pod.yaml, for code that reads sections other than options. */
export interface PodFile {
  readonly file: string;
  /** The unvalidated content of a section in SECTIONS. */
  sectionOf(name: (typeof SECTIONS)[number]): unknown;
}

type Mapping = Readonly<Record<string, unknown>>;

/**
 * Reads kolla-pod.yaml and checks the keys of this helper's section. `path` is the section and, if the command has a
 * name, the command in it: ['probe', 'tcp']. `siblings` are the other valid keys of the section: the helper's commands,
 * and its options without a command.
 */
export function readFileOptions(
  file: string,
  path: readonly string[],
  siblings: readonly string[],
  common: readonly Option[],
  own: readonly Option[],
): FileOptions {
  const root = mappingAt(readYaml(file), file, '');
  const commonFlags = common.map((option) => option.flag);
  checkKeys(root, [...SECTIONS, ...commonFlags], file, '');
  let section: Mapping = root;
  let place = '';
  for (const [depth, name] of path.entries()) {
    place = place === '' ? name : `${place}.${name}`;
    section = mappingAt(section[name] ?? {}, file, place);
    const isLeaf = depth === path.length - 1;
    checkKeys(
      section,
      [...(isLeaf ? own.map((option) => option.flag) : []), ...(depth === 0 ? siblings : [])],
      file,
      place,
    );
  }
  const ownValue = (flag: string): { where: string; value: unknown } => {
    const where = place === '' ? flag : `${place}.${flag}`;
    if (section[flag] !== undefined || path.length < 2 || !siblings.includes(flag))
      return { where, value: section[flag] };
    // Options of the helper are the defaults of its commands.
    return { where: `${path[0]}.${flag}`, value: mappingAt(root[path[0]!] ?? {}, file, path[0]!)[flag] };
  };
  return {
    file,
    sectionOf: (name) => root[name],
    wordsOf(option) {
      const isCommon = commonFlags.includes(option.flag);
      const { where, value } = isCommon ? { where: option.flag, value: root[option.flag] } : ownValue(option.flag);
      if (value === undefined) return undefined;
      if (option.secret) throw secretInFile(option, file);
      return { words: wordsIn(option, value, `${file}: ${where}`), place: `${file}: ${where}` };
    },
  };
}

/** A secret is rejected in this file, because more users can read ConfigMaps than Secrets. */
function secretInFile(option: Option, file: string): ConfigError {
  return new ConfigError(
    `${file}: ${option.flag} is a secret, which does not belong in this file: set ${option.env}, or ${option.flag}-file`,
  );
}

function readYaml(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`cannot read ${file}: ${reasonOf(cause)}`, { cause });
  }
  return loadFile(file, text) ?? {};
}

function mappingAt(value: unknown, file: string, place: string): Mapping {
  if (isMapping(value)) return value;
  throw new ConfigError(`${file}: ${place === '' ? 'the file' : place} is not a mapping of options`);
}

function checkKeys(section: Mapping, valid: readonly string[], file: string, place: string): void {
  for (const key of Object.keys(section)) {
    if (valid.includes(key)) continue;
    throw new ConfigError(`${file}: no option '${place === '' ? key : `${place}.${key}`}'${suggestion(key, valid)}`);
  }
}

function wordsIn(option: Option, value: unknown, place: string): string[] {
  if (Array.isArray(value) && !option.repeat) throw new ConfigError(`${place}: takes one value, not a list`);
  return (Array.isArray(value) ? value : [value]).map((item: unknown) => {
    if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean') return String(item);
    throw new ConfigError(`${place}: takes ${option.repeat ? 'words' : 'a word'}, such as ${option.example}`);
  });
}
