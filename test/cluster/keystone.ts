/**
 * The real Keystone from Debian's packages, unpacked, run as the test's user:
 *
 *   packages -> tree (pruned, compiled; in the cache) -> command lines for keystone-manage and for its API under uWSGI
 *
 * It has no configuration and no database: the caller writes keystone.conf (`keystoneConf` works in any directory) and
 * runs the command lines.
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
  /** The listen address; the default is 127.0.0.1. */
  readonly host?: string;
}

export interface Keystone {
  /** The tree after it was unpacked. */
  readonly directory: string;
  /** The environment in which its programs find each other. */
  readonly env: NodeJS.ProcessEnv;
  /** `keystone-manage --config-file FILE`; append `db_sync`, `fernet_setup` ... */
  readonly manage: (configFile: string) => CommandLine;
  /**
   * Command line of the public API on HOST:PORT, in the foreground. It serves /v3 after a few seconds, and SIGTERM
   * stops it.
   */
  readonly serve: (options: ServeOptions) => CommandLine;
}

/** Tested by unpacking it and importing it with its own Python. */
export const canRunKeystone: Capability = async () => {
  try {
    await keystoneTree();
    return undefined;
  } catch (error) {
    return `Keystone can't be unpacked here: ${messageOf(error)}`;
  }
};

/** Unpacks Keystone, unless it is cached. */
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

/** uWSGI's Python plugin is named after Python's version: `python311`. */
export async function uwsgiOf(tree: string): Promise<{ command: string; plugins: string; plugin: string }> {
  const plugins = join(tree, 'usr/lib/uwsgi/plugins');
  const names = (await readdir(plugins)).map((name) => /^(python3\d*)_plugin\.so$/.exec(name)?.[1]);
  const plugin = names.find((name) => name !== undefined);
  if (plugin === undefined) throw new Error(`${plugins} holds no Python plugin`);
  return { command: join(tree, 'usr/bin/uwsgi-core'), plugins, plugin };
}

/** The Python plugin's name in an image, for any version of Python. */
export const IMAGE_PLUGIN = 'python3';

type UwsgiOptions = Readonly<Record<string, string | true>>;

/** uWSGI's options, for the command line or its ini file. */
function uwsgiOptions(host: string, port: number): UwsgiOptions {
  return {
    'http-socket': `${host}:${port}`,
    module: 'keystone.server.wsgi:initialize_public_application()',
    master: true,
    // One, since each has a cache of its own, and without threads as in the charts: with four, a Keystone of a busy machine once
    // answered its first request and no other.
    processes: '1',
    // The master never imports Keystone, so no thread or connection is lost in a fork.
    'lazy-apps': true,
    'need-app': true,
    // Without this option, SIGTERM means "reload".
    'die-on-term': true,
    'hook-master-start': 'unix_signal:15 gracefully_kill_them_all',
    'worker-reload-mercy': '20',
    'no-orphans': true,
    'buffer-size': '65535',
  };
}

/** uWSGI's options as the file for `uwsgi --ini FILE`, for an image with the plugin at its default path. */
export function uwsgiIni(host: string, port: number): string {
  const options: UwsgiOptions = { plugin: IMAGE_PLUGIN, ...uwsgiOptions(host, port) };
  return ['[uwsgi]', ...Object.entries(options).map(([name, value]) => `${name} = ${String(value)}`), ''].join('\n');
}

export interface ConfOptions {
  /** The URL for SQLAlchemy: `mysql+pymysql://user:password@host:port/keystone`. */
  readonly connection: string;
  /** The directory of the three key repositories, created by `fernet_setup` and `credential_setup`. */
  readonly keys: string;
  readonly logDirectory: string;
  readonly logFile?: string;
}

/** A keystone.conf like kolla-ansible's, for database, tokens and logs. */
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
