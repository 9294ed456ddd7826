import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireOwnHosts } from '../../../src/probe/ask/check.ts';
import { amqp } from '../../../src/probe/checks/amqp.ts';
import { freePort } from '../../../tools/port.ts';
import { listenTcp } from '../../support/server.ts';
import { asked, reasonAwaiting, reasonOf } from './asked.ts';
import {
  CHANNEL_CLOSE,
  CHANNEL_CLOSE_OK,
  CHANNEL_OPEN,
  CLOSE,
  CLOSE_OK,
  closeMethod,
  DECLARE,
  DELETE,
  OPEN,
  scriptedBroker,
  START_OK,
  startMethod,
  TUNE_OK,
} from '../../support/amqp-broker.ts';

const LOGIN = ['--user', 'nova'];
const ENV = { KOLLA_PROBE_PASSWORD: 'hidden' };

test('with a login the check opens the virtual host, and closes the connection', async () => {
  await using broker = await scriptedBroker();
  const verdict = await asked(amqp, [`127.0.0.1:${broker.port}`, ...LOGIN, '--vhost', 'cell1'], ENV);
  assert.deepEqual(verdict, { healthy: true, detail: "accepted the login of 'nova' and opened 'cell1'" });
  assert.deepEqual(broker.methods, [START_OK, TUNE_OK, OPEN, CLOSE]);
  assert.ok(broker.login().includes('\0nova\0hidden'));
});

test("without a login the check sends nothing, and only verifies that the broker handles the connection's end", async () => {
  await using broker = await scriptedBroker();
  assert.deepEqual(await asked(amqp, [`127.0.0.1:${broker.port}`]), {
    healthy: true,
    detail: 'accepts and handles connections',
  });
  await using frozen = await scriptedBroker({ isFrozen: true });
  assert.equal(
    await reasonAwaiting(amqp, [`127.0.0.1:${frozen.port}`], /does not read/),
    'no response in 1m: connected, but the broker does not read: it may be frozen',
  );
});

test("--greeting waits for the broker's AMQP greeting, and nothing more", async () => {
  await using broker = await scriptedBroker();
  const at = `127.0.0.1:${broker.port}`;
  assert.deepEqual(await asked(amqp, [at, '--greeting']), { healthy: true, detail: 'speaks AMQP 0-9-1' });
  assert.deepEqual(broker.methods, []);
  await assert.rejects(asked(amqp, [at, '--greeting', ...LOGIN]), /--greeting is for a check without a login/);
});

for (const [name, answers, reason, answered] of [
  [
    'a rejected login',
    { [START_OK]: [closeMethod(403, 'ACCESS_REFUSED - Login was refused')] },
    "it rejects the login of 'nova': ACCESS_REFUSED - Login was refused",
    [START_OK, CLOSE_OK],
  ],
  [
    'a missing virtual host',
    { [OPEN]: [closeMethod(530, 'NOT_ALLOWED - vhost / not found')] },
    "it denies 'nova' access to '/': NOT_ALLOWED - vhost / not found",
    [START_OK, TUNE_OK, OPEN, CLOSE_OK],
  ],
] as const) {
  test(`${name} is unhealthy with the broker's message, which is acknowledged`, async () => {
    await using broker = await scriptedBroker({ answers });
    const asking = reasonOf(amqp, [`127.0.0.1:${broker.port}`, ...LOGIN], ENV);
    assert.equal(await asking, reason);
    assert.deepEqual(broker.methods, answered);
  });
}

test('--declare declares a queue, deletes it, and closes the connection', async () => {
  await using broker = await scriptedBroker();
  const verdict = await asked(amqp, [`127.0.0.1:${broker.port}`, ...LOGIN, '--declare'], ENV);
  assert.deepEqual(verdict, {
    healthy: true,
    detail: "accepted the login of 'nova' and opened '/', declared and deleted a queue",
  });
  assert.deepEqual(broker.methods, [START_OK, TUNE_OK, OPEN, CHANNEL_OPEN, DECLARE, DELETE, CLOSE]);
});

for (const [name, answers, reason, last] of [
  [
    'a denied queue',
    { [DECLARE]: [closeMethod(403, 'ACCESS_REFUSED - configure access refused', CHANNEL_CLOSE)] },
    'queue.declare fails: ACCESS_REFUSED - configure access refused',
    [DECLARE, CHANNEL_CLOSE_OK, CLOSE],
  ],
  [
    'a metadata store that times out',
    { [DELETE]: [closeMethod(541, 'INTERNAL_ERROR')] },
    'queue.delete fails: INTERNAL_ERROR; its metadata store may have no quorum',
    [DECLARE, DELETE, CLOSE_OK],
  ],
  [
    'another reply',
    { [DECLARE]: [closeMethod(0, '', 20_020)] },
    'the server does not answer queue.declare as AMQP does',
    [],
  ],
] as const) {
  test(`with --declare, ${name} is unhealthy with the broker's message`, async () => {
    await using broker = await scriptedBroker({ answers });
    assert.equal(await reasonOf(amqp, [`127.0.0.1:${broker.port}`, ...LOGIN, '--declare'], ENV), reason);
    assert.deepEqual(broker.methods.slice(broker.methods.length - last.length), last);
  });
}

test('--declare needs a login, and is rejected for liveness', async () => {
  await assert.rejects(asked(amqp, ['broker', '--declare']), /--declare needs a login: give --user/);
  const question = await amqp.prepare(
    { operands: ['127.0.0.1'], child: [], options: { user: 'nova', vhost: '/', declare: true } as never },
    {} as never,
  );
  assert.throws(
    () => requireOwnHosts('amqp', question),
    /contacts the other nodes of its cluster, .* Use it for readiness/,
  );
});

test('at the deadline the reason names the pending step', async () => {
  for (const [silentAt, awaited] of [
    [START_OK, /has started AMQP, but does not respond to the login$/],
    [OPEN, /has accepted the login, but does not open the virtual host '\/'$/],
    [CHANNEL_OPEN, /does not answer channel\.open: /],
    [DECLARE, /does not answer queue\.declare: its metadata store may have no quorum$/],
    [DELETE, /does not answer queue\.delete: its metadata store may have no quorum$/],
    [CLOSE, /has opened the virtual host, but does not respond to the close$/],
  ] as const) {
    await using broker = await scriptedBroker({ answers: { [silentAt]: [] } });
    const words = [`127.0.0.1:${broker.port}`, ...LOGIN, '--declare'];
    assert.match(await reasonAwaiting(amqp, words, awaited, ENV), awaited);
  }
});

test('another protocol is distinguished from a broker that rejects the login mechanism', async () => {
  await using http = await listenTcp((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  assert.equal(await reasonOf(amqp, [`127.0.0.1:${http.port}`, ...LOGIN], ENV), 'the server is not AMQP');
  await using other = await scriptedBroker({ header: startMethod('EXTERNAL') });
  assert.match(
    await reasonOf(amqp, [`127.0.0.1:${other.port}`, ...LOGIN], ENV),
    /does not accept a password login.*EXTERNAL/,
  );
  await using mute = await listenTcp((socket) => void socket.destroy());
  assert.match(await reasonOf(amqp, [`127.0.0.1:${mute.port}`, ...LOGIN], ENV), /closed without a response|ECONNRESET/);
  assert.match(
    await reasonOf(amqp, [`127.0.0.1:${await freePort()}`]),
    /^connection refused by 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
  );
});

test('an invalid AMQP frame is unhealthy, not a crash', async () => {
  for (const bytes of [
    Buffer.from([1, 0, 0, 0xff, 0xff, 0xff, 0xff]),
    Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 30, 0]),
    Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 30, 0xce]),
    Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, 60, 0, 30, 0xce]),
  ]) {
    await using broker = await scriptedBroker({ answers: { [START_OK]: [bytes] } });
    assert.notEqual(await reasonOf(amqp, [`127.0.0.1:${broker.port}`, ...LOGIN], ENV), 'healthy');
  }
});

test('the port is 5672, and 5671 with TLS', async () => {
  const subject = async (tls?: string) => {
    const options = { tls, greeting: false, vhost: '/' };
    return (await amqp.prepare({ operands: ['broker'], child: [], options: options as never }, {} as never)).subject;
  };
  assert.equal(await subject(), 'amqp broker:5672');
  assert.equal(await subject('off'), 'amqp broker:5672');
  assert.equal(await subject('verify'), 'amqp broker:5671');
  assert.equal(await subject('require'), 'amqp broker:5671');
});

test('port 5671 is TLS unless --tls off, so a CA bundle is accepted there', async () => {
  await assert.rejects(asked(amqp, ['broker:5672', '--ca-file', '/ca.pem']), /--ca-file is given without TLS/);
  const { subject } = await amqp.prepare(
    { operands: ['broker:5671'], child: [], options: { caFile: '/ca.pem', vhost: '/' } },
    {} as never,
  );
  assert.equal(subject, 'amqp broker:5671');
  await assert.rejects(asked(amqp, ['broker:5671', '--tls', 'off', '--ca-file', '/ca.pem']), { exitCode: 64 });
});

test('a password without a user, two passwords, and an overlong virtual host are rejected', async () => {
  await assert.rejects(asked(amqp, ['broker'], ENV), /KOLLA_PROBE_PASSWORD is given without an account: give --user/);
  await assert.rejects(asked(amqp, ['broker', ...LOGIN, '--password-file', 'x'], ENV), /are both given: leave one out/);
  await assert.rejects(asked(amqp, ['broker', '--vhost', 'ä'.repeat(128)]), /--vhost is longer than the 255 bytes/);
});
