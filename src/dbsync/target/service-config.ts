import { osloValue } from '../../platform/oslo-value.ts';
import type { Place } from '../../services/index.ts';

/**
 * An option in a service's configuration: a file for oslo.config, or YAML with mappings for sections.
 * @returns undefined when it is not set
 * @throws RangeError with the line, never its text: it may hold a password
 */
export async function urlIn(file: string, text: string, place: Place): Promise<string | undefined> {
  if (!isYaml(file)) return osloValue(text, place);
  const { loadAll } = await import('js-yaml');
  let all: unknown;
  try {
    [all] = loadAll(text);
  } catch (error) {
    const { reason = 'error', mark } = error as { reason?: string; mark?: { line: number } };
    throw new RangeError(`line ${(mark?.line ?? 0) + 1} is not YAML: ${reason}`);
  }
  const value = at(at(all, place.section), place.key);
  return typeof value === 'string' ? value : undefined;
}

/**
 * The variable by which oslo.config takes an option from the environment before its files. Undefined where there is
 * none: a YAML file is not oslo.config's, and a shell passes no name on that is not of letters, digits and `_`.
 */
export function variableOf(configFile: string | undefined, { section, key }: Place): string | undefined {
  const name = `OS_${section}__${key}`.toUpperCase();
  return configFile !== undefined && !isYaml(configFile) && /^\w+$/.test(name) ? name : undefined;
}

function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file);
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
