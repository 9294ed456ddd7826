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
      test: 'a second run writes nothing: the server counts no statement, and its binary log is unchanged',
    },
    {
      point: 'hosts list, REQUIRE, `_` and `%` in grants, --rotate, each on a real server',
      file: 'test/integration/kolla-db-sync-ensure.test.ts',
      test: EVERY,
    },
    {
      point: 'a login as the service on each node; the one that refuses is named',
      file: 'test/integration/kolla-db-sync-nodes.test.ts',
      test: 'ensure names the node that rejects an account accepted by another',
    },
    { point: 'passwords with any byte', file: 'test/integration/kolla-db-sync-passwords.test.ts', test: EVERY },
    {
      point: 'TLS: CA, client certificate, name; what is wrong is said at once',
      file: 'test/integration/kolla-db-sync-tls.test.ts',
      test: ['a certificate for another name is not trusted, also if the server is given by its address', EVERY],
    },
    {
      point: 'no secret in argv, log, error, record or the tool’s `ps`',
      file: 'test/integration/kolla-db-sync-secrets.test.ts',
      test: ['on success and on failure', EVERY],
    },
    {
      point: 'the fast path takes no lock: recorded as done, and the tool’s own check agrees',
      file: 'test/integration/kolla-db-sync-keystone.test.ts',
      test: "its upgrade runs phase by phase, and Keystone's own check reports the next one after each",
    },
    {
      point: 'a Lease and the row: held, watched by those who wait, released, published',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: ['others watch it, send the database no query meanwhile, and find the work done', EVERY],
    },
    {
      point: 'the API server gone for the holder: its command ends in time, the others go on when it is back',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: 'when the API server is down the holder stops its command; waiters continue when it is back',
    },
    {
      point: 'the token grows for ever, also when the Lease was deleted',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: "the token keeps growing when the Lease was deleted, and is not below the Lease's count",
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
        'there were at least 40 takeovers',
      ],
    },
    {
      point:
        'the helper is frozen while its command runs on: its account is locked, its sessions end on every node, live replicas stay connected',
      file: 'test/integration/kolla-db-sync-fencing.test.ts',
      test: "the account of a frozen helper is locked, and its unguarded command's work is ended",
    },
    {
      point: 'without an admin the guard ends it; thawed, it writes nothing',
      file: 'test/integration/kolla-db-sync-fencing.test.ts',
      test: 'without an admin the guard kills the command of a frozen helper; thawed, it writes nothing',
    },
    {
      point: 'by the client address where accounts can’t be made, and nothing else is killed',
      file: 'test/integration/kolla-db-sync-address.test.ts',
      test: ["kills sessions from the frozen migration's address, and nothing else", EVERY],
    },
    {
      point: 'not conclusive: 69 with the list, an operator judges',
      file: 'test/integration/kolla-db-sync-fencing.test.ts',
      test: "does not touch sessions that may be the service's: an operator decides",
    },
    {
      point:
        'the migration’s own account: known to no other client, dropped at the end and after SIGKILL, kept where a trigger needs it',
      file: 'test/integration/kolla-db-sync-account.test.ts',
      test: ['is kept, locked, while a trigger needs it, which keeps working; a later run drops it', EVERY],
    },
    {
      point: 'SIGTERM in mid-DDL: it may finish; else it is killed in the server too and recorded as interrupted',
      file: 'test/integration/kolla-db-sync-account.test.ts',
      test: [
        'after SIGTERM an ALTER TABLE may finish within the grace period',
        'otherwise it is killed in the server too, recorded as interrupted, and the account is dropped',
      ],
    },
    {
      point: 'Keystone’s own tool: fresh, re-run, expand, migrate, contract',
      file: 'test/integration/kolla-db-sync-keystone.test.ts',
      test: ["its upgrade runs phase by phase, and Keystone's own check reports the next one after each", EVERY],
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
      test: 'a server killed during the migration: the next run reports the partially applied schema',
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
        'waits for a Deployment before and during its rollout, and until the old Pod is gone; notices a rollback',
        EVERY,
      ],
    },
    {
      point: 'a stepwise Keystone upgrade on the real node, as docs/how-to/upgrades.md walks it',
      file: 'test/e2e/keystone.test.ts',
      test: [
        'the Job migrates, then Keystone starts, becomes ready and issues a token',
        'docs/how-to/upgrades.md: contract waits for the last old Pod, and Keystone responds throughout',
      ],
    },
    {
      point:
        'a native sidecar holds the service back on the real node; a startup probe that would run out is refused; so is a wait for one’s own sidecar',
      file: 'test/e2e/keystone.test.ts',
      test: [
        "a native sidecar delays Keystone's start until the schema is ready",
        'rejects a sidecar whose startup probe would fail during the migration, with the value to set',
        'kolla-init does not wait for a sidecar that starts only after it',
      ],
    },
    {
      point: '/readyz does not depend on contract or online; progress on long work',
      file: 'test/integration/kolla-db-sync-sidecar.test.ts',
      test: ['a long step reports its progress', EVERY],
    },
    {
      point: 'a wait db-sync/NAME goes by the release whose code may start',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: 'a wait for the migration considers the release whose code may start, through every phase',
    },
    {
      point: 'the catalogue prints every service’s steps',
      file: 'test/toolbox/examples.test.ts',
      test: /kolla-pod catalogue nova$/,
    },
  ],
};
