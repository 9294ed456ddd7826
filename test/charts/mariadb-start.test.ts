/**
 * files/start.sh of the chart mariadb, as rendered by Helm, run by bash: which node bootstraps a cluster. Peers are
 * listeners on loopback; two stubs for MariaDB's programs create the directory and print their arguments.
 */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { run } from '../../tools/process.ts';
import { rendering } from './support.ts';

const skip = (await canRunHelm()) ?? false;

const RECOVERS = 'echo "WSREP: Recovered position: 0b5c-11:42" >&2';
const A_CLUSTER = 'uuid: 0b5c11aa-0000-0000-0000-000000000000\n';
const NO_CLUSTER = 'uuid: 00000000-0000-0000-0000-000000000000\nseqno: -1\n';

interface Node {
  readonly name: string;
  /** Content of grastate.dat; undefined if there is no data. */
  readonly state?: string;
  /** Set if the node's data was created by an earlier start that did not reach a cluster. */
  readonly isNew?: boolean;
  readonly isPeerUp?: boolean;
  /** Result of `getent` in the container; by default every name has an address. */
  readonly getent?: string;
  /** Output of `mariadbd --wsrep-recover` in the container. */
  readonly recover?: string;
  readonly script?: string;
  /** What mariadbd does in the container. */
  readonly server?: string;
}

describe('the MariaDB node that bootstraps the cluster', { skip }, () => {
  let three = '';
  let one = '';
  let named = '';
  before(async () => {
    await using chart = await rendering('mariadb');
    const scriptOf = async (replicas: number, settings: object = {}) => {
      const values = { settings, workloads: { mariadb: { replicas } } };
      return (await chart.render(values)).one('ConfigMap', 'mariadb-start')['data']['start.sh'] as string;
    };
    three = await scriptOf(3);
    one = await scriptOf(1);
    named = await scriptOf(3, { foundFrom: 'mariadb-1' });
  });

  test('of three new nodes, node 0 bootstraps, and the others join', async () => {
    assert.match(await startOf({ name: 'mariadb-0' }), /--wsrep-new-cluster/);
    assert.doesNotMatch(await startOf({ name: 'mariadb-1' }), /--wsrep-new-cluster/);
  });

  test('node 0 without data joins if another node responds', async () => {
    assert.doesNotMatch(await startOf({ name: 'mariadb-0', isPeerUp: true }), /--wsrep-new-cluster/);
  });

  test('the last node that was shut down cleanly bootstraps, whatever its number', async () => {
    const state = `${A_CLUSTER}seqno: 7\nsafe_to_bootstrap: 1\n`;
    assert.match(await startOf({ name: 'mariadb-2', state }), /--wsrep-new-cluster/);
    assert.doesNotMatch(await startOf({ name: 'mariadb-2', state, isPeerUp: true }), /--wsrep-new-cluster/);
  });

  test('a killed node joins, with its recovered position', async () => {
    const words = await startOf({ name: 'mariadb-0', state: 'seqno: -1\nsafe_to_bootstrap: 0\n' });
    assert.doesNotMatch(words, /--wsrep-new-cluster/);
    assert.match(words, /--wsrep-start-position=0b5c-11:42/);
  });

  test('a single node also bootstraps after a kill', async () => {
    const state = 'seqno: -1\nsafe_to_bootstrap: 0\n';
    assert.match(await startOf({ name: 'mariadb-0', state, script: one }), /--wsrep-new-cluster/);
  });

  test('settings.foundFrom selects the bootstrapping node', async () => {
    const state = 'seqno: -1\nsafe_to_bootstrap: 0\n';
    assert.match(await startOf({ name: 'mariadb-1', state, script: named }), /--wsrep-new-cluster/);
    assert.doesNotMatch(await startOf({ name: 'mariadb-0', state, script: named }), /--wsrep-new-cluster/);
    // mariadb-0 has lost its volume, and no peer responds yet.
    assert.doesNotMatch(await startOf({ name: 'mariadb-0', script: named }), /--wsrep-new-cluster/);
  });

  test('a node interrupted during a state transfer joins, on each start until it has the data', async () => {
    for (const state of [`${NO_CLUSTER}safe_to_bootstrap: 0\n`, `${A_CLUSTER}seqno: -1\nsafe_to_bootstrap: 0\n`]) {
      await using directory = await privateDirectory('mariadb-start');
      await mkdir(join(directory.path, 'data/.sst'), { recursive: true });
      await writeFile(join(directory.path, 'data/grastate.dat'), state);
      for (let start = 1; start <= 2; start++)
        assert.doesNotMatch(
          await startIn(directory.path, { name: 'mariadb-0' }),
          /--wsrep-new-cluster/,
          `start ${start}`,
        );
    }
  });

  test('node 0 interrupted before its cluster existed bootstraps on its next start', async () => {
    const state = `${NO_CLUSTER}safe_to_bootstrap: 0\n`;
    assert.match(await startOf({ name: 'mariadb-0', state, isNew: true }), /--wsrep-new-cluster/);
    const inCluster = `${A_CLUSTER}seqno: -1\nsafe_to_bootstrap: 0\n`;
    assert.doesNotMatch(await startOf({ name: 'mariadb-0', state: inCluster, isNew: true }), /--wsrep-new-cluster/);
  });

  test('another node that has never been in a cluster joins, regardless of its state file', async () => {
    const state = `${NO_CLUSTER}safe_to_bootstrap: 1\n`;
    for (const isNew of [true, false])
      assert.doesNotMatch(await startOf({ name: 'mariadb-1', state, isNew }), /--wsrep-new-cluster/);
  });

  test('a joining node starts when all names have addresses', async () => {
    const getent = '[[ -e $0.asked ]] || { touch $0.asked; exit 2; }; echo has-address >&2';
    const said = await startOf({ name: 'mariadb-1', getent });
    assert.match(said, /has-address(?:.|\n)*joins the cluster/);
  });

  test('reports why the position of the data is unknown, and starts nothing', async () => {
    const node = {
      name: 'mariadb-0',
      state: 'seqno: -1\nsafe_to_bootstrap: 0\n',
      recover: 'echo disk full >&2; exit 1',
    };
    const said = await startOf(node, 1);
    assert.match(said, /disk full\nstart\.sh: mariadbd failed/);
    assert.doesNotMatch(said, /--wsrep-node-name/);
  });

  test('partially initialized data is re-created', async () => {
    await using directory = await privateDirectory('mariadb-start');
    await mkdir(join(directory.path, 'data/mysql'), { recursive: true });
    await writeFile(join(directory.path, 'data/.installing'), '');
    await writeFile(join(directory.path, 'data/half'), '');
    await startIn(directory.path, { name: 'mariadb-0' });
    assert.equal(await readFile(join(directory.path, 'installed'), 'utf8'), 'mysql\n');
  });

  test('mariadb-upgrade runs once no node has an older version, and a failure is logged', async () => {
    await using directory = await privateDirectory('mariadb-start');
    const [bin, asked] = [join(directory.path, 'bin'), join(directory.path, 'asked')];
    for (const path of [bin, join(directory.path, 'data')]) await mkdir(path);
    // Node 1 answers with the older version first.
    const answers = `case "$*" in *wsrep_ready*) echo 'wsrep_ready ON';; *--host=*mariadb-1*) cat ${asked} || echo 10.11.9-MariaDB; echo 11.8.9 > ${asked};; *) echo 11.8.8-MariaDB;; esac`;
    await program(bin, 'mariadb', answers);
    const fails = `[[ "$*" == *--check* ]] || { cat ${asked}; echo of the upgrade; touch ${directory.path}/over; exit 1; }`;
    await program(bin, 'mariadb-upgrade', fails);
    const server = `until [[ -e ${directory.path}/over ]]; do sleep 1; done; sleep 1`;
    const said = await startIn(directory.path, { name: 'mariadb-0', server });
    assert.match(
      said,
      /waiting .* run 11\.8\n11\.8\.9\nof the upgrade\nstart\.sh: mariadb-upgrade failed[^\n]*\n.*repeated at the next start/,
    );
  });

  /** The arguments of mariadbd. */
  async function startOf(node: Node, wanted = 0): Promise<string> {
    await using directory = await privateDirectory('mariadb-start');
    await mkdir(join(directory.path, 'data'));
    if (node.state !== undefined) {
      await mkdir(join(directory.path, 'data/mysql'));
      await writeFile(join(directory.path, 'data/grastate.dat'), node.state);
    }
    if (node.isNew) await writeFile(join(directory.path, 'data/.new'), '');
    return await startIn(directory.path, node, wanted);
  }

  async function startIn(directory: string, node: Node, wanted = 0): Promise<string> {
    const { name, isPeerUp = false, script = three, getent = 'exit 0', recover = RECOVERS, server: serve = '' } = node;
    const bin = join(directory, 'bin');
    const data = join(directory, 'data');
    await mkdir(bin, { recursive: true });
    await program(bin, 'mariadb-install-db', `mkdir ${data}/mysql; ls ${data} > ${directory}/installed`);
    await program(bin, 'mariadbd', `case " $* " in *--wsrep-recover*) ${recover}; exit;; esac\necho "$@"\n${serve}`);
    await program(bin, 'getent', getent);
    // Otherwise a test lasts until the wait for the server's end.
    await program(bin, 'sleep', 'exec /bin/sleep 0.02');
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = isPeerUp ? (server.address() as AddressInfo).port : await freePort();
    try {
      const here = script.replaceAll('/var/lib/mysql', data).replace('/dev/tcp/$1/3306', `/dev/tcp/127.0.0.1/${port}`);
      const env = { PATH: `${bin}:${process.env['PATH']}`, POD_NAME: name, POD_IP: '10.0.0.1' };
      const { code, stdout, stderr } = await run('bash', ['--norc', '-c', here], { env });
      assert.equal(code, wanted, stderr);
      return stdout + stderr;
    } finally {
      server.close();
    }
  }
});

async function program(directory: string, name: string, script: string): Promise<void> {
  await writeFile(join(directory, name), `#!/bin/bash\n${script}\n`);
  await chmod(join(directory, name), 0o755);
}
