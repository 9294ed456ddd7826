import { defined } from '../../core/defined.ts';
import { ConfigError } from '../../core/errors.ts';
import type { YamlValue } from '../../core/yaml-text.ts';
import { isMapping } from '../../core/mapping.ts';
import { NAME_RULES } from '../../kube/names.ts';
import { at, type Values } from '../helm/helm-values.ts';
import { PASSWORD_NAMES } from './names.ts';

/** The entry of `global.passwordSecrets` for every password that has none of its own. */
const OTHERS = '*';

interface Source {
  readonly name: string;
  readonly secret: string;
  readonly key: string;
}

/**
 * The Secrets that `global.passwordSecrets` of the charts' values names, with these passwords.
 * @param file of the passwords, for messages
 * @throws ConfigError, without a password
 */
export function secretsOf(passwords: Values, values: Values, file: string, namespace: string | undefined): YamlValue[] {
  const sources = sourcesOf(at(values, 'global', 'passwordSecrets'), at(values, 'global', 'logs')['password']);
  if (sources.length === 0) throw new ConfigError('the values have no global.passwordSecrets, so no Secret is needed');
  const secrets = new Map<string, Record<string, string>>();
  for (const { name, secret, key } of sources) {
    const password = passwords[name] ?? '';
    if (password === '')
      throw new ConfigError(`${file} has no ${name}, for which global.passwordSecrets names a Secret`);
    if (typeof password !== 'string') throw new ConfigError(`${file}: ${name} is no text; put it in quotes`);
    const data = secrets.get(secret) ?? {};
    const text = Buffer.from(password).toString('base64');
    if ((data[key] ?? text) !== text)
      throw new ConfigError(`global.passwordSecrets.${name}: key ${key} of ${secret} has another password already`);
    secrets.set(secret, { ...data, [key]: text });
  }
  return [...secrets].map(([name, data]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, ...defined({ namespace }) },
    type: 'Opaque',
    data,
  }));
}

function sourcesOf(given: Values, logs: unknown): Source[] {
  const others = OTHERS in given ? PASSWORD_NAMES : [];
  const shipper = OTHERS in given && typeof logs === 'string' && logs !== '' ? [logs] : [];
  const names = new Set([...others, ...shipper, ...Object.keys(given).filter((name) => name !== OTHERS)]);
  return [...names].map((name) => {
    const place = `global.passwordSecrets.${name in given ? name : OTHERS}`;
    const entry = given[name] ?? given[OTHERS];
    const secret = isMapping(entry) ? entry['secret'] : undefined;
    const key = isMapping(entry) ? (entry['key'] ?? name) : undefined;
    if (typeof secret !== 'string' || !NAME_RULES.subdomain.is.test(secret) || typeof key !== 'string')
      throw new ConfigError(`${place}: say {secret: NAME, key: KEY}`);
    return { name, secret, key };
  });
}
