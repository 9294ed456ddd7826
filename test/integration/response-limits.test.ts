/** Responses that exceed the limit, from the real servers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { ApiClient } from '../../src/kube/client.ts';
import { credentialsFrom } from '../../src/kube/credentials.ts';
import { collectionPath, TIMING } from '../../src/kube/index.ts';
import { listAll } from '../../src/kube/list.ts';
import { connect } from '../../src/mysql/index.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedControlPlane } from '../servers/index.ts';
import { namespaceName } from '../support/names.ts';
import { startTlsServer } from './kolla-db-sync-tls-support.ts';

const MIB = 2 ** 20;

describe('MariaDB', { skip: (await canRunMariadb()) ?? false }, () => {
  test('a result of more than 16 MiB ends the session with an error that states the limit', async (t) => {
    await using server = await startTlsServer();
    const { host, port, rootPassword: password } = server.mariadb;
    const tls = { isVerified: true, caFile: server.caFile, verifyIdentity: false };
    for (const more of [{}, { tls }]) {
      const target = { host, port, user: 'root', password, database: '', ...more };
      await using session = await connect(target, { signal: t.signal, database: 'mysql' });
      const [row] = await session.rows(`SELECT REPEAT('x', ${15 * MIB}) AS text`);
      assert.equal(String(row?.['text']).length, 15 * MIB);
      await assert.rejects(session.rows(`SELECT REPEAT('x', ${MIB}) FROM seq_1_to_2000`), {
        name: 'ResponseTooLargeError',
        message: 'a response of more than 16 MiB',
      });
      if (!session.lost.aborted) await once(session.lost, 'abort');
      await assert.rejects(session.rows('SELECT 1'));
    }
  });
});

describe('the API server', { skip: (await canRunControlPlane()) ?? false }, () => {
  test('objects of more than 16 MiB together are listed in smaller pages', async (t) => {
    await using cluster = await sharedControlPlane();
    const namespace = namespaceName('limits');
    await cluster.createNamespace(namespace);
    using client = new ApiClient(credentialsFrom({ kind: 'kubeconfig', files: [cluster.kubeconfig] }), TIMING);
    const ref = { group: '', version: 'v1', resource: 'configmaps', namespace };
    const names = Array.from({ length: 24 }, (_, i) => `large-${String(i).padStart(2, '0')}`);
    for (const name of names) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: 'x'.repeat(900_000) } };
      await client.ask({ method: 'POST', path: collectionPath(ref), body }, t.signal);
    }
    await assert.rejects(client.ask({ path: collectionPath(ref) }, t.signal), { name: 'ResponseTooLargeError' });
    const { items } = await listAll(client, { ref, metadataOnly: false }, t.signal);
    const large = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('large-'));
    assert.deepEqual(large, names);
  });
});
