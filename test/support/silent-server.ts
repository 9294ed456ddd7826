import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { start } from '../../tools/process.ts';
import { until } from './until.ts';

/** A server whose queue of connections is full, so that the kernel drops further SYN packets, as a firewall does. */
export interface SilentServer extends AsyncDisposable {
  readonly port: number;
  /** Accepts the connections in the queue, and later ones. */
  answer(): void;
}

/** Prints its port, and stops accepting. */
const SERVER = `
  const answer = (socket) => socket.on('error', () => {}).once('data', () => socket.end(process.argv[2]));
  const server = require('node:net').createServer(answer);
  server.listen({ host: process.argv[1], port: 0, backlog: 1 }, () => {
    require('node:fs').writeSync(1, server.address().port + '\\n');
    process.kill(process.pid, 'SIGSTOP');
  });`;
/** Connections that fit into the queue of a backlog of one. */
const QUEUE = 2;

/** @param response to the first bytes of a client */
export async function startSilentServer(host = '127.0.0.1', response = 'hello'): Promise<SilentServer> {
  const server = await start(process.execPath, ['-e', SERVER, host, response], { keepOutput: true, throwAway: true });
  server.child.stderr!.resume();
  const [line] = (await once(server.child.stdout!, 'data')) as [Buffer];
  const port = Number(line.toString());
  // Otherwise it could still accept a connection, or stop after answer().
  await until('the server to stop', () => isStopped(server.pid) || undefined);
  const held: Socket[] = [];
  for (let i = 0; i < QUEUE; i++) {
    const socket = connect({ host, port });
    held.push(socket.on('error', () => {}));
    await once(socket, 'connect');
  }
  return {
    port,
    answer: () => void server.child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      for (const socket of held) socket.destroy();
      server.child.kill('SIGCONT');
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The state follows the name in parentheses. */
function isStopped(pid: number): boolean {
  return /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}
