/**
 * `make cloud-upgrade`: the cloud of `make cloud` from one release to another under load. FROM, RELEASE, STAY and EVIDENCE in the
 * environment:
 *
 *   two releases' images -> three nodes -> all charts of the old release, two replicas of each API and scheduler, three nodes of
 *     MariaDB and of RabbitMQ
 *   load.ts in the background -> rolled.ts: MariaDB and RabbitMQ, node by node; with FROM = RELEASE this is all
 *   -> contract.ts: an older schema of Keystone; rollback.ts: its upgrade, and back
 *   -> helm upgrade, chart after chart, Nova's three at the same time, whose last restarts the API
 *   broken.ts: a revision of Heat fails, is repaired, and its upgrade resumes
 *   each chart -> requests and operations per service, revisions and rows of each database
 *   at the end: `upgrade check`, records of services, what was created before, what users do on the new release
 *   -> report.ts, docs/evidence/upgrade.md
 *
 * A failed request or operation that is not in limits.ts ends the run with 1.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { UPGRADE_STAGES } from '../../../src/catalog/order.ts';
import { startClient } from '../client.ts';
import { writeImages } from '../images.ts';
import { installCharts, runChart } from '../install.ts';
import { setBasis } from '../operations/basis.ts';
import { serverLife } from '../operations/server-life.ts';
import { stacks } from '../operations/stacks.ts';
import { volumeLife } from '../operations/volume-life.ts';
import { makePasswords } from '../passwords.ts';
import { runCloud, type Cloud } from '../run.ts';
import type { Stage } from '../stage.ts';
import type { Timeline } from '../timeline.ts';
import { releaseTree } from '../trees/release.ts';
import { endLoad } from './after.ts';
import { failOnce } from './broken.ts';
import { makeOldSchema, watchContract } from './contract.ts';
import { createLasting } from './lasting.ts';
import { permitsUpgrade } from './limits.ts';
import { startLoad, type MeasuredPhase } from './load.ts';
import { onlineMigrations } from './online.ts';
import { assertOnlyLimits } from './outcome.ts';
import { writeUpgradeReport } from './report.ts';
import { goBack } from './rollback.ts';
import { importFirstMariadb, rollMariadb, rollRabbitmq, THREE_NODES } from './rolled.ts';
import { schemasOf, sqlOf, type Sql } from './schemas.ts';
import { twoOfEach } from './two-of-each.ts';
import { upgradeChecks } from './upgrade-checks.ts';

const [FROM, TO] = [process.env['FROM'] || '2025.1', process.env['RELEASE'] || '2026.1'];
/** Those of one row at the same time. What lies below OpenStack stays. */
const [, ...ORDER] = UPGRADE_STAGES;
/** Workloads with an RPC version negotiated with old computes, which the chart nova-compute restarts at its end. */
const RESTARTED = ['nova-cell-conductor', 'nova-scheduler', 'nova-api'].map((name) => `deployment/${name}`);
const PRINTS_EVIDENCE = process.env['EVIDENCE'] === '1';
/** 2025.1's Keystone runs on the schema of 2023.1: contract.ts. */
const HAS_OLD_SCHEMA = FROM === '2025.1' && TO !== FROM;
/** broken.ts has a revision of it. */
const BREAKS = TO === '2026.1' && TO !== FROM;
/** A machine that other work slowed down to a third was cut at 90 when all charts were upgraded. */
const MINUTES = 180;
/** The part of the load that is counted before the first chart changes. */
const BEFORE_MS = 30_000;

await runCloud({ target: 'make cloud-upgrade', release: FROM, needed: [], minutes: MINUTES, work: perform });

async function perform({ stage, timeline, adminOf }: Cloud): Promise<void> {
  await timeline.step(`OpenStack ${TO}'s tree`, async () => void (await releaseTree(TO)));
  await timeline.step(`images of ${TO} imported`, async () => {
    await stage.node.importImage((await writeImages(stage.directory, TO)).openstack);
  });
  const file = join(stage.directory, 'passwords.yml');
  const admin = await adminOf(file);
  const passwordOf = await makePasswords(file);
  const replicas = join(stage.directory, 'replicas.json');
  await writeFile(replicas, JSON.stringify(twoOfEach(THREE_NODES)));
  const files = [replicas, file];
  const first = join(stage.directory, 'first.json');
  await timeline.step("the image of Debian's first MariaDB", async () => {
    await writeFile(first, JSON.stringify({ global: { charts: { mariadb: await importFirstMariadb(stage) } } }));
  });
  await timeline.step(`all charts of ${FROM} installed`, () => installCharts(stage, [...files, first], timeline));
  const client = await timeline.step('the client runs', () => startClient(stage, admin));
  await using world = await timeline.step('image, flavors and network created', () => setBasis(stage, client));
  await using lasting = await timeline.step('objects that outlast the upgrade', () => createLasting(world));
  const checks = await timeline.step(`upgrade check of ${TO} on ${FROM}`, () => upgradeChecks(stage, TO));
  for (const check of checks) assert.ok(permitsUpgrade(check, TO), `${check.service}: ${check.output}`);
  const password = passwordOf('database_password');
  const sql = sqlOf(stage, password);
  const load = await timeline.step('load started', () =>
    startLoad(stage, world.basis, passwordOf('keystone_admin_password')),
  );
  const phases: MeasuredPhase[] = [];
  const during: During = async (name, work) => {
    const began = Date.now() / 1000;
    await timeline.step(name, work);
    const ended = Date.now() / 1000;
    phases.push({ name, from: began, to: ended, schemas: await schemasOf(sql) });
  };
  // As it was, and what the load meets without an upgrade.
  await during('before', () => setTimeout(BEFORE_MS));
  await during('mariadb', () => rollMariadb(stage, files, password));
  await during('rabbitmq', () => rollRabbitmq(stage));
  if (FROM !== TO) await upgradeAll({ stage, timeline, files, sql, during });
  const rows = await endLoad({ stage, timeline, client, load, lasting }, phases);
  const after = await timeline.step(`upgrade check of ${TO} on ${TO}`, () => upgradeChecks(stage, TO));
  for (const operation of [serverLife, volumeLife, stacks])
    await timeline.step(operation.title, () => operation.run(world));
  const online = await onlineMigrations(stage, TO);
  const report = { stage, timeline, from: FROM, to: TO, phases, rows, online, checks, after };
  if (PRINTS_EVIDENCE) await writeUpgradeReport(report);
  assertOnlyLimits(rows, FROM);
}

/** A part of the upgrade, in which the load is counted. */
type During = (name: string, work: () => Promise<unknown>) => Promise<void>;

interface Upgrade {
  readonly stage: Stage;
  readonly timeline: Timeline;
  /** Values. */
  readonly files: readonly string[];
  readonly sql: Sql;
  readonly during: During;
}

async function upgradeAll({ stage, timeline, files, sql, during }: Upgrade): Promise<void> {
  const stepwise = join(stage.directory, 'stepwise.json');
  await writeFile(stepwise, JSON.stringify({ upgrade: { stepwise: true } }));
  const values = [...files, stepwise];
  if (HAS_OLD_SCHEMA) {
    await timeline.step("Keystone's schema of 2023.1", () => makeOldSchema(sql));
    await during('keystone, and back', () => goBack(stage, TO, values, sql));
  }
  const watched = HAS_OLD_SCHEMA ? watchContract(stage, sql, FROM) : undefined;
  for (const charts of ORDER) {
    if (BREAKS && charts.some((chart) => chart === 'heat'))
      await during('heat, broken', () => failOnce(stage, TO, values, sql));
    await during(charts.join(', '), () =>
      Promise.all(charts.map((chart) => runChart(stage, 'upgrade', chart, TO, values))),
    );
    if (watched !== undefined && charts.some((chart) => chart === 'keystone'))
      await timeline.step('contract after the last old Pod', () => watched.assertOrder());
  }
  await during('restart', async () => {
    for (const workload of RESTARTED) {
      const template = await stage.kubectl([
        'get',
        workload,
        '--output=jsonpath={.spec.template.metadata.annotations}',
      ]);
      assert.match(template, /restartedAt/);
      await stage.kubectl(['rollout', 'status', workload]);
    }
  });
}
