/** Reads so many bytes over TLS, after all of them have arrived: when the file exists. Prints how many there were. */
import { existsSync } from 'node:fs';
import { dialTls } from '../../../src/net/dial/secure.ts';

export async function main([port, caFile, file = '', expected]: string[]): Promise<number> {
  const { signal } = new AbortController();
  const socket = await dialTls({ host: '127.0.0.1', port: Number(port) }, { signal, tls: { caFile } });
  socket.write('go');
  // Holds up the loop, so that one read finds more than it takes.
  while (!existsSync(file));
  let length = 0;
  return await new Promise((resolve) => {
    socket.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length < Number(expected)) return;
      process.stdout.write(String(length));
      socket.destroy();
      resolve(0);
    });
  });
}
