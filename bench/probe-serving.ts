/**
 * kolla-probe serve of kolla-core against kolla-pod's, in a network namespace: prints Figures as JSON. Run by
 * probe-serve.ts.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { standIns } from './census/stand-in.ts';
import { privateDirectory } from '../tools/directory.ts';
import { residentFigures } from './probe-resident.ts';

const SOCKET = '/run/libvirt/libvirt-sock';

await using directory = await privateDirectory('probe-serve');
const { path } = directory;
const make = await standIns(path);
const heartbeat = join(path, 'heartbeat');
await writeFile(heartbeat, '');
const server = createServer((socket) => socket.on('error', () => socket.destroy()).resume());
server.listen(5672, '127.0.0.1');
await once(server, 'listening');
await using worker = await make({ name: 'nova-compute' });
await worker.does(['connect', '127.0.0.1', 5672]);
await using api = await make({ name: 'nova-api' });
await api.does(['answer', 8774, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}']);
await using local = await make({ name: 'libvirtd' });
await mkdir('/run/libvirt');
await local.does(['unix', SOCKET]);
const figures = await residentFigures(path, [
  'connected nova-compute 5672',
  'http http://127.0.0.1:8774/',
  'tcp 127.0.0.1:5672',
  `socket ${SOCKET} --process libvirtd`,
  `file-age ${heartbeat} 1d`,
]);
server.close();
process.stdout.write(JSON.stringify(figures));
