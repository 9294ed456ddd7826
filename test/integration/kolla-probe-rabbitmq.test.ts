import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { canRunRabbitmq, startRabbitmq, type Rabbitmq } from '../cluster/rabbitmq.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import { stopGroup } from '../support/stop-group.ts';
import { until } from '../support/until.ts';

const skip = (await canRunRabbitmq()) ?? false;
const stack = new AsyncDisposableStack();
let broker: Rabbitmq;
let at: string;
let atTls: string;
let caFile: string;
let login: string[];

before(async () => {
  if (skip !== false) return;
  const directory = stack.use(await privateDirectory('probe-rabbitmq'));
  const file = async (name: string, text: string) => {
    const path = join(directory.path, name);
    await writeFile(path, text);
    return path;
  };
  const authority = makeAuthority('rabbitmq');
  const { certificate, key } = authority.issue({ commonName: 'rabbitmq', hosts: ['127.0.0.1'] });
  caFile = await file('ca.pem', authority.certificate);
  const tlsPort = await freePort();
  const config = [
    `listeners.ssl.1 = 127.0.0.1:${tlsPort}`,
    `ssl_options.cacertfile = ${caFile}`,
    `ssl_options.certfile = ${await file('tls.crt', certificate)}`,
    `ssl_options.keyfile = ${await file('tls.key', key)}`,
  ];
  broker = stack.use(await startRabbitmq({ management: true, config }));
  atTls = `${broker.host}:${tlsPort}`;
  at = `${broker.host}:${broker.port}`;
  login = ['--user', 'guest', '--password-file', await file('password', 'guest\n')];
});
after(() => stack.disposeAsync());

/** Runs the check once. @returns `healthy`, or the exit code and the reason */
async function ask(
  check: 'amqp' | 'rabbitmq' | 'tls',
  words: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  place = at,
) {
  const { code, stderr } = await runHelper('kolla-probe', [check, place, '--timeout', '30s', ...words], { env });
  const reason = logLines(stderr).at(-1)?.msg ?? stderr;
  return code === 0 ? 'healthy' : `${code}: ${reason.replace(/^\w+ \S+: /, '')}`;
}

const managed = () => ['--management', broker.managementUrl ?? '', ...login];

/** The lines above `info` that the broker logs during some work. They are read after a later login was logged too. */
async function complaintsOf(work: () => Promise<unknown>): Promise<string[]> {
  const from = broker.log().length;
  await work();
  const marks = () =>
    [
      ...broker
        .log()
        .slice(from)
        .matchAll(/closing AMQP connection .*guest/g),
    ].length;
  const sofar = marks();
  assert.equal(await ask('amqp', login), 'healthy');
  await until('the broker to log a login', () => Promise.resolve(marks() > sofar || undefined));
  return broker
    .log()
    .slice(from)
    .split('\n')
    .filter((line) => /\[(?:warning|error|critical)\]/.test(line));
}

test('a login reaches the virtual host, and the broker logs no warning', { skip }, async () => {
  const complaints = await complaintsOf(async () => {
    for (let i = 0; i < 5; i++) assert.equal(await ask('amqp', login), 'healthy');
  });
  assert.deepEqual(complaints, []);
});

test('a declared queue is deleted again, and the broker logs no warning', { skip }, async () => {
  const complaints = await complaintsOf(async () => {
    for (const check of ['amqp', 'rabbitmq'] as const)
      assert.equal(await ask(check, [...login, '--declare']), 'healthy');
  });
  assert.deepEqual(complaints, []);
  assert.equal((await broker.control(['list_queues', 'name'])).replace(/^name\s*/, ''), '');
});

test(
  'an account that may not configure queues is reported by --declare, and one that may not log in is accepted on request',
  { skip },
  async () => {
    await broker.control(['add_user', 'reader', 'hidden']);
    const env = { KOLLA_PROBE_PASSWORD: 'hidden' };
    const words = ['--user', 'reader', '--declare'];
    assert.match(await ask('rabbitmq', words, env), /^1: it denies 'reader' access to '\/': NOT_ALLOWED/);
    assert.equal(await ask('rabbitmq', [...words, '--allow-rejected-login'], env), 'healthy');
    await broker.control(['set_permissions', 'reader', '^$', '.*', '.*']);
    assert.match(
      await ask('rabbitmq', [...words, '--allow-rejected-login'], env),
      /^1: queue\.declare fails: ACCESS_REFUSED - .*amq\.gen-/,
    );
  },
);

test('without a login the broker accepts the connection, and logs nothing', { skip }, async () => {
  const from = broker.log().length;
  for (let i = 0; i < 5; i++) assert.equal(await ask('amqp'), 'healthy');
  const complaints = await complaintsOf(() => Promise.resolve());
  assert.deepEqual(complaints, []);
  const connections = broker
    .log()
    .slice(from)
    .split('\n')
    .filter((line) => line.includes('accepting AMQP connection'));
  assert.equal(connections.length, 1, 'only the one login that ends the listening');
});

test('disconnecting after the greeting is logged as a warning, so it is done only on request', { skip }, async () => {
  const complaints = await complaintsOf(async () => assert.equal(await ask('amqp', ['--greeting']), 'healthy'));
  assert.match(complaints.join('\n'), /client unexpectedly closed TCP connection|closing AMQP connection/);
});

test('with TLS too, a login, no login and the certificate check leave no warning', { skip }, async () => {
  const trust = ['--ca-file', caFile];
  const complaints = await complaintsOf(async () => {
    assert.equal(await ask('amqp', ['--tls', 'verify', ...trust, ...login], {}, atTls), 'healthy');
    assert.equal(await ask('amqp', ['--tls', 'verify', ...trust], {}, atTls), 'healthy');
    assert.equal(await ask('tls', [...trust, '--expires-in', '1d'], {}, atTls), 'healthy');
  });
  assert.deepEqual(complaints, []);
  assert.match(
    await ask('amqp', ['--tls', 'verify', ...login], {}, atTls),
    /^1: its certificate is not signed by a CA/,
  );
  assert.equal(await ask('amqp', ['--tls', 'verify', ...trust]), '1: the server does not speak TLS');
});

test("a rejected login and a missing virtual host are reported in the broker's words", { skip }, async () => {
  const wrong = { KOLLA_PROBE_PASSWORD: 'hidden' };
  assert.match(await ask('amqp', ['--user', 'guest'], wrong), /^1: it rejects the login of 'guest': ACCESS_REFUSED/);
  assert.match(
    await ask('amqp', [...login, '--vhost', 'nova']),
    /^1: it denies 'guest' access to 'nova': .*nova.*not found/,
  );
  assert.match(
    await ask('rabbitmq', ['--management', broker.managementUrl ?? '', '--user', 'guest'], wrong),
    /the management API rejects 'guest'/,
  );
});

test('a memory alarm is reported by name until it clears; AMQP alone does not detect it', { skip }, async () => {
  assert.equal(await ask('rabbitmq', managed()), 'healthy');
  await broker.control(['set_vm_memory_high_watermark', '0.000001']);
  await until('the alarm', async () => (await ask('rabbitmq', managed())) !== 'healthy' || undefined);
  assert.equal(await ask('rabbitmq', managed()), '1: an alarm is in effect (memory): publishers are blocked');
  assert.equal(await ask('rabbitmq'), 'healthy');
  await broker.control(['set_vm_memory_high_watermark', 'absolute', '512MB']);
  await until('the end of the alarm', async () => (await ask('rabbitmq', managed())) === 'healthy' || undefined);
});

test('a frozen broker accepts connections and is still unhealthy', { skip }, async () => {
  await stopGroup(broker.pid);
  try {
    const quick = ['--timeout', '3s'];
    const askFrozen = async (words: readonly string[]) => {
      const { code, stderr } = await runHelper('kolla-probe', ['amqp', at, ...quick, ...words]);
      return `${code}: ${logLines(stderr).at(-1)?.msg}`;
    };
    assert.equal((await runHelper('kolla-probe', ['tcp', at])).code, 0);
    assert.match(await askFrozen([]), /^1: .*no response in 3s: connected, but the broker does not read/);
    assert.match(await askFrozen(login), /^1: .*no response in 3s: connected, but received no AMQP/);
  } finally {
    process.kill(-broker.pid, 'SIGCONT');
  }
  await until('the broker to go on', async () => (await ask('amqp', login)) === 'healthy' || undefined);
});

test('a stopped app is unhealthy, which rabbitmq-diagnostics ping does not notice', { skip }, async () => {
  await broker.control(['stop_app']);
  assert.match(await broker.control(['ping'], 'rabbitmq-diagnostics'), /^(Ping succeeded)?\s*$/);
  assert.match(await ask('amqp'), /^1: connection refused by \S+ \(ECONNREFUSED\)$/);
  assert.match(
    await ask('rabbitmq', managed()),
    /^1: connection refused by \S+ \(ECONNREFUSED\); the management API at .*ECONNREFUSED/,
  );
  await broker.control(['start_app']);
  assert.equal(await ask('rabbitmq', managed()), 'healthy');
});
