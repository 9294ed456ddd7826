import { once } from 'node:events';
import { start } from '../../../tools/process.ts';

/**
 * Starts a process of that name that runs a line of JavaScript, and returns its first output. Kolla's scripts search
 * whole command lines, so the line is not in its arguments.
 * @param args after its name, for matches on command lines
 */
export async function actor(
  stack: AsyncDisposableStack,
  called: string,
  script: string,
  args: readonly string[] = [],
): Promise<string> {
  const line = 'exec -a "$1" "$0" - "${@:2}" <<< "$SCRIPT"';
  const env = { ...process.env, SCRIPT: script };
  const running = stack.use(
    await start('bash', ['-c', line, process.execPath, called, ...args], { env, keepOutput: true }),
  );
  const [said] = (await once(running.child.stdout!, 'data')) as [Buffer];
  return String(said).trim();
}

/** A line that connects, reports that, and keeps its end of the connection open whatever the peer does. */
export function connecting(port: number, host = '127.0.0.1'): string {
  return `require('net').connect({ port: ${port}, host: '${host}', allowHalfOpen: true }, () => console.log('up')).on('error', () => {})`;
}

/** A line that listens on a TCP port, and reports the port. */
export const LISTENING = `const s = require('net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port))`;
/** The same, with a greeting for each connection, because a connection that is not accepted has no owner. */
export const GREETING = `const s = require('net').createServer((c) => c.write('hello')).listen(0, '127.0.0.1', () => console.log(s.address().port))`;
export const LISTENING_6 = `const s = require('net').createServer().listen(0, '::1', () => console.log(s.address().port))`;
export const BOUND_UDP = `const s = require('dgram').createSocket('udp4').bind(0, '127.0.0.1', () => console.log(s.address().port))`;

/** Accepts no connection and has a full queue, so that further clients stay in SYN-SENT. */
export const FULL = `
const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('fs').writeSync(1, s.address().port + '\\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
})`;

export const onSocket = (path: string): string =>
  `require('net').createServer().listen('${path}', () => console.log('up'))`;
