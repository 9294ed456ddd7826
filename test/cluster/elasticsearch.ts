/**
 * A real Elasticsearch 8.19 from Maven Central: a server without most of its modules (no `GET /`, no ingest, no ILM),
 * whose bulk, search, templates, security and errors are real.
 *
 *   Maven -> zip -> unpacked once in the cache -> separate config, data and log directories per server
 *     -> bin/elasticsearch
 *
 * It refuses to run as uid 0, so root runs it in a user namespace in which root is uid 1000: root still owns its files.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, run } from '../../tools/process.ts';
import { distribution, JAVA, secureDistribution, unprivileged } from './elasticsearch-distribution.ts';
import { needJava } from './java.ts';
import {
  startSearchServer,
  type Login,
  type SearchProgram,
  type SearchServer,
  type SearchServerOptions,
  type Settings,
} from './search-server.ts';
import { ADMIN, commonSettings, newLogin, PASSWORD_HASH, writeCertificate } from './search-settings.ts';

export { canRunElasticsearch, canRunSecureElasticsearch } from './elasticsearch-distribution.ts';
export type { Hit, Reply } from './search-server.ts';

export type Elasticsearch = SearchServer;

export interface ElasticsearchOptions extends SearchServerOptions {
  /** Adds TLS, a user with a password (`login`), API keys and data streams. */
  readonly secure?: boolean;
}

/** Starts a server and waits until it responds. */
export async function startElasticsearch(options: ElasticsearchOptions = {}): Promise<Elasticsearch> {
  const kind = 'elasticsearch';
  if (!options.secure) {
    const settings = { 'xpack.security.enabled': false };
    const program: SearchProgram = {
      kind,
      configure: async (directory, more) => await configure(directory, await distribution(), { ...settings, ...more }),
    };
    return await startSearchServer(program, options);
  }
  const { login, certificate } = newLogin();
  return await startSearchServer(
    {
      kind,
      login,
      async configure(directory, more) {
        await mkdir(join(directory, 'config'), { recursive: true });
        await writeCertificate(join(directory, 'config'), certificate);
        const home = await secureDistribution();
        const command = await configure(directory, home, { ...SECURITY, ...more });
        await writeUser(join(directory, 'config'), login);
        return command;
      },
    },
    options,
  );
}

const SECURITY: Settings = {
  'xpack.security.enabled': true,
  'xpack.security.enrollment.enabled': false,
  'xpack.security.autoconfiguration.enabled': false,
  'xpack.security.http.ssl.enabled': true,
  'xpack.security.http.ssl.key': 'node.key',
  'xpack.security.http.ssl.certificate': 'node.crt',
  'xpack.security.authc.api_key.enabled': true,
  'xpack.security.authc.realms.file.file1.order': 0,
};

async function writeUser(config: string, { user }: Login): Promise<void> {
  await writeFile(join(config, 'users'), `${user}:${PASSWORD_HASH}\n`);
  await writeFile(join(config, 'users_roles'), `superuser:${ADMIN}\n`);
}

/** Writes the server's own directory and returns how to start it there. */
async function configure(
  directory: string,
  home: string,
  settings: Settings,
): Promise<{ argv: string[]; env: NodeJS.ProcessEnv }> {
  const config = join(directory, 'config');
  await Promise.all(
    ['config/jvm.options.d', 'data', 'logs', 'tmp'].map((d) => mkdir(join(directory, d), { recursive: true })),
  );
  const keep = ['log4j2.properties', 'roles.yml', 'role_mapping.yml', 'users', 'users_roles'];
  await Promise.all(keep.map((name) => copyFile(join(home, 'config', name), join(config, name))));
  const jvm = await readFile(join(home, 'config/jvm.options'), 'utf8');
  const withoutDumps = jvm.split('\n').filter((line) => !/HeapDump|Xlog:gc/.test(line));
  await writeFile(join(config, 'jvm.options'), withoutDumps.join('\n'));
  const all = { ...commonSettings(directory), ...settings };
  const yaml = Object.entries(all).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  await writeFile(join(config, 'elasticsearch.yml'), yaml.join(''));
  const env = {
    PATH: process.env['PATH'],
    HOME: directory,
    ES_JAVA_HOME: await needJava(JAVA),
    ES_PATH_CONF: config,
    ES_TMPDIR: join(directory, 'tmp'),
    ES_JAVA_OPTS: '-Xms512m -Xmx512m -XX:TieredStopAtLevel=1',
    // Elasticsearch's launcher leaves a directory in its temporary directory.
    CLI_JAVA_OPTS: `-XX:TieredStopAtLevel=1 -Djava.io.tmpdir=${join(directory, 'tmp')}`,
  };
  const wrapper = await unprivileged();
  if (wrapper === undefined)
    throw new Error('Elasticsearch refuses uid 0, and neither unshare nor setpriv can change that');
  if (wrapper[0] === 'setpriv') await must('chown', ['-R', '65534:65534', directory]);
  // The launcher is killed when we exit, and the server exits with the launcher, whose pipe it reads.
  const leash = (await run('setpriv', ['--pdeathsig', 'KILL', 'true']).catch(() => undefined))?.code === 0;
  const ending = leash ? ['setpriv', '--pdeathsig', 'KILL'] : [];
  return { argv: [...wrapper, ...ending, join(home, 'bin/elasticsearch')], env };
}
