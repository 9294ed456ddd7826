/** k8s/examples/sidecar on the shared node: a Keystone whose schema is migrated by a native sidecar. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import type { Mariadb } from '../cluster/mariadb.ts';
import { until } from '../support/until.ts';
import type { Stage } from './keystone-pod.ts';

const EXAMPLES = fileURLToPath(new URL('../../k8s/examples/', import.meta.url));
/** Name of the namespace and of the Keystone database. */
const NAME = 'sidecar';

interface Ended {
  readonly terminated?: { readonly exitCode: number; readonly message?: string };
}

interface ContainerStatus {
  readonly name: string;
  readonly state: Ended & {
    readonly running?: { readonly startedAt: string };
    readonly waiting?: { readonly reason: string };
  };
  readonly lastState: Ended;
}

interface PodStatus {
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

/** @param stage called when a test runs */
export function sidecarTests(stage: () => Stage): void {
  const kubectl = (args: readonly string[], input?: string) =>
    stage().node.kubectl(['--namespace', NAME, ...args], input);
  const manifest = (name: string) => readFile(`${EXAMPLES}${name}.yaml`, 'utf8');
  const apply = async (text: string) => void (await kubectl(['apply', '--filename=-'], text));
  const podOf = async (app: string): Promise<PodStatus | undefined> => {
    const found = await kubectl(['get', 'pods', `--selector=app=${app}`, '--output=json']);
    return (JSON.parse(found) as { items: { status: PodStatus }[] }).items[0]?.status;
  };

  test("a native sidecar delays Keystone's start until the schema is ready", async () => {
    const { mariadb } = stage();
    const stringData = { password: mariadb.rootPassword };
    const lock = await holdLock(mariadb, NAME);
    try {
      await apply((await manifest('keystone/namespace')).replace('name: keystone', `name: ${NAME}`));
      await apply(
        JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'database-admin' }, stringData }),
      );
      await apply((await manifest('keystone/config')).replaceAll('3306/keystone?', `3306/${NAME}?`));
      await apply(await manifest('sidecar/deployment'));
      await until('the kubelet to be told to wait', async () => {
        const events = await kubectl(['get', 'events', '--field-selector=reason=Unhealthy']);
        return /Startup probe failed: HTTP probe failed with statuscode: 503/.test(events) || undefined;
      });
      assert.match(await kubectl(['get', 'pods']), /^keystone-\S+ +0\/2 +Init:2\/3 +0 /m);
      assert.equal((await podOf('keystone'))?.containerStatuses?.[0]?.state.waiting?.reason, 'PodInitializing');
    } finally {
      await lock[Symbol.asyncDispose]();
    }
    await kubectl(['wait', '--for=condition=Available', 'deployment/keystone', '--timeout=-1s']);
    assert.match(await kubectl(['get', 'pods']), /^keystone-\S+ +2\/2 +Running +0 /m);
    const [record] = await mariadb.query(
      `SELECT state, DATE_FORMAT(ended, '%Y-%m-%dT%H:%i:%sZ') AS ended FROM ${NAME}.kolla_pod_record`,
    );
    const started = (await podOf('keystone'))?.containerStatuses?.[0]?.state.running?.startedAt ?? '';
    assert.equal(record?.['state'], 'done');
    assert.ok(
      String(record?.['ended']) <= started,
      `schema up to date ${String(record?.['ended'])}, started ${started}`,
    );
  });

  test('rejects a sidecar whose startup probe would fail during the migration, with the value to set', async () => {
    await deployChanged('short', (text) => text.replace('failureThreshold: 1080', 'failureThreshold: 359'));
    const said = await ended('short', 'db-sync');
    assert.equal(said.exitCode, 65, said.message);
    assert.match(said.message ?? '', /fails after 1795 s .* is 1800 s: set failureThreshold: 360/);
  });

  test('kolla-init does not wait for a sidecar that starts only after it', async () => {
    await deployChanged('waiting', (text) =>
      text.replace('[kolla-init, --root, /kolla]', '[kolla-init, --root, /kolla, --wait, db-sync/keystone]'),
    );
    const said = await ended('waiting', 'kolla-init');
    assert.equal(said.exitCode, 65, said.message);
    assert.match(said.message ?? '', /wait 'db-sync\/keystone': container db-sync of this Pod .* \(kolla-init\)/);
  });

  /** Deploys the Deployment of the example again, with changes and another name. */
  async function deployChanged(name: string, change: (text: string) => string): Promise<void> {
    const deployment = (await manifest('sidecar/deployment')).split('\n---\n').at(-1) ?? '';
    const renamed = deployment
      .replace('name: keystone\n', `name: ${name}\n`)
      .replaceAll('{ app: keystone }', `{ app: ${name} }`);
    assert.notEqual(change(renamed), renamed, 'the example has changed');
    await apply(change(renamed));
  }

  /** The exit status of an init container once it has exited; the Deployment is then deleted. */
  async function ended(app: string, container: string) {
    try {
      return await until(`${container} of ${app} to exit`, async () => {
        const all = (await podOf(app))?.initContainerStatuses;
        const found = all?.find(({ name }) => name === container);
        return found?.state.terminated ?? found?.lastState.terminated;
      });
    } finally {
      await kubectl(['delete', 'deployment', app, '--wait=false']);
    }
  }
}

/** Holds the migration lock on a database, like a concurrent migrator, until disposed. */
async function holdLock(mariadb: Mariadb, database: string): Promise<AsyncDisposable> {
  const session = await createConnection({
    socketPath: mariadb.socket,
    user: 'root',
    password: mariadb.rootPassword,
  });
  await session.query('SELECT GET_LOCK(?, 0)', [`kolla-db-sync:${database}`]);
  return { [Symbol.asyncDispose]: () => session.end() };
}
