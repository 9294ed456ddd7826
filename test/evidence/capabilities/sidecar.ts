import { EVERY, type Capability } from '../row.ts';

export const sidecar: Capability = {
  name: 'sidecar',
  title: 'Several helpers in one process, and its status page',
  rows: [
    {
      point: 'a mistake in any role’s options, section, check or action is refused before anything runs',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: / is rejected before anything runs$/,
    },
    {
      point: 'a failing role restarts with backoff, shows on /livez?verbose and takes no other down',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'a failing component is reported, restarted, and does not affect others',
    },
    {
      point: 'the pauses grow, are capped, and begin anew after a minute of running well',
      file: 'test/sidecar/supervisor.test.ts',
      test: [
        'a failing component is restarted with backoff, and the others keep running undisturbed',
        'backoff is reset after a component ran for a minute',
      ],
    },
    {
      point: 'what a callback of a role throws is charged to that role alone; anything else ends the process with 70',
      file: 'test/sidecar/supervisor.test.ts',
      test: [
        /an error thrown by .+ of a component ends that component alone/,
        'a rejected unawaited promise of a component is charged to it; any other ends the process',
        'a late error of an earlier attempt is logged and does not end the current one',
        'a component that does not stop after its failure is stuck, and not started again',
      ],
    },
    {
      point: 'waits and migration hold startup; a check of the service does not hold the sidecar itself',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: [
        'startup waits until the waits are met, and a check of the service does not block the sidecar itself',
        'db-sync blocks startup while its server is down, and exits on SIGTERM',
      ],
    },
    {
      point: 'SIGTERM: not ready at once, roles end in order, log shipping last with the last lines, 143',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'SIGTERM: not ready at once, lines written until then are shipped last, and it exits with 143',
    },
    {
      point: 'kill -9 amid shipping: the next start ships the rest, no line is another document',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'after kill -9 while shipping the next start ships the rest, without duplicates',
    },
    {
      point:
        'one port on all addresses: others get a status word; page, data, stream and reasons are for loopback peers',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'reasons are visible within this Pod only: others get a status word, also one that pretends to be local',
    },
    {
      point: 'configuration: each file with its time and ConfigMap version, refused versions with their reason',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'a rejected version is reported with its ConfigMap version and reason, and the installed one with its own',
    },
    {
      point: 'page in a real browser: every state, live change, what others wrote is text only',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: [
        'shows every state: components, checks, waits, migration, shipping, configuration, the rejected version',
        'shows a change in place without a reload, and announces the new summary to screen readers',
        'foreign text is never markup',
      ],
    },
    {
      point: 'page: 1,000 files and 200 checks, problems first, filter',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: 'shows 1,000 files and 200 checks, problems first, and filters them',
    },
    {
      point: 'page: keyboard, landmarks, contrast of 4.5 and more in light and dark, no motion for who wants none',
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
      point: 'page: a phone of 360 px, no console errors, nothing asked of others',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: [
        'a phone of 360 px scrolls vertically only',
        'has landmarks and titles, no console errors, and no requests to other hosts',
      ],
    },
    {
      point: 'page: polling where no events come through; a killed sidecar is shown again as soon as it answers',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: ['polls if no events arrive', 'shows a killed and restarted sidecar as soon as it responds'],
    },
    {
      point: 'page: one self-contained file under a policy of hashes',
      file: 'test/sidecar/page.test.ts',
      test: ['its policy allows only its own style and script', EVERY],
    },
    {
      point:
        'on a real node: a native sidecar with all roles holds Keystone back, then keeps it ready, and its page is reached from inside the pod alone',
      file: 'test/e2e/keystone.test.ts',
      test: "one sidecar with all components delays Keystone's start, then reports healthy to clients within the Pod only",
    },
  ],
};
