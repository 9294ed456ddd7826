import { tests, type Capability } from './point.ts';

const charts = (file: string, names?: string) => tests(`test/charts/${file}.test.ts`, names);
const aio = tests('test/aio/aio.test.ts');

export const helmCharts: Capability = {
  name: 'charts',
  title: 'Helm charts, ConfigMaps from a folder, and an all-in-one on a real node',
  points: [
    {
      point: 'chart x {lint, server dry run, Pods admitted under `restricted`, run for real, or why not}',
      command: charts('admission'),
      match: /neutron +passed .*/,
      table: /^chart +helm lint[^]*?^rabbitmq .*$/m,
    },
    {
      point: 'an image volume: rendered, and admitted by a real API server',
      command: charts('admission', 'imageVolume'),
      match: /✔ delivery: imageVolume gives Pods that are admitted too/,
    },
    {
      point: 'ConfigMaps and Secrets, one a file or one a service, rolling or live; more than 1 MiB is refused',
      command: charts('config'),
      match: /✔ a file over 1 MiB is refused by its name/,
    },
    {
      point: 'mounts are those that `kolla-init plan` prints',
      command: charts('mounts'),
      match: /✔ mounts are those that kolla-init plan prints/,
    },
    {
      point: 'Roles are exactly those that the helpers print for the same waits',
      command: charts('access'),
      match: /✔ Roles are those that the helpers print for the same waits/,
    },
    {
      point: 'Jobs: names end in a hash, a Job for each phase, kept, ended by TTL, an hour of grace, no hooks',
      command: charts('jobs'),
      match: /✔ an upgrade neither deletes nor cuts off a migrator: kept, ended by TTL, an hour of grace/,
    },
    {
      point: 'an upgrade and a rollback on a real API server leave what old Pods need',
      command: charts('releases'),
      match: /✔ an upgrade leaves the Job and the configuration that old Pods need, and a rollback goes back to them/,
    },
    {
      point: 'probes, sidecar, PodDisruptionBudget, topology spread, NetworkPolicy, roles, volumes',
      command: charts('workloads'),
      match: /✔ replicas are spread, and from two on a PodDisruptionBudget keeps all but one/,
    },
    {
      point: 'globals.yml overrides each chart, one value is the registry, a wrong value is refused with its path',
      command: charts('values'),
      match: /✔ one value says where all images of keystone come from/,
    },
    {
      point: 'commands, waits, probes and ports are the catalogue’s, users and paths Kolla’s',
      command: charts('services'),
      match: /✔ each Pod is asked what the catalogue asks its container/,
    },
    {
      point: 'images and commands are those that kolla-ansible runs',
      command: charts('services-kolla'),
      match: /✔ what runs in a Pod is what kolla-ansible runs/,
    },
    {
      point: 'log files are read as what they are',
      command: charts('services-logs'),
      match: /✔ what services log is read as what it is/,
    },
    {
      point: 'options in the files are options of the service, by oslo.config’s own validator',
      command: charts('services-options'),
      match: /✔ options in the files are options of the service/,
    },
    {
      point: 'a chart’s Job is one that kolla-bootstrap takes',
      command: charts('services-jobs'),
      match: /✔ a chart's Job is one that kolla-bootstrap takes/,
    },
    {
      point: 'images’ own scripts get what they want',
      command: charts('services-scripts'),
      match: /✔ what an image runs before its service has what it wants/,
    },
    {
      point: 'settings that a chart can’t use are refused by their place',
      command: charts('openstack'),
      match: /✔ settings that nova can't use are refused by their place/,
    },
    {
      point: 'host network and privileges: each Pod that is not `restricted` is listed with its reason',
      command: tests('test/build/docs.test.ts', 'k8s/charts'),
      match: /✔ k8s\/charts\/README.md names all Pods that do not pass/,
    },
    {
      point: 'plain manifests for people without Helm are what the chart renders',
      command: charts('manifests'),
      match: /✔ they are what the chart renders/,
    },
    {
      point: 'external Ceph, LVM, a storage class, two namespaces: examples that render',
      command: charts('examples'),
      match: /✔ Glance in an existing Ceph/,
    },
    {
      point: 'charts are packaged with library and schema, the same bytes each time',
      command: charts('packages'),
      match: /✔ an archive has the library and the schema in it, and is the same bytes each time/,
    },
    {
      point: '`kolla-pod configmaps`: a real API server takes its output, and a Pod has every file',
      command: tests('test/integration/kolla-pod-configmaps.test.ts'),
      match: /✔ it takes them, and a Pod that mounts them has every file: one a file/,
    },
    {
      point: '`kolla-pod configmaps`: no byte of a secret in a ConfigMap, a name, or what is said',
      command: tests('test/pod/configmaps/secrecy.test.ts'),
      match: /✔ no byte of a secret is in a ConfigMap, in a name, or in what is said/,
    },
    {
      point: '`kolla-pod configmaps` on kolla-ansible’s own templates',
      command: tests('test/contract/configmaps.test.ts'),
      match: /configmaps: \d+ templates, \d+ with secrets, all of them Secrets/,
    },
    {
      point: 'all in one: five charts by `helm install --wait`, at once, and a token',
      command: aio,
      match: /✔ five charts installed at once come up in the order that their helpers find, and Keystone gives a token/,
    },
    {
      point: 'all in one: every Pod under `restricted`',
      command: aio,
      match: /✔ every Pod was admitted by a namespace that enforces `restricted`/,
    },
    {
      point: 'all in one: reconfigured rolling, with no request failed',
      command: aio,
      match: /✔ reconfigured rolling, Keystone has the new configuration in new Pods, and no request fails/,
    },
    {
      point: 'all in one: reconfigured live',
      command: aio,
      match: /✔ reconfigured live, Placement has the new configuration in the Pod that it had/,
    },
    {
      point: 'all in one: upgraded by a Job a phase, with no request failed',
      command: aio,
      match: /✔ upgraded step by step, the schema is expanded before and contracted after the rollout/,
    },
    {
      point: 'all in one: Keystone scaled to 3',
      command: aio,
      match: /✔ scaled to 3, each Keystone takes the tokens of the others/,
    },
    {
      point: 'all in one: Pods deleted, and Keystone answers all the time',
      command: aio,
      match: /✔ when Pods are deleted, others take their place, and Keystone answers all the time/,
    },
    {
      point: 'all in one: the API server restarted, and no Pod is',
      command: aio,
      match: /✔ when the API server is restarted, no Pod is, and Keystone answers all the time/,
    },
    {
      point: 'all in one: MariaDB frozen',
      command: aio,
      match: /✔ when MariaDB is frozen, it is not ready, nobody else is restarted, and all goes on when it thaws/,
    },
    {
      point: 'all in one: a configuration that is refused, with no request failed, and a rollback',
      command: aio,
      match:
        /✔ an upgrade to a configuration that is refused leaves the old replicas answering, and a rollback restores/,
    },
    {
      point: 'all in one: a NoExecute taint',
      command: aio,
      match: /✔ a NoExecute taint drives all Pods out; without it all come back with their data/,
    },
    {
      point: 'all in one: logs, each line once',
      command: aio,
      match:
        /✔ every line that is in the log files of Keystone, Placement, MariaDB and RabbitMQ is in Elasticsearch once/,
    },
    {
      point: 'all in one: it runs the charts’ part of the quickstart word for word',
      command: aio,
      match: /✔ docs\/aio.md and the charts of docs\/quickstart.md have no command that was not run/,
    },
    {
      point: 'a Galera and a RabbitMQ of three: one cluster, and one again after all nodes were killed at once',
      command: tests('test/aio/clusters.test.ts'),
      match: /✔ three nodes of rabbitmq are one cluster, and are one again after all were killed at once/,
    },
    {
      point: 'two kubelets in two network namespaces: Services by name across them, Pods that a taint drives over',
      command: tests('test/e2e/two-nodes.test.ts'),
      match: /✔ a NoExecute taint on one moves its Pods to the other/,
    },
    {
      point: 'every YAML and JSON example of the pages is tried; commands and links are there',
      command: 'node_modules/.bin/node --test test/docs/*.test.ts test/integration/docs.test.ts',
      match: /✔ every YAML block is one of those that are tried/,
    },
    {
      point: 'the alerts fire when they are to, by promtool',
      command: tests('test/integration/alerts.test.ts'),
      match: /✔ every alert fires when it is to, and only then/,
    },
    {
      point: 'kolla-init and every role of kolla-sidecar work under the seccomp profile on a real node',
      command: tests('test/e2e/keystone.test.ts', 'seccomp profile|under it there'),
      match: /✔ kolla-init and every role of kolla-sidecar work under our seccomp profile/,
    },
  ],
};
