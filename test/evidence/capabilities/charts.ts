import { EVERY, type Capability } from '../row.ts';

export const charts: Capability = {
  name: 'charts',
  title: 'Helm charts, ConfigMaps from a directory, and an all-in-one on a real node',
  rows: [
    {
      point:
        'each chart: its objects are valid to a real API server, its Pods `restricted` but for those that say why not',
      file: 'test/charts/api-server/admission.test.ts',
      test: /: its objects are valid, its Pods restricted unless a reason is given$/,
    },
    {
      point: 'each chart passes helm lint',
      file: 'test/charts/values.test.ts',
      test: /which passes helm lint --strict with it$/,
    },
    {
      point: 'an image volume: rendered, and admitted by a real API server',
      file: 'test/charts/api-server/admission.test.ts',
      test: /delivery: imageVolume: Pods are admitted too$/,
    },
    {
      point: 'an image volume: a Pod of a chart on a real node',
      file: 'test/e2e/image-volume.test.ts',
      test: "a chart's Pod with delivery: imageVolume installs its configuration and passes its probes",
    },
    {
      point: 'ConfigMaps and Secrets, one a file or one a service, rolling or live; more than 1 MiB is refused',
      file: 'test/charts/config.test.ts',
      test: ['a file over 1 MiB is rejected with its name', EVERY],
    },
    {
      point: 'mounts are those that `kolla-init plan` prints',
      file: 'test/charts/mounts.test.ts',
      test: ['mounts equal the output of kolla-init plan', EVERY],
    },
    {
      point: 'Roles are exactly those that the helpers print for the same waits',
      file: 'test/charts/access.test.ts',
      test: ["Roles equal the helpers' output for the same waits", EVERY],
    },
    {
      point: 'Jobs: names end in a hash, a Job for each phase, kept, ended by TTL, an hour of grace, no hooks',
      file: 'test/charts/jobs.test.ts',
      test: [
        'an upgrade neither deletes nor interrupts a migration: kept, removed by TTL, an hour of grace period',
        EVERY,
      ],
    },
    {
      point: 'an upgrade and a rollback on a real API server leave what old Pods need',
      file: 'test/charts/api-server/releases.test.ts',
      test: ['an upgrade keeps the Job and the configuration that old Pods need, and a rollback uses them', EVERY],
    },
    {
      point: 'probes, sidecar, PodDisruptionBudget, topology spread, NetworkPolicy, roles, volumes',
      file: 'test/charts/workloads.test.ts',
      test: ['replicas are spread, and two or more have a PodDisruptionBudget that keeps all but one', EVERY],
    },
    {
      point: 'globals.yml overrides each chart, one value is the registry, a wrong value is refused with its path',
      file: 'test/charts/values.test.ts',
      test: EVERY,
    },
    {
      point: 'commands, waits, probes and ports are the catalogue’s, users and paths Kolla’s',
      file: 'test/charts/services.test.ts',
      test: ["each Pod has the catalogue's checks for its container", EVERY],
    },
    {
      point: 'images and commands are those that kolla-ansible runs',
      file: 'test/charts/services-kolla.test.ts',
      test: ['Pods run the same commands as kolla-ansible', EVERY],
    },
    {
      point: 'log files are read as what they are',
      file: 'test/charts/services-logs.test.ts',
      test: ["services' logs are parsed in their formats", EVERY],
    },
    {
      point: 'options in the files are options of the service, by oslo.config’s own validator',
      file: 'test/charts/services-options.test.ts',
      test: ['options in the files exist in the service', EVERY],
    },
    {
      point: 'a chart’s Job is one that kolla-bootstrap takes',
      file: 'test/charts/services-jobs.test.ts',
      test: ["kolla-bootstrap accepts a chart's Job", EVERY],
    },
    {
      point: 'images’ own scripts get what they want',
      file: 'test/charts/services-scripts.test.ts',
      test: ['scripts that an image runs before its service find their requirements', EVERY],
    },
    {
      point: 'settings that a chart can’t use are refused by their place',
      file: 'test/charts/openstack.test.ts',
      test: EVERY,
    },
    {
      point: 'passwords of existing Secrets: Helm has none, and kolla-init installs the same bytes, in every chart',
      file: 'test/charts/password-secrets.test.ts',
      test: ['passwords of existing Secrets', EVERY],
    },
    {
      point: 'host network and privileges: each Pod that is not `restricted` is listed with its reason',
      file: 'test/build/docs.test.ts',
      test: 'k8s/charts/README.md names all Pods that do not pass `restricted` (to update: make docs)',
    },
    {
      point: 'plain manifests for people without Helm are what the chart renders',
      file: 'test/charts/manifests.test.ts',
      test: ["equal the chart's output (to update: node build/manifests.ts)", EVERY],
    },
    {
      point: 'external Ceph, LVM, a storage class, two namespaces: examples that render',
      file: 'test/charts/examples.test.ts',
      test: ["Glance in an existing Ceph: three replicas, no volume, and Ceph's files from a Secret", EVERY],
    },
    {
      point: 'charts are packaged with library and schema, the same bytes each time',
      file: 'test/charts/packages.test.ts',
      test: ['an archive includes the library and the schema, and is reproducible', EVERY],
    },
    {
      point: '`kolla-pod configmaps`: a real API server takes its output, and a Pod has every file',
      file: 'test/integration/kolla-pod-configmaps.test.ts',
      test: EVERY,
    },
    {
      point: '`kolla-pod configmaps`: no byte of a secret in a ConfigMap, a name, or what is said',
      file: 'test/toolbox/configmaps/secrecy.test.ts',
      test: ['no byte of a secret appears in a ConfigMap, a name or the output', EVERY],
    },
    {
      point: '`kolla-pod configmaps` on kolla-ansible’s own templates',
      file: 'test/contract/configmaps.test.ts',
      test: EVERY,
    },
    {
      point: 'all in one: five charts by `helm install --wait`, at once, and a token',
      file: 'test/aio/aio.test.ts',
      test: 'five charts installed at once start in the order of their waits, and Keystone issues a token',
    },
    {
      point: 'all in one: every Pod under `restricted`',
      file: 'test/aio/aio.test.ts',
      test: 'a namespace that enforces `restricted` admitted every Pod, and none claims an exemption',
    },
    {
      point: 'all in one: reconfigured rolling, with no request failed',
      file: 'test/aio/aio.test.ts',
      test: 'after a rolling reconfiguration Keystone has the new configuration in new Pods, and no request fails',
    },
    {
      point: 'all in one: reconfigured live',
      file: 'test/aio/aio.test.ts',
      test: 'after a live reconfiguration Placement has the new configuration in the same Pod',
    },
    {
      point: 'all in one: upgraded by a Job a phase, with no request failed',
      file: 'test/aio/aio.test.ts',
      test: 'in a stepwise upgrade the schema is expanded before and contracted after the rollout, and no request fails',
    },
    {
      point: 'all in one: Keystone scaled to 3',
      file: 'test/aio/aio.test.ts',
      test: 'with 3 replicas each Keystone accepts tokens issued by the others',
    },
    {
      point: 'all in one: Pods deleted, and Keystone answers all the time',
      file: 'test/aio/aio.test.ts',
      test: 'deleted Pods are replaced, and Keystone responds throughout',
    },
    {
      point: 'all in one: the API server restarted, and no Pod is',
      file: 'test/aio/aio.test.ts',
      test: 'a restart of the API server restarts no Pod, and Keystone responds throughout',
    },
    {
      point: 'all in one: MariaDB frozen',
      file: 'test/aio/aio.test.ts',
      test: 'a frozen MariaDB is not ready, no other Pod is restarted, and everything resumes when it thaws',
    },
    {
      point: 'all in one: a configuration that is refused, with no request failed, and a rollback',
      file: 'test/aio/aio.test.ts',
      test: 'an upgrade to a rejected configuration changes no workload, and a rollback restores the release',
    },
    {
      point: 'all in one: a NoExecute taint',
      file: 'test/aio/aio.test.ts',
      test: 'a NoExecute taint evicts all Pods; without it all come back with their data',
    },
    {
      point: 'all in one: logs, each line once',
      file: 'test/aio/aio.test.ts',
      test: 'every log line of Keystone, Placement, MariaDB and RabbitMQ is in Elasticsearch once',
    },
    {
      point: 'all in one: it runs the charts’ part of the quickstart word for word',
      file: 'test/aio/aio.test.ts',
      test: 'every command of docs/start/aio.md and of the charts in docs/start/quickstart.md was run',
    },
    {
      point:
        'from a release to Keystone on kind, its use and its removal, word for word, with a stand-in for the command kind',
      file: 'test/e2e/kind.test.ts',
      test: [
        'three commands install Keystone with MariaDB in a restricted namespace, and helm test passes',
        'helm uninstall leaves what the page names, and its commands remove all of it',
        EVERY,
      ],
    },
    {
      point: '… and the whole cloud there, whose commands make cloud runs',
      file: 'test/docs/kind.test.ts',
      test: ['the page installs every chart once, and waits for all of them', EVERY],
    },
    {
      point: 'notes of each chart end with the next command, on objects that the chart has',
      file: 'test/charts/helm-tests.test.ts',
      test: /: the notes end with the next command, on objects that the chart has$/,
      least: 13,
    },
    {
      point:
        'a Galera and a RabbitMQ of three, on IPv4 and on IPv6 alone: one cluster, and one again after all nodes were killed at once',
      file: 'test/aio/clusters.test.ts',
      test: /three nodes of .+ form one cluster, and again after all are killed together$/,
      least: 4,
    },
    {
      point:
        'RabbitMQ of three: unsupported upgrades refused with the cluster serving, and back; 4.3 rolled under RPC calls',
      file: 'test/aio/rabbitmq-upgrade.test.ts',
      test: EVERY,
    },
    {
      point:
        'two kubelets in two network namespaces, IPv4, IPv6-only and dual-stack: Services by name across them, Pods that a taint drives over',
      file: 'test/e2e/two-nodes.test.ts',
      test: ['a NoExecute taint on one node moves its Pods to the other', EVERY],
    },
    { point: 'every YAML and JSON example of the pages is tried', file: 'test/integration/docs.test.ts', test: EVERY },
    { point: 'the commands and links of the pages are there', file: 'test/docs/pages.test.ts', test: EVERY },
    {
      point: 'the pages have every chart, rule, metric and alert, and none else: charts',
      file: 'test/docs/helm.test.ts',
      test: EVERY,
    },
    { point: '… rules about lines', file: 'test/docs/configmaps.test.ts', test: EVERY },
    { point: '… metrics and alerts', file: 'test/docs/alerts.test.ts', test: EVERY },
    {
      point: 'the seccomp profile is an allowlist by name, without any call that it must block',
      file: 'test/docs/security.test.ts',
      test: EVERY,
    },
    {
      point: 'the alerts fire when they are to, by promtool',
      file: 'test/integration/alerts.test.ts',
      test: ['every alert fires when it should, and only then', EVERY],
    },
    {
      point: 'kolla-init and every role of kolla-sidecar work under the seccomp profile on a real node',
      file: 'test/e2e/keystone.test.ts',
      test: [
        'kolla-init and every component of kolla-sidecar work under the seccomp profile in a restricted namespace',
        'the profile blocks new namespaces, mounts, tracing, kernel keyrings and raw sockets',
      ],
    },
  ],
};
