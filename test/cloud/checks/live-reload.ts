import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartNames } from '../../../build/charts.ts';
import { until } from '../../support/until.ts';
import { restarts, type PodState } from '../../aio/openstack.ts';
import { podsOf, runChart } from '../install.ts';
import { settingsOf } from '../pod-settings.ts';
import type { Stage } from '../stage.ts';

const BRAND = 'A reloaded dashboard';
const HEARTBEAT = 47;
const CONNECTIONS = 4711;
const HORIZON_PORT = 8080;
/** The chart without configuration files: its configuration is its command line. */
const WITHOUT_FILES = 'memcached';

interface Change {
  readonly settings: object;
  /** Whether the server has the changed value; a server that is being restarted does not respond. */
  readonly holds: (stage: Stage) => Promise<boolean>;
}

/** The changed value of each chart without oslo.config. Others change to log level DEBUG. */
const CHANGES: Readonly<Record<string, Change>> = {
  mariadb: {
    settings: { mysqld: { max_connections: CONNECTIONS } },
    holds: async (stage) => {
      const login = ['--defaults-file=/etc/mysql/healthcheck.cnf', '--batch', '--skip-column-names'];
      const words = ['exec', 'mariadb-0', '--', 'mariadb', ...login, '--execute=SELECT @@max_connections'];
      return (await stage.kubectl(words).catch(String)).trim() === String(CONNECTIONS);
    },
  },
  rabbitmq: {
    settings: { conf: { heartbeat: HEARTBEAT } },
    holds: async (stage) => {
      const words = ['exec', 'rabbitmq-0', '--', 'rabbitmqctl', 'eval', 'application:get_env(rabbit, heartbeat).'];
      return (await stage.kubectl(words).catch(String)).includes(`{ok,${HEARTBEAT}}`);
    },
  },
  horizon: {
    settings: { custom: `SITE_BRANDING = "${BRAND}"` },
    holds: async (stage) => {
      const url = `http://127.0.0.1:${await stage.reach('horizon', HORIZON_PORT)}/auth/login/`;
      return await fetch(url).then(
        async (page) => (await page.text()).includes(BRAND),
        () => false,
      );
    },
  },
};
const DEBUG = { extra: { DEFAULT: { debug: true } } };

/**
 * With `config.reload: live`, a changed value reaches every process of every service, and no Pod is replaced: a container is
 * restarted if its on-change action is `signal:TERM`, and no other is.
 * @param files the values of the installation
 */
export async function assertLiveReload(stage: Stage, files: readonly string[]): Promise<string> {
  const before = await chartPods(stage);
  const terminated = new Set<string>();
  for (const pod of before)
    if ((await settingsOf(stage, pod)).includes('signal:TERM')) terminated.add(pod.metadata.name);
  assert.ok(terminated.size > 0);
  const names = chartNames().filter((name) => name !== WITHOUT_FILES);
  await Promise.all(
    names.map(async (name) => {
      const file = join(stage.directory, `${name}-changed.json`);
      await writeFile(file, JSON.stringify({ settings: CHANGES[name]?.settings ?? DEBUG }));
      await runChart(stage, 'upgrade', name, stage.release, [...files, file]);
    }),
  );
  for (const [name, { holds }] of Object.entries(CHANGES))
    await until(`${name} to apply its changed value`, async () => (await holds(stage)) || undefined);
  const servers = [WITHOUT_FILES, ...Object.keys(CHANGES)];
  const services = before
    .map(({ metadata }) => metadata.name)
    .filter((name) => !servers.some((server) => name.startsWith(server)));
  await until('every service to log at level DEBUG', async (saw) => {
    const script = "grep --recursive --quiet ' DEBUG ' /var/log/kolla && echo yes || echo no";
    const late: string[] = [];
    for (const name of services) {
      const answer = await stage.kubectl(['exec', name, '--', 'sh', '-c', script]).catch(String);
      if (answer.trim() !== 'yes') late.push(name);
    }
    saw(late);
    return late.length === 0 || undefined;
  });
  const after = await chartPods(stage);
  const uids = (pods: readonly PodState[]) => pods.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
  assert.deepEqual(uids(after), uids(before));
  const [earlier, later] = [restarts(before), restarts(after)];
  const restarted = Object.keys(later).filter((name) => (later[name] ?? 0) > (earlier[name] ?? 0));
  assert.deepEqual(restarted.toSorted(), [...terminated].toSorted());
  return `${services.length + Object.keys(CHANGES).length} Pods have their changed value, ${restarted.length} by a restart of their container, 0 replaced`;
}

/** Without the Pods of the client and of Tempest. */
async function chartPods(stage: Stage): Promise<PodState[]> {
  return (await podsOf(stage)).filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/instance'] !== undefined);
}
