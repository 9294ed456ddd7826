import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, ConfigError, reasonOf } from '../../../core/errors.ts';
import { suggestion } from '../../../core/nearest.ts';
import { isMapping } from '../../../core/mapping.ts';

/** Text values of a cloud in clouds.yaml: `auth_url`, `password`, `region_name`, `cacert` ... */
export interface Cloud {
  readonly values: Readonly<Record<string, string>>;
  /** The cloud's name in messages: `/etc/openstack/clouds.yaml: clouds.kolla`. */
  readonly place: string;
}

type Mapping = Readonly<Record<string, unknown>>;

/**
 * A cloud from the first existing clouds.yaml, merged with secure.yaml in the same directory. Keys of the cloud and of
 * its `auth` section are merged. Names are those of openstacksdk.
 * @param files to try in this order
 * @throws ConfigError; the message never contains a value, which may be a password
 */
export async function readCloud(name: string, files: readonly string[]): Promise<Cloud> {
  for (const file of files) {
    const found = await mappingIn(file);
    if (found === undefined) continue;
    const clouds = mappingAt(found['clouds']);
    const cloud = mappingAt(clouds[name]);
    if (!Object.hasOwn(clouds, name))
      throw new ConfigError(`${file} has no cloud '${name}'${suggestion(name, Object.keys(clouds))}`);
    const secure = mappingAt(mappingAt((await mappingIn(join(dirname(file), 'secure.yaml')))?.['clouds'])[name]);
    const all = { ...cloud, ...mappingAt(cloud['auth']), ...secure, ...mappingAt(secure['auth']) };
    const texts = Object.entries(all).flatMap(([key, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[key, String(value)]] : [],
    );
    return { values: Object.fromEntries(texts) as Record<string, string>, place: `${file}: clouds.${name}` };
  }
  throw new ConfigError(`OS_CLOUD names '${name}', but there is no clouds.yaml: looked for ${files.join(', ')}`);
}

async function mappingIn(file: string): Promise<Mapping | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new ConfigError(`cannot read ${file}: ${reasonOf(cause)}`, { cause });
  }
  const { loadFile } = await import('../../../core/yaml.ts');
  return mappingAt(loadFile(file, text));
}

function mappingAt(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}
