import { once } from 'node:events';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { StatusDocument } from '../../src/sidecar/status/document.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { startHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import type { Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';

/** The volumes of a Pod, and its sidecar as a process. */
export interface Site extends AsyncDisposable {
  readonly path: string;
  readonly port: number;
  /** Writes a kolla-pod.yaml whose sections are JSON, which is also YAML. */
  write(sections: Readonly<Record<string, unknown>>): Promise<void>;
  start(args?: readonly string[], env?: NodeJS.ProcessEnv): Promise<Sidecar>;
}

export interface Sidecar {
  readonly running: Running;
  /** The log so far. */
  readonly log: () => string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<{ status: number; body: string }>;
  status(): Promise<StatusDocument>;
  /** Polls until the data of the page satisfies the condition. */
  until(what: string, is: (status: StatusDocument) => boolean): Promise<StatusDocument>;
}

/** Separate volumes, which are removed at the end. */
export async function sidecarSite(purpose: string): Promise<Site> {
  const directory = await privateDirectory(purpose);
  const port = await freePort();
  const path = directory.path;
  for (const name of ['config', 'root/etc/keystone', 'root/run', 'logs/keystone'])
    await mkdir(join(path, name), { recursive: true });
  return {
    path,
    port,
    async write(sections) {
      const own = { ...(sections['sidecar'] as object), listen: `127.0.0.1:${port}` };
      await writeFile(join(path, 'kolla-pod.yaml'), JSON.stringify({ ...sections, sidecar: own }));
    },
    start: (args = [], env = {}) => startSidecar({ path, port }, args, env),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

async function startSidecar(
  { path, port }: { readonly path: string; readonly port: number },
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Sidecar> {
  const running = await startHelper('kolla-sidecar', ['--config', join(path, 'kolla-pod.yaml'), ...args], {
    keepOutput: true,
    env: { PATH: process.env['PATH'], ...env },
  });
  let said = '';
  running.child.stdout?.resume();
  running.child.stderr?.setEncoding('utf8').on('data', (part: string) => (said += part));
  const get = (at: string, headers = {}) => ask(port, at, headers);
  const status = async () => JSON.parse((await get('/status.json')).body) as StatusDocument;
  await until('the sidecar to answer', async () => {
    if (running.child.exitCode !== null) throw new Error(`it ended with ${running.child.exitCode}: ${said}`);
    return await get('/livez').catch(() => undefined);
  });
  return {
    running,
    log: () => said,
    get,
    status,
    until: (what, is) =>
      until(what, async (saw) => {
        const now = await status();
        saw(JSON.stringify(now));
        return is(now) ? now : undefined;
      }),
  };
}

async function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; body: string }> {
  const asked = request({ host: '127.0.0.1', port, path, headers, agent: false });
  asked.end();
  const [response] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}

/** Writes a version into the config directory as the kubelet does: a new directory, then one rename of `..data`. */
export async function mountVersion(site: Site, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  const directory = join(site.path, 'config');
  await mkdir(join(directory, name));
  for (const [file, content] of Object.entries(files)) {
    await writeFile(join(directory, name, file), content);
    await rm(join(directory, file), { force: true });
    await symlink(join('..data', file), join(directory, file));
  }
  await symlink(name, join(directory, '..data_tmp'));
  await rename(join(directory, '..data_tmp'), join(directory, '..data'));
}

/** A config.json that installs each of these files below /etc/keystone. */
export function configJson(files: readonly string[]): string {
  return JSON.stringify({
    command: 'keystone',
    config_files: files.map((name) => ({
      source: `/var/lib/kolla/config_files/${name}`,
      dest: `/etc/keystone/${name}`,
      owner: 'root',
      perm: '0600',
    })),
  });
}
