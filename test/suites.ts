/** What `make test` runs, in this order: the quick ones first. */
export interface Suite {
  readonly name: string;
  readonly what: string;
  /** Patterns of test files. */
  readonly files: readonly string[];
  /** Test files at once. Those of integration wait more than they work, for leases, deadlines and silence. */
  readonly concurrency: number;
  /** Seconds that it may take with warm caches; over it is said, not failed: the machine may be busy. */
  readonly budgetS: number;
  /** Seconds after which what still runs is ended and failed, so that CI's own limit (90 min) never hides what hung. */
  readonly limitS: number;
}

export const SUITES: readonly Suite[] = [
  {
    name: 'unit',
    what: 'our code alone: no network, no servers',
    files: [
      'test/{bootstrap,cli,cluster,config,demo,depend,init,dbsync,logship,platform,pod,probe,services,sidecar,start,support}/**/*.test.ts',
    ],
    concurrency: 2,
    budgetS: 90,
    limitS: 600,
  },
  {
    name: 'contract',
    what: "Kolla's own scripts and ours on the same cases",
    files: ['test/contract/**/*.test.ts'],
    concurrency: 2,
    budgetS: 240,
    limitS: 900,
  },
  {
    name: 'build',
    what: 'the binary, built and run as its users run it',
    files: ['test/build/*.test.ts'],
    concurrency: 1,
    budgetS: 120,
    limitS: 900,
  },
  {
    name: 'integration',
    what: 'each helper against the real server that it talks to',
    files: ['test/integration/kolla-db-sync-takeovers.test.ts', 'test/integration/*.test.ts'],
    concurrency: 2,
    budgetS: 360,
    limitS: 1800,
  },
  {
    name: 'e2e',
    what: 'a pod on a real Kubernetes node',
    files: ['test/e2e/*.test.ts'],
    concurrency: 1,
    budgetS: 240,
    limitS: 1000,
  },
];
