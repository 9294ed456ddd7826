import { EVERY, type Capability } from '../row.ts';

export const dbSync: Capability = {
  name: 'db-sync',
  title: 'Running each migration once',
  rows: [
    {
      point:
        'waits for a usable Galera node: Synced, or a donor if allowed; not one without quorum, frozen or at its connection limit',
      file: 'test/integration/kolla-db-sync-nodes.test.ts',
      test: EVERY,
    },
    {
      point: 'the URL is read from the applied configuration, as oslo.config or YAML',
      file: 'test/migrate/target/service-config.test.ts',
      test: EVERY,
    },
    {
      point: 'the URL, the account and the tool are checked before any wait; a missing one is named',
      file: 'test/migrate/target/target.test.ts',
      test: EVERY,
    },
    {
      point: '--hosts replaces the host in the URL, for the tool as well',
      file: 'test/migrate/target/hosts.test.ts',
      test: EVERY,
    },
    {
      point: 'services are data, checked against common rules by a single test',
      file: 'test/catalog/services.test.ts',
      test: EVERY,
    },
    { point: 'custom services in YAML', file: 'test/catalog/own.test.ts', test: EVERY },
    {
      point:
        'database, account and grants are created, the schema is migrated and recorded; the documentation’s docker run',
      file: 'test/smoke/kolla-db-sync.test.ts',
      test: EVERY,
    },
    {
      point: 'the exit code of the command, SIGTERM, and the record of both',
      file: 'test/integration/kolla-db-sync.test.ts',
      test: EVERY,
    },
    {
      point: 'a server that is down, frozen, killed or restarted during the migration',
      file: 'test/integration/kolla-db-sync-failing-server.test.ts',
      test: EVERY,
    },
    {
      point: 'ensure is idempotent: a second run writes nothing, according to the server’s counters and binary log',
      file: 'test/integration/kolla-db-sync-ensure.test.ts',
      test: 'a second run writes nothing: the server counts no statement, and its binary log is unchanged',
    },
    {
      point: 'hosts list, REQUIRE, `_` and `%` in grants, --rotate, each on a real server',
      file: 'test/integration/kolla-db-sync-ensure.test.ts',
      test: EVERY,
    },
    {
      point: 'a login as the service on each node; a rejecting one is named',
      file: 'test/integration/kolla-db-sync-nodes.test.ts',
      test: 'ensure names the node that rejects an account accepted by another',
    },
    { point: 'passwords with arbitrary bytes', file: 'test/integration/kolla-db-sync-passwords.test.ts', test: EVERY },
    {
      point: 'TLS: CA, client certificate, name; errors are reported immediately',
      file: 'test/integration/kolla-db-sync-tls.test.ts',
      test: ['a certificate for another name is not trusted, even if the server is given by its address', EVERY],
    },
    {
      point: 'no secret in argv, log, error, record or the tool’s `ps`',
      file: 'test/integration/kolla-db-sync-secrets.test.ts',
      test: ['no output contains a secret, on success and on failure', EVERY],
    },
    {
      point: 'the fast path takes no lock: recorded as done, confirmed by the tool’s own check',
      file: 'test/integration/kolla-db-sync-keystone.test.ts',
      test: "its upgrade runs phase by phase, and Keystone's own check reports the next one after each",
    },
    {
      point: 'a Lease and the row: held, watched by waiting Pods, released, published',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: ['is watched by waiting runs, which send the database no query meanwhile, and find the work done', EVERY],
    },
    {
      point: 'the holder loses the API server: its command stops in time, the others continue once it is back',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: 'when the API server is down the holder stops its command; waiters continue when it is back',
    },
    {
      point: 'the token always grows, also after the Lease was deleted',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: "the token keeps growing when the Lease was deleted, and is not below the Lease's count",
    },
    {
      point: '12 contenders on 3 nodes without the lock overlap: the test can fail',
      file: 'test/integration/kolla-db-sync-takeovers.test.ts',
      test: 'without the lock the same contest shows overlaps',
    },
    {
      point: 'takeovers by 12 contenders on 3 nodes, at least 5 per fault: 0 overlaps (1,000: soak-takeovers.md)',
      file: 'test/integration/kolla-db-sync-takeovers.test.ts',
      test: [
        'whatever happens to the holder, only one run migrates at a time, and one finishes',
        "whatever happens to the holder's node, only one run migrates at a time, and one finishes",
        'at least 40 takeovers were counted',
      ],
    },
    {
      point:
        'the helper is frozen while its command keeps running: its account is locked, its sessions are killed on every node, live replicas stay connected',
      file: 'test/integration/kolla-db-sync-fencing.test.ts',
      test: "after a helper freezes, the next one ends its unguarded command's sessions and drops its account",
    },
    {
      point: 'without an admin account the guard kills the command; thawed, it writes nothing',
      file: 'test/integration/kolla-db-sync-fencing.test.ts',
      test: 'without an admin the guard kills the command of a frozen helper; thawed, it writes nothing',
    },
    {
      point: 'sessions are killed by client address if accounts cannot be created, and no others',
      file: 'test/integration/kolla-db-sync-address.test.ts',
      test: ["kills sessions from the frozen migration's address, and nothing else", EVERY],
    },
    {
      point: 'inconclusive: exit code 69 with the list, for an operator to decide',
      file: 'test/integration/kolla-db-sync-fencing.test.ts',
      test: "does not touch sessions that may be the service's: an operator decides",
    },
    {
      point:
        'the migration’s temporary account: known to no other client, dropped at the end and after SIGKILL, kept while a trigger needs it',
      file: 'test/integration/kolla-db-sync-account.test.ts',
      test: [
        'is kept, locked, while a trigger needs it; the trigger keeps working, and a later run drops the account',
        EVERY,
      ],
    },
    {
      point:
        'SIGTERM during DDL: it may finish within the grace period; else it is killed on the server and recorded as interrupted',
      file: 'test/integration/kolla-db-sync-account.test.ts',
      test: [
        'lets an ALTER TABLE finish within the grace period after SIGTERM',
        'is dropped after an ALTER TABLE exceeds the grace period: the statement is killed in the server and recorded as interrupted',
      ],
    },
    {
      point: 'Keystone’s own tool: first run, re-run, expand, migrate, contract',
      file: 'test/integration/kolla-db-sync-keystone.test.ts',
      test: ["its upgrade runs phase by phase, and Keystone's own check reports the next one after each", EVERY],
    },
    {
      point:
        'Keystone’s own tool under faults: wrong password, database restarted, killed during the migration, read-only, disk full, wrong TLS settings',
      file: 'test/integration/kolla-db-sync-keystone-faults.test.ts',
      test: EVERY,
    },
    {
      point: 'a partially applied schema is reported with existing and missing parts and the fix',
      file: 'test/integration/kolla-db-sync-keystone-faults.test.ts',
      test: 'a server killed during the migration: the next run reports the partially applied schema',
    },
    {
      point: 'phases, exit codes that request another run, and records; `status` prints them',
      file: 'test/integration/kolla-db-sync-phases.test.ts',
      test: EVERY,
    },
    {
      point: 'contract and online wait until no replica of the old release is left, including terminating Pods',
      file: 'test/integration/kolla-db-sync-rollout.test.ts',
      test: [
        'waits for a Deployment before and during its rollout, and until the old Pod is gone; notices a rollback',
        EVERY,
      ],
    },
    {
      point: 'a stepwise Keystone upgrade on a real node, as in docs/how-to/upgrades.md',
      file: 'test/e2e/keystone.test.ts',
      test: [
        'the Job migrates, then Keystone starts, becomes ready and issues a token',
        'docs/how-to/upgrades.md: contract waits for the last old Pod, and Keystone responds throughout',
      ],
    },
    {
      point:
        'a native sidecar delays the service on a real node; a startup probe that would time out is rejected, and so is a wait for the Pod’s own sidecar',
      file: 'test/e2e/keystone.test.ts',
      test: [
        "a native sidecar delays Keystone's start until the schema is ready",
        'rejects a sidecar whose startup probe would fail during the migration, with the value to set',
        'kolla-init does not wait for a sidecar that starts only after it',
      ],
    },
    {
      point: '/readyz does not depend on contract or online; long steps report progress',
      file: 'test/integration/kolla-db-sync-sidecar.test.ts',
      test: ['a long step reports its progress', EVERY],
    },
    {
      point: 'a wait for db-sync/NAME depends on the release that may start',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: 'a wait for the migration considers the release whose code may start, through every phase',
    },
    {
      point:
        'after a step the version table is read: exit code 0 without the head, another code at the head, a newer schema, on the real tools',
      file: 'test/integration/known-tools.test.ts',
      test: EVERY,
    },
    {
      point: 'the catalogue prints every service’s steps',
      file: 'test/toolbox/examples.test.ts',
      test: /kolla-pod catalogue nova$/,
    },
  ],
};
