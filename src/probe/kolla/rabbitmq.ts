import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { formatAddress, type Address } from '../../net/dial/address.ts';
import { unseen } from '../ask/verdict.ts';
import { askCheck } from './own-check.ts';
import { timeoutOf, type KollaAnswer, type KollaQuestion } from './curl/question.ts';
import { RABBITMQ_LOGIN } from './variables.ts';

const CONFIG = '/etc/rabbitmq/rabbitmq.conf';
const [PORT, TLS_PORT] = [5672, 5671];

/** healthcheck_rabbitmq: checks that this broker accepts clients. Arguments are ignored. */
export function rabbitmqQuestion(_argv: readonly string[], env: NodeJS.ProcessEnv): KollaQuestion {
  return {
    label: 'healthcheck_rabbitmq',
    timeoutMs: timeoutOf(env),
    ask: (signal, tell) => answerOf(env, signal, tell),
  };
}

async function answerOf(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  tell?: (awaited: string) => void,
): Promise<KollaAnswer> {
  let at: Listener;
  try {
    at = listenerOf(env);
  } catch (error) {
    return { verdict: unseen(messageOf(error)) };
  }
  const { rabbitmq } = await import('../checks/rabbitmq.ts');
  // Only availability is checked. The `tls` check covers certificates.
  const words = [formatAddress(at), ...(at.isTls ? ['--tls', 'require'] : [])];
  const known = Object.fromEntries(RABBITMQ_LOGIN.map((name) => [name, env[name]]));
  return { verdict: await askCheck(rabbitmq, words, known, signal, tell) };
}

interface Listener extends Address {
  readonly isTls: boolean;
}

/**
 * The broker's address from its variables and rabbitmq.conf, because kolla-ansible binds it to one address, which is
 * not loopback.
 */
function listenerOf(env: NodeJS.ProcessEnv): Listener {
  const [host, port] = [env['RABBITMQ_NODE_IP_ADDRESS'], env['RABBITMQ_NODE_PORT']];
  const own = { host: reachable(host || '127.0.0.1'), port: Number(port || PORT), isTls: false };
  if (host || port) return own;
  const file = env['RABBITMQ_CONFIG_FILE'] || CONFIG;
  return existsSync(file) ? (parseListener(readFileSync(file, 'utf8')) ?? own) : own;
}

/** The first listener in a rabbitmq.conf, preferably one without TLS; undefined if there is none. */
export function parseListener(text: string): Listener | undefined {
  for (const [kind, standard] of [
    ['tcp', PORT],
    ['ssl', TLS_PORT],
  ] as const) {
    const line = new RegExp(String.raw`^\s*listeners\.${kind}\.\S+\s*=\s*(?:(\S*):)?(\d{1,5})\s*$`, 'm').exec(text);
    if (line === null) continue;
    const host = (line[1] ?? '').replace(/^\[(.*)\]$/, '$1');
    return { host: reachable(host || '127.0.0.1'), port: Number(line[2] ?? standard), isTls: kind === 'ssl' };
  }
  return undefined;
}

/** The address to connect to: loopback for a server that listens on all addresses. */
function reachable(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
}
