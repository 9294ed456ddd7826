import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hierarchiesOf } from '../cluster/kubernetes/cgroups.ts';
import { canRunNode, startNode, TESTBOX_IMAGE, type KubeNode } from '../cluster/kubernetes/index.ts';
import { processesIn, processesWith } from '../support/left-over.ts';
import { must, start, tied } from '../../tools/process.ts';
import { until } from '../support/until.ts';

const skip = (await canRunNode()) ?? false;

/** Settings that the `restricted` Pod Security Standard requires. */
const RESTRICTED = {
  runAsNonRoot: true,
  runAsUser: 42_425,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

function pod(name: string, args: readonly string[], securityContext: object, labels: object = {}): string {
  const container = { name: 'main', image: TESTBOX_IMAGE, args, securityContext };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container] },
  });
}

describe('a Kubernetes node', { skip }, () => {
  let node: KubeNode;
  const kubectl = (args: readonly string[], input?: string) => node.kubectl(['--namespace=openstack', ...args], input);
  before(async () => {
    node = await startNode();
    await node.kubectl(['create', 'namespace', 'openstack']);
    await node.kubectl(['label', 'namespace', 'openstack', 'pod-security.kubernetes.io/enforce=restricted']);
    await until('the default ServiceAccount', async () => {
      return (await kubectl(['get', 'serviceaccount', '--output=name'])).includes('default') || undefined;
    });
  });
  after(async () => await node[Symbol.asyncDispose]());

  test('becomes Ready', async () => {
    await node.kubectl(['wait', '--for=condition=Ready', 'node/node1', '--timeout=-1s']);
  });

  test('a namespace that enforces `restricted` rejects a Pod that may run as root', async () => {
    const refused = kubectl(['create', '--filename=-'], pod('root', ['pause'], {}));
    await assert.rejects(refused, /violates PodSecurity "restricted.*runAsNonRoot/s);
  });

  test('runs a compliant Pod as the requested user, unprivileged', async () => {
    await kubectl(['create', '--filename=-'], pod('conforming', ['cat', '/proc/self/status'], RESTRICTED));
    await kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/conforming', '--timeout=-1s']);
    const status = await kubectl(['logs', 'conforming']);
    assert.match(status, /^Uid:\s+42425\s+42425\s/m);
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    assert.match(status, /^CapBnd:\s+0+$/m);
    assert.match(status, /^Seccomp:\s+2$/m);
  });

  test('a Service is reachable from the node and through a forwarded port on this machine', async () => {
    await kubectl(['create', '--filename=-'], pod('server', ['serve', ':8080'], RESTRICTED, { app: 'server' }));
    await kubectl(['create', 'service', 'clusterip', 'server', '--tcp=80:8080', '--clusterip=10.96.0.100']);
    await kubectl(['wait', '--for=condition=Ready', 'pod/server', '--timeout=-1s']);
    const port = await node.reach(80, '10.96.0.100');
    const answer = await until('the Service to answer', async () => {
      return await fetch(`http://127.0.0.1:${port}/hello`).then(
        (response) => response.text(),
        () => undefined,
      );
    });
    assert.equal(answer, 'served /hello\n');
  });

  test("a Pod reaches servers in the node's network namespace", async () => {
    const script = `require('node:http').createServer((_, response) => response.end('outside')).listen(3306)`;
    await using server = await start(...node.inside(process.execPath, ['--eval', script]));
    const url = `http://${node.address}:3306/`;
    await until('the server', async () => {
      assert.equal(server.child.exitCode, null);
      return await must(...node.inside('curl', ['--silent', url])).catch(() => undefined);
    });
    await kubectl(['create', '--filename=-'], pod('client', ['get', url], RESTRICTED));
    await kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/client', '--timeout=-1s']);
    assert.equal(await kubectl(['logs', 'client']), 'outside');
  });

  test('reaps orphans of a deleted Pod', async () => {
    await kubectl(['create', '--filename=-'], pod('short', ['pause'], RESTRICTED));
    await kubectl(['wait', '--for=condition=Ready', 'pod/short', '--timeout=-1s']);
    await kubectl(['delete', 'pod', 'short', '--wait']);
    await until('no zombie in the node', async () => {
      const states = processesIn('pid', readlinkSync(`/proc/${node.pid}/ns/pid`)).map((pid) => stateOf(pid));
      return !states.includes('Z') || undefined;
    });
  });
});

describe('teardown of a node', { skip }, () => {
  test('leaves no process, mount, namespace, cgroup or file', async () => {
    const mounts = ourMounts();
    let seen: Seen;
    {
      await using node = await startNode();
      await node
        .kubectl(['create', '--filename=-', '--namespace=default'], pod('running', ['pause'], {}))
        .catch(() => {});
      seen = lookAt(node);
      assert.ok(seen.processes().length >= 7, 'the node runs');
      assert.ok(seen.cgroups().length > 0);
    }
    using _ = seen;
    await gone(seen);
    assert.deepEqual(ourMounts(), mounts);
  });

  test('works after SIGKILL of the test process; the next node removes its cgroups and files', async () => {
    const mounts = ourMounts();
    const script = `
      import { startNode } from ${JSON.stringify(import.meta.resolve('../cluster/kubernetes/index.ts'))};
      const { pid, cgroup, directory } = await startNode();
      console.log(JSON.stringify({ pid, cgroup, directory }));
      setInterval(() => {}, 1000);`;
    const run = await start(...tied(process.execPath, ['--input-type=module', '--eval', script]));
    let said = '';
    run.child.stdout?.on('data', (text: Buffer) => (said += text.toString()));
    const killed = await until('the node of another process', async () => {
      assert.equal(run.child.exitCode, null);
      return said.endsWith('\n') ? (JSON.parse(said) as Pick<KubeNode, 'pid' | 'cgroup' | 'directory'>) : undefined;
    });
    using seen = lookAt(killed);
    assert.ok(seen.processes().length >= 7, 'the node runs');
    process.kill(run.pid, 'SIGKILL');
    await noProcessOf(seen);
    assert.deepEqual(ourMounts(), mounts);
    {
      await using _ = await startNode();
    }
    await gone(seen);
  });
});

interface Seen extends Disposable {
  readonly directory: string;
  processes(): number[];
  cgroups(): string[];
}

/** Records the resources of a node, so that a later check can verify that they are gone. */
function lookAt({ pid, cgroup, directory }: Pick<KubeNode, 'pid' | 'cgroup' | 'directory'>): Seen {
  const kinds = ['mnt', 'net', 'pid'] as const;
  const namespaces = kinds.map((kind) => [kind, readlinkSync(`/proc/${pid}/ns/${kind}`)] as const);
  // While it is open the kernel gives a namespace's number to no other, such as one of a test beside us.
  const held = kinds.map((kind) => openSync(`/proc/${pid}/ns/${kind}`, 'r'));
  for (const [kind, namespace] of namespaces) assert.notEqual(namespace, readlinkSync(`/proc/self/ns/${kind}`));
  const hierarchies = hierarchiesOf(readFileSync('/proc/self/mountinfo', 'utf8'));
  return {
    directory,
    processes: () => [...namespaces.flatMap(([kind, name]) => processesIn(kind, name)), ...processesWith(directory)],
    cgroups: () => hierarchies.map(({ mount }) => join(mount, cgroup)).filter((path) => existsSync(path)),
    [Symbol.dispose]: () => {
      for (const descriptor of held) closeSync(descriptor);
    },
  };
}

/** The kernel kills the processes of a PID namespace after its init, and each disappears when its parent reaps it. */
async function noProcessOf(seen: Seen): Promise<void> {
  await until('no process of the node', (saw) => {
    const left = seen.processes();
    saw(left);
    return left.length === 0 || undefined;
  });
}

/** Without processes a node has no namespaces: none is mounted on this machine. */
async function gone(seen: Seen): Promise<void> {
  await noProcessOf(seen);
  assert.deepEqual(seen.cgroups(), []);
  assert.ok(!existsSync(seen.directory));
}

/** Mount points on this machine in the directories that a node would use; other programs' mounts come and go. */
function ourMounts(): string[] {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => /kp-node|netns|kubelet|containerd|^\/var\/(lib|log)|^\/run/.test(point)).toSorted();
}

/** The state of a process, empty if it has exited meanwhile. */
function stateOf(pid: number): string {
  try {
    return /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}
