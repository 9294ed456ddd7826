import { EVERY, type Capability } from '../row.ts';

export const dbSync: Capability = {
  name: 'db-sync',
  title: 'Migrating once',
  rows: [
    {
      point:
        'waits for a usable node of Galera: Synced, or a donor by policy; without quorum, frozen or full is waited out',
      file: 'test/integration/kolla-db-sync-nodes.test.ts',
      test: EVERY,
    },
    {
      point: 'the URL is read from the applied configuration, as oslo.config or YAML',
      file: 'test/migrate/target/service-config.test.ts',
      test: EVERY,
    },
    {
      point: 'the URL, the account and the tool are looked for before anybody waits; what is missing is named',
      file: 'test/migrate/target/target.test.ts',
      test: EVERY,
    },
    {
      point: 'hosts take the place of the one in the URL, for the tool as well',
      file: 'test/migrate/target/hosts.test.ts',
      test: EVERY,
    },
    {
      point: 'services are data, which one test holds against the rules of all',
      file: 'test/catalog/services.test.ts',
      test: EVERY,
    },
    { point: 'own services by YAML', file: 'test/catalog/own.test.ts', test: EVERY },
    {
      point:
        'database, account and grants are made, the schema is migrated and recorded; the documentation’s docker run',
      file: 'test/smoke/kolla-db-sync.test.ts',
      test: EVERY,
    },
    {
      point: 'the exit code of the command, SIGTERM, and what is recorded of them',
      file: 'test/integration/kolla-db-sync.test.ts',
      test: EVERY,
    },
    {
      point: 'a server that is down, frozen, killed or restarted under the migration',
      file: 'test/integration/kolla-db-sync-failing-server.test.ts',
      test: EVERY,
    },
    {
      point: 'ensure is idempotent and quiet: a second run writes nothing, by the server’s own counts and binary log',
      file: 'test/integration/kolla-db-sync-ensure.test.ts',
      test: 'a second run writes nothing: the server counts none, and its binary log stays as it is',
    },
    {
      point: 'hosts list, REQUIRE, `_` and `%` in grants, --rotate, each on a real server',
      file: 'test/integration/kolla-db-sync-ensure.test.ts',
      test: EVERY,
    },
    {
      point: 'a login as the service on each node; the one that refuses is named',
      file: 'test/integration/kolla-db-sync-nodes.test.ts',
      test: 'ensure names the node that refuses the account which another one lets in',
    },
    { point: 'passwords with any byte', file: 'test/integration/kolla-db-sync-passwords.test.ts', test: EVERY },
    {
      point: 'TLS: CA, client certificate, name; what is wrong is said at once',
      file: 'test/integration/kolla-db-sync-tls.test.ts',
      test: ['a certificate for another name is not trusted, also where the server is named by its address', EVERY],
    },
    {
      point: 'no secret in argv, log, error, record or the tool’s `ps`',
      file: 'test/integration/kolla-db-sync-secrets.test.ts',
      test: ['whatever goes well or wrong', EVERY],
    },
    {
      point: 'the fast path takes no lock: recorded as done, and the tool’s own check agrees',
      file: 'test/integration/kolla-db-sync-keystone.test.ts',
      test: "its upgrade goes phase by phase, and Keystone's own check says after each what comes next",
    },
    {
      point: 'a Lease and the row: held, watched by those who wait, released, published',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: ['others watch it, ask the database for nothing meanwhile, and find the work done', EVERY],
    },
    {
      point: 'the API server gone for the holder: its command ends in time, the others go on when it is back',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: 'an API server that is gone for the holder has it stop its command; those who wait go on when it is back',
    },
    {
      point: 'the token grows for ever, also when the Lease was deleted',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: 'the token goes on growing when the Lease was deleted, and is not below what the Lease has counted',
    },
    {
      point: '12 contenders on 3 nodes without the lock overlap: the judge can fail',
      file: 'test/integration/kolla-db-sync-takeovers.test.ts',
      test: 'without the lock the same contest shows overlaps',
    },
    {
      point: 'takeovers by 12 contenders on 3 nodes, at least 5 per fault: 0 overlaps (1,000: soak-takeovers.md)',
      file: 'test/integration/kolla-db-sync-takeovers.test.ts',
      test: [
        'whatever happens to the holder, one migrates at a time, and one migrator finishes',
        "whatever happens to the holder's node, one migrates at a time, and one migrator finishes",
        'there were 40 takeovers and more',
      ],
    },
    {
      point:
        'the helper is frozen while its command runs on: its account is locked, its sessions end on every node, live replicas stay connected',
      file: 'test/integration/kolla-db-sync-fencing.test.ts',
      test: 'the account of a frozen helper is locked, and what its unguarded command does is ended',
    },
    {
      point: 'without an admin the guard ends it; thawed, it writes nothing',
      file: 'test/integration/kolla-db-sync-fencing.test.ts',
      test: 'without an admin the guard ends the command of a frozen helper; thawed, it writes nothing',
    },
    {
      point: 'by the client address where accounts can’t be made, and nothing else is killed',
      file: 'test/integration/kolla-db-sync-address.test.ts',
      test: ['kills what comes from where the frozen migration came, and nothing else', EVERY],
    },
    {
      point: 'not conclusive: 69 with the list, an operator judges',
      file: 'test/integration/kolla-db-sync-fencing.test.ts',
      test: 'sessions that may be the service are not touched: an operator judges, and says so',
    },
    {
      point:
        'the migration’s own account: known to no other client, dropped at the end and after SIGKILL, kept where a trigger needs it',
      file: 'test/integration/kolla-db-sync-account.test.ts',
      test: ['stays, locked, while a trigger of it is needed, which works on; a later run drops it', EVERY],
    },
    {
      point: 'SIGTERM in mid-DDL: it may finish; else it is killed in the server too and recorded as interrupted',
      file: 'test/integration/kolla-db-sync-account.test.ts',
      test: [
        'after SIGTERM a change of a table may end within the grace period',
        'else it is killed in the server too, recorded as interrupted, and the account is dropped',
      ],
    },
    {
      point: 'Keystone’s own tool: fresh, re-run, expand, migrate, contract',
      file: 'test/integration/kolla-db-sync-keystone.test.ts',
      test: ["its upgrade goes phase by phase, and Keystone's own check says after each what comes next", EVERY],
    },
    {
      point:
        'Keystone’s own tool under faults: wrong password, down then up, killed in mid-migration, read-only, disk full, TLS wrong',
      file: 'test/integration/kolla-db-sync-keystone-faults.test.ts',
      test: EVERY,
    },
    {
      point: 'a partially applied schema is named with what is there, what is missing and what to do',
      file: 'test/integration/kolla-db-sync-keystone-faults.test.ts',
      test: 'a server that is killed in the middle of the migration: the next run names what is partially applied',
    },
    {
      point: 'phases, again-codes and records; `status` prints them',
      file: 'test/integration/kolla-db-sync-phases.test.ts',
      test: EVERY,
    },
    {
      point: 'contract and online wait until no replica of the old release is left, its ending Pods included',
      file: 'test/integration/kolla-db-sync-rollout.test.ts',
      test: [
        'a Deployment is waited for before its rollout, during it, and until the old Pod is gone; going back is seen',
        EVERY,
      ],
    },
    {
      point: 'a stepwise Keystone upgrade on the real node, as docs/how-to/upgrades.md walks it',
      file: 'test/e2e/keystone.test.ts',
      test: [
        'the Job migrates, Keystone starts after it, is ready after that, and gives a token',
        'docs/how-to/upgrades.md: the contract waits for the last old Pod, and Keystone answers all the time',
      ],
    },
    {
      point:
        'a native sidecar holds the service back on the real node; a startup probe that would run out is refused; so is a wait for one’s own sidecar',
      file: 'test/e2e/keystone.test.ts',
      test: [
        'a native sidecar holds Keystone back until the schema is right',
        'a sidecar whose startup probe would run out in mid-migration is refused, with the figure to put in',
        'kolla-init does not wait for the sidecar that starts only after it',
      ],
    },
    {
      point: '/readyz does not depend on contract or online; progress on long work',
      file: 'test/integration/kolla-db-sync-sidecar.test.ts',
      test: ['a step that takes long says how far it has come', EVERY],
    },
    {
      point: 'a wait db-sync/NAME goes by the release whose code may start',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: 'a wait for the migration goes by the release whose code may start, through every phase',
    },
    {
      point: 'the catalogue prints every service’s steps',
      file: 'test/toolbox/examples.test.ts',
      test: /kolla-pod catalogue nova$/,
    },
  ],
};
