import { closeSync, openSync, writeSync } from 'node:fs';
import { oneOf, randomFrom } from './random.ts';

export interface LogLinesOptions {
  /** Number of events; each has its number in it, starting at `seq=0`. */
  readonly events: number;
  /** Number of the first event; the default is 0. */
  readonly from?: number;
  /** The same seed writes the same bytes; the default is 1. */
  readonly seed?: number;
  /** Number of workers that write to the file, each with its own pid; the default is 30. */
  readonly workers?: number;
  /** Every n-th event has a traceback, interleaved with lines of other workers; by default none has. */
  readonly tracebackEvery?: number;
}

const MODULES = [
  'nova.compute.manager',
  'nova.virt.libvirt.driver',
  'oslo_messaging.rpc.server',
  'neutron.agent.l3.agent',
  'keystonemiddleware.auth',
  'nova.scheduler.host_mgr',
];
const MESSAGES = [
  'Took 3.21 seconds to spawn',
  'Instance destroyed ok',
  'Received unexpected event',
  'Port bound "tap-é1"',
  'GET /v2.1/servers status: 200',
  'Lock acquired waited 0.001s',
];
const LEVELS = ['INFO', 'INFO', 'INFO', 'INFO', 'DEBUG', 'WARNING', 'ERROR'];
const PACKAGES = '/var/lib/kolla/venv/lib/python3.12/site-packages';
/** The traceback below an event. oslo.log repeats time, pid and module on each line. */
export const TRACEBACK: readonly string[] = [
  'Traceback (most recent call last):',
  `  File "${PACKAGES}/nova/compute/manager.py", line 2611, in _build`,
  '    yield resources',
  `  File "${PACKAGES}/nova/virt/libvirt/driver.py", line 4443, in spawn`,
  '    self._create()',
  'nova.exception.BuildAbortException: aborted',
];
const FIRST_PID = 7;
const BEGIN_MS = Date.UTC(2026, 10, 20);
const CHUNK_LENGTH = 1 << 20;

/** Lines as oslo.log writes them, 227 bytes on average, in chunks of about a MiB that end at a line. */
export function* logLines(options: LogLinesOptions): Generator<string> {
  const { events, from = 0, seed = 1, workers = 30, tracebackEvery = Infinity } = options;
  const random = randomFrom(seed);
  const hex = (digits: number): string => {
    let text = '';
    while (text.length < digits) text += ((random() * 0x1_0000_0000) >>> 0).toString(16).padStart(8, '0');
    return text.slice(0, digits);
  };
  const ids = (count: number) => Array.from({ length: count }, () => hex(32));
  const [users, projects] = [ids(20), ids(8)];
  /** Lines that remain of the traceback, by pid. */
  const unfinished = new Map<number, string[]>();
  let timeMs = BEGIN_MS;
  let text = '';
  const now = () => new Date(timeMs).toISOString().replace('T', ' ').slice(0, 23);
  const goOn = (pid: number, lines: string[]): void => {
    text += `${now()} ${pid} ERROR ${MODULES[0]} ${lines.shift()}\n`;
    if (lines.length === 0) unfinished.delete(pid);
  };
  for (let n = from; n < from + events; n++) {
    timeMs += Math.floor(random() * 7);
    const pid = FIRST_PID + Math.floor(random() * workers);
    // A worker finishes its traceback before it logs anything else.
    for (let lines = unfinished.get(pid); lines !== undefined; lines = unfinished.get(pid)) goOn(pid, lines);
    const request = `req-${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
    const context = `[None ${request} ${oneOf(random, users)} ${oneOf(random, projects)} - - default default]`;
    const level = oneOf(random, LEVELS);
    text += `${now()} ${pid} ${level} ${oneOf(random, MODULES)} ${context} ${oneOf(random, MESSAGES)} seq=${n}\n`;
    for (const [other, lines] of unfinished) goOn(other, lines);
    if (n % tracebackEvery === tracebackEvery - 1) unfinished.set(pid, [...TRACEBACK]);
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
  }
  for (const [pid, lines] of unfinished) while (lines.length > 0) goOn(pid, lines);
  yield text;
}

/** Writes such a file, replacing any old one: a million lines take some seconds. */
export function writeLogLines(file: string, options: LogLinesOptions): void {
  const fd = openSync(file, 'w');
  try {
    for (const text of logLines(options)) writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}
