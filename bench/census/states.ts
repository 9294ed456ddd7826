import type { ServiceProbe } from '../../src/catalog/index.ts';
import type { Command, Looks } from './stand-in.ts';

/** One state of a stand-in; without commands there is no such process. */
export interface State {
  readonly state: string;
  /** Undefined: not running. */
  readonly does: readonly Command[] | undefined;
  /** Stopped by SIGSTOP afterwards. */
  readonly isFrozen?: true;
  /** Commands for another process. */
  readonly otherDoes?: readonly Command[];
}

export interface Plan {
  readonly looks: Looks;
  readonly well: State;
  readonly unwell: State;
  /** Whether liveness must fail too in the unhealthy state. */
  readonly isDead: boolean;
}

/** Servers that accept and keep connections. */
export const HOST = '127.0.0.1';
/** Servers with a full backlog: connections hang. */
export const FULL_HOST = '127.0.0.2';
/** Servers that close every connection at once. */
export const ENDING_HOST = '127.0.0.3';

/** Process titles set by the libraries of these services. */
const TITLES: Readonly<Record<string, (name: string) => string>> = {
  neutron: (name) =>
    `${name} (/var/lib/kolla/venv/bin/python3 /var/lib/kolla/venv/bin/${name} --config-file neutron.conf)`,
  ...Object.fromEntries(
    ['aodh', 'ceilometer', 'cloudkitty', 'gnocchi', 'octavia'].map((service) => [
      service,
      (name: string) => `${name}: Service worker(0)`,
    ]),
  ),
};

/** Appearance of the stand-in: its name is the one liveness looks for. */
function looksOf({ service, container }: ServiceProbe, name: string | undefined): Looks {
  if (name === undefined) return { name: container.replaceAll('_', '-') };
  if (name === 'sshd') return { name, title: 'sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups' };
  const title = TITLES[service]?.(name);
  return title === undefined ? { name } : { name, title };
}

/** A healthy and an unhealthy state for a container: varied, so that all states occur. */
export function planOf(probe: ServiceProbe, index: number): Plan | undefined {
  const [script, ...words] = (probe.declared ?? '').replaceAll("'", '').split(/\s+/);
  const [name = '', port = ''] = words;
  if (script === 'healthcheck_port') return workerPlan(probe, looksOf(probe, name), Number(port), index);
  if (script === 'healthcheck_listen') return listenerPlan(looksOf(probe, name), Number(port), index, probe.readiness);
  if (script === 'healthcheck_curl') return apiPlan(looksOf(probe, undefined), portOf(words.at(-1) ?? ''), index);
  return undefined;
}

function connectionsOf({ readiness }: ServiceProbe): number {
  return Number(/ --at-least (\d+)/.exec(readiness)?.[1] ?? 1);
}

function workerPlan(probe: ServiceProbe, looks: Looks, port: number, index: number): Plan {
  const connections = connectionsOf(probe);
  const longer = port * 10;
  const states: (State & { readonly isDead?: true })[] = [
    { state: 'no connection', does: [] },
    { state: 'SYN-SENT', does: [['connecting', FULL_HOST, port]] },
    { state: 'CLOSE-WAIT', does: [['ended', ENDING_HOST, port]] },
    { state: "another process's connection", does: [], otherDoes: [['connect', HOST, port]] },
    { state: 'no such process', does: undefined, isDead: true },
    // Kolla's pattern also matches a longer port that starts with the wanted one.
    { state: `connected to ${longer}`, does: [['connect', HOST, longer]] },
  ];
  const possible = states
    .slice(0, longer > 65_535 ? -1 : undefined)
    // An agent that is ready without a connection is not ready only if it does not run.
    .filter(({ isDead }) => isDead === true || probe.readiness.startsWith('connected '));
  const { isDead = false, ...unwell } = possible[index % possible.length]!;
  return {
    looks,
    well: { state: `connected to ${port}`, does: Array.from({ length: connections }, () => ['connect', HOST, port]) },
    unwell,
    isDead,
  };
}

function listenerPlan(looks: Looks, port: number, index: number, readiness: string): Plan {
  // Services whose check covers more than listening.
  const [word = ''] = readiness.split(' ');
  const open: Command = word === 'redis' ? ['answer', port, '+PONG\r\n'] : ['listen', port];
  const states: State[] = [
    { state: 'does not listen', does: [] },
    { state: `listens on ${port + 1}`, does: [['listen', port + 1]] },
    { state: 'another process listens', does: [], otherDoes: [['listen', port]] },
    { state: 'no such process', does: undefined },
  ];
  const possible = word === 'listen' ? states : states.slice(0, 2);
  return {
    looks,
    well: { state: `listens on ${port}`, does: [open] },
    unwell: possible[index % possible.length]!,
    isDead: true,
  };
}

function apiPlan(looks: Looks, port: number, index: number): Plan {
  const status = (line: string): Command => ['answer', port, `HTTP/1.1 ${line}\r\nContent-Length: 2\r\n\r\n{}`];
  const states: (State & { readonly isDead?: true })[] = [
    { state: 'refuses connections', does: [], isDead: true },
    { state: 'status 503', does: [status('503 Service Unavailable')] },
    { state: 'frozen', does: [status('200 OK')], isFrozen: true },
    { state: 'answers no HTTP', does: [['answer', port, 'hello\r\n']] },
  ];
  const { isDead = false, ...unwell } = states[index % states.length]!;
  return { looks, well: { state: 'status 200', does: [status('200 OK')] }, unwell, isDead };
}

function portOf(url: string): number {
  return Number(/:(\d+)(?:\/|$)/.exec(url)?.[1]);
}
