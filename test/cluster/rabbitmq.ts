/**
 * A real RabbitMQ:
 *
 *   Debian's packages, unpacked -> epmd on a separate free port -> Erlang runs the broker, without its shell scripts
 *     -> AMQP on a free loopback port -> "Server startup complete" in its log, in about five seconds
 *
 * It runs as the test's user; state, cookie and log are in a private directory. Both programs are tied to this process.
 * epmd is Erlang's registry of nodes: the machine's own must be neither used nor started, since it would outlive us.
 */
import { open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { freePort, freePorts } from '../../tools/port.ts';
import { must, start, tailOf, tied } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { suitePrograms } from '../../tools/debian-programs.ts';
import { rabbitmqSource, type RabbitmqVersion } from './server-versions.ts';

export interface RabbitmqOptions {
  /** The port; by default a free one. */
  readonly port?: number;
  /** Enables the management API on a free port. The broker then counts as started when that API responds. */
  readonly management?: true;
  /** Additional lines for its rabbitmq.conf. */
  readonly config?: readonly string[];
  /** A rabbitmq.conf whose listeners replace ours; the management plugin is enabled. */
  readonly configuration?: string;
  /** The version; by default the selected one. */
  readonly version?: RabbitmqVersion;
  /** Runs it on a host of its own, with RabbitMQ's own ports, as a node that can be clustered. */
  readonly host?: MemberHost;
  /** Feature flags to enable at its first start, with those that it requires; by default all stable ones. */
  readonly featureFlags?: readonly string[];
}

/** Where a node of a cluster runs. */
export interface MemberHost {
  readonly address: string;
  /** Arguments that precede a command line, to run it there. */
  readonly launcher: readonly string[];
  /** The directory for data, cookie and log, which outlives the node. */
  readonly directory: string;
}

const MEMBER_PORTS = { amqp: 5672, epmd: 4369, node: 25_672, management: 15_672 };
const COOKIE = 'KOLLA-POD-TESTS';
/** Seconds in which a node notices that another one is unreachable; by default 60. */
const TICK_SECONDS = '8';

export interface Rabbitmq extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** The address of its management API, `http://127.0.0.1:PORT`, if requested. */
  readonly managementUrl: string | undefined;
  /** The only process of the broker, so that SIGSTOP freezes all of it. */
  readonly pid: number;
  /** The end of its log. */
  log(): string;
  /** Runs `rabbitmqctl`, or another of its tools, and returns its output: a separate Erlang VM, about a second. */
  control(args: readonly string[], tool?: RabbitmqTool): Promise<string>;
  /** The command line with which `control` runs it, for measurements. */
  toolLine(args: readonly string[], tool: RabbitmqTool): { readonly words: string[]; readonly env: NodeJS.ProcessEnv };
}

export type RabbitmqTool = 'rabbitmqctl' | 'rabbitmq-diagnostics';

const READY = 'Server startup complete';
/** Options that the broker's script passes to Erlang, except for sizes: one scheduler is enough for a handshake. */
const EMULATOR = '+W w +S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none +MBas ageffcbf +MHas ageffcbf';
/** Erlang sizes its port table by the limit of open files, which may be a million. */
const MAX_PORTS = '4096';

/** Tested by downloading and unpacking it. */
export const canRunRabbitmq: Capability = async () => {
  try {
    await programs();
    return undefined;
  } catch (error) {
    return `no RabbitMQ: ${messageOf(error)}`;
  }
};

/** Starts a broker; resolves when it accepts logins (guest, guest). */
export async function startRabbitmq(options: RabbitmqOptions = {}): Promise<Rabbitmq> {
  const { erlang, bin, home, main } = await programs(options.version);
  const { host: member } = options;
  const host = member?.address ?? '127.0.0.1';
  const ports = member === undefined ? await ownPorts(options.port) : MEMBER_PORTS;
  const managementUrl = options.management ? `http://${host}:${ports.management}` : undefined;
  await using stack = new AsyncDisposableStack();
  const directory = member?.directory ?? stack.use(await privateDirectory('rabbitmq', inMemory())).path;
  const at = (name: string) => join(directory, name);
  const more = options.management ? [`management.tcp.ip = ${host}`, `management.tcp.port = ${ports.management}`] : [];
  const { configuration: given } = options;
  const plain = () => configuration(`${host}:${ports.amqp}`, [...more, ...(options.config ?? [])]);
  if (member !== undefined) await writeFile(at('.erlang.cookie'), COOKIE, { mode: 0o600 });
  const text = given === undefined ? plain() : onTestMachine(given);
  await writeFile(at('rabbitmq.conf'), text);
  await writeFile(at('plugins'), (options.management ?? given) ? '[rabbitmq_management].\n' : '[].\n');
  await writeFile(at('none'), '');
  await writeFile(at('out.log'), '');
  // Clustering starts a second VM by this name.
  await writeFile(at('erl'), `#!/bin/sh\nexec ${join(bin, 'erlexec')} "$@"\n`, { mode: 0o700 });
  const env = {
    PATH: process.env['PATH'],
    LC_ALL: 'C.UTF-8',
    HOME: directory, // contains the cookie
    ROOTDIR: erlang,
    BINDIR: bin,
    EMU: 'beam',
    PROGNAME: at('erl'),
    ERL_LIBS: join(home, 'plugins'),
    ERL_MAX_PORTS: MAX_PORTS,
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: host,
    RABBITMQ_HOME: home,
    RABBITMQ_NODENAME: member === undefined ? 'test@localhost' : `rabbit@${host}`,
    RABBITMQ_USE_LONGNAME: String(member !== undefined),
    RABBITMQ_DIST_PORT: String(ports.node),
    RABBITMQ_CONFIG_FILE: at('rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at('advanced.config'), // missing: an empty one stops its boot
    RABBITMQ_ENABLED_PLUGINS_FILE: at('plugins'),
    RABBITMQ_PLUGINS_DIR: join(home, 'plugins'),
    RABBITMQ_CONF_ENV_FILE: at('none'),
    RABBITMQ_MNESIA_BASE: at('mnesia'),
    RABBITMQ_LOG_BASE: at('log'),
    ...(options.featureFlags === undefined ? {} : { RABBITMQ_FEATURE_FLAGS: options.featureFlags.join(',') }),
  };
  const on = (program: string, args: readonly string[]): [string, string[]] => {
    const [first = program, ...words] = [...(member?.launcher ?? []), program, ...args];
    return tied(first, words);
  };
  const epmd = on(join(bin, 'epmd'), ['-port', String(ports.epmd), '-address', host]);
  stack.use(await start(...epmd, { env, cwd: directory, logFile: at('epmd.log'), throwAway: true }));
  const broker = stack.use(
    await start(...on(join(bin, 'erlexec'), brokerArgs(host, ports.node)), {
      env,
      cwd: directory,
      logFile: at('out.log'),
      throwAway: true,
    }),
  );
  let ended: number | undefined;
  void broker.ended.then((code) => (ended = code));
  await until('RabbitMQ to start', (saw) => {
    const said = tailOf(at('out.log'));
    saw(said);
    if (ended !== undefined) throw new Error(`RabbitMQ exited with ${ended}: ${said}${tailOf(at('epmd.log'))}`);
    return Promise.resolve(said.includes(READY) || undefined);
  });
  const toolLine: Rabbitmq['toolLine'] = (args, tool) => {
    // Equivalent to `escript`, which would look for an installed Erlang.
    const boot = ['+B', '-boot', join(erlang, 'bin/no_dot_erlang'), '-noshell', '-hidden'];
    const script = ['-escript', 'main', main, '-run', 'escript', 'start'];
    return {
      words: [join(bin, 'erlexec'), ...boot, ...script, '-extra', join(home, 'escript', tool), '-q', ...args],
      env,
    };
  };
  const moved = stack.move();
  return {
    host,
    port: ports.amqp,
    managementUrl,
    pid: broker.pid,
    log: () => tailOf(at('out.log'), 100_000),
    control: (args, tool = 'rabbitmqctl') => {
      const [erlexec = '', ...words] = toolLine(args, tool).words;
      return must(...on(erlexec, words), { env, cwd: directory });
    },
    toolLine,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** The broker must not limit itself by a test machine's disk and memory. */
const OURS = [
  'vm_memory_high_watermark.absolute = 512MB',
  'disk_free_limit.absolute = 50MB',
  'log.console = true',
  'log.console.level = info',
  'log.file = false',
];

async function ownPorts(amqp: number | undefined): Promise<typeof MEMBER_PORTS> {
  const [epmd = 0, node = 0, management = 0] = await freePorts(3);
  return { amqp: amqp ?? (await freePort()), epmd, node, management };
}

function configuration(listener: string, more: readonly string[]): string {
  return [`listeners.tcp.1 = ${listener}`, ...OURS, ...more, ''].join('\n');
}

function onTestMachine(text: string): string {
  const lines = text.split('\n').filter((line) => !/^(?:log|vm_memory_high_watermark)\./.test(line));
  return [...lines, ...OURS, ''].join('\n');
}

function brokerArgs(host: string, nodePort: number): string[] {
  const kernel = ['inet_dist_use_interface', `{${host.replaceAll('.', ',')}}`, 'net_ticktime', TICK_SECONDS];
  const ports = ['inet_dist_listen_min', 'inet_dist_listen_max'].flatMap((name) => [name, String(nodePort)]);
  const syslog = ['-syslog', 'logger', '[]', '-syslog', 'syslog_error_logger', 'false'];
  const boot = ['-noinput', '-s', 'rabbit', 'boot', '-boot', 'start_sasl'];
  return [...boot, ...EMULATOR.split(' '), '-kernel', ...kernel, ...ports, ...syslog];
}

/** Runs an escript with the Erlang that comes with RabbitMQ. */
export async function escriptLine(file: string, args: readonly string[]) {
  const { erlang, bin } = await programs();
  const boot = ['+B', '+S', '1:1', '-boot', join(erlang, 'bin/no_dot_erlang'), '-noshell'];
  return {
    words: [join(bin, 'erlexec'), ...boot, '-run', 'escript', 'start', '-extra', file, ...args],
    env: { PATH: process.env['PATH'], ROOTDIR: erlang, BINDIR: bin, EMU: 'beam', PROGNAME: 'erl' },
  };
}

interface Programs {
  readonly erlang: string;
  readonly bin: string;
  /** The directory of RabbitMQ itself. */
  readonly home: string;
  /** The module that all of its tools start with. */
  readonly main: string;
}

async function programs(version?: RabbitmqVersion): Promise<Programs> {
  const { suite, packages } = rabbitmqSource(version);
  const directory = await suitePrograms('rabbitmq', packages, suite);
  const usr = join(directory, 'usr');
  const erlang = join(usr, 'lib/erlang');
  const servers = join(usr, 'lib/rabbitmq/lib');
  const only = async (where: string, prefix: string) => {
    const name = (await readdir(where)).find((each) => each.startsWith(prefix));
    if (name === undefined) throw new Error(`the packages have no ${prefix}* in ${where}`);
    return join(where, name);
  };
  const home = await only(servers, 'rabbitmq_server-');
  return {
    erlang,
    bin: join(await only(erlang, 'erts-'), 'bin'),
    home,
    main: await mainModule(join(home, 'escript/rabbitmqctl')),
  };
}

/** The module that an escript names in its head; its name differs between versions. */
async function mainModule(escript: string): Promise<string> {
  await using file = await open(escript);
  for await (const line of file.readLines()) {
    const found = /^%%!.*-escript main (?<module>\S+)/.exec(line)?.groups?.['module'];
    if (found !== undefined) return found;
    if (!/^[#%]/.test(line)) break;
  }
  throw new Error(`${escript} names no main module`);
}
