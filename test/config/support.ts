import { rmSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { putInPlace, type ConfigOptions, type Identity } from '../../src/config/index.ts';
import { ConfigError, KollaError } from '../../src/core/errors.ts';
import { inMemory, privateDirectory, type Directory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { coreBinary } from '../cluster/core-binary.ts';
import { isOnCore, logLines } from '../support/helper.ts';
import { recordedLog } from '../support/recorded-log.ts';

/** Runs an apply in kolla-core instead of Node, with the same options: test/engine/on-engine/apply.ts. */
async function onCore(): Promise<(options: ConfigOptions, onSaid: (lines: string) => void) => Promise<Done>> {
  const { path } = await privateDirectory('on-core');
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  const { names } = await coreBinary(path, ['apply'], 'test/engine/on-engine');
  return async (options, onSaid) => {
    const { code, stdout, stderr } = await run(join(names, 'apply'), [JSON.stringify(options)]);
    onSaid(stderr);
    if (code === 0) return (JSON.parse(stdout) as Done | null) ?? undefined;
    throw code === 65 ? new ConfigError(stdout) : new KollaError(code ?? 0, stdout);
  };
}

const applyOnCore = isOnCore ? await onCore() : undefined;

type Done = { readonly written: number; readonly unchanged: number } | undefined;

/** A pod's files: `root` is its file system, `configDir` Kolla's mount. Its accounts are those of the test's user. */
export interface Pod extends AsyncDisposable {
  readonly root: string;
  readonly configDir: string;
  readonly me: Identity;
  readonly logged: () => ReturnType<typeof logLines>;
  write(path: string, content: string, mode?: number): Promise<string>;
  config(document: unknown): Promise<string>;
  /** Numbers of files written and unchanged. */
  apply(options?: Partial<ConfigOptions>): Promise<Done>;
}

export async function pod(): Promise<Pod> {
  const directory: Directory = await privateDirectory('config', inMemory());
  const [root, configDir] = [join(directory.path, 'root'), join(directory.path, 'config_files')];
  const me = { uid: process.getuid!(), gid: process.getgid!(), groups: process.getgroups!() };
  const { log, said } = recordedLog();
  let saidByCore = '';
  const write = async (path: string, content: string, mode = 0o644) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await chmod(path, mode);
    return path;
  };
  await mkdir(configDir);
  await write(
    join(root, 'etc/passwd'),
    `keystone:x:${me.uid}:${me.gid}::/:/bin/sh\nstranger:x:54321:54321::/:/bin/sh\n`,
  );
  await write(join(root, 'etc/group'), `keystone:x:${me.gid}:\nstranger:x:54321:\n`);
  return {
    root,
    configDir,
    me,
    logged: () => logLines(said() + saidByCore),
    write,
    config: (document) => write(join(configDir, 'config.json'), JSON.stringify(document)),
    async apply(options = {}) {
      const all = { root, configDir, configFile: undefined, me, ...options };
      const here = () => putInPlace(all, { signal: new AbortController().signal, log });
      const applied = await (applyOnCore?.(all, (lines) => (saidByCore += lines)) ?? here());
      return applied && { written: applied.written, unchanged: applied.unchanged };
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** An entry as written by kolla-ansible. */
export function entry(name: string, dest: string, more: object = {}): object {
  return { source: `/var/lib/kolla/config_files/${name}`, dest, owner: 'keystone', perm: '0600', ...more };
}
