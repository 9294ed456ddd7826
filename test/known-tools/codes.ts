/**
 * `node test/known-tools/codes.ts [RELEASE[/SERVICE]...]`: what each tool's exit code says.
 *
 *   each service of a release -> its real tool (tree.ts) on MariaDB, in each state of the server and of the database
 *     -> exit codes, and what the version table then shows -> docs/evidence/tool-codes.json -> docs/reference/tool-codes.md
 *
 * Results of services that are not named are kept. Needs root and PyPI, as `make cloud`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../../build/bundle.ts';
import { GENERATED } from '../../build/docs/pages.ts';
import { toolCodesPage, type CheckCodes, type StateCodes, type ToolCodes } from '../../build/docs/tool-codes.ts';
import { versionTablesOf } from '../../src/catalog/index.ts';
import { readRevisions } from '../../src/migrate/schema/revisions.ts';
import { judge } from '../../src/migrate/schema/standing.ts';
import { readVersions } from '../../src/migrate/schema/versions.ts';
import { startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { freePort } from '../../tools/port.ts';
import { toolSite, type ToolSite } from './site.ts';
import { toolsOf, versionOfTool } from './tree.ts';

const RESULTS = join(ROOT, 'docs/evidence/tool-codes.json');
const PAGE = join(ROOT, 'docs/reference/tool-codes.md');
/** A check that does not answer within this time is ended. */
const CHECK_MS = 200_000;
/** How many tools run at the same time, each on its own server: some wait. */
const AT_ONCE = 3;

const asked = process.argv.slice(2);
const isAsked = (release: string, service: string) =>
  asked.length === 0 || asked.includes(release) || asked.includes(`${release}/${service}`);
const tools = toolsOf().filter(({ release, service }) => isAsked(release, service));
const left = [...tools];
await Promise.all(Array.from({ length: Math.min(AT_ONCE, left.length) }, work));

async function work(): Promise<void> {
  await using mariadb = await startMariadb();
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const { service, release } = next;
    try {
      record(await codesOf(service, release, mariadb));
      console.log(`${release} ${service}: done`);
    } catch (error) {
      console.error(`${release} ${service}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
      process.exitCode = 1;
    }
  }
}

async function codesOf(name: string, release: string, mariadb: Mariadb): Promise<ToolCodes> {
  await using site = await toolSite(name, release, mariadb);
  const { service } = site;
  const readOnly = (is: boolean) => mariadb.query(`SET GLOBAL read_only = ${is ? 1 : 0}`);
  const states: Record<string, StateCodes> = {};
  const state = async (key: keyof ToolCodes['states']) => (states[key] = await steps(site, mariadb));
  const checks: Record<string, number | undefined> = {};
  const check = async (key: keyof CheckCodes['codes']) => (checks[key] = await runCheck(site));

  await using silent = await closingServer();
  await site.configure({ port: silent.port });
  await check('unreachable');
  const readsDatabase = silent.connections() > 0;
  await site.configure({ port: await freePort() });
  await state('refused');
  await site.configure();
  await readOnly(true);
  await state('readOnlyEmpty');
  await readOnly(false);
  await recreate(site, mariadb);
  await state('empty');
  await state('again');
  await check('head');
  const [database = ''] = site.databases;
  const [table] = service.databases[0] === undefined ? [] : versionTablesOf(service.databases[0]);
  if (table !== undefined) {
    const place = `${database}.${table.versionTable}`;
    await mariadb.query(`UPDATE ${place} SET version_num = 'ffffffffffff' LIMIT 1`);
    await state('newer');
    await mariadb.query(`DELETE FROM ${place}`);
    await state('half');
  }
  return {
    service: name,
    release,
    version: await versionOfTool(name, release),
    states: states as ToolCodes['states'],
    ...(service.migration.upgradeCheck === undefined ? {} : { check: { readsDatabase, codes: checks } }),
  };
}

/** Runs the steps of the whole migration until one fails. */
async function steps(site: ToolSite, mariadb: Mariadb): Promise<StateCodes> {
  const codes: number[] = [];
  for (const { argv, directory } of site.service.migration.phases.all) {
    const command = directory === undefined ? argv : (['env', '-C', directory, ...argv] as const);
    const { code } = await site.run(command);
    codes.push(code);
    if (code !== 0) break;
  }
  return { codes, version: await versionAfter(site, mariadb) };
}

/** What the version tables show: the worst of them. */
async function versionAfter(
  { service, databases, programs }: ToolSite,
  mariadb: Mariadb,
): Promise<StateCodes['version']> {
  const found: StateCodes['version'][] = [];
  for (const [i, one] of service.databases.entries())
    for (const { versionTable, scripts = '' } of versionTablesOf(one)) {
      const program = service.migration.phases.all[0].argv[0];
      const revisions = await readRevisions(join(programs, program), scripts, {});
      const session = { rows: (sql: string) => mariadb.query(sql) };
      const versions = (await readVersions(session, databases[i] ?? '', versionTable)) ?? [];
      found.push(revisions === undefined ? 'unproven' : judge('', revisions, versions, false).is);
    }
  return (['unproven', 'newer', 'behind', 'head'] as const).find((is) => found.includes(is)) ?? 'unproven';
}

/** The exit code of the upgrade check; undefined if it did not answer in time, or if there is none. */
async function runCheck({ service, run }: ToolSite): Promise<number | undefined> {
  const argv = service.migration.upgradeCheck?.argv;
  if (argv === undefined) return undefined;
  const signal = AbortSignal.timeout(CHECK_MS);
  try {
    return (await run(argv, { signal })).code;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

async function recreate({ databases }: ToolSite, mariadb: Mariadb): Promise<void> {
  for (const database of databases) {
    await mariadb.query(`DROP DATABASE ${database}`);
    await mariadb.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb3`);
  }
}

/** A server that closes each connection at once, and counts them. */
async function closingServer() {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {}).destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    port,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

/** Replaces the former result of the same tool. */
function record(result: ToolCodes): void {
  const former = JSON.parse(readFileSync(RESULTS, 'utf8')) as ToolCodes[];
  const key = ({ release, service }: ToolCodes) => `${release} ${service}`;
  const others = former.filter((one) => key(one) !== key(result));
  const all = [...others, result].toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  writeFileSync(RESULTS, `${JSON.stringify(all, undefined, 2)}\n`);
  writeFileSync(PAGE, toolCodesPage(all, GENERATED));
}
