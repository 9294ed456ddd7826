import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectKube, type KubeClient } from '../../src/kube/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { start, tied } from '../../tools/process.ts';
import { startControlPlane } from '../../test/cluster/kubernetes/index.ts';
import { runHelper } from '../../test/support/helper.ts';
import { openAudit, type Audit } from './audit.ts';
import { kwokCommand } from './kwok.ts';
import { startOperator, type Operator } from './operator.ts';

const CRDS = fileURLToPath(new URL('../../k8s/crds/', import.meta.url));
const TINY = fileURLToPath(new URL('../../test/charts/fixtures/tiny/', import.meta.url));
const NAMESPACE = 'scale';
const NODE = 'kwok';
/** A chart with one Deployment. */
export const CHART = 'tiny';

/** A cluster without kubelets, and an operator. */
export interface Site extends AsyncDisposable {
  readonly namespace: string;
  /** An administrator, on another API server than the operator. */
  readonly client: KubeClient;
  readonly operator: Operator;
  readonly audit: Audit;
}

export async function openSite(): Promise<Site> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startControlPlane());
  const { path: directory } = stack.use(await privateDirectory('operator-scale'));
  const kubectl = (args: readonly string[], input?: string) =>
    cluster.kubectl([`--namespace=${NAMESPACE}`, ...args], input);
  await kubectl(['create', 'namespace', NAMESPACE]);
  await kubectl(['wait', '--for=create', 'serviceaccount/default']);
  await kubectl(['apply', '--server-side', '--filename', CRDS]);
  await kubectl(['wait', '--for=condition=Established', '--filename', CRDS]);
  await kubectl(['create', 'serviceaccount', 'kolla-operator']);
  const { stdout: role } = await runHelper('kolla-operator', ['rbac', '--namespace', NAMESPACE]);
  await kubectl(['apply', '--filename=-'], role);

  await kubectl(
    ['create', '--filename=-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } }),
  );
  const kwok = await kwokCommand(cluster.kubeconfig);
  const env = { PATH: process.env['PATH'], HOME: directory };
  stack.use(await start(...tied(...kwok), { env, logFile: join(directory, 'kwok.log') }));
  await kubectl(['wait', '--for=condition=Ready', `node/${NODE}`, '--timeout=60s']);

  const audit = await openAudit(directory, `system:serviceaccount:${NAMESPACE}:kolla-operator`);
  const server = stack.use(await cluster.addApiServer(audit.flags));
  const kubeconfig = await cluster.kubeconfigOf(NAMESPACE, 'kolla-operator');
  writeFileSync(kubeconfig, readFileSync(kubeconfig, 'utf8').replaceAll(cluster.server, server.server));
  const charts = join(directory, 'charts');
  makeChart(charts);
  const operator = stack.use(await startOperator(directory, { namespace: NAMESPACE, kubeconfig, charts }));
  const client = stack.use(await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] }));
  const kept = stack.move();
  return { namespace: NAMESPACE, client, operator, audit, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Without a scheduler, the Pods name their node. */
function makeChart(charts: string): void {
  const place = join(charts, CHART);
  cpSync(TINY, place, { recursive: true });
  writeFileSync(join(place, 'Chart.yaml'), `apiVersion: v2\nname: ${CHART}\nversion: 1.0.0\n`);
  const file = join(place, 'templates/all.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^( +)terminationGracePeriodSeconds:/m, `$1nodeName: ${NODE}\n$&`));
}
