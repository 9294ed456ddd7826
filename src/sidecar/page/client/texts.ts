import type { CheckRow, FileStatus, Refusal, ComponentStatus, WaitStatus } from '../../status/document.ts';
import { clock, many } from './format.ts';
import type { RowText } from './rows.ts';
import type { Model } from './model.ts';

const COMPONENT_TONES = {
  starting: 'wait',
  running: 'well',
  failing: 'bad',
  stuck: 'bad',
  done: 'well',
  stopping: 'wait',
  stopped: 'plain',
} as const;

export function componentText({ name, state, since, problem, failures, holdsStartup }: ComponentStatus): RowText {
  const isHolding = holdsStartup && state === 'running';
  const often = failures === 0 ? '' : `failed ${many(failures, 'time', 'times')}`;
  const what = [isHolding ? 'the containers after it wait' : '', often, problem ?? ''].filter((each) => each !== '');
  return {
    tone: isHolding ? 'wait' : COMPONENT_TONES[state],
    name,
    word: what.length === 0 ? state : `${state};`,
    what: what.join('; '),
    since,
  };
}

const CHECK_TONES = { healthy: 'well', unhealthy: 'bad', unseen: 'bad', unknown: 'wait' } as const;

export function checkText({ name, state, reason, subject, roles, since }: CheckRow): RowText {
  const why = reason === null || reason === '' ? '' : `${reason}; `;
  const what = state === 'healthy' ? `${subject} (${roles.join(', ')})` : `${why}${subject} (${roles.join(', ')})`;
  return { tone: CHECK_TONES[state], name, word: state, what, since };
}

export function waitText({ name, isMet, seen, since }: WaitStatus): RowText {
  return { tone: isMet ? 'well' : 'wait', name, word: isMet ? 'met' : 'waiting', what: seen, since };
}

export function refusalText({ name, configMap, at, reason }: Refusal): RowText {
  return { tone: 'bad', name: configMap ?? name, word: 'refused', what: reason, since: at };
}

export function fileText({ name, configMap, since }: FileStatus): RowText {
  return { tone: 'plain', name, word: '', what: configMap ?? '', when: clock(since, Date.now()) };
}

/** Problems come first, followed by the other items in the server's order. */
export function ranked<T>(items: Iterable<T>, text: (item: T) => RowText): T[] {
  const ranks = { bad: 0, wait: 1, well: 2, plain: 2 };
  return [...items]
    .map((item) => ({ item, rank: ranks[text(item).tone] }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** A one-sentence summary, for the headline and for screen readers. */
export function verdictOf({ about, components, checks, waits, config, shipping, migration }: Model): string {
  if (about === null) return 'Waiting for the first answer';
  const failing = [...components.values()].filter(({ state }) => state === 'failing' || state === 'stuck');
  const unhealthy = [...checks.values()].filter(({ state }) => state === 'unhealthy' || state === 'unseen');
  const open = [...waits.values()].filter(({ isMet }) => !isMet);
  const problems = [
    ...(failing.length > 0 ? [`${failing.map(({ name }) => name).join(', ')} failing`] : []),
    ...(unhealthy.length > 0 ? [`${many(unhealthy.length, 'check', 'checks')} unhealthy`] : []),
    ...(config?.state === 'refused' || config?.state === 'failed' ? [`configuration ${config.state}`] : []),
    ...(shipping !== null && shipping.held !== null ? ['logs held back'] : []),
    ...(migration?.stage === 'failed' ? ['migration failed'] : []),
  ];
  const waiting = open.length > 0 ? [`waiting for ${many(open.length, 'dependency', 'dependencies')}`] : [];
  if (about.isStopping) return ['Stopping', ...problems].join('; ');
  const state = problems.length > 0 ? 'Needs a look' : about.readiness === 'ok' ? 'All well' : 'Not ready yet';
  const rest = [...problems, ...waiting];
  return rest.length === 0 ? state : `${state}: ${rest.join('; ')}`;
}
