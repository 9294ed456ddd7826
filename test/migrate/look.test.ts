import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { test } from 'node:test';
import { createServer } from 'mysql2';
import { lookAtSchema } from '../../src/migrate/look.ts';
import { parseMysqlUrl } from '../../src/mysql/index.ts';
import { recordedLog } from '../support/recorded-log.ts';

/** SELECT is denied. */
const DENIED = 1142;
const NAMES = { catalog: 'def', schema: '', table: '', orgTable: '', name: 'Value', orgName: '' };
const COLUMN = { ...NAMES, characterSet: 33, columnLength: 84, columnType: 253, flags: 0, decimals: 0 };

test("a server's denial while a plan reads the record is an error of the site, not a bug", async (t) => {
  const server = createServer((connection) => {
    // mysql2's server neither restarts its packet numbers for each command, nor treats SET as a query.
    const restart = () => setImmediate(() => Object.assign(connection, { sequenceId: 0 }));
    const answer = (reply: () => void) => (reply(), restart());
    connection.on('error', () => {}); // the client disconnects
    connection.on('stmt_prepare', () => answer(() => connection.writeOk()));
    connection.on('query', (sql: string) => {
      const denial = { code: DENIED, message: 'SELECT command denied' };
      if (sql.includes('kolla_pod_')) answer(() => connection.writeError(denial));
      else answer(() => connection.writeTextResult([], [COLUMN as never]));
    });
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: '10.11.0',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 8,
      capabilityFlags: 0x00_8f_f7_ff,
      authCallback: (_: unknown, accept: (error: null) => void) => answer(() => accept(null)),
    });
  });
  // eslint-disable-next-line no-underscore-dangle -- the only way to its port
  const listener = (server as unknown as { _server: Server })._server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.after(() => listener.close());
  const { port } = listener.address() as AddressInfo;
  const plan = {
    service: 'keystone',
    release: '',
    phase: 'all',
    steps: [{ argv: ['keystone-manage', 'db_sync'] }],
    check: { argv: ['true'], codes: { 0: 'complete' } },
    target: parseMysqlUrl(`mysql://keystone:p@127.0.0.1:${port}/keystone`),
    timeoutMs: 60_000,
    galeraDonor: 'ok',
    childEnv: () => ({}),
  } as unknown as Parameters<typeof lookAtSchema>[0];
  const effects = { signal: t.signal, log: recordedLog().log, redact: (text: string) => text };
  await assert.rejects(lookAtSchema(plan, true, effects), {
    exitCode: 77,
    message: 'cannot read database keystone: error 1142: SELECT command denied',
  });
});
