import { ConfigError, reasonOf } from '../../core/errors.ts';
import { osloValue } from '../../oslo/value.ts';
import { isForOslo, isYaml, osloVariable, setVariable } from '../../oslo/variable.ts';
import type { ConfigOption, Service } from '../../catalog/index.ts';
import { readText } from './read-text.ts';

/** Where a service's configuration comes from. */
export interface ConfigSources {
  /** A file that the user named instead of the service's own. */
  readonly serviceConfig: string | undefined;
  readonly inherited: NodeJS.ProcessEnv;
}

/** An option as the service reads it. */
export interface Configured {
  /** Undefined if the option is unset or empty. It may contain a password. */
  readonly value: string | undefined;
  /** Where the option is set, or should be set, for messages. */
  readonly place: string;
  /** Whether the option is set by an environment variable. */
  readonly isVariable: boolean;
}

/**
 * The first of these options that is set. For a service with oslo.config a variable takes precedence over files.
 * @param why the reason if the file is missing, worded to follow "which" in an error: `has ...; or ...`
 * @throws ConfigError if the file is unreadable or malformed
 */
export async function configured(
  { name, configFile }: Pick<Service, 'name' | 'configFile'>,
  places: readonly ConfigOption[],
  { serviceConfig, inherited }: ConfigSources,
  why: string,
): Promise<Configured> {
  const file = serviceConfig ?? configFile;
  if (file === undefined) throw new ConfigError(`${name} has no configuration file: give --service-config`);
  const env = isForOslo(configFile) ? inherited : {};
  const isInEnvironment = places.some((place) => setVariable(place, env) !== undefined);
  const text = await readText(file, why).catch((error: unknown) => {
    if (isInEnvironment && serviceConfig === undefined) return '';
    throw error;
  });
  try {
    for (const place of places) {
      const value = await valueIn(file, text, place, env);
      const variable = setVariable(place, env);
      if (value !== undefined && value !== '')
        return { value, place: variable ?? `${file}: ${wordsOf(place)}`, isVariable: variable !== undefined };
    }
  } catch (cause) {
    throw cause instanceof ConfigError ? cause : new ConfigError(`${file}: ${reasonOf(cause)}`, { cause });
  }
  const words = places.map((place) => {
    const variable = setVariable(place, env);
    return variable === undefined ? wordsOf(place) : `${wordsOf(place)} (${variable} is empty)`;
  });
  return { value: undefined, place: `${file}: ${words.join(' or ')}`, isVariable: false };
}

/** An option as shown in messages: `[database] connection`. */
export function wordsOf({ section, key }: ConfigOption): string {
  return `[${section}] ${key}`;
}

/**
 * An option in a service's configuration: an oslo.config file with its variables, or YAML with mappings as sections.
 * @returns undefined if it is not set
 * @throws RangeError, or for YAML ConfigError, with the line, never its text: it may contain a password
 */
export async function valueIn(
  file: string,
  text: string,
  place: ConfigOption,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (!isYaml(file)) return osloValue(text, place, env);
  const { loadFile } = await import('../../core/yaml.ts');
  const value = at(at(loadFile(file, text), place.section), place.key);
  return typeof value === 'string' ? value : undefined;
}

/** The environment variable for an option of a service with that configuration file; undefined if there is none. */
export function variableOf(configFile: string | undefined, place: ConfigOption): string | undefined {
  return isForOslo(configFile) ? osloVariable(place) : undefined;
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
