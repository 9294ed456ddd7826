import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApiError } from '../../src/kube/api-error.ts';
import { objectPath } from '../../src/kube/index.ts';
import { startForwarder } from '../cluster/forwarder.ts';
import { connectKube } from '../cluster/kube-on-core.ts';
import { canRunControlPlane, type ControlPlane } from '../cluster/kubernetes/index.ts';
import { passOn, startProxy } from '../cluster/kubernetes/proxy.ts';
import { until } from '../support/until.ts';
import {
  account,
  follow,
  followSet,
  last,
  MAPS,
  NAMESPACE,
  QUICK,
  serviceAccount,
  startWithReader,
  Table,
} from './kube-support.ts';

const RESTARTS = 10;

describe('a watch and cluster faults', { skip: (await canRunControlPlane()) ?? false }, () => {
  const table = new Table('the API access holds when');
  let cluster: ControlPlane;
  let token: string;
  before(async () => {
    ({ cluster, token } = await startWithReader());
  });
  after(async () => {
    table.print();
    await cluster[Symbol.asyncDispose]();
  });
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  const create = (name: string) => kubectl('create', 'configmap', name, '--from-literal=x=0');
  const set = (name: string, x: number, ...more: string[]) =>
    kubectl(...more, 'patch', 'configmap', name, '--type=merge', `--patch={"data":{"x":"${x}"}}`);

  test('a watch whose version was compacted during an outage restarts with the current objects', async () => {
    await create('compacted');
    await create('gone');
    await using proxy = await startProxy(cluster);
    await using there = await account(proxy, token);
    using client = await connectKube(there.source, QUICK);
    await using object = follow(client, 'compacted');
    await using many = followSet(client);
    await object.until('the object', last('x=0'));
    await many.until('the set', last('compacted gone'));
    proxy.serve = async (_, response) => void response.destroy();
    proxy.cut();
    await object.until('the cut to be noticed', (seen) => seen.at(-1)?.startsWith('trouble') === true);
    await set('compacted', 1);
    await kubectl('delete', 'configmap', 'gone');
    await cluster.etcd.compact();
    await cluster.apiServer.kill();
    await cluster.apiServer.start();
    let expired = 0;
    proxy.serve = async (request, response, forward) => {
      await passOn(request, response, async () => {
        const answer = await forward();
        answer.on('data', (chunk: Buffer) => (expired += chunk.includes('"code":410') ? 1 : 0));
        return answer;
      });
    };
    await object.until('the change', last('x=1'));
    await many.until('the deletion', last('compacted'));
    assert.ok(expired >= 2, `${expired} answers were 410`);
    table.add('its version is compacted (410)', `${expired} watches started again; a change and a deletion were seen`);
  });

  test(`the API server is killed and started ${RESTARTS} times during one watch`, async () => {
    await create('restarted');
    await using there = await account({ port: cluster.apiServer.port, ca: cluster.ca }, token);
    using client = await connectKube(there.source, QUICK);
    await using object = follow(client, 'restarted');
    const names = Array.from({ length: RESTARTS }, (_, n) => `restart-${n + 1}`);
    await using many = followSet(client, { ...MAPS, names });
    await object.until('the object', last('x=0'));
    for (let n = 1; n <= RESTARTS; n++) {
      await cluster.apiServer.kill();
      await cluster.apiServer.start();
      await set('restarted', n);
      await object.until(`change ${n}`, last(`x=${n}`));
      await create(`restart-${n}`);
      await many.until(`object ${n}`, (seen) => seen.at(-1)?.split(' ').length === n);
    }
    const troubles = object.seen.filter((text) => text.startsWith('trouble')).length;
    assert.ok(troubles >= RESTARTS, `${troubles} troubles were told`);
    table.add(`the API server is killed ${RESTARTS} times`, `every change was seen; ${troubles} troubles were told`);
  });

  test('the API server is frozen for longer than the idle limit', async () => {
    await create('frozen');
    await using there = await account({ port: cluster.apiServer.port, ca: cluster.ca }, token);
    using client = await connectKube(there.source, { ...QUICK, answerMs: 1000, idleMs: 3000 });
    await using object = follow(client, 'frozen');
    await object.until('the object', last('x=0'));
    await set('frozen', 1);
    await object.until('a change', last('x=1'));
    cluster.apiServer.freeze();
    const began = performance.now();
    try {
      await object.until('trouble', last('trouble: no response in 1 s'));
    } finally {
      cluster.apiServer.thaw();
    }
    const frozenS = ((performance.now() - began) / 1000).toFixed(1);
    await set('frozen', 2);
    await object.until('a change after it', last('x=2'));
    table.add(
      'the API server is frozen (SIGSTOP)',
      `reported after ${frozenS} s (3 s of silence, 1 s without a response); resumed with the server`,
    );
  });

  test('a floating address moves to another API server, the old one frozen with open connections', async () => {
    await create('moved');
    await using another = await cluster.addApiServer();
    await using address = await startForwarder(cluster.apiServer.port);
    await using there = await account({ port: address.port, ca: cluster.ca }, token);
    using client = await connectKube(there.source, { ...QUICK, answerMs: 1000, idleMs: 3000 });
    await using object = follow(client, 'moved');
    await using many = followSet(client, { ...MAPS, names: ['moved', 'moved-2'] });
    await object.until('the object', last('x=0'));
    await many.until('the set', last('moved'));
    cluster.apiServer.freeze();
    try {
      address.target = another.port;
      await set('moved', 1, `--server=${another.server}`);
      await kubectl(`--server=${another.server}`, 'create', 'configmap', 'moved-2');
      const began = performance.now();
      await object.until('the change, from the other server', last('x=1'));
      await many.until('the addition, from the other server', last('moved moved-2'));
      const tookS = ((performance.now() - began) / 1000).toFixed(1);
      table.add(
        'a floating address moves, the old server frozen',
        `resumed with the new one after ${tookS} s (idle limit 3 s)`,
      );
    } finally {
      cluster.apiServer.thaw();
    }
  });

  test('the watch is closed after each event', async () => {
    await create('closed');
    await using proxy = await startProxy(cluster);
    await using there = await account(proxy, token);
    let watches = 0;
    proxy.serve = async (_, response, forward) => {
      watches++;
      const answer = await forward();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        response.write(chunk);
        if (chunk.includes('\n')) break;
      }
      response.end();
    };
    using client = await connectKube(there.source, QUICK);
    await using object = follow(client, 'closed');
    await object.until('the object', last('x=0'));
    for (let n = 1; n <= 20; n++) {
      await set('closed', n);
      await object.until(`change ${n}`, last(`x=${n}`));
    }
    assert.ok(watches > 20);
    table.add('the watch is closed after each event', `20 of 20 changes were seen by ${watches} watches`);
  });

  test('the connection is cut in the middle of each event', async () => {
    await create('cut');
    await using proxy = await startProxy(cluster);
    await using there = await account(proxy, token);
    let cuts = 0;
    proxy.serve = async (request, response, forward) => {
      if (cuts >= 5) return await passOn(request, response, forward);
      const answer = await forward();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        response.write(chunk.subarray(0, chunk.length / 2), () => response.destroy());
        cuts++;
        break;
      }
    };
    using client = await connectKube(there.source, QUICK);
    await using object = follow(client, 'cut');
    await object.until('the object', last('x=0'));
    table.add('the connection is cut in mid-event', `${cuts} cuts; the event was read whole`);
  });

  test('the API server itself responds with 429 and Retry-After under overload', async (t) => {
    await create('overload');
    const overloaded = await serviceAccount(cluster, 'overloaded', 'get,list,watch');
    await cluster.kubectl(['apply', '--filename=-'], JSON.stringify(rejectsAll('overloaded')));
    await using proxy = await startProxy(cluster);
    const answers: { at: number; status: number; retryAfter: string | undefined; schema: unknown }[] = [];
    proxy.serve = (request, response, forward) =>
      passOn(request, response, async () => {
        const answer = await forward();
        const { statusCode: status = 0, headers } = answer;
        const schema = headers['x-kubernetes-pf-flowschema-uid'];
        answers.push({ at: performance.now(), status, retryAfter: headers['retry-after'], schema });
        return answer;
      });
    await using there = await account(proxy, overloaded);
    using client = await connectKube(there.source, QUICK);
    const path = objectPath({ ...MAPS, name: 'overload' });
    const uid = await kubectl('get', 'flowschema', 'overloaded', '--output=jsonpath={.metadata.uid}');
    // Whether or not it is rejected, the response names the flow schema.
    await until('flow control to take it', async () => {
      await client.get(path, { signal: t.signal }).catch(onlyOverload);
      return answers.pop()?.schema === uid || undefined;
    });
    // Flow control without a share admits one request at a time; this one waits for etcd and blocks all others.
    process.kill(cluster.etcd.pid, 'SIGSTOP');
    await using direct = await account({ port: cluster.apiServer.port, ca: cluster.ca }, overloaded);
    using other = await connectKube(direct.source);
    const held = seated(() => other.get(path, { signal: t.signal }));
    // Otherwise the two would use the one seat in turn and be rejected at random.
    await until('its one seat to be taken', async () => {
      const levels = await cluster.kubectl(['get', '--raw=/debug/api_priority_and_fairness/dump_priority_levels']);
      const [names = [], ...rows] = levels.split('\n').map((line) => line.split(/,\s*/));
      const own = rows.find(([name]) => name === 'overloaded');
      return own?.[names.indexOf('ExecutingRequests')] === '1' || undefined;
    });
    await using object = follow(client, 'overload');
    try {
      await object.until('three refusals', () => answers.filter(({ status }) => status === 429).length >= 3);
    } finally {
      process.kill(cluster.etcd.pid, 'SIGCONT');
      await held;
    }
    await object.until('the object', last('x=0'));
    const refused = answers.filter(({ status }) => status === 429);
    for (const [n, { retryAfter }] of refused.entries()) {
      const next = answers[n + 1]!;
      assert.ok(next.at - refused[n]!.at >= Number(retryAfter) * 1000, 'it came back before it was asked to');
    }
    table.add('it is overloaded (429, Retry-After)', `${refused.length} refusals, each waited out as long as asked`);
  });

  test('a load balancer responds with its own pages', async () => {
    await create('balanced');
    await using proxy = await startProxy(cluster);
    await using there = await account(proxy, token);
    const pages = [502, 503, 504, 200];
    proxy.serve = async (request, response, forward) => {
      const status = pages.shift();
      if (status === undefined) return await passOn(request, response, forward);
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end('<html>\n<body>no backend</body>\n</html>\n');
    };
    using client = await connectKube(there.source, QUICK);
    await using object = follow(client, 'balanced');
    await object.until('the object', last('x=0'));
    assert.deepEqual(object.seen.slice(0, 3), ['trouble: status 502', 'trouble: status 503', 'trouble: status 504']);
    table.add('a load balancer answers with HTML', object.seen.filter((s) => s.startsWith('trouble')).join(', '));
  });

  test('500 objects arrive at once', async () => {
    await using there = await account({ port: cluster.apiServer.port, ca: cluster.ca }, token);
    using client = await connectKube(there.source, QUICK);
    await using many = followSet(client, { ...MAPS, labelSelector: 'of=500' });
    await many.until('the empty set', last(''));
    const items = Array.from({ length: 500 }, (_, n) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `many-${n}`, labels: { of: '500' } },
      data: { text: 'x'.repeat(1000) },
    }));
    await cluster.kubectl(
      [`--namespace=${NAMESPACE}`, 'create', '--filename=-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    );
    await many.until('all', last('500'));
    await using late = followSet(client, { ...MAPS, labelSelector: 'of=500' });
    await late.until('all', (seen) => seen.length > 0);
    assert.deepEqual(late.seen, ['500']);
    table.add('500 objects come at once', `all were seen, in ${many.seen.length} sets; a late one is reported in 1`);
  });
});

/** Retries until admitted: the previous request's seat is released a moment after its response. */
async function seated<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      onlyOverload(error);
    }
  }
}

function onlyOverload(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 429)) throw error;
}

/** Flow control of the API server that gives this ServiceAccount no share and no queue. */
function rejectsAll(name: string): object {
  const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
  const level = {
    apiVersion,
    kind: 'PriorityLevelConfiguration',
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 0,
        lendablePercent: 0,
        borrowingLimitPercent: 0,
        limitResponse: { type: 'Reject' },
      },
    },
  };
  const subjects = [{ kind: 'ServiceAccount', serviceAccount: { namespace: NAMESPACE, name } }];
  const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }];
  const schema = {
    apiVersion,
    kind: 'FlowSchema',
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name },
      matchingPrecedence: 100,
      rules: [{ subjects, resourceRules }],
    },
  };
  return { apiVersion: 'v1', kind: 'List', items: [level, schema] };
}
