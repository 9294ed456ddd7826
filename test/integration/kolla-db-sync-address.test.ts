/**
 * Takeover without an admin from a migration with its own source address: connections from there belong to the
 * migration, others with the same account to the service.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { childrenOf } from '../support/children.ts';
import { signalIfThere } from '../../tools/process.ts';
import { beginHelper, migration, siteOn } from './kolla-db-sync-support.ts';

const address = Object.values(networkInterfaces())
  .flat()
  .find((each) => each !== undefined && !each.internal && each.family === 'IPv4')?.address;
const skip =
  (await canRunMariadb()) ?? (address === undefined ? 'this machine has no address but the loopback' : false);

/** A proxy to the server, which then sees this machine's own address and not the loopback. */
async function startWay(port: number, localAddress: string): Promise<{ port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((accepted) => {
    const dialed = connect({ port, host: '127.0.0.1', localAddress });
    for (const [from, to] of [
      [accepted, dialed],
      [dialed, accepted],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  server.listen(0, localAddress);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

describe('a takeover by address', { skip }, () => {
  let mariadb: SharedMariadb;
  before(async () => {
    mariadb = await sharedMariadb();
  });
  after(() => mariadb[Symbol.asyncDispose]());

  test("kills sessions from the frozen migration's address, and nothing else", async () => {
    const site = siteOn(mariadb);
    assert.equal((await site.sync(migration(0))).code, 0);
    const { database, password } = site;
    const { host, port } = mariadb;
    const live = await createConnection({ host, port, user: database, password, database });
    await using way = await startWay(port, address!);
    const url = (at: string) => `mysql+pymysql://${database}:${password}@${at}/${database}`;
    const begin = (at: string, ...args: string[]) =>
      beginHelper(['keystone', ...args, ...migration(args.length === 0 ? 0 : 120_000)], {
        KOLLA_DB_SYNC_CONNECTION: url(at),
      });
    await using holder = await begin(`${address}:${way.port}`, '--release', 'r1');
    await holder.saying(/started/);
    const { client, is_alone } = (await site.fence()) ?? {};
    assert.deepEqual({ client, is_alone }, { client: address, is_alone: 1 });
    // Guard, command and helper are frozen, so no process is left that could stop the command.
    const groups = childrenOf(holder.running.pid).map(({ pid }) => -pid);
    for (const id of [...groups, holder.running.pid]) process.kill(id, 'SIGSTOP');
    const written = async () => ({
      journal: await site.journal(),
      fence: await site.fence(),
      records: await mariadb.query(`SELECT * FROM ${database}.kolla_pod_record`),
    });
    let atTakeover: unknown;
    try {
      const [lock] = await mariadb.query('SELECT IS_USED_LOCK(?) AS id', [`kolla-db-sync:${database}`]);
      await mariadb.query(`KILL ${lock?.['id']}`);
      await using successor = await begin(`${host}:${port}`);
      assert.equal(await successor.code, 0, successor.said());
      assert.match(
        successor.said(),
        new RegExp(`killed processes of the previous migration: session \\d+ on .* from ${address}`),
      );
      atTakeover = await written();
    } finally {
      // When it resumes, the holder stops its children as soon as it can.
      for (const id of [holder.running.pid, ...groups]) signalIfThere(id, 'SIGCONT');
    }
    assert.equal(await holder.code, 69, holder.said());
    assert.deepEqual(await written(), atTakeover, 'the first one wrote after it was taken over');
    await live.query('SELECT 1');
    await live.end();
  });
});
