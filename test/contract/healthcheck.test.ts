/**
 * Runs Kolla's own healthcheck scripts and ours on the same processes, sockets and files. The results must be equal,
 * except for listed differences.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { listenTcp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { actor, BOUND_UDP, connecting, FULL, GREETING, LISTENING, LISTENING_6, onSocket } from './healthcheck/actor.ts';
import { allSides, canHaveSides, type Sides } from './healthcheck/sides.ts';

const missing = await canHaveSides();
const skip = missing ?? false;
/** A name that is unique among the processes of all tests. */
const ME = `kp${process.pid}`;

let sides: Sides;
let directory: Directory;
before(async () => {
  directory = await privateDirectory('contract');
  if (missing === undefined) sides = await allSides();
});
after(async () => {
  await directory[Symbol.asyncDispose]();
});

interface Case {
  readonly name: string;
  readonly args: readonly string[];
}
type Stage = (stack: AsyncDisposableStack) => Promise<Case>;

const port = (...args: string[]): Case => ({ name: 'healthcheck_port', args });
const listen = (...args: string[]): Case => ({ name: 'healthcheck_listen', args });
const socket = (...args: string[]): Case => ({ name: 'healthcheck_socket', args });
const filemod = (...args: string[]): Case => ({ name: 'healthcheck_filemod', args });

/** A process with a connection, and the remote port of that connection. */
async function connected(stack: AsyncDisposableStack, called: string, args: readonly string[] = []): Promise<string> {
  const server = stack.use(await listenTcp(() => {}));
  await actor(stack, called, connecting(server.port), args);
  return `${server.port}`;
}

/** Asserts that Kolla's result equals ours. */
const SAME: Readonly<Record<string, readonly [code: number, stage: Stage]>> = {
  'port: an established connection': [0, async (s) => port(`${ME}-a`, await connected(s, `${ME}-a`))],
  'port: one of several ports': [0, async (s) => port(`${ME}-b`, '1', await connected(s, `${ME}-b`))],
  'port: a name with a space, as kolla-ansible writes it': [
    0,
    async (s) => port(`${ME}-c `, await connected(s, `${ME}-c`)),
  ],
  'port: a script that python3 runs': [
    0,
    async (s) => port(`${ME}-d`, await connected(s, 'python3', [`/usr/bin/${ME}-d`])),
  ],
  "port: a worker whose title holds its parent's command": [
    0,
    async (s) =>
      port(`${ME}-rpc`, await connected(s, `neutron-server: rpc worker (/x/python3 /x/${ME}-rpc --config-file y)`)),
  ],
  'port: the local port of a connection': [
    0,
    async (s) => {
      const own = await actor(s, `${ME}-e`, GREETING);
      const client = connect(Number(own), '127.0.0.1');
      s.defer(() => void client.destroy());
      await once(client, 'data');
      return port(`${ME}-e`, own);
    },
  ],
  'port: IPv6': [
    0,
    async (s) => {
      const server = s.use(await listenTcp(() => {}, '::1'));
      await actor(s, `${ME}-f`, connecting(server.port, '::1'));
      return port(`${ME}-f`, `${server.port}`);
    },
  ],
  'port: no connection': [
    1,
    async (s) => {
      await actor(s, `${ME}-g`, LISTENING);
      return port(`${ME}-g`, `${await freePort()}`);
    },
  ],
  "port: only another process's connection": [
    1,
    async (s) => {
      await actor(s, `${ME}-h`, LISTENING);
      return port(`${ME}-h`, await connected(s, `other-${ME}`));
    },
  ],
  'port: a listener only': [1, async (s) => port(`${ME}-i`, await actor(s, `${ME}-i`, LISTENING))],
  'port: no such process': [1, () => Promise.resolve(port(`${ME}-none`, '5672'))],
  'port: no arguments': [1, () => Promise.resolve(port())],
  'listen: TCP': [0, async (s) => listen(`${ME}-j`, await actor(s, `${ME}-j`, LISTENING))],
  'listen: IPv6': [0, async (s) => listen(`${ME}-k`, await actor(s, `${ME}-k`, LISTENING_6))],
  'listen: UDP': [0, async (s) => listen(`${ME}-l`, await actor(s, `${ME}-l`, BOUND_UDP))],
  'listen: one of several ports': [0, async (s) => listen(`${ME}-m`, '1', await actor(s, `${ME}-m`, LISTENING))],
  'listen: only a connection': [1, async (s) => listen(`${ME}-n`, await connected(s, `${ME}-n`))],
  "listen: only another process's": [
    1,
    async (s) => {
      await actor(s, `${ME}-o`, LISTENING);
      return listen(`${ME}-o`, await actor(s, `other-${ME}`, LISTENING));
    },
  ],
  'listen: no such process': [1, () => Promise.resolve(listen(`${ME}-none`, '80'))],
  'socket: a listener': [0, (s) => onPath(s, 'sock1', `${ME}-p`)],
  "socket: a name longer than the kernel's limit": [
    0,
    async (s) => {
      const path = join(directory.path, 'sock2');
      const long = `${ME}-a-very-long-name`;
      await actor(s, long, `require('fs').writeFileSync('/proc/self/comm', '${long.slice(0, 15)}'); ${onSocket(path)}`);
      return socket(long, path);
    },
  ],
  "socket: another process's": [1, async (s) => socket(`${ME}-none`, (await onPath(s, 'sock3', `${ME}-q`)).args[1]!)],
  'socket: a file without a listener': [
    1,
    async (s) => {
      await using own = new AsyncDisposableStack();
      const { args } = await onPath(own, 'sock4', `${ME}-r`);
      await actor(s, `${ME}-r`, LISTENING);
      return socket(...args);
    },
  ],
  'filemod: written recently': [0, async () => filemod(await aged('new', 0), '60')],
  'filemod: written long ago': [1, async () => filemod(await aged('old', 100), '60')],
  'filemod: written in the future': [0, async () => filemod(await aged('future', -100), '60')],
  'filemod: missing': [1, () => Promise.resolve(filemod(join(directory.path, 'none'), '60'))],
  'filemod: a directory': [
    1,
    async () => {
      await mkdir(join(directory.path, 'dir'));
      return filemod(join(directory.path, 'dir'), '60');
    },
  ],
};

async function onPath(stack: AsyncDisposableStack, file: string, called: string): Promise<Case> {
  const path = join(directory.path, file);
  const comm = `require('fs').writeFileSync('/proc/self/comm', '${called}')`;
  await actor(stack, called, `${comm}; ${onSocket(path)}`);
  return socket(called, path);
}

async function aged(name: string, seconds: number): Promise<string> {
  const file = join(directory.path, name);
  await writeFile(file, '');
  const time = Math.floor(Date.now() / 1000) - seconds;
  await utimes(file, time, time);
  return file;
}

for (const [what, [code, stage]] of Object.entries(SAME)) {
  test(`equals Kolla's check: ${what}`, { skip }, async () => {
    await using stack = new AsyncDisposableStack();
    const { name, args } = await stage(stack);
    const theirs = await sides.theirs(name, args);
    const ours = await sides.ours(name, args);
    assert.equal(theirs.code, code, `Kolla's: ${theirs.stderr}`);
    assert.deepEqual([ours.code, ours.stdout], [code, theirs.stdout], ours.stderr);
    // An intended addition to Kolla's output: the reason.
    assert.match(ours.stderr, code === 0 ? /^$/ : new RegExp(`^${name}: .+\\n$`));
  });
}

/** Kolla's exit code, our exit code, and our reason. */
const DIFFERS: Readonly<Record<string, readonly [theirs: number, ours: number, reason: RegExp, stage: Stage]>> = {
  'a port is exact; with Kolla 567 passes for 5672': [
    0,
    1,
    /has no established connection to port \d+/,
    async (s) => port(`${ME}-s`, (await connected(s, `${ME}-s`)).slice(0, -1)),
  ],
  'a port to listen on matches exactly': [
    0,
    1,
    /does not listen on port \d+; seen: tcp 127/,
    async (s) => listen(`${ME}-t`, (await actor(s, `${ME}-t`, LISTENING)).slice(0, -1)),
  ],
  'a connection that is not established yet does not count': [
    0,
    1,
    /seen: SYN-SENT to 127\.0\.0\.1:\d+/,
    async (s) => {
      const full = Number(await actor(s, `${ME}-full`, FULL));
      for (let i = 0; i < 4; i++) {
        const filler = connect(full, '127.0.0.1').on('error', () => {});
        s.defer(() => void filler.destroy());
      }
      await until('the queue to be full', async () => ((await queueOf(full)) > 1 ? true : undefined));
      const script = `console.log('up'); ${connecting(full)}`;
      await actor(s, `${ME}-u`, script);
      await until('SYN-SENT', async () =>
        (await sides.theirs('healthcheck_port', [`${ME}-u`, `${full}`])).code === 0 ? true : undefined,
      );
      return port(`${ME}-u`, `${full}`);
    },
  ],
  'a connection that the peer has closed does not count': [
    0,
    1,
    /seen: CLOSE-WAIT to 127\.0\.0\.1:\d+/,
    async (s) => {
      const server = s.use(await listenTcp((one) => one.end()));
      const script = `const c = require('net').connect({ port: ${server.port}, host: '127.0.0.1', allowHalfOpen: true });
        c.on('end', () => console.log('ended')).resume(); setInterval(() => {}, 1e6)`;
      await actor(s, `${ME}-v`, script);
      return port(`${ME}-v`, `${server.port}`);
    },
  ],
  'a process is meant by its name; with Kolla whatever has it in its command line': [
    0,
    1,
    /no process named kp\d+-w/,
    async (s) => port(`${ME}-w`, await connected(s, `${ME}-x`, [`--for`, `${ME}-w`])),
  ],
  'a name is whole; with Kolla its beginning is enough': [
    0,
    1,
    /no process named kp\d+-comp;/,
    async (s) => port(`${ME}-comp`, await connected(s, `${ME}-compute`)),
  ],
  'a blank within is part of what is looked for; with Kolla it is never healthy': [
    1,
    0,
    /^$/,
    async (s) => port(`${ME}-y - --server api`, await connected(s, `${ME}-y`, ['--server', 'api'])),
  ],
  "a socket's process is matched by its whole name": [
    0,
    1,
    /no process named kp\d+; kp\d+-z \(pid \d+\) listens/,
    async (s) => socket(ME, (await onPath(s, 'sock5', `${ME}-z`)).args[1]!),
  ],
  'a socket check without a path is a usage error': [
    0,
    1,
    /missing argument/,
    async (s) => socket((await onPath(s, 'sock6', `${ME}-1`)).args[0]!),
  ],
  'filemod without words is no question; with Kolla it is healthy': [0, 1, /missing argument/, async () => filemod()],
  'a blank in a file name is part of it; with Kolla it is always healthy': [
    0,
    1,
    /late file was last written \d+ s ago/,
    async () => filemod(await aged('late file', 1000), '60'),
  ],
};

/** Number of connections to 127.0.0.1 on that port that wait to be accepted. */
async function queueOf(listening: number): Promise<number> {
  const local = `0100007F:${listening.toString(16).toUpperCase().padStart(4, '0')}`;
  const row = new RegExp(`^ *\\d+: ${local} 00000000:0000 0A [0-9A-F]{8}:([0-9A-F]{8}) `, 'm');
  return Number.parseInt(row.exec(await readFile('/proc/net/tcp', 'utf8'))?.[1] ?? '0', 16);
}

for (const [what, [their, our, reason, stage]] of Object.entries(DIFFERS)) {
  test(`differs from Kolla's check: ${what}`, { skip }, async () => {
    await using stack = new AsyncDisposableStack();
    const { name, args } = await stage(stack);
    assert.equal((await sides.theirs(name, args)).code, their, "Kolla's behaviour has changed");
    const { code, stderr } = await sides.ours(name, args);
    assert.equal(code, our, stderr);
    assert.match(stderr, reason);
  });
}
