import { tests, type Point } from './point.ts';

const unit = (file: string, names?: string) => tests(`test/probe/serve/${file}.test.ts`, names);
const real = (names: string) => tests('test/integration/kolla-probe-serve.test.ts', names);
const NO_FAILURE = /ℹ fail 0/;

/** What the resident server answers, and what it costs. */
export const PROBE_SERVE: readonly Point[] = [
  {
    point: 'named checks of kolla-pod.yaml: every mistake with its place and what was meant',
    command: unit('{config,prepare,words}'),
    match: NO_FAILURE,
  },
  {
    point: 'a liveness check that asks another pod is refused',
    command: unit('prepare', 'liveness check that asks another pod'),
    match: /✔ a liveness check that asks another pod is refused/,
  },
  {
    point: 'cached once a period, jittered, one asking at a time; a verdict of long ago is unseen',
    command: unit('checks'),
    match: NO_FAILURE,
  },
  {
    point: 'a check that hangs for ever is unhealthy by its deadline, and stops no other',
    command: unit('checks', 'held for ever'),
    match: /✔ a promise that is held for ever is unhealthy by its deadline, is not asked twice, and stops no other/,
  },
  {
    point: '/startupz, /livez, /readyz, ?verbose, /checks/NAME, /metrics, the door of the shims',
    command: unit('server'),
    match: NO_FAILURE,
  },
  {
    point:
      'status words for everybody; reasons for loopback alone, not by rebound names, forwarded headers or from another pod',
    command: unit('server', 'who is in the pod|is not a page|is not another pod|is everybody'),
    match: /✔ is not another pod, whatever it says/,
  },
  {
    point: 'gRPC health: Check and Watch, and frames that are none',
    command: unit('grpc'),
    match: NO_FAILURE,
  },
  {
    point: 'a verdict that changes is one log line with its reason and how long it had been otherwise',
    command: unit('run', 'goes down and comes back'),
    match: /✔ a service that goes down and comes back is one line each/,
  },
  {
    point: 'SIGTERM: /readyz is 503 at once, /livez is answered to the end',
    command: unit('run', 'SIGTERM'),
    match: /✔ at SIGTERM \/readyz is 503 at once/,
  },
  {
    point: 'an Event on the own Pod for each change, on a real API server with the Role that rbac prints',
    command: real('Events|each change is one Event'),
    match: /✔ each change is one Event on the own Pod, with its reason/,
  },
  {
    point: 'without that Role it is said once, and the server goes on',
    command: real('Events|told once'),
    match: /✔ who may not leave them is told once, and serves on/,
  },
  {
    point: '100 resident probes and 100 rounds of checks under strace -f: no execve, no fork',
    command: real('hundred probes'),
    match: /✔ a hundred probes and a hundred rounds of checks start no process/,
  },
  {
    point: 'twenty checks at once hold no more memory or descriptors after ten minutes',
    command: 'cat docs/evidence/soak-probe.md',
    match: /\| memory, MB \| .* \| does not grow \|/,
  },
  {
    point: 'a real kubelet asks by httpGet and grpc, and the Pod’s Events say why it is not ready',
    command: tests('test/e2e/keystone.test.ts', 'ready by httpGet and lives by grpc|told to the kubelet by grpc'),
    match: /✔ a service is ready by httpGet and lives by grpc of its sidecar/,
  },
];
