/** A database server's part for one tool, and the tool's configuration, as in a container of its image. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ROOT } from '../../build/bundle.ts';
import { defined } from '../../src/core/defined.ts';
import { serviceNamed, type ConfigOption, type Service } from '../../src/catalog/index.ts';
import { isYaml } from '../../src/oslo/variable.ts';
import { privateDirectory } from '../../tools/directory.ts';
import type { Finished } from '../../tools/process.ts';
import { runInTree, type Bind } from '../cloud/trees/in-tree.ts';
import type { Mariadb } from '../cluster/mariadb.ts';
import { HELPERS } from '../support/helper.ts';
import { toolTree } from './tree.ts';

const VENV = '/var/lib/kolla/venv';
const PASSWORD = 'pw-of-the-tool';

/** Options by section, of an oslo.config file. */
type Options = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What a tool needs beyond the URL of its database. */
const NEEDS: Readonly<Record<string, Options>> = {
  cloudkitty: { storage: { backend: 'sqlalchemy', version: '1' } },
  gnocchi: { storage: { driver: 'file', file_basepath: '/tmp/gnocchi' } },
};
/** Without it, a tool of oslo.db tries an unreachable server for 100 s, and exits with the same code. */
const IMPATIENT: Options = { database: { max_retries: '1', retry_interval: '1' } };

interface RunInside {
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Files and directories of this machine, by their place in the image. */
  readonly binds?: readonly Bind[];
}

export interface ToolSite extends AsyncDisposable {
  readonly service: Service;
  /** Names of its databases, in the order of the catalogue. */
  readonly databases: readonly string[];
  /** Their URLs. */
  readonly urls: readonly string[];
  /** Writes its configuration: other options, or the URL of another server. */
  readonly configure: (change?: { readonly options?: Options; readonly port?: number }) => Promise<void>;
  /** Runs a program of its image. */
  readonly run: (argv: readonly [string, ...string[]], options?: RunInside) => Promise<Finished>;
  /** Runs a helper in its image. */
  readonly helper: (name: string, args: readonly string[], options?: RunInside) => Promise<Finished>;
  /** The directory of the tool's programs, on this machine. */
  readonly programs: string;
}

/**
 * Databases with an account for the tool of a service, and its image.
 * @param tag part of the databases' names, for two sites of the same tool
 */
export async function toolSite(
  name: string,
  release: string,
  mariadb: Pick<Mariadb, 'host' | 'port' | 'query'>,
  tag: string = release.replace('.', '_'),
): Promise<ToolSite> {
  const service = serviceNamed(name);
  if (service?.configFile === undefined) throw new Error(`${name} is no service with a configuration file`);
  const { configFile } = service;
  const tree = await toolTree(name, release);
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('known-tool')).path;
  const logs = join(directory, 'log');
  await mkdir(logs);
  const databases = service.databases.map((_one, i) => `${name.replaceAll('-', '_')}_${tag}_${i}`);
  for (const database of databases) {
    await mariadb.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb3`);
    for (const host of ['%', 'localhost']) {
      await mariadb.query(`CREATE USER '${database}'@'${host}' IDENTIFIED BY '${PASSWORD}'`);
      await mariadb.query(`GRANT ALL ON ${database}.* TO '${database}'@'${host}'`);
    }
  }
  stack.defer(async () => {
    for (const database of databases) {
      await mariadb.query(`DROP DATABASE ${database}`);
      await mariadb.query(`DROP USER '${database}'@'%', '${database}'@'localhost'`);
    }
  });
  const file = join(directory, basename(configFile));
  const urlAt = (database: string, port: number) =>
    `mysql+pymysql://${database}:${PASSWORD}@${mariadb.host}:${port}/${database}?charset=utf8`;
  const configure: ToolSite['configure'] = async ({ options = {}, port = mariadb.port } = {}) => {
    const urls = service.databases.map(({ url: [place] }, i) => {
      return { place, url: urlAt(databases[i] ?? '', port) };
    });
    await writeFile(
      file,
      isYaml(configFile) ? yaml(urls) : ini(merged(IMPATIENT, NEEDS[name], ...urls.map(option), options)),
    );
    await chmod(file, 0o644);
  };
  await configure();
  // Without the files that its check names, a tool ends before it looks at anything.
  const empty = join(directory, 'empty.conf');
  await writeFile(empty, '', { mode: 0o644 });
  const words = service.migration?.upgradeCheck?.argv ?? [];
  const further = words.filter((word, i) => words[i - 1] === '--config-file' && word !== configFile);
  const binds: Bind[] = [
    { from: file, to: configFile },
    ...further.map((to) => ({ from: empty, to })),
    { from: logs, to: `/var/log/kolla/${name}` },
    { from: ROOT, to: ROOT },
  ];
  const run: ToolSite['run'] = (argv, { env, signal, binds: more = [] } = {}) => {
    const path = `${VENV}/bin:/usr/local/bin:/usr/bin:/usr/sbin`;
    return runInTree(tree, argv, { binds: [...binds, ...more], env: { PATH: path, ...env }, ...defined({ signal }) });
  };
  const taken = stack.move();
  return {
    service,
    databases,
    urls: databases.map((database) => urlAt(database, mariadb.port)),
    configure,
    run,
    helper: (helper, args, options) => run([process.execPath, HELPERS, helper, ...args], options),
    programs: join(tree.split(':')[0] ?? '', VENV, 'bin'),
    [Symbol.asyncDispose]: () => taken.disposeAsync(),
  };
}

interface Url {
  readonly place: ConfigOption | undefined;
  readonly url: string;
}

function option({ place, url }: Url): Options {
  return place === undefined ? {} : { [place.section]: { [place.key]: url.replaceAll('$', '$$$$') } };
}

function merged(...all: readonly (Options | undefined)[]): Options {
  const whole: Record<string, Record<string, string>> = {};
  for (const options of all)
    for (const [section, values] of Object.entries(options ?? {})) whole[section] = { ...whole[section], ...values };
  return whole;
}

function ini(options: Options): string {
  return Object.entries(options)
    .flatMap(([section, values]) => [
      `[${section}]`,
      ...Object.entries(values).map(([key, value]) => `${key} = ${value}`),
      '',
    ])
    .join('\n');
}

function yaml(urls: readonly Url[]): string {
  return urls.map(({ place, url }) => `${place?.section}:\n  ${place?.key}: '${url}'\n`).join('');
}
