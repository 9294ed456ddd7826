import { UsageError } from '../../core/errors.ts';
import { optionsOf } from '../../cli/section.ts';
import { STARTING, type FileInPlace, type WatchStatus } from '../../config/watch/index.ts';
import { NO_ACTIONS } from '../../container/init/on-change/index.ts';
import { checkedActions, runWatch, type WatchRunStatus } from '../../container/init/run-watch.ts';
import { INIT } from '../../container/init/section.ts';
import { WATCH_OPTIONS, watchSettings } from '../../container/init/watch.ts';
import type { Making, PreparedComponent } from './component.ts';
import { QUICK_BACKOFF } from './component.ts';
import type { ConfigStatus, FileStatus, Refusal } from '../status/document.ts';

/** Time to stop: it ends between two files, and a running action is aborted. */
const STOP_MS = 10_000;
const REFUSALS_KEPT = 10;

/** kolla-init watch in kolla-sidecar: keeps the configuration in sync with its ConfigMap. */
export async function prepareConfigWatch({ context }: Making): Promise<PreparedComponent> {
  const { inherited, podFile } = context;
  const options = await optionsOf(INIT, 'watch', WATCH_OPTIONS, inherited, podFile);
  const settings = await watchSettings(options, context);
  const actions = checkedActions(settings, inherited);
  if (actions.some(({ kind }) => kind === 'exit'))
    throw new UsageError(
      'init.watch.on-change: exit would stop the other components of kolla-sidecar too; use signal, exec or http',
    );
  let now: WatchRunStatus = { config: STARTING, actions: NO_ACTIONS };
  let inPlace: { readonly version: string; readonly configMap: string | undefined } | undefined;
  let refusals: readonly Refusal[] = [];
  const onStatus = (next: WatchRunStatus) => {
    const { state, version, configMap, looked, refused, problem } = next.config;
    if (state === 'in-step' && version !== undefined && version !== inPlace?.version) inPlace = { version, configMap };
    if (state === 'refused' && refused > now.config.refused) {
      const refusal = { name: looked ?? '', configMap: configMap ?? null, at: Date.now(), reason: problem ?? '' };
      refusals = [refusal, ...refusals.filter(({ name }) => name !== refusal.name)].slice(0, REFUSALS_KEPT);
    }
    now = next;
  };
  return {
    component: {
      name: 'config-watch',
      holdsStartup: false,
      stopMs: STOP_MS,
      backoff: QUICK_BACKOFF,
      run: ({ signal, log }) => runWatch(settings, { signal, log, inherited }, onStatus),
    },
    sources: {
      config: () => configOf(now, inPlace?.configMap),
      files: () => filesOf(now.config.files),
      refusals: () => refusals,
    },
  };
}

function configOf({ config, actions }: WatchRunStatus, configMap: string | undefined): ConfigStatus {
  const { state, version, applied, refused, failed, lastChangeMs, problem }: WatchStatus = config;
  return {
    state,
    version: version ?? null,
    configMap: configMap ?? null,
    applied,
    refused,
    failed,
    lastChange: lastChangeMs ?? null,
    problem: problem ?? null,
    actions: { ...actions, pending: actions.pending ?? null, problem: actions.problem ?? null },
  };
}

const shown = new WeakMap<FileInPlace, FileStatus>();

/** Keeps the object of an unchanged file, so that the hub sees no change. */
function filesOf(files: readonly FileInPlace[]): readonly FileStatus[] {
  return files.map((file) => {
    const known = shown.get(file);
    if (known !== undefined) return known;
    const row = { name: file.dest, since: Math.round(file.sinceMs), configMap: file.configMap ?? null };
    shown.set(file, row);
    return row;
  });
}
