import { EVERY, type Capability } from '../row.ts';

export const waits: Capability = {
  name: 'waits',
  title: 'Waiting on the cluster',
  rows: [
    {
      point: 'kind x {ready, not ready, absent, 403, deleted while waiting} against a real API server',
      file: 'test/integration/waits.test.ts',
      test: ['no cell of the table is empty', EVERY],
    },
    {
      point: 'after contract of a newer release, the Complete Job of the older one is refused with the reason',
      file: 'test/integration/kolla-db-sync-rollback.test.ts',
      test: [/refuses job\/keystone-bootstrap-0ld\?db-sync=keystone&release=2025\.2$/, EVERY],
    },
    {
      point: 'the kinds that need no API server, against real servers, including RabbitMQ',
      file: 'test/integration/waits-servers.test.ts',
      test: 'reports the state of each kind without an API server',
    },
    {
      point:
        "without a cluster: the documentation's docker run, its command, volumes and variables run by a plain process, against real servers",
      file: 'test/integration/docker-run.test.ts',
      test: ["the documentation's docker run installs files, waits for real servers and exits with code 0", EVERY],
    },
    {
      point:
        'intended differences from other tools: failed, suspended, old and TTL-removed Jobs, terminating Pods, DaemonSets; 500 concurrent waits; deadline, Event, SIGTERM',
      file: 'test/integration/waits-meaning.test.ts',
      test: ['500 concurrent dependencies share one watch per kind', EVERY],
    },
    {
      point: 'the grammar is strict: no text crashes it, and parsing its output gives the same waits',
      file: 'test/wait/grammar/property.test.ts',
      test: EVERY,
    },
    {
      point: 'a failed Job ends the wait immediately with its reason',
      file: 'test/wait/objects.test.ts',
      test: 'a failed Job ends the wait with its reason and the command that shows its log',
    },
    {
      point: 'on a terminal the waits are shown as a live table',
      file: 'test/container/init/live-waits.test.ts',
      test: ['on a terminal the waits are a table that stays at the end', EVERY],
    },
    {
      point: '410 by compaction',
      file: 'test/integration/kube-faults.test.ts',
      test: 'a watch whose version was compacted during an outage restarts with the current objects',
    },
    {
      point: 'the API server killed and restarted ten times during one watch',
      file: 'test/integration/kube-faults.test.ts',
      test: /the API server is killed and started .+ times during one watch/,
    },
    {
      point: 'the API server frozen for longer than the idle limit (120 s: make soak)',
      file: 'test/integration/kube-faults.test.ts',
      test: 'the API server is frozen for longer than the idle limit',
    },
    {
      point: 'a floating address moves from a frozen server to another',
      file: 'test/integration/kube-faults.test.ts',
      test: 'a floating address moves to another API server, the old one frozen with open connections',
    },
    {
      point: 'the watch closed after each event',
      file: 'test/integration/kube-faults.test.ts',
      test: 'the watch is closed after each event',
    },
    {
      point: "429 with Retry-After by the server's own flow control",
      file: 'test/integration/kube-faults.test.ts',
      test: 'the API server itself responds with 429 and Retry-After under overload',
    },
    {
      point: 'an expired token is reloaded immediately',
      file: 'test/integration/kube-credentials.test.ts',
      test: 'an expired token is replaced at once when the file has a new one, silently',
    },
    {
      point: 'a wrong CA, then the right one',
      file: 'test/integration/kube-credentials.test.ts',
      test: 'a wrong CA is reported until the file has the right one',
    },
    {
      point: '403 on watch: logged once with the missing verb, then get and list',
      file: 'test/integration/kube-credentials.test.ts',
      test: 'with get and list only, objects are polled, and the missing verb is reported once',
    },
    {
      point: '403 on everything: the Role as YAML, which is sufficient when applied',
      file: 'test/integration/kube-credentials.test.ts',
      test: /without permission for .+ the error contains a sufficient Role/,
    },
    {
      point: "client-node's own Watch fails in cases that ours handles",
      file: 'test/integration/kube-client-node.test.ts',
      test: EVERY,
    },
    {
      point: 'generated Roles are sufficient and minimal, each applied on a real API server',
      file: 'test/integration/rbac.test.ts',
      test: EVERY,
    },
    {
      point:
        'every variable of kubernetes-entrypoint on real objects; every difference by name; get and list are sufficient',
      file: 'test/integration/kubernetes-entrypoint.test.ts',
      test: ['each environment has the documented verdict', EVERY],
    },
    {
      point: 'COMMAND replaces the process, with signals and limits of the caller',
      file: 'test/container/init/kubernetes-entrypoint.test.ts',
      test: [
        "COMMAND replaces the process: arguments split at single spaces, with the caller's signals, limits and pid",
        EVERY,
      ],
    },
    {
      point: 'fails with 64, variable and column; KOLLA_POD_COMPAT=lenient accepts the old syntax with a warning',
      file: 'test/wait/compat/translate.test.ts',
      test: [
        'entries skipped by kubernetes-entrypoint are rejected with their location; in lenient mode skipped with a warning',
        'entries for which kubernetes-entrypoint would wait forever are rejected, lenient or not',
      ],
    },
    {
      point:
        '20,000 lists and texts have the same meaning as in kubernetes-entrypoint, or are rejected with their column',
      file: 'test/wait/compat/property.test.ts',
      test: EVERY,
    },
    {
      point: 'an openstack-helm init container on a real node, with only its image replaced',
      file: 'test/e2e/keystone.test.ts',
      test: 'a Pod written for kubernetes-entrypoint works as before with only the image changed',
    },
  ],
};
