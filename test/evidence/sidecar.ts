import { tests, type Capability } from './point.ts';

const on = (names: string) => tests('test/integration/kolla-sidecar.test.ts', names);
const page = (names: string) => tests('test/integration/kolla-sidecar-page.test.ts', names);
const supervisor = (names: string) => tests('test/sidecar/supervisor.test.ts', names);

export const sidecar: Capability = {
  name: 'sidecar',
  title: 'Several helpers in one process, and its status page',
  points: [
    {
      point: 'a mistake in any role’s options, section, check or action is refused before anything runs',
      command: on('is refused before anything runs'),
      match: /✔ an action that would end all that is wrong is refused before anything runs/,
    },
    {
      point: 'a failing role restarts with backoff, shows on /livez?verbose and takes no other down',
      command: on('takes no other down'),
      match: /✔ a role that fails shows where it should, is begun again, and takes no other down/,
    },
    {
      point: 'the pauses grow, are capped, and begin anew after a minute of running well',
      command: supervisor('pauses'),
      match: /✔ the pauses begin anew after a role ran well for a minute/,
    },
    {
      point:
        'what a callback of a role throws is charged to that role alone; what is nobody’s ends the process with 70',
      command: supervisor('throws|charged|stuck'),
      match: /✔ what a promise that nobody waits for rejects with is charged to its role/,
    },
    {
      point: 'waits and migration hold startup; a check of the service does not hold the sidecar itself',
      command: on('startup is held|db-sync holds'),
      match: /✔ startup is held until the waits are met/,
    },
    {
      point: 'SIGTERM: not ready at once, roles end in order, log shipping last with the last lines, 143',
      command: on('SIGTERM: not ready'),
      match: /✔ SIGTERM: not ready at once, lines written until then are shipped last/,
    },
    {
      point: 'kill -9 amid shipping: the next start ships the rest, no line is another document',
      command: on('kill -9'),
      match: /✔ after kill -9 amid shipping/,
    },
    {
      point:
        'one port on all addresses: others get a status word; page, data, stream and reasons are for loopback peers',
      command: on('reasons are for this pod alone'),
      match: /✔ reasons are for this pod alone/,
    },
    {
      point: 'configuration: each file with its time and ConfigMap version, refused versions with their reason',
      command: on('what is refused is told'),
      match: /✔ what is refused is told with its ConfigMap version/,
    },
    {
      point: 'page in a real browser: every state, live change, what others wrote is text only',
      command: page('every state|without being asked|text and nothing else'),
      match: /✔ shows a change without being asked/,
    },
    {
      point: 'page: 1,000 files and 200 checks, problems first, filter',
      command: page('1,000 files'),
      match: /✔ 1,000 files and 200 checks are all there/,
    },
    {
      point: 'page: keyboard, landmarks, contrast of 4.5 and more in light and dark, no motion for who wants none',
      command: page('keyboard|contrast|motion|landmarks'),
      match: /✔ every text has a contrast of 4.5 and more, dark/,
    },
    {
      point: 'page: a phone of 360 px, no console errors, nothing asked of others',
      command: page('phone|nothing was complained'),
      match: /✔ landmarks and titles are there, and nothing was complained of or asked of others/,
    },
    {
      point: 'page: polling where no events come through; a killed sidecar is shown again as soon as it answers',
      command: page('it asks|killed and comes back'),
      match: /✔ a real sidecar that is killed and comes back/,
    },
    {
      point: 'page: one self-contained file under a policy of hashes',
      command: tests('test/sidecar/page.test.ts'),
      match: /✔ its policy lets its own style and script run, and nothing else/,
    },
    {
      point:
        'on a real node: a native sidecar with all roles holds Keystone back, then keeps it ready, and its page is reached from inside the pod alone',
      command: tests('test/e2e/keystone.test.ts', 'one sidecar'),
      match: /✔ one sidecar with all roles holds Keystone back/,
    },
  ],
};
