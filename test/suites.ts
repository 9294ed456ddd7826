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
  /** Seconds that one of its files, and the test that holds all others of it, may take; default as support/limits.ts has it. */
  readonly fileLimitS?: number;
  /** Seconds after which what still runs is ended and failed, so that CI's own limit (90 min) never hides what hung. */
  readonly limitS: number;
}

export const SUITES: readonly Suite[] = [
  {
    name: 'unit',
    what: 'our code alone: no network, no servers',
    files: [
      'test/{bootstrap,cli,cluster,config,demo,depend,docs,init,dbsync,logship,platform,pod,probe,services,sidecar,start,support,tools}/**/*.test.ts',
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
    what: 'the binary and its images, built and run as their users run them',
    files: ['test/build/*.test.ts'],
    concurrency: 1,
    budgetS: 300,
    limitS: 1500,
  },
  {
    name: 'charts',
    what: 'charts as Helm renders them, and as a real API server takes them',
    files: ['test/charts/*.test.ts'],
    concurrency: 2,
    budgetS: 240,
    // The first that needs Kubernetes and Helm, which a cold machine builds.
    limitS: 2400,
  },
  {
    name: 'integration',
    what: 'each helper against the real server that it talks to',
    files: ['test/integration/kolla-db-sync-takeovers.test.ts', 'test/integration/*.test.ts'],
    concurrency: 2,
    budgetS: 360,
    limitS: 2400,
  },
  {
    name: 'faults',
    what: 'log shipping under each fault, every line judged',
    files: ['test/faults/process.test.ts', 'test/faults/*.test.ts'],
    concurrency: 2,
    budgetS: 150,
    limitS: 900,
  },
  {
    name: 'e2e',
    what: 'a pod on a real Kubernetes node',
    files: ['test/e2e/*.test.ts'],
    concurrency: 1,
    budgetS: 240,
    limitS: 1800,
  },
  {
    name: 'aio',
    what: 'OpenStack from the charts on a real node, and what goes wrong there',
    files: ['test/aio/*.test.ts'],
    concurrency: 1,
    budgetS: 600,
    fileLimitS: 1800,
    limitS: 2400,
  },
];
