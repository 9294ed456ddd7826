import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../core/errors.ts';
import { isMapping } from '../core/mapping.ts';
import { loadDocument } from '../core/yaml.ts';
import { yamlProblem } from '../core/yaml-problem.ts';

/** Fields of a cluster and of a user, under kubectl's names. Paths are absolute. */
export type KubeconfigFields = Readonly<Record<string, unknown>>;

/** What a context of a kubeconfig names. */
export interface KubeconfigEntry {
  readonly cluster: KubeconfigFields;
  readonly user: KubeconfigFields;
  readonly namespace: string;
}

const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

/** An element of the lists `clusters`, `users` and `contexts`. */
interface Named {
  readonly name: string;
  readonly fields: KubeconfigFields;
}

interface Kubeconfig {
  readonly clusters: readonly Named[];
  readonly users: readonly Named[];
  readonly contexts: readonly Named[];
  readonly current: string | undefined;
}

/** The files that exist. */
export function presentOf(files: readonly string[]): readonly string[] {
  return files.filter((file) => existsSync(file));
}

/**
 * Of several files the first with an entry counts, as in kubectl.
 * @param context by default the current one
 * @throws ConfigError for an invalid file; an Error if a name leads nowhere
 */
export function entryIn(files: readonly string[], context?: string): KubeconfigEntry {
  const all = files.map((file) => read(file, files.length > 1));
  const contexts = all.flatMap((one) => one.contexts);
  const name = context ?? all.map(({ current }) => current).find(Boolean) ?? '';
  const chosen = find(contexts, name);
  if (chosen === undefined && context !== undefined)
    throw new Error(`there is no context '${context}'${namesOf(contexts)}`);
  const named = (key: string) => textIn(chosen ?? {}, key) ?? '';
  const cluster = find(
    all.flatMap((one) => one.clusters),
    named('cluster'),
  );
  if (cluster === undefined) throw new Error(`the current context '${name}' names no cluster${namesOf(contexts)}`);
  const users = all.flatMap((one) => one.users);
  return { cluster, user: find(users, named('user')) ?? {}, namespace: named('namespace') || 'default' };
}

/** A field's text; undefined if it is absent, empty or no text. */
export function textIn(fields: KubeconfigFields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function read(file: string, isOneOfSeveral: boolean): Kubeconfig {
  let document: unknown;
  try {
    document = loadDocument(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(isOneOfSeveral ? `${file}: ${yamlProblem(error)}` : yamlProblem(error));
  }
  const config = isMapping(document) ? document : {};
  const list = (key: string, of: string) => namedIn(config[key], of, dirname(file));
  return {
    clusters: list('clusters', 'cluster'),
    users: list('users', 'user'),
    contexts: list('contexts', 'context'),
    current: textIn(config, 'current-context'),
  };
}

function namedIn(list: unknown, of: string, directory: string): readonly Named[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((element: unknown) => {
    if (!isMapping(element) || typeof element['name'] !== 'string') return [];
    const fields = isMapping(element[of]) ? element[of] : {};
    const paths = PATHS.flatMap((key) => {
      const path = textIn(fields, key);
      return path === undefined ? [] : [[key, resolve(directory, path)]];
    });
    return [{ name: element['name'], fields: { ...fields, ...Object.fromEntries(paths) } }];
  });
}

function find(list: readonly Named[], name: string): KubeconfigFields | undefined {
  return list.find((one) => one.name === name)?.fields;
}

function namesOf(contexts: readonly Named[]): string {
  const names = [...new Set(contexts.map(({ name }) => name))].toSorted();
  return names.length === 0 ? '' : `; there is ${names.join(', ')}`;
}
