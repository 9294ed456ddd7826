import { EVERY, type Capability } from '../row.ts';

export const sidecar: Capability = {
  name: 'sidecar',
  title: 'Several helpers in one process, and its status page',
  rows: [
    {
      point: 'a mistake in any component’s options, section, check or action is rejected before anything runs',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: / is rejected before anything runs$/,
    },
    {
      point: 'a failing component restarts with backoff, appears on /livez?verbose and stops no other',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'a failing component is reported and restarted, and does not affect others',
    },
    {
      point: 'the backoff grows to a limit, and is reset after a minute without a failure',
      file: 'test/sidecar/supervisor.test.ts',
      test: [
        'a failing component is restarted with backoff, and the others keep running undisturbed',
        'backoff is reset after a component ran for a minute',
      ],
    },
    {
      point: 'an error in a component’s callback ends that component alone; any other exits with 70',
      file: 'test/sidecar/supervisor.test.ts',
      test: [
        /an error thrown by .+ of a component ends only that component/,
        'a rejected unawaited promise of a component is charged to it; any other ends the process',
        'a late error of an earlier attempt is logged and does not end the current one',
        'a component that does not stop after its failure is stuck, and not started again',
      ],
    },
    {
      point: 'waits and migration delay startup; a check of the service does not delay the sidecar itself',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: [
        'startup is delayed until all waits are ready, and a check of the service does not block the sidecar itself',
        'db-sync blocks startup while its server is down, and exits on SIGTERM',
      ],
    },
    {
      point:
        'SIGTERM: not ready immediately, components stop in order, log shipping last with the last lines, exit code 143',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'on SIGTERM the sidecar is unready at once, ships lines written until then, and exits with code 143',
    },
    {
      point: 'kill -9 during shipping: the next start ships the rest without duplicates',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'after kill -9 while shipping the next start ships the rest, without duplicates',
    },
    {
      point:
        'one port on all addresses: other clients get a status; page, data, stream and reasons are for loopback clients',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'reasons are visible within this Pod only: others get a status word, also one that pretends to be local',
    },
    {
      point: 'configuration: each file with its time and ConfigMap version, rejected versions with their reason',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'a rejected version is reported with its ConfigMap version and reason, and the installed one with its own',
    },
    {
      point: 'page in a real browser: every state, live changes, external content is text only',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: [
        'shows every state: components, checks, waits, migration, shipping, configuration, the rejected version',
        'shows a change in place without a reload, and announces the new summary to screen readers',
        'text from other programs is never markup',
      ],
    },
    {
      point: 'page: 1,000 files and 200 checks, problems first, filter',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: 'shows 1,000 files and 200 checks, problems first, and filters them',
    },
    {
      point: 'page: keyboard, landmarks, contrast of at least 4.5 in light and dark, prefers-reduced-motion',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: [
        'everything is usable by keyboard, with a visible focus',
        /every text has a contrast of at least 4\.5, (light|dark)$/,
        'respects prefers-reduced-motion',
        'has landmarks and titles, no console errors, and no requests to other hosts',
      ],
      least: 5,
    },
    {
      point: 'page: a phone of 360 px, no console errors, no external requests',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: [
        'a phone of 360 px scrolls vertically only',
        'has landmarks and titles, no console errors, and no requests to other hosts',
      ],
    },
    {
      point: 'page: polling if events are blocked; a restarted sidecar appears as soon as it responds',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: ['polls if no events arrive', 'shows a killed and restarted sidecar as soon as it responds'],
    },
    {
      point: 'page: one self-contained file under a content security policy of hashes',
      file: 'test/sidecar/page.test.ts',
      test: ["the page's policy allows only its own style and script", EVERY],
    },
    {
      point:
        'on a real node: a native sidecar with all components delays Keystone, then keeps it ready, and its page is accessible only from inside the pod',
      file: 'test/e2e/keystone.test.ts',
      test: "one sidecar with all components delays Keystone's start, then reports healthy to clients within the Pod only",
    },
  ],
};
