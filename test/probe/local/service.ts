/**
 * Real processes with real sockets, under the names of services: a script in a private directory, run by an
 * interpreter as an OpenStack service is.
 */
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateDirectory } from '../../../tools/directory.ts';
import { start, tied, type Running } from '../../../tools/process.ts';

export interface Service extends AsyncDisposable {
  readonly pid: number;
  /** Its first line of output, such as its port. */
  readonly said: string;
  readonly running: Running;
}

export interface ServiceOptions {
  /** The user to run as; by default the test's own. */
  readonly uid?: number;
}

/** @param script JavaScript (CommonJS) that prints a line by `say(text)` once it is ready */
export async function startService(name: string, script: string, options: ServiceOptions = {}): Promise<Service> {
  const directory = await privateDirectory('service');
  await chmod(directory.path, 0o755);
  const file = join(directory.path, name);
  const say = "const say = (text) => require('node:fs').writeSync(1, text + '\\n');\n";
  await writeFile(file, say + script, { mode: 0o755 });
  const words: [string, string[]] = [process.execPath, [file]];
  const { uid } = options;
  const [command, args] =
    uid === undefined
      ? tied(...words)
      : [
          'setpriv',
          ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--pdeathsig', 'KILL', words[0], file],
        ];
  const running = await start(command, args, { keepOutput: true, cwd: directory.path });
  const { stdout, stderr } = running.child;
  let errors = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  stdout?.setEncoding('utf8');
  const [said] = (await Promise.race([
    once(stdout!, 'data'),
    running.ended.then((code) => {
      throw new Error(`${name} exited with ${code}: ${errors}`);
    }),
  ])) as [string];
  return {
    pid: running.pid,
    said: said.trim(),
    running,
    async [Symbol.asyncDispose]() {
      await running.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

const NET = "const net = require('node:net');\n";

/** Listens on a free port, prints it, and keeps every connection open. */
export function listens(host = '127.0.0.1', port = 0): string {
  return `${NET}const server = net.createServer((socket) => socket.on('error', () => {}));
server.listen(${port}, '${host}', () => say(String(server.address().port)));`;
}

/** Connects, reports it once all connections are open, and keeps them when the peer closes. */
export function connects(port: number, host = '127.0.0.1', count = 1): string {
  return `${NET}let open = 0;
for (let i = 0; i < ${count}; i++) {
  const socket = net.connect({ port: ${port}, host: '${host}', allowHalfOpen: true });
  socket.on('connect', () => ++open === ${count} && say('connected')).on('error', () => {}).resume();
}
setInterval(() => {}, 1000);`;
}

/** Starts to connect, and reports that. */
export function tries(port: number, host = '127.0.0.1'): string {
  return `${NET}net.connect({ port: ${port}, host: '${host}' }).on('error', () => {});
setTimeout(() => say('trying'), 50);
setInterval(() => {}, 1000);`;
}

/** Listens with a backlog of one, prints its port, and never accepts again: later clients stay in SYN-SENT. */
export const NEVER_ACCEPTS = `${NET}const server = net.createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  say(String(server.address().port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;
