/**
 * The real Keystone from Debian's packages, unpacked, run as whoever runs the test:
 *
 *   packages -> tree (pruned, compiled; in the cache) -> command lines for keystone-manage and for its API under uWSGI
 *
 * It brings no configuration and no database: the caller writes keystone.conf (`keystoneConf` is one that works under
 * any directory) and starts what it is given.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { keystoneTree, pythonOf } from './keystone-tree.ts';

export interface CommandLine {
  readonly command: string;
  readonly args: string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface ServeOptions {
  readonly configFile: string;
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
}

export interface Keystone {
  /** The unpacked tree. */
  readonly directory: string;
  /** What its programs need in their environment to find each other. */
  readonly env: NodeJS.ProcessEnv;
  /** `keystone-manage --config-file FILE`; append `db_sync`, `fernet_setup` ... */
  readonly manage: (configFile: string) => CommandLine;
  /** The public API on HOST:PORT, in the foreground; SIGTERM ends it. It answers /v3 after a few seconds. */
  readonly serve: (options: ServeOptions) => CommandLine;
}

/** Proven by unpacking it and by its own Python having imported all of it. */
export const canRunKeystone: Capability = async () => {
  try {
    await keystoneTree();
    return undefined;
  } catch (error) {
    return `Keystone can't be unpacked here: ${messageOf(error)}`;
  }
};

/** Unpacks Keystone, or finds it unpacked. */
export async function keystone(): Promise<Keystone> {
  const directory = await keystoneTree();
  const { command, env } = await pythonOf(directory);
  const uwsgi = await uwsgiOf(directory);
  return {
    directory,
    env,
    manage: (configFile) => {
      return { command, args: [join(directory, 'usr/bin/keystone-manage'), '--config-file', configFile], env };
    },
    serve: ({ configFile, port, host = '127.0.0.1' }) => {
      const options: UwsgiOptions = { 'plugins-dir': uwsgi.plugins, plugin: uwsgi.plugin, ...uwsgiOptions(host, port) };
      return {
        command: uwsgi.command,
        args: Object.entries(options).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`)),
        env: { ...env, OS_KEYSTONE_CONFIG_FILES: configFile },
      };
    },
  };
}

/** Its Python plugin is called after Python's version: `python311`. */
export async function uwsgiOf(tree: string): Promise<{ command: string; plugins: string; plugin: string }> {
  const plugins = join(tree, 'usr/lib/uwsgi/plugins');
  const names = (await readdir(plugins)).map((name) => /^(python3\d*)_plugin\.so$/.exec(name)?.[1]);
  const plugin = names.find((name) => name !== undefined);
  if (plugin === undefined) throw new Error(`${plugins} holds no Python plugin`);
  return { command: join(tree, 'usr/bin/uwsgi-core'), plugins, plugin };
}

/** What an image calls its Python plugin, whatever Python's version. */
export const IMAGE_PLUGIN = 'python3';

type UwsgiOptions = Readonly<Record<string, string | true>>;

/** What uWSGI is told, as options or as the lines of its ini file. */
export function uwsgiOptions(host: string, port: number): UwsgiOptions {
  return {
    'http-socket': `${host}:${port}`,
    module: 'keystone.server.wsgi:initialize_public_application()',
    master: true,
    processes: '1',
    threads: '4',
    // The master never imports Keystone, so no thread or connection of it is lost in a fork.
    'lazy-apps': true,
    'need-app': true,
    // SIGTERM would mean "reload".
    'die-on-term': true,
    'hook-master-start': 'unix_signal:15 gracefully_kill_them_all',
    'worker-reload-mercy': '20',
    'no-orphans': true,
    'buffer-size': '65535',
  };
}

/** The same for an image that has the plugin in its default place: what `uwsgi --ini FILE` reads. */
export function uwsgiIni(host: string, port: number): string {
  const options: UwsgiOptions = { plugin: IMAGE_PLUGIN, ...uwsgiOptions(host, port) };
  return ['[uwsgi]', ...Object.entries(options).map(([name, value]) => `${name} = ${String(value)}`), ''].join('\n');
}

export interface ConfOptions {
  /** SQLAlchemy's: `mysql+pymysql://user:password@host:port/keystone`. */
  readonly connection: string;
  /** Where the three key repositories lie; `fernet_setup` and `credential_setup` make them. */
  readonly keys: string;
  readonly logDirectory: string;
  readonly logFile?: string;
}

/** A keystone.conf as kolla-ansible writes it, as far as a database, tokens and logs go. */
export function keystoneConf({ connection, keys, logDirectory, logFile = 'keystone.log' }: ConfOptions): string {
  return [
    '[DEFAULT]',
    'debug = False',
    `log_dir = ${logDirectory}`,
    `log_file = ${logFile}`,
    'use_stderr = True',
    '[database]',
    `connection = ${connection}`,
    'connection_recycle_time = 10',
    'max_pool_size = 1',
    'max_retries = 10',
    'retry_interval = 1',
    '[token]',
    'provider = fernet',
    '[fernet_tokens]',
    `key_repository = ${join(keys, 'fernet-keys')}`,
    '[fernet_receipts]',
    `key_repository = ${join(keys, 'fernet-keys')}`,
    '[credential]',
    `key_repository = ${join(keys, 'credential-keys')}`,
    '[cache]',
    'enabled = False',
    '',
  ].join('\n');
}
