import { NAMESPACE, OWN_NODE, OWN_POD } from './waits-objects.ts';

/** How one of the two programs reacts to an environment. */
export type Reaction = 'resolved' | 'waits' | `ends with ${number}`;

export interface Row {
  readonly name: string;
  /** Variables in addition to NAMESPACE and POD_NAME. */
  readonly env: NodeJS.ProcessEnv;
  readonly ours: Reaction;
  /** Output which proves that the drop-in is not just slow. */
  readonly says?: RegExp;
  /** The result of the original, if it differs. */
  readonly there?: Reaction;
  /** The ServiceAccount; the default is `entry`. */
  readonly account?: 'watcher' | 'old' | 'nobody';
  /** The feature that the original lacks because it is older; the row is then not run on it. */
  readonly notThere?: string;
}

const labels = (app: string, more = '') => ({ DEPENDENCY_POD_JSON: `[{"labels":{"app":"${app}"}${more}}]` });
const group = (name: string) => ({ DEPENDENCY_JOBS_JSON: `[{"labels":{"group":"${name}"}}]` });
const widget = (more: string, name = 'gate', kind = 'Widget') => ({
  DEPENDENCY_CUSTOM_RESOURCE: `[{"apiVersion":"example.org/v1","kind":"${kind}","name":"${name}"${more}}]`,
});

/** An environment that the drop-in rejects. @param there the result of the original */
const refused = (name: string, env: NodeJS.ProcessEnv, says: RegExp, there?: Reaction): Row => ({
  name,
  env,
  ours: 'ends with 64',
  says,
  ...(there === undefined ? {} : { there }),
});

/** An environment that the drop-in accepts in lenient mode, as the original does. */
const leftOut = (name: string, env: NodeJS.ProcessEnv, says: RegExp): Row => ({
  name: `${name}, lenient`,
  env: { ...env, KOLLA_POD_COMPAT: 'lenient' },
  ours: 'resolved',
  says,
});

/** Every meaning of "ready" in kubernetes-entrypoint, and every intended difference. */
export const ROWS: readonly Row[] = [
  { name: 'Service: a ready endpoint', env: { DEPENDENCY_SERVICE: 'ready' }, ours: 'resolved' },
  { name: 'Service: nothing said of readiness', env: { DEPENDENCY_SERVICE: 'said-nothing' }, ours: 'resolved' },
  { name: 'Service: no ready endpoint', env: { DEPENDENCY_SERVICE: 'not-ready' }, ours: 'waits', says: /0 of 1 ready/ },
  {
    name: 'Service: absent',
    env: { DEPENDENCY_SERVICE: 'none' },
    ours: 'waits',
    says: /no EndpointSlice of Service none/,
  },
  { name: 'Service: Endpoints made by hand', env: { DEPENDENCY_SERVICE: `${NAMESPACE}:by-hand` }, ours: 'resolved' },
  {
    name: 'Service: only terminating endpoints',
    env: { DEPENDENCY_SERVICE: 'ending' },
    ours: 'waits',
    says: /0 of 1 ready/,
    there: 'resolved',
  },
  { name: 'Job: Complete', env: { DEPENDENCY_JOBS: 'done' }, ours: 'resolved' },
  { name: 'Job: active', env: { DEPENDENCY_JOBS: 'active' }, ours: 'waits', says: /1 active/ },
  { name: 'Job: absent', env: { DEPENDENCY_JOBS: 'none' }, ours: 'waits', says: /no such Job/ },
  { name: 'Job: suspended', env: { DEPENDENCY_JOBS: 'suspended' }, ours: 'waits', says: /suspended/ },
  {
    name: 'Job: failed',
    env: { DEPENDENCY_JOBS: 'failed' },
    ours: 'ends with 69',
    says: /BackoffLimitExceeded/,
    there: 'waits',
  },
  {
    name: 'Job: failed, on-failed-job=wait',
    env: { DEPENDENCY_JOBS: 'failed', KOLLA_INIT_ON_FAILED_JOB: 'wait' },
    ours: 'waits',
    says: /waiting for another/,
  },
  {
    name: 'Job: one of two completions',
    env: { DEPENDENCY_JOBS: 'one-of-two' },
    ours: 'waits',
    says: /1 active/,
    there: 'resolved',
  },
  { name: 'Jobs by labels: all Complete', env: group('done'), ours: 'resolved' },
  { name: 'Jobs by labels: one of two Complete', env: group('both'), ours: 'waits', says: /1 of 2; both-2: 1 active/ },
  { name: 'Jobs by labels: no match', env: group('none'), ours: 'waits', says: /no such Job/ },
  { name: 'DaemonSet: ready here', env: { DEPENDENCY_DAEMONSET: 'agent' }, ours: 'resolved' },
  {
    name: 'DaemonSet: not ready here',
    env: { DEPENDENCY_DAEMONSET: 'agent-down' },
    ours: 'waits',
    says: new RegExp(`its Pod on node ${OWN_NODE}`),
  },
  { name: 'DaemonSet: none here', env: { DEPENDENCY_DAEMONSET: 'agent-elsewhere' }, ours: 'resolved' },
  { name: 'DaemonSet: absent', env: { DEPENDENCY_DAEMONSET: 'none' }, ours: 'waits', says: /no such DaemonSet/ },
  { name: 'Pod: ready', env: labels('far'), ours: 'resolved' },
  {
    name: 'Pod: ready, on another node',
    env: labels('far', ',"requireSameNode":true'),
    ours: 'waits',
    says: /no such Pod/,
  },
  { name: 'Pod: ready, on the same node', env: labels('up', ',"requireSameNode":true'), ours: 'resolved' },
  { name: 'Pod: not ready', env: labels('down'), ours: 'waits', says: /0 of 1; down: Running/ },
  { name: 'Pod: no match', env: labels('none'), ours: 'waits', says: /no such Pod/ },
  { name: 'Pod: ready, being deleted', env: labels('ending'), ours: 'waits', says: /being deleted/, there: 'resolved' },
  { name: 'Container: ready', env: { DEPENDENCY_CONTAINER: 'main' }, ours: 'resolved' },
  {
    name: 'Container: not ready',
    env: { DEPENDENCY_CONTAINER: 'second' },
    ours: 'waits',
    says: /Container second failed: not ready/,
  },
  { name: 'Container: a native sidecar', env: { DEPENDENCY_CONTAINER: 'sidecar' }, ours: 'resolved', there: 'waits' },
  refused(
    'Container: none of that name',
    { DEPENDENCY_CONTAINER: 'mian' },
    /no such container; it has sidecar, main, second/,
    'waits',
  ),
  { name: 'Socket: there', env: { DEPENDENCY_SOCKET: '/proc/self' }, ours: 'resolved' },
  { name: 'Socket: absent', env: { DEPENDENCY_SOCKET: '/no/such' }, ours: 'waits', says: /does not exist yet/ },
  { name: 'Custom resource: there', env: widget(''), ours: 'resolved' },
  {
    name: 'Custom resource: field as asked',
    env: widget(',"fields":[{"key":"spec.phase","value":"Done"}]'),
    ours: 'resolved',
  },
  {
    name: 'Custom resource: field is another',
    env: widget(',"fields":[{"key":"spec.phase","value":"Open"}]'),
    ours: 'waits',
    says: /\{\.spec\.phase\}=Done/,
  },
  {
    name: 'Custom resource: field is a number',
    env: widget(',"fields":[{"key":"spec.size","value":"3"}]'),
    ours: 'resolved',
    there: 'waits',
  },
  {
    name: 'Custom resource: condition holds',
    env: widget(',"conditions":[{"type":"Open"}]'),
    ours: 'resolved',
    notThere: 'conditions',
  },
  {
    name: 'Custom resource: condition is another',
    env: widget(',"conditions":[{"type":"Open","status":"False"}]'),
    ours: 'waits',
    says: /Open=True/,
    notThere: 'conditions',
  },
  { name: 'Custom resource: absent', env: widget('', 'none'), ours: 'waits', says: /no such Widget/ },
  {
    name: 'Custom resource: no definition',
    env: widget('', 'gate', 'Gadget'),
    ours: 'waits',
    says: /no resource Gadget/,
  },
  {
    name: 'Custom resource: of the core group',
    env: { DEPENDENCY_CUSTOM_RESOURCE: '[{"apiVersion":"v1","kind":"ConfigMap","name":"bin"}]' },
    ours: 'resolved',
    there: 'waits',
  },
  { name: 'nothing at all', env: {}, ours: 'resolved', says: /COMMAND env is empty/ },
  {
    name: 'two entries, one is met',
    env: { DEPENDENCY_JOBS: 'done,none' },
    ours: 'waits',
    says: /Job done .* is resolved\./,
  },
  refused('a list with a:b:c', { DEPENDENCY_SERVICE: 'a:b:c' }, /DEPENDENCY_SERVICE, column 1/, 'resolved'),
  leftOut('a list with a:b:c', { DEPENDENCY_SERVICE: 'a:b:c' }, /skipped: DEPENDENCY_SERVICE, column 1/),
  refused('a list with a space', { DEPENDENCY_JOBS: 'done, done' }, /column 6/, 'waits'),
  refused('a list that ends with a comma', { DEPENDENCY_JOBS: 'done,' }, /column 6/, 'waits'),
  refused('malformed JSON', { DEPENDENCY_JOBS_JSON: '[{' }, /column 3/, 'resolved'),
  leftOut('malformed JSON', { DEPENDENCY_JOBS_JSON: '[{' }, /skipped: DEPENDENCY_JOBS_JSON, column 3/),
  refused(
    'a Job by name and labels',
    { DEPENDENCY_JOBS_JSON: '[{"name":"none","labels":{"a":"b"}}]' },
    /a name and labels/,
    'resolved',
  ),
  refused('a Job without name and labels', { DEPENDENCY_JOBS_JSON: '[{}]' }, /no selection/, 'waits'),
  refused(
    'DaemonSet without POD_NAME',
    { DEPENDENCY_DAEMONSET: 'agent-down', POD_NAME: '' },
    /POD_NAME is not set/,
    'resolved',
  ),
  ...[
    { DEPENDENCY_POD_JSON: '[]' },
    { DEPENDENCY_POD_JSON: 'null' },
    { DEPENDENCY_POD_JSON: ' ' },
    { DEPENDENCY_JOBS_JSON: '[]', DEPENDENCY_CUSTOM_RESOURCE: '[]' },
    // The JSON takes precedence, also without entries.
    { DEPENDENCY_JOBS: 'none', DEPENDENCY_JOBS_JSON: '[]' },
    { DEPENDENCY_SERVICE: '', DEPENDENCY_DAEMONSET: '', DEPENDENCY_CONTAINER: '', DEPENDENCY_SOCKET: '' },
  ].map((env): Row => ({
    name: `no entries, without POD_NAME: ${JSON.stringify(env)}`,
    env: { ...env, POD_NAME: '' },
    ours: 'resolved',
  })),
  leftOut('Pod without POD_NAME', { ...labels('down'), POD_NAME: '' }, /skipped: DEPENDENCY_POD_JSON/),
  { name: 'a COMMAND that is not found', env: { COMMAND: 'no-such a' }, ours: 'ends with 127', there: 'ends with 1' },
  { name: "COMMAND's own code", env: { DEPENDENCY_JOBS: 'done', COMMAND: 'false' }, ours: 'ends with 1' },
  {
    name: 'Service, only get endpoints allowed',
    env: { DEPENDENCY_SERVICE: 'by-hand' },
    account: 'old',
    ours: 'resolved',
    says: /using Endpoints instead/,
    notThere: 'both ways',
  },
  {
    name: 'ten Jobs, only get allowed',
    env: { DEPENDENCY_JOBS: ['done', 'both-1', ...Array.from({ length: 8 }, (_, n) => `none-${n}`)].join(',') },
    account: 'old',
    ours: 'waits',
    says: new RegExp(`reading each by name[^]*Job done in namespace ${NAMESPACE} is resolved`),
  },
  {
    name: 'no permissions',
    env: { DEPENDENCY_JOBS: 'done' },
    account: 'nobody',
    ours: 'ends with 77',
    says: /may neither watch nor get/,
    there: 'waits',
  },
];

export const COMMON_ENV: NodeJS.ProcessEnv = { NAMESPACE, POD_NAME: OWN_POD };
