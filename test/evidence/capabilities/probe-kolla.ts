import { EVERY, type Row } from '../row.ts';

/** What must hold of Kolla's healthcheck names, of the census, and of the resident server. */
export const PROBE_KOLLA: readonly Row[] = [
  {
    point: 'Kolla’s own scripts and ours on the same processes, sockets and files: the same exit code and stdout',
    file: 'test/contract/healthcheck.test.ts',
    test: /^equals Kolla's check: /,
  },
  {
    point:
      'what differs on purpose, asserted on both sides: exact ports, ESTABLISHED only, whole names, spaces, missing words',
    file: 'test/contract/healthcheck.test.ts',
    test: /^differs from Kolla's check: /,
  },
  {
    point: 'healthcheck_curl and the real curl: options, variables, write-out, curl’s number for every failure',
    file: 'test/contract/healthcheck-curl.test.ts',
    test: EVERY,
  },
  {
    point: 'healthcheck_mariadb and healthcheck_rabbitmq beside Kolla’s, at a real Galera node and a real RabbitMQ',
    file: 'test/contract/healthcheck-servers.test.ts',
    test: EVERY,
  },
  {
    point: 'process names as kolla-ansible passes them, trailing spaces and workers’ titles; a reason on every failure',
    file: 'test/probe/kolla/local.test.ts',
    test: EVERY,
  },
  {
    point: 'the health checks that kolla-ansible declares are all known, and none has changed',
    file: 'test/contract/kolla-ansible.test.ts',
    test: ['every health check declared by kolla-ansible is known and unchanged', EVERY],
  },
  {
    point: 'the census has every container of kolla-ansible that has a health check',
    file: 'test/integration/kolla-probe-census.test.ts',
    test: "every container of kolla-ansible's census is checked",
  },
  {
    point:
      'each of its 111 containers well, by Kolla’s own words and by our checks; real Apache, MariaDB, memcached, RabbitMQ',
    file: 'test/integration/kolla-probe-census.test.ts',
    test: / > serving \(.*\): healthy by every check$/,
    least: 111,
  },
  {
    point: 'each of them not well, with the reason',
    file: 'test/integration/kolla-probe-census.test.ts',
    test: / > not serving \(.*\): unhealthy, with a reason$/,
    least: 111,
  },
  {
    point: 'a lost broker or database restarts no Pod: liveness fails only where a restart would fix it',
    file: 'test/integration/kolla-probe-census.test.ts',
    test: 'liveness fails only if a restart helps',
    least: 111,
  },
  {
    point: 'which probe for which service, as a table',
    file: 'test/build/docs.test.ts',
    test: /^docs\/reference\/kolla-probe\.md matches the tables/,
  },
  {
    point: 'named checks of kolla-pod.yaml: every mistake with its place and what was meant',
    file: 'test/probe/serve/config.test.ts',
    test: EVERY,
  },
  {
    point: 'their words are those of the command line, split as a shell would',
    file: 'test/probe/serve/words.test.ts',
    test: EVERY,
  },
  {
    point: 'their words are read as on the command line, and so refused',
    file: 'test/probe/serve/prepare.test.ts',
    test: EVERY,
  },
  {
    point: 'a liveness check that asks another pod is refused',
    file: 'test/probe/serve/prepare.test.ts',
    test: 'a liveness check of another Pod is rejected, unless allowed',
  },
  {
    point: 'cached once a period, jittered, one asking at a time; a verdict of long ago is unseen',
    file: 'test/probe/serve/checks.test.ts',
    test: EVERY,
  },
  {
    point: 'a check that hangs for ever is unhealthy by its deadline, and stops no other',
    file: 'test/probe/serve/checks.test.ts',
    test: 'a promise that never settles is unhealthy by its deadline, is not run twice, and blocks no other',
  },
  {
    point: '/startupz, /livez, /readyz, ?verbose, /checks/NAME, /metrics',
    file: 'test/probe/serve/server.test.ts',
    test: EVERY,
  },
  {
    point:
      'status words for everybody; reasons for loopback alone, not by rebound names, forwarded headers or from another pod',
    file: 'test/probe/serve/server.test.ts',
    test: [
      'a client within the Pod',
      'is not a page that rebinds its own name',
      'is not another Pod, regardless of its headers',
      'is every client with --status-public',
    ],
  },
  {
    point: 'a verdict that changes is one log line with its reason and how long it had been otherwise',
    file: 'test/probe/serve/run.test.ts',
    test: 'a service that stops and starts is one line each, with the reason and duration',
  },
  {
    point: 'SIGTERM: /readyz is 503 at once, /livez is answered to the end',
    file: 'test/probe/serve/run.test.ts',
    test: 'on SIGTERM /readyz is 503 at once, and /livez is served to the end',
  },
  {
    point: '100 resident probes and 100 rounds of checks under strace -f: no execve, no fork',
    file: 'test/integration/kolla-probe-serve.test.ts',
    test: 'a hundred probes and a hundred runs of checks start no process',
  },
  {
    point: 'twenty checks at once hold no more memory or descriptors (ten minutes: soak-probe.md)',
    file: 'test/integration/kolla-probe-serve.test.ts',
    test: 'with twenty concurrent checks descriptors and threads do not grow, and every request is served',
  },
  {
    point: 'a real kubelet asks by httpGet, and the Pod’s Events show its answers',
    file: 'test/e2e/keystone.test.ts',
    test: [
      "a sidecar's httpGet probes determine readiness and liveness, and the events have the reason",
      'reports a failed liveness check to the kubelet',
    ],
  },
];
