import assert from 'node:assert/strict';
import { join } from 'node:path';
import { chartNames, packageChart } from '../../../build/charts.ts';
import { helm } from '../../../tools/helm.ts';
import { until } from '../../support/until.ts';
import { restarts, type PodState } from '../../aio/openstack.ts';
import { podsOf } from '../install.ts';
import { NAMESPACE, type Stage } from '../stage.ts';

const BRAND = 'A reloaded dashboard';
const HEARTBEAT = 47;
const CONNECTIONS = 4711;
const HORIZON_PORT = 8080;
/** The chart without configuration files: its configuration is its command line. */
const WITHOUT_FILES = 'memcached';
/** Containers that the on-change action restarts; all others load their files again. */
const RESTARTED =
  /^(mariadb|rabbitmq|nova-(conductor|scheduler|novncproxy|compute|cell-\w+)|neutron-(rpc-server|periodic|openvswitch)|cinder-(scheduler|volume)|heat-engine)/;

/** The changed value of each chart without oslo.config, and a check of its effect. Others change to log level DEBUG. */
const CHANGES: Readonly<
  Record<string, { readonly values: string; readonly holds: (stage: Stage) => Promise<boolean> }>
> = {
  mariadb: {
    values: `settings.mysqld.max_connections=${CONNECTIONS}`,
    holds: async (stage) => {
      const options = [
        '--defaults-file=/etc/mysql/healthcheck.cnf',
        '--host=127.0.0.1',
        '--batch',
        '--skip-column-names',
      ];
      const words = ['exec', 'mariadb-0', '--', 'mariadb', ...options, '--execute=SELECT @@max_connections'];
      return (await stage.kubectl(words).catch(String)).trim() === String(CONNECTIONS);
    },
  },
  rabbitmq: {
    values: `settings.conf.heartbeat=${HEARTBEAT}`,
    holds: async (stage) => {
      const words = ['exec', 'rabbitmq-0', '--', 'rabbitmqctl', 'eval', 'application:get_env(rabbit, heartbeat).'];
      return (await stage.kubectl(words).catch(String)).includes(`{ok,${HEARTBEAT}}`);
    },
  },
  horizon: {
    values: `settings.custom=SITE_BRANDING = "${BRAND}"`,
    holds: async (stage) => {
      const url = `http://127.0.0.1:${await stage.reach('horizon', HORIZON_PORT)}/auth/login/`;
      return (await (await fetch(url)).text()).includes(BRAND);
    },
  },
};

/**
 * With `config.reload: live`, a changed value reaches every process of every service, and no Pod is replaced: uWSGI loads the
 * application again, other containers are restarted.
 */
export async function assertLiveReload(stage: Stage): Promise<string> {
  const before = new Map((await podsOf(stage)).map((pod) => [pod.metadata.name, pod]));
  const restartsBefore = restarts([...before.values()]);
  const names = chartNames().filter((name) => name !== WITHOUT_FILES);
  await Promise.all(
    names.map((name) => upgrade(stage, name, CHANGES[name]?.values ?? 'settings.extra.DEFAULT.debug=true')),
  );
  for (const [name, { holds }] of Object.entries(CHANGES))
    await until(`${name} to apply its changed value`, async () => (await holds(stage)) || undefined);
  const servers = [WITHOUT_FILES, ...Object.keys(CHANGES)];
  const services = [...before.keys()].filter((name) => !servers.some((server) => name.startsWith(server)));
  await until('every service to log at level DEBUG', async (saw) => {
    const script = "grep --recursive --quiet ' DEBUG ' /var/log/kolla && echo yes || echo no";
    const late: string[] = [];
    for (const name of services)
      if (!(await stage.kubectl(['exec', name, '--', 'sh', '-c', script]).catch(String)).includes('yes'))
        late.push(name);
    saw(late);
    return late.length === 0 || undefined;
  });
  const after = await podsOf(stage);
  const uids = (pods: readonly PodState[]) => pods.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
  assert.deepEqual(uids(after), uids([...before.values()]));
  const restartsAfter = restarts(after);
  const restarted = after
    .map(({ metadata }) => metadata.name)
    .filter((name) => {
      return (restartsAfter[name] ?? 0) > (restartsBefore[name] ?? 0);
    });
  assert.deepEqual(
    restarted.filter((name) => !RESTARTED.test(name)),
    [],
  );
  return `${after.length - restarted.length - 1} Pods loaded their files again, ${restarted.length} restarted their container, 0 replaced`;
}

async function upgrade(stage: Stage, name: string, setting: string): Promise<void> {
  const chart = packageChart(name, join(stage.directory, 'charts'));
  const [key, value] = [setting.slice(0, setting.indexOf('=')), setting.slice(setting.indexOf('=') + 1)];
  const words = [
    'upgrade',
    name,
    chart,
    '--namespace',
    NAMESPACE,
    '--reuse-values',
    '--set-literal',
    `${key}=${value}`,
  ];
  const { code, stderr } = await helm(stage.directory, words, stage.node.kubeconfig);
  assert.equal(code, 0, stderr);
}
