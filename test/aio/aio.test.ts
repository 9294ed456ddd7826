import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { asking, BEFORE_PHASES } from '../e2e/upgrade.ts';
import { until } from '../support/until.ts';
import { isReady, openstackOf, QUICKSTART, readySince, restarts, type PodState } from './openstack.ts';
import { NAMESPACE, setAio, whyNoAio, type Aio } from './stage.ts';
import { fileLimit } from '../support/file-limit.ts';

fileLimit(45);

const skip = (await whyNoAio()) ?? false;

/** Pause between two token requests, so that they leave the CPUs to what they watch. */
const PAUSE_MS = 300;
/** The limit of Elasticsearch for one search. */
const MAX_HITS = 10_000;

interface JobState {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status: { readonly completionTime?: string };
}

describe('all in one: OpenStack from the charts on a real node, under `restricted`', { skip }, () => {
  let stage: Aio;
  const { kubectl, exec, pods, sql, allReady, token, renewed, check, whatIsWrong } = openstackOf(() => stage);
  const keystoneNames = async () => (await pods('keystone')).map(({ metadata }) => metadata.name);
  before(async () => (stage = await setAio()));
  after(async () => await stage?.[Symbol.asyncDispose]());

  test('five charts installed at once start in the order of their waits, and Keystone issues a token', async () => {
    await stage.quickstart.run(QUICKSTART, 0);
    await stage.quickstart.run(QUICKSTART, 1).catch(async (cause: unknown) => {
      throw new Error(await whatIsWrong(), { cause });
    });
    assert.match(await stage.quickstart.run(QUICKSTART, 2), /^keystone-\S+ +2\/2 +Running/m);
    assert.ok((await token()).length > 0);
  });

  test('a namespace that enforces `restricted` admitted every Pod, and none claims an exemption', async () => {
    const label = '--output=jsonpath={.metadata.labels.pod-security\\.kubernetes\\.io/enforce}';
    assert.equal(await stage.node.kubectl(['get', 'namespace', NAMESPACE, label]), 'restricted');
    assert.doesNotMatch(await kubectl('get', 'pods', '--output=json'), /kolla-pod\/not-restricted/);
  });

  test('Keystone reads its keys from a private directory, and a rotation reaches it', async () => {
    const keys = async () => (await exec('deploy/keystone', 'keystone', 'ls /etc/keystone/fernet-keys')).split('\n');
    const modes = await exec('deploy/keystone', 'keystone', 'stat -c %a /etc/keystone/{fernet,credential}-keys');
    assert.equal(modes, '750\n750\n');
    await token();
    const log = await exec('deploy/keystone', 'keystone', 'cat /var/log/kolla/keystone/keystone.log');
    assert.doesNotMatch(log, /world readable|Truncating password/);
    // The Secret's changes in a rotation, without the pause between them: another primary key (7), then one key fewer.
    const secret = 'secret/keystone-fernet-keys';
    const primary = await kubectl('get', secret, '--output=jsonpath={.data.1}');
    for (const [key, isThere] of [
      [primary, true],
      [null, false],
    ] as const) {
      await kubectl('patch', secret, '--type=merge', `--patch=${JSON.stringify({ data: { 7: key } })}`);
      const inStep = async () => (await keys()).includes('7') === isThere || undefined;
      await until('the kubelet and kolla-sidecar to deliver the keys', inStep);
      await token();
    }
  });

  test('after a rolling reconfiguration Keystone has the new configuration in new Pods, and no request fails', async () => {
    const old = await keystoneNames();
    await using answers = asking(async () => void (await renewed()), { pauseMs: PAUSE_MS });
    await stage.page.run('Reconfigure', 0);
    await gone(old);
    assert.match(await exec('deploy/keystone', 'keystone', 'cat /etc/keystone/keystone.conf'), /^expiration = 7200$/m);
    assert.ok(answers.count() > 0);
  });

  test('after a live reconfiguration Placement has the new configuration in the same Pod', async () => {
    const rolled = new Set((await pods('placement')).map(({ metadata }) => metadata.uid));
    await stage.page.run('Reconfigure', 1);
    await until('only the Pods with the watch to be left', async () => {
      return (await pods('placement')).every(({ metadata }) => !rolled.has(metadata.uid)) || undefined;
    });
    await allReady();
    const old = await pods('placement');
    await stage.page.run('Reconfigure', 2);
    await until('the new configuration to be installed', async () => {
      const text = await exec('deploy/placement-api', 'placement-api', 'cat /etc/placement/placement.conf');
      return /^max_allocation_candidates = 99$/m.test(text) || undefined;
    });
    const now = await pods('placement');
    assert.deepEqual(
      now.map(({ metadata }) => metadata.uid),
      old.map(({ metadata }) => metadata.uid),
    );
  });

  test('in a stepwise upgrade the schema is expanded before and contracted after the rollout, and no request fails', async () => {
    await sql(`DELETE FROM keystone.alembic_version; INSERT INTO keystone.alembic_version VALUES ('${BEFORE_PHASES}')`);
    await using answers = asking(async () => void (await renewed()), { pauseMs: PAUSE_MS });
    // When each Pod was first Ready: on a busy machine it may become so again later. A look that fails is followed by the next.
    const readyAt = new Map<string, string>();
    const note = async () => {
      for (const pod of (await pods('keystone').catch(() => [])).filter(isReady))
        if (!readyAt.has(pod.metadata.uid)) readyAt.set(pod.metadata.uid, readySince(pod));
    };
    await using _ = asking(note, { pauseMs: 1000 });
    await stage.page.run('Upgrade');
    await note();
    const said = await exec('deploy/keystone', 'keystone', 'kolla-db-sync status keystone');
    for (const phase of ['expand', 'migrate', 'contract'])
      assert.match(said, new RegExp(`^keystone +zed-2 +${phase} +done +0 `, 'm'));
    const image = '--output=jsonpath={.spec.template.spec.containers[0].image}';
    assert.match(await kubectl('get', 'deployment/keystone', image), /keystone:zed-2$/);
    const completed = await completions('keystone', 'zed-2');
    for (const pod of await pods('keystone')) {
      const started = pod.status.containerStatuses?.[0]?.state.running?.startedAt ?? '';
      assert.ok((completed['bootstrap'] ?? '?') <= (completed['db-migrate'] ?? ''), JSON.stringify(completed));
      assert.ok((completed['db-migrate'] ?? '?') <= started, `${JSON.stringify(completed)}, started ${started}`);
      const ready = readyAt.get(pod.metadata.uid) ?? '?';
      assert.ok(ready <= (completed['db-contract'] ?? ''), `${JSON.stringify(completed)}, ready ${ready}`);
    }
    assert.ok(answers.count() > 0);
  });

  test('with 3 replicas each Keystone accepts tokens issued by the others', async () => {
    await stage.page.run('Scale');
    const all = await pods('keystone');
    assert.equal(all.filter(isReady).length, 3);
    const given = await token();
    for (const { status } of all) assert.equal(await check(given, status.podIP ?? ''), 200);
  });

  test('deleted Pods are replaced, and Keystone responds throughout', async () => {
    await using answers = asking(async () => void (await renewed()), { pauseMs: PAUSE_MS });
    const [one = ''] = await keystoneNames();
    await kubectl('delete', 'pod', one, 'rabbitmq-0', 'memcached-0');
    await allReady();
    await gone([one]);
    assert.ok(answers.count() > 0);
  });

  test('a restart of the API server restarts no Pod, and Keystone responds throughout', async () => {
    const earlier = restarts(await pods());
    await using answers = asking(async () => void (await renewed()), { pauseMs: PAUSE_MS });
    await stage.node.restartApiServer();
    await allReady();
    assert.deepEqual(restarts(await pods()), earlier);
    assert.ok(answers.count() > 0);
  });

  test('a frozen MariaDB is not ready, no other Pod is restarted, and everything resumes when it thaws', async () => {
    const signal = (name: string) => exec('mariadb-0', 'mariadb', `kill -${name} $(< /run/mysqld/mariadb.pid)`);
    const others = async () => restarts((await pods()).filter(({ metadata }) => metadata.name !== 'mariadb-0'));
    const earlier = await others();
    await signal('STOP');
    await until('MariaDB to be not Ready', async () => {
      return (await pods('mariadb')).some((pod) => !isReady(pod)) || undefined;
    });
    await signal('CONT');
    await allReady();
    assert.ok((await token()).length > 0);
    assert.deepEqual(await others(), earlier);
  });

  test('an upgrade to a rejected configuration changes no workload, and a rollback restores the release', async () => {
    const old = await pods('keystone');
    await using answers = asking(async () => void (await renewed()), { pauseMs: PAUSE_MS });
    await assert.rejects(stage.page.run('Invalid configuration', 0), /pre-upgrade hooks failed/);
    const selector = '--selector=app.kubernetes.io/name=keystone,app.kubernetes.io/component=bootstrap';
    const all = JSON.parse(await kubectl('get', 'pods', selector, '--output=json')) as { items: PodState[] };
    const fresh = all.items.find(({ status }) => status.phase === 'Failed');
    const init = fresh?.status.initContainerStatuses?.find(({ name }) => name === 'kolla-init');
    const ending = init?.state.terminated ?? init?.lastState.terminated;
    assert.equal(ending?.exitCode, 65);
    assert.match(ending.message ?? '', /config_files\[0\]\.source/);
    const still = (await pods('keystone')).map(({ metadata }) => metadata.uid);
    assert.deepEqual(still.toSorted(), old.map(({ metadata }) => metadata.uid).toSorted());
    await stage.page.run('Invalid configuration', 1);
    await allReady();
    assert.equal((await pods('keystone')).length, 3);
    assert.ok(answers.count() > 0);
  });

  test('a NoExecute taint evicts all Pods; without it all come back with their data', async () => {
    const taint = 'aio.test/gone=yes:NoExecute';
    const earlier = new Set((await pods()).map(({ metadata }) => metadata.uid));
    await stage.node.kubectl(['taint', 'nodes', '--all', taint]);
    await until('all Pods to be gone', async () => {
      return (await pods()).every(({ metadata }) => !earlier.has(metadata.uid)) || undefined;
    });
    await stage.node.kubectl(['taint', 'nodes', '--all', `${taint}-`]);
    await allReady();
    assert.ok((await token()).length > 0);
  });

  test('every log line of Keystone, Placement, MariaDB and RabbitMQ is in Elasticsearch once', async () => {
    const containers = [
      ...(await keystoneNames()).map((pod) => [pod, 'keystone'] as const),
      ...(await pods('placement')).map(({ metadata }) => [metadata.name, 'placement-api'] as const),
      ['mariadb-0', 'mariadb'] as const,
      ['rabbitmq-0', 'rabbitmq'] as const,
    ];
    for (const [pod, container] of containers) {
      const inFiles = async () => {
        const rows = (await exec(pod, container, 'wc -l /var/log/kolla/*/*.log')).trim().split('\n');
        const files = rows.filter((row) => row.endsWith('.log'));
        return { files, lines: files.reduce((sum, row) => sum + Number.parseInt(row, 10), 0) };
      };
      // Logging continues: lines from the start must be indexed, and never more than exist afterwards.
      const first = await inFiles();
      assert.ok(first.lines > 0, inspect(first));
      await until('the lines to be indexed', async (saw) => {
        const shipped = await shippedLines(pod);
        const now = await inFiles();
        const seen = `${pod}: in the index ${inspect(shipped)}, in its files ${inspect(now)}, at first ${first.lines}`;
        assert.ok(shipped.lines <= now.lines, seen);
        saw(seen);
        return shipped.lines >= first.lines || undefined;
      });
    }
  });

  test('every command of docs/start/aio.md and of the charts in docs/start/quickstart.md was run', () => {
    assert.deepEqual([...stage.quickstart.left(QUICKSTART), ...stage.page.left()], []);
  });

  /** Resolves when no Pod has one of these names. Helm waits only for new Pods. */
  async function gone(names: readonly string[]): Promise<void> {
    await until(`${names.join(', ')} to be gone`, async () => {
      const there = await keystoneNames();
      return names.every((name) => !there.includes(name)) || undefined;
    });
  }

  /** When the Jobs of a chart have completed for a release, by kind. */
  async function completions(chart: string, release: string): Promise<Record<string, string>> {
    const text = await kubectl('get', 'jobs', `--selector=app.kubernetes.io/name=${chart}`, '--output=json');
    const { items } = JSON.parse(text) as { items: JobState[] };
    const ofRelease = items.filter(({ metadata }) => metadata.annotations?.['kolla-pod/release'] === release);
    return Object.fromEntries(
      ofRelease.map(({ metadata, status }) => [
        metadata.labels['app.kubernetes.io/component'] ?? '',
        status.completionTime ?? '',
      ]),
    );
  }

  /** The lines of a Pod, without those of a predecessor with the same name; a multi-line message is one document. */
  async function shippedLines(
    pod: string,
  ): Promise<{ lines: number; made: string; byProgram: Record<string, object> }> {
    await stage.elasticsearch.refresh();
    // This Pod's service writes only after the init container; a predecessor may still write in the second in which
    // this Pod is created.
    const initialized = '--output=jsonpath={.status.initContainerStatuses[0].state.terminated.finishedAt}';
    const made = await kubectl('get', 'pod', pod, initialized);
    assert.ok(Date.parse(made) > 0, made);
    const query = { bool: { filter: [{ term: { 'kubernetes.pod_name.keyword': pod } }] } };
    const hits = await stage.elasticsearch.search('flog-*', { size: MAX_HITS, query });
    assert.ok(hits.length < MAX_HITS);
    const byProgram: Record<string, Shipped> = {};
    const seen = new Set<string>();
    for (const { _source } of hits) {
      const lines = String(_source['Payload']).split('\n').length;
      const at = String(_source['@timestamp']);
      const program = (byProgram[String(_source['programname'])] ??= {
        lines: 0,
        ofFormer: 0,
        alike: [],
        first: at,
        last: at,
      });
      if (Date.parse(at) < Date.parse(made)) program.ofFormer += lines;
      else program.lines += lines;
      const text = `${at} ${String(_source['Payload'])}`;
      if (seen.has(text)) program.alike.push(text.slice(0, 200));
      seen.add(text);
      if (at < program.first) program.first = at;
      if (at > program.last) program.last = at;
    }
    return { lines: Object.values(byProgram).reduce((sum, { lines }) => sum + lines, 0), made, byProgram };
  }
});

/** The indexed lines of one program in a Pod. */
interface Shipped {
  lines: number;
  /** Written by an earlier Pod with this name. */
  ofFormer: number;
  /** Documents with the time and text of another: shipped twice, or written twice within a second. */
  readonly alike: string[];
  first: string;
  last: string;
}
