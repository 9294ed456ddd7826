import type { ConfigStatus, MigrationStatus, ShippingStatus, StatusDocument } from '../../status/document.ts';
import { element, figure, part, setText } from './dom.ts';
import { bytes, clock, count, lasted, many } from './format.ts';
import { Plot } from './plot.ts';

/** Shows a section, or hides it if the component does not exist. */
export function present(id: string, isThere: boolean): void {
  part(`#${id}`).hidden = !isThere;
}

/** Sets the title of a section, with a note below it. */
export function titled(id: string, title: string, note: string): void {
  const at = part(`#${id}-title`);
  if (at.dataset['note'] === note) return;
  at.dataset['note'] = note;
  at.replaceChildren(title, element('span', 'quiet', note));
}

export function showProbes({ startup, liveness, readiness }: StatusDocument['about']): void {
  const tone = (word: string): string => (word === 'ok' ? 'well' : word === 'unhealthy' ? 'bad' : 'wait');
  const words = { startup, liveness, readiness };
  const list = part('#probes');
  const text = JSON.stringify(words);
  if (list.dataset['text'] === text) return;
  list.dataset['text'] = text;
  list.replaceChildren(...Object.entries(words).map(([name, word]) => figure(name, word, tone(word))));
}

const CONFIG_WORDS = {
  starting: 'not looked at yet',
  'in-step': 'in step with its ConfigMap',
  refused: 'a newer version is refused, and the one below stays in place',
  failed: 'could not be put in place, and is tried again',
  absent: 'there is none',
};

export function showConfig({ state, version, configMap, applied, lastChange, problem, actions }: ConfigStatus): void {
  const tone = state === 'in-step' ? 'well' : state === 'starting' || state === 'absent' ? 'wait' : 'bad';
  const line = element('p', tone);
  line.append(element('span', 'word', CONFIG_WORDS[state]));
  if (problem !== null && state === 'failed') line.append(element('span', '', `: ${problem}`));
  const figures = element('dl', 'figures');
  figures.append(figure('version', version ?? 'none', 'mono'));
  if (configMap !== null) figures.append(figure('ConfigMap version', configMap, 'mono'));
  figures.append(figure('changes', count(applied)));
  if (lastChange !== null) figures.append(figure('last change', clock(lastChange, Date.now())));
  if (actions.done + actions.failed > 0 || actions.pending !== null) {
    const pending = actions.pending === null ? '' : `; ${actions.pending} is pending`;
    const why = actions.problem === null ? '' : `: ${actions.problem}`;
    figures.append(figure('actions', `${many(actions.done, 'time', 'times')}${pending}${why}`));
  }
  part('#config .body').replaceChildren(line, figures);
}

export function showMigration({ service, release, phase, phases, stage, since, stages }: MigrationStatus): void {
  const tone = stage === 'ok' ? 'well' : stage === 'failed' ? 'bad' : 'wait';
  const line = element('p', tone);
  const time = element('time', '');
  time.dataset['since'] = String(since);
  line.append(element('span', 'word', stage === 'ok' ? 'the schema is ready' : stage), ' ', time);
  const figures = element('dl', 'figures');
  figures.append(figure('service', service, 'mono'));
  if (release !== '') figures.append(figure('release', release, 'mono'));
  figures.append(
    figure('phase', phases.includes(phase) && phases.length > 1 ? `${phase} of ${phases.join(', ')}` : phase),
  );
  const steps = element('p', 'steps quiet');
  for (const each of stages) steps.append(element('span', '', `${clock(each.at, Date.now())} ${each.stage}`));
  part('#migration .body').replaceChildren(line, figures, steps);
}

const plots = { lag: new Plot('behind'), rate: new Plot('speed') };

export function showShipping(shipping: ShippingStatus): void {
  const { to, files, acknowledged, already, rejected, retried, lostBytes, held, heldSince, lag, rate } = shipping;
  const body = part('#shipping .body');
  if (body.childElementCount === 0) {
    const pair = element('div', 'plots');
    pair.append(plots.lag.figure, plots.rate.figure);
    body.append(element('p', 'state'), pair, element('dl', 'figures'));
  }
  const state = part('#shipping .state');
  state.className = `state ${held === null ? 'well' : 'bad'}`;
  const since = heldSince === null ? '' : ` for ${lasted(Date.now() - heldSince)}`;
  const word = held === null ? 'lines go to ' : 'lines wait in their files: ';
  state.replaceChildren(
    element('span', 'word', word),
    element('span', '', held === null ? to : `${to}${since}: ${held}`),
  );
  plots.lag.show(lag, bytes);
  plots.rate.show(rate, (value) => `${count(value)} lines/s`);
  const list = part('#shipping dl');
  const figures: [string, string, string][] = [
    ['files', count(files), ''],
    ['acknowledged', count(acknowledged), ''],
    ['in already', count(already), ''],
    ['sent again', count(retried), ''],
    ['rejected', count(rejected), rejected > 0 ? 'bad' : ''],
    ['truncated unread', bytes(lostBytes), lostBytes > 0 ? 'bad' : ''],
  ];
  list.replaceChildren(...figures.map(([name, value, tone]) => figure(name, value, tone)));
}

export function showPlace({ pod, namespace, node, version, startedAt }: StatusDocument['about']): void {
  setText(part('#pod'), pod);
  const place = [namespace, node === null ? '' : `on ${node}`].filter((each) => each !== null && each !== '');
  const up = `up ${lasted(Date.now() - startedAt)}`;
  setText(part('#place'), [...place, `kolla-sidecar ${version}`, up].join(' · '));
  document.title = `${pod} · kolla-sidecar`;
}
