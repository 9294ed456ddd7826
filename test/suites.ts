/** The suites, with tier and lanes. In each tier and suite the slowest come first: they must not start last. */

/**
 * The contended resource of a suite's files. `processor`: they compute. `waits`: they wait for servers, leases and deadlines most of
 * the time, so that several share a processor. `node`: a whole Kubernetes node, of which one at a time is enough.
 */
export type Lane = 'processor' | 'waits' | 'node';

export interface Suite {
  readonly name: string;
  readonly what: string;
  /** `test`: in `make test`. `full`: only in `make test-full`. `asked`: in neither, files of other suites by their subject. */
  readonly tier: 'test' | 'full' | 'asked';
  /** Patterns of test files that compute. */
  readonly processor?: readonly string[];
  /** Patterns of test files that wait; a file matched by an earlier list is not run again. */
  readonly waits?: readonly string[];
  /** Patterns of test files with a node. */
  readonly node?: readonly string[];
  /** Files that the tests read or run in addition to their imports, for `CHANGED=1`. */
  readonly reads?: readonly string[];
}

export const SUITES: readonly Suite[] = [
  {
    name: 'unit',
    what: 'our code alone: no network, no servers',
    tier: 'test',
    processor: [
      'test/toolbox/{examples,configmaps/command,install}.test.ts',
      'test/container/init/{watch-swaps,watch}.test.ts',
      'test/{bootstrap,catalog,cli,cluster,config,container,core,demo,docs,evidence,fs,kube,logship,migrate,mysql,net,operator,oslo,probe,process,provision,rabbitmq,runner,sidecar,support,toolbox,tools,wait}/**/!(at-length).test.ts',
      'test/engine/!(at-length|addresses|core|init|resolver).test.ts',
      'test/build/{version,release-parts,release-command}.test.ts',
    ],
    reads: ['docs/**', 'README.md', 'k8s/**', 'images/**', 'package.json', 'package-lock.json'],
  },
  {
    name: 'contract',
    what: "Kolla's own scripts and ours on the same cases",
    tier: 'test',
    processor: [
      'test/contract/{kolla-start,healthcheck-servers,extend-start}.test.ts',
      'test/contract/**/!(at-length|kill|core|attacker|releases|releases-arm64).test.ts',
    ],
    reads: ['k8s/charts/**'],
  },
  {
    name: 'charts',
    what: 'charts as Helm renders them',
    tier: 'test',
    processor: [
      'test/charts/{sidecars,access}.test.ts',
      'test/charts/!(services-options|services-kolla|services-nulls).test.ts',
    ],
    reads: ['k8s/**', 'docs/**', 'build/charts.ts'],
  },
  {
    name: 'smoke',
    what: 'each helper once on one real MariaDB, API server and Elasticsearch',
    tier: 'test',
    waits: ['test/smoke/*.test.ts'],
  },
  {
    name: 'core',
    what: 'kolla-core, built, on the cases of the contract, and attacked',
    tier: 'full',
    processor: [
      'test/native/{sanitized,contract}.test.ts',
      'test/contract/**/{core,attacker}.test.ts',
      'test/engine/{addresses,core,init,resolver,{damaged,gzip,log-tables}/core}.test.ts',
      'test/native/*.test.ts',
    ],
    reads: ['native/**', 'build/core/**', 'cmd/**', 'package-lock.json'],
  },
  {
    name: 'at-length',
    what: "configurations of Kolla's last six releases and 1,800 generated ones by Kolla's own tool and ours, 200 kills, damaged certificates, and files of 2 GiB",
    tier: 'full',
    processor: [
      'test/contract/**/{at-length,releases,releases-arm64,kill}.test.ts',
      'test/{engine,fs}/at-length.test.ts',
    ],
  },
  {
    name: 'build',
    what: 'the binary and its images, built and run as their users run them',
    tier: 'full',
    processor: ['test/build/!(version|release-parts|release-command).test.ts'],
    reads: [
      'images/**',
      'package-lock.json',
      '.github/**',
      '.ci/**',
      '.zuul.yaml',
      'docs/how-to/releases.md',
      'Makefile',
    ],
  },
  {
    name: 'integration',
    what: 'each helper, and the charts, against the real servers and the OpenStack that they talk to',
    tier: 'full',
    processor: ['test/charts/{services-options,services-nulls,services-kolla}.test.ts'],
    waits: [
      'test/integration/kolla-db-sync-takeovers.test.ts',
      'test/integration/{images,ceph,kolla-bootstrap-cells,rabbitmq-quorum,demo}.test.ts',
      'test/integration/*.test.ts',
      'test/charts/api-server/*.test.ts',
    ],
    reads: ['docs/**', 'k8s/**', 'images/**'],
  },
  {
    name: 'compatibility',
    what: 'helpers and charts of the previous release together with these, rolling both ways',
    tier: 'full',
    waits: ['test/compatibility/*.test.ts'],
    reads: ['k8s/**'],
  },
  {
    name: 'faults',
    what: 'log shipping under each fault, every line judged',
    tier: 'full',
    waits: ['test/faults/process.test.ts', 'test/faults/*.test.ts'],
  },
  {
    name: 'e2e',
    what: 'a pod on a real Kubernetes node (root)',
    tier: 'full',
    node: ['test/e2e/keystone.test.ts', 'test/e2e/*.test.ts'],
    reads: ['k8s/**', 'images/**', 'docs/start/docker.md', 'docs/start/kind.md'],
  },
  {
    name: 'aio',
    what: 'OpenStack from the charts on a real node, and what goes wrong there (root)',
    tier: 'full',
    node: ['test/aio/*.test.ts', 'test/aio/addresses/{ipv6-only,dual-stack}.test.ts'],
    reads: ['k8s/**', 'images/**'],
  },
  {
    name: 'servers',
    what: 'helpers on one version of RabbitMQ and MariaDB (RABBITMQ=4.0, MARIADB=10.11), for the support matrix',
    tier: 'asked',
    waits: [
      'test/integration/{server-versions,kolla-probe-rabbitmq,kolla-bootstrap-rabbitmq,tls-servers}.test.ts',
      'test/integration/{galera,tls-galera,kolla-db-sync-nodes,kolla-db-sync-fencing,kolla-probe-galera}.test.ts',
      'test/integration/{mariadb,kolla-db-sync,kolla-db-sync-ensure,kolla-db-sync-account,kolla-probe-mariadb}.test.ts',
    ],
  },
  {
    name: 'kubernetes',
    what: 'helpers, charts and operator on one version of Kubernetes (KUBERNETES=1.36), for the support matrix (root)',
    tier: 'asked',
    waits: [
      'test/integration/{control-plane,kube-*,rbac,waits,waits-meaning,waits-reasons,kubernetes-entrypoint,kolla-init,kolla-init-restart}.test.ts',
      'test/integration/{kolla-db-sync-lease,kolla-db-sync-rollout,kolla-bootstrap-keys-secret,kolla-pod-configmaps}.test.ts',
      'test/integration/kolla-operator*.test.ts',
      'test/charts/api-server/*.test.ts',
    ],
    node: ['test/e2e/node.test.ts', 'test/aio/addresses/*.test.ts'],
  },
];
