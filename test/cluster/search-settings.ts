import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuthority, type Credentials } from './authority.ts';
import type { Login, Settings } from './search-server.ts';

export const ADMIN = 'admin';
const PASSWORD = 'changeme-test';
/** The bcrypt hash of the password, which Node cannot compute. */
export const PASSWORD_HASH = '$2a$10$n0oFP/9KOXMlyrywjzXBmudDiuhzgzyA5s1OLHQ.Ig2aNCt8jeV6m';

/** Settings of a single-node server with its own directory. */
export function commonSettings(directory: string): Settings {
  return {
    'cluster.name': 'kolla-pod-test',
    'path.data': join(directory, 'data'),
    'path.logs': join(directory, 'logs'),
    'transport.port': 0,
    'discovery.type': 'single-node',
    // A developer's full disk must not make the server read-only.
    'cluster.routing.allocation.disk.threshold_enabled': false,
    // With the threshold disabled, each disk check (every 30 s) removes the full-disk blocks that a test has set.
    'cluster.info.update.interval': '1d',
  };
}

/** An administrator, and a certificate for the loopback address. */
export function newLogin(): { login: Login; certificate: Credentials } {
  const authority = makeAuthority('test authority');
  const certificate = authority.issue({ commonName: 'localhost', hosts: ['localhost', '127.0.0.1'] });
  return { login: { ca: authority.certificate, user: ADMIN, password: PASSWORD }, certificate };
}

/** `node.crt` and `node.key` in the config directory of a server. */
export async function writeCertificate(config: string, { certificate, key }: Credentials): Promise<void> {
  await mkdir(config, { recursive: true });
  await writeFile(join(config, 'node.crt'), certificate);
  await writeFile(join(config, 'node.key'), key);
}
