/**
 * A real registry for images and charts: Debian's docker-registry, unpacked -> a process on loopback, on a free port, over
 * http. Its directory is private. skopeo, unpacked too, copies to and from it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { libraryDirectories, unpackedPackages } from '../../tools/debian.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { start, tailOf, tied } from '../../tools/process.ts';
import { until } from '../support/until.ts';

export interface Registry extends AsyncDisposable {
  /** The address for this process: `127.0.0.1:PORT`. */
  readonly address: string;
}

/** A network other than that of this machine. */
export interface RegistryNetwork {
  /** The command that runs another command in that network. */
  inside(command: string, args: readonly string[]): [string, string[]];
  /** A port on this machine that is forwarded to one in that network. */
  reach(port: number): Promise<number>;
}

const HOST = '127.0.0.1';
/** Only maintainer scripts use these. */
const NOT_NEEDED = ['libc6', 'debconf', 'perl-base', 'perl', 'passwd', 'adduser'];

/** Tested by downloading and unpacking it and skopeo. */
export const canRunRegistry: Capability = async () => {
  try {
    await registryPackages();
    await skopeoPackages();
    return undefined;
  } catch (error) {
    return `no registry: ${messageOf(error)}`;
  }
};

/** Starts a registry. @param place where it runs, by default on this machine; @param port by default a free one */
export async function startRegistry(place?: RegistryNetwork, port?: number): Promise<Registry> {
  const program = join(await registryPackages(), 'usr/bin/docker-registry');
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await privateDirectory('registry'));
  const own = port ?? (await freePort());
  const config = join(directory, 'config.yml');
  const logFile = join(directory, 'log');
  const storage = { filesystem: { rootdirectory: join(directory, 'storage') } };
  // Another network is private, and its other nodes pull too.
  const http = { addr: place === undefined ? `${HOST}:${own}` : `:${own}` };
  // The file is JSON, which is also YAML.
  await writeFile(
    config,
    JSON.stringify({ version: '0.1', log: { level: 'warn', accesslog: { disabled: true } }, storage, http }),
  );
  const args = ['serve', config];
  const command = place?.inside(program, args) ?? tied(program, args);
  const running = stack.use(await start(...command, { logFile, cwd: directory }));
  let exitCode: number | undefined;
  void running.ended.then((code) => (exitCode = code));
  const address = `${HOST}:${(await place?.reach(own)) ?? own}`;
  await until('the registry to answer', async (saw) => {
    if (exitCode !== undefined) throw new Error(`the registry ended with ${exitCode}: ${tailOf(logFile)}`);
    try {
      return (await fetch(`http://${address}/v2/`)).ok || undefined;
    } catch (error) {
      saw(messageOf(error));
      return undefined;
    }
  });
  const moved = stack.move();
  return { address, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/**
 * The path of a program that runs skopeo and accepts registries over http.
 * @param directory for skopeo's files
 * @param insecure addresses of such registries
 */
export async function skopeoFor(directory: string, insecure: readonly string[]): Promise<string> {
  const usr = join(await skopeoPackages(), 'usr');
  const home = join(directory, 'skopeo-home');
  await mkdir(home, { recursive: true });
  const policy = join(home, 'policy.json');
  await writeFile(policy, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }));
  const registries = join(home, 'registries.conf');
  const lines = insecure.map((location) => `[[registry]]\nlocation = "${location}"\ninsecure = true\n`);
  await writeFile(registries, lines.join(''));
  const libraries = (await libraryDirectories(usr)).join(':');
  const env = `HOME='${home}' LD_LIBRARY_PATH='${libraries}'`;
  const options = `--policy '${policy}' --registries-conf '${registries}' --tmpdir '${home}'`;
  const program = join(home, 'skopeo');
  await writeFile(program, `#!/bin/sh\n${env} exec '${join(usr, 'bin/skopeo')}' ${options} "$@"\n`, { mode: 0o755 });
  return program;
}

async function registryPackages(): Promise<string> {
  return await unpackedPackages('docker-registry', ['docker-registry'], { except: NOT_NEEDED });
}

async function skopeoPackages(): Promise<string> {
  return await unpackedPackages('skopeo', ['skopeo'], { except: NOT_NEEDED });
}
