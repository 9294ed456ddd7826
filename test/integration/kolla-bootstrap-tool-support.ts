import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plan, Effects } from '../../src/migrate/plan/plan.ts';
import { reach } from '../../src/migrate/server/reach.ts';
import { ensureTool, findTasks, planTool, type ToolChange } from '../../src/migrate/tool/index.ts';
import { parseMysqlUrl } from '../../src/mysql/index.ts';
import { redactor } from '../../src/core/redact.ts';
import { serviceNamed } from '../../src/catalog/index.ts';
import type { CommandLine } from '../cluster/keystone.ts';
import type { SharedMariadb } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import { recordedLog } from '../support/recorded-log.ts';

/** A service whose tool is on the PATH, as in an image, and which has its own databases. */
export interface ToolSite extends AsyncDisposable {
  /** Rewrites its configuration. */
  readonly configure: (text: string) => Promise<void>;
  /** The commands that it would run. */
  readonly plan: (more?: RunOptions) => Promise<ToolChange[]>;
  /** Runs the commands. Returns their number and the result of the last one. */
  readonly ensure: (more?: RunOptions) => Promise<{ changes: number; code: number; meaning: string | undefined }>;
  /** Runs the tool directly. */
  readonly byHand: (...words: readonly string[]) => Promise<void>;
  /** Everything that was logged, and every argv of the tool. */
  readonly seen: () => Promise<string>;
  /** Number of calls with that argument. */
  readonly calls: (word: string) => Promise<number>;
}

export interface RunOptions {
  readonly set?: readonly string[];
  readonly release?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface SiteOptions {
  readonly service: string;
  readonly database: string;
  readonly password: string;
  /** The tool: `nova-manage`. */
  readonly program: string;
  readonly manage: (configFile: string) => CommandLine;
}

const TIMES = { timeoutMs: 10_000, graceMs: 1000, lossMs: 40_000, leaseMs: 60_000 };
let tokens = 0;

/** An empty database and its account. */
export async function emptyDatabase(
  mariadb: SharedMariadb,
  name: string,
  user: string,
  password: string,
): Promise<void> {
  await mariadb.query(
    `CREATE DATABASE ${name} CHARACTER SET utf8mb3; CREATE USER IF NOT EXISTS ${user} IDENTIFIED BY '${password}';
     GRANT ALL ON ${name}.* TO ${user}`,
  );
}

export async function toolSite(mariadb: SharedMariadb, options: SiteOptions): Promise<ToolSite> {
  const { service: name, database, password, program, manage } = options;
  const service = serviceNamed(name);
  if (service === undefined) throw new Error(`no service ${name}`);
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('tool')).path;
  const [config, bin, argvs] = [join(directory, 'service.conf'), join(directory, 'bin'), join(directory, 'argvs')];
  await mkdir(bin);
  await appendFile(argvs, '');
  const { command, args, env: toolEnv } = manage(config);
  const words = [command, ...args].map((word) => `'${word}'`).join(' ');
  const file = join(bin, program);
  await writeFile(file, `#!/bin/sh\necho "$*" >>'${argvs}'\nexec ${words} "$@"\n`);
  await chmod(file, 0o755);
  const base = { ...toolEnv, HOME: directory, PATH: `${bin}:${process.env['PATH']}` };
  const { log, said } = recordedLog();
  const url = `mysql+pymysql://${name.replaceAll('-', '_')}:${password}@${mariadb.host}:${mariadb.port}/${database}`;
  const target = { ...parseMysqlUrl(url), user: 'root', password: mariadb.rootPassword };

  const open = async ({ set = [], release = '', env = {}, signal = new AbortController().signal }: RunOptions) => {
    const inherited = { ...base, ...env };
    const tasks = await findTasks(service, { set: [...set], serviceConfig: config, sources: [], inherited });
    const effects: Effects = { signal, log, redact: redactor([]) };
    const session = await reach(target, { ...TIMES, signal, log, galeraDonor: 'ok', database });
    return { tasks, effects, session, childEnv: () => inherited, claim: { service: name, release } };
  };
  const taken = stack.move();
  return {
    configure: (text) => writeFile(config, text),
    async plan(more = {}) {
      const { tasks, effects, session, childEnv, claim } = await open(more);
      await using held = session;
      return await planTool(tasks, claim, { session: held, childEnv }, effects);
    },
    async ensure(more = {}) {
      const { tasks, effects, session, childEnv, claim } = await open(more);
      await using own = session;
      const token = ++tokens;
      const held = { session: own, lockName: 'none', token, lost: new AbortController().signal };
      const plan = { ...TIMES, steps: [], target, others: [], childEnv } as unknown as Plan;
      const whole = { ...claim, phase: 'bootstrap', holder: 'test', work: '' };
      const { changes, outcome, meaning } = await ensureTool(tasks, plan, held, whole, effects);
      return { changes, code: outcome.code, meaning };
    },
    byHand: async (...more) => void (await must(file, more, { env: base })),
    seen: async () => said() + (await readFile(argvs, 'utf8')),
    calls: async (word) => (await readFile(argvs, 'utf8')).split('\n').filter((line) => line.includes(word)).length,
    [Symbol.asyncDispose]: () => taken.disposeAsync(),
  };
}
