/** Values as Helm and the library chart merge them. */
import { readFile } from 'node:fs/promises';
import { ConfigError, reasonOf } from '../../core/errors.ts';
import { loadValues } from '../../core/helm-yaml.ts';
import { yamlProblem } from '../../core/yaml-problem.ts';
import { isMapping } from '../../core/mapping.ts';

export type Values = Readonly<Record<string, unknown>>;

/** The value of a key that has a mapping, or nothing. */
export function at(values: Values, ...path: readonly string[]): Values {
  const found = path.reduce<unknown>((value, key) => (isMapping(value) ? value[key] : undefined), values);
  return isMapping(found) ? found : {};
}

/** Files of values in the order of `helm --values`: each overrides those before it. @throws ConfigError */
export async function readValues(files: readonly string[]): Promise<Values> {
  let all: Values = {};
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new ConfigError(`cannot read ${file}: ${reasonOf(cause)}`, { cause });
    });
    all = merged(all, parseValues(text, file));
  }
  return all;
}

/** @throws ConfigError without any content of the file, which may have passwords */
export function parseValues(text: string, file: string): Values {
  let parsed: unknown;
  try {
    parsed = text.trim() === '' ? {} : (loadValues(text) ?? {});
  } catch (error) {
    throw new ConfigError(`${file}: invalid YAML: ${yamlProblem(error)}`);
  }
  if (!isMapping(parsed)) throw new ConfigError(`${file}: is no mapping of keys to values`);
  return parsed;
}

/** Mappings are merged, anything else is replaced. A null stays, for `laidOver`. */
function merged(under: Values, over: Values): Values {
  const result: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = result[key];
    result[key] = isMapping(value) && isMapping(below) ? merged(below, value) : value;
  }
  return result;
}

/** The same, but null removes a key: kolla-pod.lay of the library chart. */
export function laidOver(under: Values, ...layers: readonly Values[]): Values {
  const result: Record<string, unknown> = { ...under };
  for (const [key, value] of layers.flatMap((layer) => Object.entries(layer))) {
    const below = result[key];
    if (value === null) delete result[key];
    else result[key] = isMapping(value) && isMapping(below) ? laidOver(below, value) : value;
  }
  return result;
}
