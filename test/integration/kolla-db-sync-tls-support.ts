import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuthority, type Credentials, type Subject } from '../cluster/authority.ts';
import { startMariadb, type Mariadb, type MariadbOptions } from '../cluster/mariadb.ts';
import { privateDirectory } from '../../tools/directory.ts';

/** A server with TLS, and certificates for all parties. The server's certificate is valid for `localhost` only. */
export interface TlsServer extends AsyncDisposable {
  readonly mariadb: Mariadb;
  /** The CA that has signed the server's certificate. */
  readonly caFile: string;
  /** A CA that is unrelated to the server. */
  readonly otherCaFile: string;
  /** A client certificate that the server trusts. */
  readonly client: Files;
  /** A client certificate that the unrelated CA has signed. */
  readonly stranger: Files;
  /** Replaces the server's certificate. The server reloads it immediately. */
  present(subject: Omit<Subject, 'commonName'>): Promise<void>;
  /** Writes a file next to the other ones. */
  file(name: string, text: string): Promise<string>;
}

export interface Files {
  readonly certFile: string;
  readonly keyFile: string;
}

const HOSTS = ['localhost'];

/** @param options options of the server in addition to TLS */
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
