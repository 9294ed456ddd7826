import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../core/errors.ts';
import type { Credentials } from './login.ts';

/** Source of the API server's address and of our credentials. */
export type CredentialSource =
  | {
      readonly kind: 'in-cluster';
      readonly host: string;
      readonly port: string;
      /** Directory of the mounted ServiceAccount: token, ca.crt, namespace. */
      readonly directory: string;
    }
  | {
      readonly kind: 'kubeconfig';
      /** Paths of kubeconfigs. As in kubectl, the first file with an entry applies, and missing files are skipped. */
      readonly files: readonly string[];
      /** By default the current one. */
      readonly context?: string | undefined;
    };

type Read = () => Credentials | Promise<Credentials>;

/**
 * Returns a function that reads the current credentials. A ServiceAccount's token is renewed hourly, and a CA may be
 * too: files are read each time. A kubeconfig is parsed again when it changed, or after a 401 (`refused`), so that an
 * exec plugin does not run for each request. Throws ConfigError.
 */
export function credentialsFrom(source: CredentialSource): (refused: boolean) => Promise<Credentials> {
  let loaded: { readonly read: Read; readonly text: string } | undefined;
  const read = async (refused: boolean): Promise<Credentials> => {
    try {
      if (source.kind === 'in-cluster') return serviceAccount(source);
      const files = source.files.filter((file) => existsSync(file));
      if (files.length === 0)
        throw new Error('there is no such file; it is a kubeconfig, as `kubectl config view --raw` prints it');
      const text = files.map((file) => readFileSync(file, 'utf8')).join('\n---\n');
      if (loaded?.text !== text || refused) loaded = { read: await loginIn(files, source.context), text };
      return await loaded.read();
    } catch (cause) {
      const fix = source.kind === 'in-cluster' ? '; does the Pod set automountServiceAccountToken: false?' : '';
      throw new ConfigError(`cannot read credentials from ${nameOf(source)}: ${messageOf(cause)}${fix}`, { cause });
    }
  };
  // A hundred watches reconnecting at once run an exec plugin once.
  const reading = new Map<boolean, Promise<Credentials>>();
  return (refused) => {
    const now = reading.get(refused) ?? read(refused).finally(() => reading.delete(refused));
    reading.set(refused, now);
    return now;
  };
}

/** The source's name in messages. */
export function nameOf(source: CredentialSource): string {
  return source.kind === 'in-cluster' ? `the ServiceAccount in ${source.directory}` : source.files.join(':');
}

/** Its code is loaded only here: a Pod has no kubeconfig. */
async function loginIn(files: readonly string[], context: string | undefined): Promise<Read> {
  const { entryIn } = await import('./kubeconfig.ts');
  const { credentialsOf, otherLoginOf } = await import('./login.ts');
  const entry = entryIn(files, context);
  if (otherLoginOf(entry) === undefined) return () => credentialsOf(entry);
  const { otherLogin } = await import('#kube-logins');
  return otherLogin(entry);
}

function serviceAccount({ host, port, directory }: Extract<CredentialSource, { kind: 'in-cluster' }>): Credentials {
  const file = (name: string) => readFileSync(join(directory, name), 'utf8');
  const server = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return {
    server,
    namespace: existsSync(join(directory, 'namespace')) ? file('namespace').trim() : 'default',
    headers: [['Authorization', `Bearer ${file('token').trim()}`]],
    route: { to: { host, port: Number(port) }, tls: { ca: file('ca.crt') } },
  };
}
