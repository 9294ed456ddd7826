import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuthority, makeKeyPair, type Authority, type Credentials, type Subject } from '../authority.ts';

/** The keys of one cluster, as files in a directory that its programs read. */
export interface ClusterKeys {
  readonly authority: Authority;
  /** The path of a file such as `ca.crt` or `sa.key`. */
  file(name: string): string;
  /** Issues NAME.crt and NAME.key. */
  issue(name: string, subject: Subject): Promise<Credentials>;
  /** Issues a client certificate and writes NAME.kubeconfig with it; returns the path. */
  kubeconfig(name: string, server: string, subject: Subject): Promise<string>;
}

/** Creates the cluster's CA (ca.crt, ca.key) and the keys for ServiceAccount tokens (sa.key, sa.pub). */
export async function makeClusterKeys(directory: string): Promise<ClusterKeys> {
  const authority = makeAuthority('kolla-pod test');
  const file = (name: string): string => join(directory, name);
  const write = (name: string, text: string) => writeFile(file(name), text, { mode: 0o600 });
  const issue = async (name: string, subject: Subject): Promise<Credentials> => {
    const issued = authority.issue(subject);
    await write(`${name}.crt`, issued.certificate);
    await write(`${name}.key`, issued.key);
    return issued;
  };
  const { publicKey, privateKey } = makeKeyPair();
  await write('ca.crt', authority.certificate);
  await write('ca.key', authority.key);
  await write('sa.pub', publicKey);
  await write('sa.key', privateKey);
  return {
    authority,
    file,
    issue,
    kubeconfig: async (name, server, subject) => {
      const { certificate, key } = await issue(name, subject);
      const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
      await write(`${name}.kubeconfig`, kubeconfigText(server, authority.certificate, user));
      return file(`${name}.kubeconfig`);
    },
  };
}

/** The text of a kubeconfig with one user, in JSON, which is also YAML. */
export function kubeconfigText(server: string, ca: string, user: object, namespace?: string): string {
  const cluster = { server, 'certificate-authority-data': base64(ca) };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'test', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
    'current-context': 'test',
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
