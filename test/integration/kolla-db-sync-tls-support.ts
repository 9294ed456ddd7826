import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuthority, type Credentials, type Subject } from '../cluster/authority.ts';
import { startMariadb, type Mariadb, type MariadbOptions } from '../cluster/mariadb.ts';
import { privateDirectory } from '../../tools/directory.ts';

/** A server with TLS, and the certificates of all parties. Its certificate is for `localhost` only. */
export interface TlsServer extends AsyncDisposable {
  readonly mariadb: Mariadb;
  /** CA that signed the server's certificate. */
  readonly caFile: string;
  /** An unrelated CA. */
  readonly otherCaFile: string;
  /** Trusted by the server. */
  readonly client: Files;
  /** Signed by the unrelated CA. */
  readonly stranger: Files;
  /** Replaces the server's certificate, which it reloads at once. */
  present(subject: Omit<Subject, 'commonName'>): Promise<void>;
  /** Writes a file next to the others. */
  file(name: string, text: string): Promise<string>;
}

export interface Files {
  readonly certFile: string;
  readonly keyFile: string;
}

const HOSTS = ['localhost'];

/** @param options of the server, in addition to TLS */
export async function startTlsServer(options: MariadbOptions = {}): Promise<TlsServer> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('tls'));
  const file = async (name: string, text: string) => {
    const path = join(directory.path, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const save = async (name: string, { certificate, key }: Credentials): Promise<Files> => {
    await mkdir(join(directory.path, name), { recursive: true });
    return { certFile: await file(`${name}/tls.crt`, certificate), keyFile: await file(`${name}/tls.key`, key) };
  };
  const [ca, other] = [makeAuthority('database CA'), makeAuthority('another CA')];
  const [caFile, otherCaFile] = [await file('ca.pem', ca.certificate), await file('other.pem', other.certificate)];
  const present = async (subject: Omit<Subject, 'commonName'>) =>
    await save('server', ca.issue({ commonName: 'mariadb', ...subject }));
  const { certFile, keyFile } = await present({ hosts: HOSTS });
  const extraArgs = [`--ssl-ca=${caFile}`, `--ssl-cert=${certFile}`, `--ssl-key=${keyFile}`];
  const mariadb = stack.use(await startMariadb({ ...options, extraArgs }));
  const [client, stranger] = [
    await save('client', ca.issue({ commonName: 'keystone' })),
    await save('stranger', other.issue({ commonName: 'keystone' })),
  ];
  const taken = stack.move();
  return {
    mariadb,
    caFile,
    otherCaFile,
    client,
    stranger,
    file,
    async present(subject) {
      await present(subject);
      await mariadb.query('FLUSH SSL');
    },
    [Symbol.asyncDispose]: () => taken.disposeAsync(),
  };
}
