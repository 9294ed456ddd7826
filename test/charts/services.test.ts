import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { KOLLA_USERS } from '../../src/catalog/kolla-users.ts';
import { osloOption } from '../../src/oslo/ini.ts';
import { PHASES, type Interface } from '../../src/catalog/index.ts';
import { canRunHelm } from '../../tools/helm.ts';
import {
  configJsonOf,
  containerOf,
  filesOf,
  mainOf,
  keyOf,
  podOf,
  podYamlOf,
  probeOf,
  SERVICE_CHARTS,
  serviceOf,
  textAt,
  waitsOf,
  WITHOUT_JOB,
  wordsAfter,
  workloadsOf,
} from './service-charts.ts';
import { PASSWORDS, rendering, type KubeObject, type Rendered, type Rendering } from './support.ts';

const WAITS = { database: 'mysql://mariadb:3306', queue: 'amqp://rabbitmq:5672', identity: 'http://keystone:5000/v3' };
/** Waits for what is no server of the catalogue, by chart. */
const OWN_WAITS: Readonly<Record<string, readonly string[]>> = {
  horizon: ['memcached://memcached:11211'],
  neutron: ['tcp://127.0.0.1:6640'],
  cinder: ['pod?label=app.kubernetes.io/name=cinder&label=app.kubernetes.io/component=volume'],
  'nova-compute': ['pod?label=app.kubernetes.io/name=nova-compute&label=app.kubernetes.io/component=libvirt&node=own'],
};
const skip = (await canRunHelm()) ?? false;

/** Workloads that run as another user than the service's, for the reason in their README. */
const OTHER_USERS: Readonly<Record<string, string>> = {
  'nova-compute libvirt': 'root',
  'neutron openvswitch-db': 'root',
  'neutron openvswitch-vswitchd': 'root',
};

for (const chart of SERVICE_CHARTS)
  describe(`the chart ${chart} matches the catalogue`, { skip }, () => {
    const service = serviceOf(chart);
    let helm: Rendering;
    let rendered: Rendered;
    before(async () => {
      helm = await rendering(chart);
      rendered = await helm.render();
    });
    after(() => helm[Symbol.asyncDispose]());

    test("each Pod has the catalogue's checks for its container", () => {
      for (const workload of workloadsOf(rendered)) {
        const { readiness, liveness } = probeOf(containerOf(chart, keyOf(workload)));
        const asked = askedOf(rendered, workload);
        assert.deepEqual(asked, { readiness, liveness, startup: liveness }, workload.metadata.name);
      }
    });

    test("checks of connections follow the ports of the site's own broker and database", async () => {
      const endpoints = { rabbitmq: { host: 'broker', port: 5671 }, mariadb: { host: 'db', port: 3307 } };
      const other = await helm.render({ global: { endpoints } });
      for (const workload of workloadsOf(other)) {
        const { readiness } = probeOf(containerOf(chart, keyOf(workload)));
        const wanted = readiness.replace(' 5672', ' 5671').replace(' 3306', ' 3307');
        assert.equal(askedOf(other, workload)['readiness'], wanted, workload.metadata.name);
      }
    });

    test('an API has the port of its probe, and no other Pod has one', () => {
      for (const workload of workloadsOf(rendered)) {
        const { readiness } = probeOf(containerOf(chart, keyOf(workload)));
        const port = /^http http:\/\/127\.0\.0\.1:(\d+)/.exec(readiness)?.[1];
        const ports = (mainOf(workload).ports ?? []).map(
          ({ containerPort }: { containerPort: number }) => containerPort,
        );
        assert.deepEqual(ports, port === undefined ? [] : [Number(port)], workload.metadata.name);
      }
    });

    test('each endpoint leads to a Service with its port, and a Pod with that port', () => {
      const job = rendered.of('Job').find(({ metadata }) => metadata.name.startsWith(`${chart}-bootstrap-`));
      const given = (key: Interface) => variableOf(job, `KOLLA_BOOTSTRAP_${key.toUpperCase()}_URL`);
      const { services = [] } = service.identity ?? {};
      // Charts set no admin endpoint.
      const wanted = services.length === 0 ? [false, false, false] : [true, true, false];
      assert.deepEqual(
        (['public', 'internal', 'admin'] as const).map((key) => given(key) !== undefined),
        wanted,
      );
      for (const { name, endpoints } of services)
        for (const key of ['public', 'internal'] as const) {
          const { port, path } = endpoints[key] ?? assert.fail(`${name} has no ${key} endpoint`);
          const pattern = given(key) ?? '';
          const url = pattern.replace('{name}', name).replace('{port}', String(port)).replace('{path}', path);
          const [, host, , rest] = /^http:\/\/([\w-]+):(\d+)(.*)$/.exec(url) ?? [];
          assert.equal(rest, path);
          const target = rendered.of('Service').find(({ metadata }) => metadata.name === host);
          assert.ok(target, `no Service ${host}`);
          assert.equal(target['spec'].ports[0].port, port);
          assert.notDeepEqual(target['spec'].selector, {});
          const selected = workloadsOf(rendered).filter((one) =>
            includes(one['spec'].template.metadata.labels, target['spec'].selector),
          );
          assert.deepEqual(
            selected.map((one) => mainOf(one).ports?.[0]?.containerPort),
            [port],
          );
        }
    });

    test("all Pods run as the service's own user, also in a Job", () => {
      for (const object of [...workloadsOf(rendered), ...rendered.of('Job')]) {
        const user = OTHER_USERS[`${chart} ${keyOf(object)}`] ?? service.user ?? '';
        assert.equal(
          podOf(object).securityContext.runAsUser,
          user === 'root' ? 0 : KOLLA_USERS[user],
          object.metadata.name,
        );
      }
    });

    test('its Job waits for exactly the dependencies of the service', () => {
      const { databases, queue, identity } = service;
      const [job] = rendered.of('Job');
      if (WITHOUT_JOB.has(chart)) return assert.equal(job, undefined);
      const wanted = [
        ...(databases.length > 0 ? [WAITS.database] : []),
        ...(queue !== undefined && queue.optional !== true ? [WAITS.queue] : []),
        ...(identity === undefined ? [] : [WAITS.identity]),
        ...(chart === 'nova-cell' ? ['db-sync/nova?release=2025.2'] : []),
      ];
      assert.deepEqual(waitsOf(job!), wanted);
      assert.deepEqual(mainOf(job!).command?.slice(0, 2), ['kolla-bootstrap', chart]);
    });

    test('no Pod waits for something the service does not use', () => {
      const { databases, queue, identity } = service;
      const known = new Set([
        ...(databases.length > 0 ? [WAITS.database] : []),
        ...(queue === undefined ? [] : [WAITS.queue]),
        ...(identity === undefined ? [] : [WAITS.identity]),
        ...(OWN_WAITS[chart] ?? []),
      ]);
      for (const workload of workloadsOf(rendered)) {
        const waits = waitsOf(workload).filter((wait) => !/^(?:job\/[a-z]+(?:-cell)?-bootstrap-|!pod\?)/.test(wait));
        assert.deepEqual(
          waits.filter((wait) => !known.has(wait)),
          [],
          workload.metadata.name,
        );
      }
    });

    test("stepwise, it has a Job for each of the tool's phases", async () => {
      const stepwise = await helm.render({ upgrade: { stepwise: true } });
      const { phases } = service.migration;
      const wanted = WITHOUT_JOB.has(chart)
        ? []
        : PHASES.filter((phase) => phase !== 'all' && phases[phase] !== undefined);
      const asked = stepwise.of('Job').flatMap((job) => wordsAfter(mainOf(job).command, '--phase'));
      assert.deepEqual(new Set(asked), new Set(wanted));
    });

    const hasJob = !WITHOUT_JOB.has(chart);
    if (hasJob)
      test('its configuration has all URLs and passwords where the catalogue expects them', () => {
        const { configFile, databases, identity, queue } = service;
        const text = textAt(filesOf(rendered, rendered.of('Job')[0]!), configFile ?? '') ?? '';
        const valueAt = ({ section, key }: { section: string; key: string }) => osloOption(text, section, key);
        for (const { name, url } of databases) {
          const value = url.map(valueAt).find((one) => one !== undefined);
          const passwords = Object.entries(PASSWORDS).filter(([key]) => key.endsWith('_database_password'));
          const wanted = passwords.map(([, password]) => `:${password}@mariadb:3306/${name}?charset=utf8`);
          assert.ok(
            wanted.some((end) => value?.endsWith(end)),
            `${name}: ${value}`,
          );
        }
        for (const { name, places } of identity?.users ?? []) {
          const password =
            name === 'heat_domain_admin'
              ? PASSWORDS['heat_domain_admin_password']
              : PASSWORDS[`${name}_keystone_password`];
          assert.equal(places && valueAt(places.password), password);
          if (places?.name) assert.equal(valueAt(places.name), name);
        }
        if (queue !== undefined && queue.optional !== true) {
          const value = queue.url.map(valueAt).find((one) => one !== undefined);
          const password = PASSWORDS[`${queue.user}_rabbitmq_password`];
          assert.equal(value, `rabbit://${queue.user}:${password}@rabbitmq:5672/${queue.vhost}`);
        }
      });

    test('passwords are only in Secrets', () => {
      for (const object of rendered.all.filter(({ kind }) => kind !== 'Secret')) {
        const text = JSON.stringify(object);
        for (const [name, password] of Object.entries(PASSWORDS))
          assert.ok(!text.includes(password), `${object.kind} ${object.metadata.name} contains ${name}`);
      }
    });

    if (hasJob)
      test("an option of settings.extra is last in the service's file", async () => {
        const extra = { DEFAULT: { debug: true, log_dir: '/elsewhere' } };
        const changed = await helm.render({ settings: { extra } });
        const text = textAt(filesOf(changed, changed.of('Job')[0]!), service.configFile ?? '') ?? '';
        assert.equal(osloOption(text, 'DEFAULT', 'debug'), 'true');
        assert.equal(osloOption(text, 'DEFAULT', 'log_dir'), '/elsewhere');
      });

    test('every file of a chart is read by a Pod', () => {
      const read = new Set(
        workloadsOf(rendered).flatMap((one) =>
          configJsonOf(filesOf(rendered, one)).config_files.map(({ source }) => source),
        ),
      );
      const all = workloadsOf(rendered)
        .flatMap((one) => [...filesOf(rendered, one).keys()])
        .filter((name) => name !== 'config.json');
      assert.notDeepEqual(all, []);
      for (const name of all) assert.ok(read.has(`/var/lib/kolla/config_files/${name}`), name);
    });
  });

function variableOf(object: KubeObject | undefined, name: string): string | undefined {
  return object && mainOf(object).env?.find((one) => one.name === name)?.value;
}

function includes(labels: Readonly<Record<string, string>>, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

/** The probes of a container as arguments of kolla-probe, which the sidecar runs, or the kubelet with exec. */
function askedOf(rendered: Rendered, workload: KubeObject): Record<string, string | undefined> {
  const { readinessProbe, livenessProbe, startupProbe } = mainOf(workload);
  const { checks = {} } = podYamlOf(rendered, workload);
  const wordsOf = ({ exec }: typeof readinessProbe, use: string) =>
    exec?.command.slice(1).join(' ') ?? Object.values(checks).find((check) => check.for.includes(use))?.run;
  return {
    readiness: wordsOf(readinessProbe, 'readiness'),
    liveness: wordsOf(livenessProbe, 'liveness'),
    startup: wordsOf(startupProbe, 'startup'),
  };
}
