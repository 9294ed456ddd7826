import { readFile } from 'node:fs/promises';
import { codeOf, ConfigError, messageOf, reasonOf } from '../../core/errors.ts';
import { osloLines } from '../../oslo/ini.ts';
import { osloValue } from '../../oslo/value.ts';
import { isForOslo, setVariable } from '../../oslo/variable.ts';
import type { ConfigOption, Service } from '../../catalog/index.ts';

/** The service's own configuration, if the file exists. */
export interface ServiceConfig {
  /** Undefined if the option is unset or empty. Throws ConfigError for a file that oslo.config cannot read either. */
  valueAt(place: ConfigOption | undefined): string | undefined;
  /** The file exists but is unreadable, so it is unknown whether an option is set. */
  readonly isHidden: boolean;
  /** Throws ConfigError for an unreadable file, and for one that oslo.config cannot parse, with the line number. */
  check(): void;
  /**
   * The option's name in messages: `[keystone_authtoken] password in /etc/glance/glance-api.conf, which is not here`,
   * or the name of the environment variable.
   */
  nameOf(places: readonly ConfigOption[]): string;
}

interface Found {
  readonly text: string;
  /** The problem with the file, to be written after its name. */
  readonly why: string;
  readonly isHidden: boolean;
}

const NONE: Found = { text: '', why: '', isHidden: false };

/**
 * Reads the file. A Job in another image has no such file and gets all values from options; only values that would come
 * from the file are then missing. For a service with oslo.config an environment variable takes precedence.
 * @param given path set by the user; the file must then exist
 */
export async function readServiceConfig(
  { configFile }: Service,
  given: string | undefined,
  inherited: NodeJS.ProcessEnv,
): Promise<ServiceConfig> {
  const file = given ?? configFile;
  const { text, why, isHidden } = file === undefined ? NONE : await textOf(file, given !== undefined);
  const env = isForOslo(configFile) ? inherited : {};
  const inFile = <T>(read: () => T): T => {
    try {
      return read();
    } catch (cause) {
      throw new ConfigError(`${file}: ${reasonOf(cause)}`, { cause });
    }
  };
  return {
    valueAt(place) {
      if (place === undefined) return undefined;
      return inFile(() => osloValue(text, place, env)) || undefined;
    },
    isHidden,
    check() {
      if (isHidden) throw new ConfigError(`${file}${why}`);
      inFile(() => osloLines(text));
    },
    nameOf(places) {
      const [variable, ...more] = places.map((place) => setVariable(place, env));
      if (variable !== undefined && more.length === 0) return variable;
      const words = places.map(({ section, key }) => `[${section}] ${key}`);
      return `${words.join(' or ')} in ${file ?? 'its configuration'}${why}`;
    },
  };
}

async function textOf(file: string, isGiven: boolean): Promise<Found> {
  try {
    return { ...NONE, text: await readFile(file, 'utf8') };
  } catch (cause) {
    const reason = messageOf(cause);
    if (isGiven) throw new ConfigError(`cannot read ${file}, given by --service-config: ${reason}`, { cause });
    const isAbsent = codeOf(cause) === 'ENOENT';
    return isAbsent
      ? { ...NONE, why: ', which is not here' }
      : { ...NONE, why: `, which can't be read: ${reason}`, isHidden: true };
  }
}
