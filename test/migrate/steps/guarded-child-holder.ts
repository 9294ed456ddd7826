/** Runs a long guarded command with a connection to the given port, and prints the command's pid. Killed by the test. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { startGuarded } from '../../../src/migrate/child/guarded-child.ts';

const socket = connect(Number(process.argv[2]), '127.0.0.1');
await once(socket, 'connect');
// eslint-disable-next-line no-underscore-dangle
const descriptor = (socket as unknown as { _handle: { fd: number } })._handle.fd;
const child = await startGuarded(['sleep', '1000'], {
  env: { PATH: process.env['PATH'] },
  descriptor,
  onLine: () => {},
});
process.stdout.write(`${child.pid}\n`);
await child.ended;
