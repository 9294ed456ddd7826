/**
 * HTTPS servers of other TLS libraries than ours and Node's: Go's, Java's and Erlang's. One process of each serves several
 * ports, each with one version and one certificate.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf } from '../../../src/core/errors.ts';
import type { Capability } from '../../../tools/capability.ts';
import { cached } from '../../../tools/cache.ts';
import { goProgram } from '../../../tools/go-program.ts';
import { must, start, tied } from '../../../tools/process.ts';
import { javaHome, needJava } from '../java.ts';
import { canRunRabbitmq, escriptLine } from '../rabbitmq.ts';

export interface TlsService {
  readonly version: 'TLSv1.2' | 'TLSv1.3';
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsPeer {
  readonly canRun: Capability;
  /** The command that serves; its output is one port a line. */
  command(services: readonly string[]): Promise<{ words: readonly string[]; env?: NodeJS.ProcessEnv }>;
}

const HERE = import.meta.dirname;
/** With Ed25519. */
const JAVA = 17;
const BUILD_BYTES = 3e8;

const goPeer = async () =>
  await goProgram({ name: 'go', directory: HERE, sources: ['go'], flags: [], room: BUILD_BYTES });

/** Compiled once: the compiler takes longer than the server. */
async function javaClasses(): Promise<string> {
  const home = await needJava(JAVA, true);
  return await cached('tls-peer', [home], async (into) => {
    await must(join(home, 'bin/javac'), ['-d', into, join(HERE, 'TlsPeer.java')]);
  });
}

export const TLS_PEERS: Readonly<Record<string, TlsPeer>> = {
  Go: {
    canRun: async () =>
      await goPeer().then(
        () => undefined,
        (error: unknown) => `no Go: ${messageOf(error)}`,
      ),
    command: async (services) => ({ words: [await goPeer(), ...services] }),
  },
  Java: {
    canRun: async () => ((await javaHome(JAVA, true)) === undefined ? `no JDK of version ${JAVA} or later` : undefined),
    async command(services) {
      const options = ['-Xmx64m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', await javaClasses(), 'TlsPeer'];
      return { words: [join(await needJava(JAVA, true), 'bin/java'), ...options, ...services] };
    },
  },
  Erlang: {
    canRun: canRunRabbitmq,
    command: async (services) => await escriptLine(join(HERE, 'tls-peer.escript'), services),
  },
};

/** Starts one; `ports` are those of the services, in their order. */
export async function startTlsPeer(peer: TlsPeer, services: readonly TlsService[]) {
  const given = services.map(({ version, certFile, keyFile }) => [version, certFile, keyFile].join(':'));
  const { words, env = { PATH: process.env['PATH'] } } = await peer.command(given);
  const [program = '', ...args] = words;
  const running = await start(...tied(program, args), { env, keepOutput: true, throwAway: true });
  let said = '';
  running.child.stderr!.on('data', (text: Buffer) => (said += text.toString()));
  const ports: number[] = [];
  const lines = createInterface({ input: running.child.stdout! });
  lines.on('line', (line) => ports.push(Number(line)));
  while (ports.length < services.length) {
    const ended = running.ended.then((code) => {
      throw new Error(`${program} ended with ${code}: ${said}`);
    });
    await Promise.race([once(lines, 'line'), ended]);
  }
  return { ports, [Symbol.asyncDispose]: async () => await running[Symbol.asyncDispose]() };
}
