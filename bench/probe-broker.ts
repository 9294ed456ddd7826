import { chmod, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kollaPackage } from '../test/contract/kolla-package.ts';
import { startRabbitmq } from '../test/cluster/rabbitmq.ts';
import { round, type Figure } from './figure.ts';
import type { Measure, Measured } from './measured.ts';
import { cpuMsOf, startResident } from './probe-resident.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const BIN = fileURLToPath(new URL('../dist/bin', import.meta.url));
const ROUNDS = 8;
/** Each round starts six Erlang VMs. */
const WHOLE_ROUNDS = 3;
const CHECKS = 10;
const IDLE_MS = 10_000;
const REACH = 0.1;

/** Readiness of a real broker: RabbitMQ's own tool and Kolla's script against ours. */
export async function brokerFigures(directory: string, measure: Measure): Promise<Figure[]> {
  await using broker = await startRabbitmq();
  const { words: ping, env } = broker.toolLine(['ping'], 'rabbitmq-diagnostics');
  const address = `127.0.0.1:${broker.port}`;
  const path = { PATH: process.env['PATH'] };
  const login = { ...path, KOLLA_PROBE_USER: 'guest', KOLLA_PROBE_PASSWORD: 'guest' };
  const amqp = [join(BIN, 'kolla-probe'), 'amqp', address, '--timeout', '5s'];
  const peer: Measured[] = [];
  const plain: Measured[] = [];
  const logged: Measured[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    peer.push(await measure(ping, env));
    plain.push(await measure(amqp, path));
    logged.push(await measure(amqp, login));
  }
  const whole: Measured[] = [];
  const ours: Measured[] = [];
  const script = join(directory, 'kolla', 'healthcheck_rabbitmq');
  await cp(join(await kollaPackage(), 'rabbitmq/healthcheck_rabbitmq'), script);
  await chmod(script, 0o755);
  const [erlexec, ...rest] = ping.slice(0, -1);
  const line = [erlexec, ...rest].map((word) => `'${word}'`).join(' ');
  await writeFile(join(directory, 'rabbitmq-diagnostics'), `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 });
  const own = { ...login, RABBITMQ_NODE_PORT: String(broker.port), KOLLA_PROBE_TIMEOUT: '5s' };
  for (let i = 0; i < WHOLE_ROUNDS; i++) {
    whole.push(await measure([script], { ...env, PATH: `${directory}:${process.env['PATH']}` }));
    ours.push(await measure([join(BIN, 'healthcheck_rabbitmq')], own));
  }
  const resident = await perCheck(directory, `amqp ${address}`);
  const least = (runs: readonly Measured[], what: keyof Measured) => Math.min(...runs.map((one) => one[what]));
  const figure = (what: string, unit: string, our: number, their: number, digits: number): Figure => ({
    what,
    unit,
    ours: round(our, digits),
    peer: round(their, digits),
  });
  const pingMs = least(peer, 'cpuMs');
  const times = (what: string, ms: number): Figure => ({
    ...figure(`rabbitmq-diagnostics ping, ${what}: CPU ratio`, '×', ms / pingMs, 1, 3),
    reach: REACH,
  });
  return [
    times('binary', least(plain, 'cpuMs')),
    times('binary with login', least(logged, 'cpuMs')),
    times('resident', resident),
    figure('rabbitmq-diagnostics ping, binary: CPU', 'ms', least(plain, 'cpuMs'), pingMs, 1),
    figure('rabbitmq-diagnostics ping, resident: CPU', 'ms', resident, pingMs, 1),
    figure('rabbitmq-diagnostics ping, binary: wall time', 'ms', least(plain, 'wallMs'), least(peer, 'wallMs'), 0),
    figure('rabbitmq-diagnostics ping, binary: memory', 'MB', least(plain, 'megabytes'), least(peer, 'megabytes'), 0),
    figure('healthcheck_rabbitmq, binary: CPU', 'ms', least(ours, 'cpuMs'), least(whole, 'cpuMs'), 0),
    figure('healthcheck_rabbitmq, binary: wall time', 'ms', least(ours, 'wallMs'), least(whole, 'wallMs'), 0),
  ];
}

/** Cost of one check in the resident server. */
async function perCheck(directory: string, run: string): Promise<number> {
  const cost = async (runs: readonly string[]) => {
    await using resident = await startResident(directory, runs, { server: 'kolla-pod', period: '1s' });
    const before = cpuMsOf(resident.pid);
    await sleep(IDLE_MS);
    return cpuMsOf(resident.pid) - before;
  };
  const none = await cost([]);
  const all = await cost(Array.from({ length: CHECKS }, () => run));
  return (all - none) / ((CHECKS * IDLE_MS) / 1000);
}
