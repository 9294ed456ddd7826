import { normalize } from 'node:path/posix';
import type { Seen } from '../tree.ts';
import type { Difference, Situation } from './compare.ts';
import { entriesOf, isEmptyDirectoryGone, isNoisy, trackedDests } from './entries.ts';

/** An intended difference, with its line in docs/reference/kolla-contract.md. */
export interface Deviation {
  readonly name: string;
  /** The two trees differ afterwards, so that later starts cannot be compared. */
  readonly parts: boolean;
  readonly explains: (difference: Difference, situation: Situation) => boolean;
}

const DEFAULTS = 'etc/kolla/defaults';
const STATE = `${DEFAULTS}/state`;
/** Errors of Kolla's `--check` in cases in which there is a difference to report. */
const STUMBLES = /^(?:FileNotFoundError|NotADirectoryError|IsADirectoryError|KeyError: 'get(?:pwu|grg)id)/m;

export const DEVIATIONS: readonly Deviation[] = [
  {
    name: 'swapped paths in the state are corrected',
    parts: false,
    explains: ({ what, path, theirs, ours }) =>
      what === 'tree' &&
      path === STATE &&
      unswapped(theirs) === unswapped(ours) &&
      unswapped(ours) === JSON.stringify(JSON.parse(stateIn(ours))),
  },
  {
    name: 'a check exits with 1 where Kolla’s fails on the difference (2)',
    parts: false,
    explains: ({ what }, { run, theirs, ours }) =>
      isVerdict(what) && isCheck(run) && theirs.code === 2 && ours.code === 1 && STUMBLES.test(theirs.stderr),
  },
  {
    name: 'a check reports no change where Kolla’s always reports one',
    parts: false,
    explains: ({ what }, { run, config, theirs, ours }) =>
      isVerdict(what) &&
      isCheck(run) &&
      theirs.code !== 0 &&
      // Ours may continue until it reaches an invalid entry (2).
      (ours.code !== 1 || what === 'class') &&
      isNoisy(theirs, ours, config),
  },
  {
    name: 'a check reports a missing empty directory',
    parts: false,
    explains: ({ what }, { run, config, theirs, ours }) =>
      isVerdict(what) && isCheck(run) && theirs.code === 0 && ours.code === 1 && isEmptyDirectoryGone(ours, config),
  },
  {
    name: 'a destination through `..` of a missing directory is created',
    parts: true,
    explains: ({ what }, { theirs, ours }) =>
      isVerdict(what) && theirs.code === 2 && ours.code === 0 && /^FileExistsError: .*\/\.\.\//m.test(theirs.stderr),
  },
  {
    name: 'a destination that is a link to a directory is replaced',
    parts: true,
    explains: ({ what }, { theirs, ours }) =>
      isVerdict(what) &&
      theirs.code === 2 &&
      theirs.code !== ours.code &&
      theirs.stderr.includes('Cannot call rmtree on a symbolic link'),
  },
  {
    name: 'a merged directory keeps its content',
    parts: true,
    explains: ({ what, path, theirs, ours }, { config, run, theirs: { before }, ours: { tree } }) => {
      const merged = entriesOf(config).flatMap((entry) =>
        entry.merge ? trackedDests([entry]).flatMap((dest) => [dest, throughLinks(before, dest)]) : [],
      );
      const tracked = merged.filter((dest) =>
        [throughLinks(before, dest), `${DEFAULTS}/${dest}`].some((place) => isDirectory(before.get(place))),
      );
      // Copies from a merged directory also differ, or fail.
      if (entriesOf(config).some(({ source }) => tracked.some((dest) => isNear(source, `/${dest}`))))
        return what !== 'touched' && !isCheck(run);
      if (what === 'line') return tracked.some((dest) => normalize(theirs + ours).includes(dest));
      // A service's file that stayed in the directory is saved once it gets an entry.
      const saved = [...tree.keys()].filter(
        (one) =>
          tracked.some((dest) => one.startsWith(`${DEFAULTS}/${dest}/`)) && before.has(one.slice(DEFAULTS.length + 1)),
      );
      if (path === STATE)
        return isSameState(
          theirs,
          ours,
          (key, their, our) => their === null && our !== null && saved.includes(normalize(`${DEFAULTS}/${key}`)),
        );
      const holdsSaved = saved.some((one) => one.startsWith(`${path}/`));
      if (what === 'tree' && theirs === 'absent' && ours.startsWith('directory') && holdsSaved) return true;
      // The saved copy of a parent directory contains the merged directory as well.
      const isIn = tracked.some((dest) =>
        [dest, `${DEFAULTS}/${dest}`].some((top) => `${path}/`.startsWith(`${top}/`)),
      );
      // An existing directory keeps its mode if the entry has none.
      return (
        what === 'tree' &&
        isIn &&
        (theirs === 'absent' || (theirs.startsWith('directory') && ours.startsWith('directory')))
      );
    },
  },
  {
    name: 'an installed dangling link is removed again',
    parts: true,
    explains: ({ what, path, theirs, ours }, { config, theirs: { before, code, stderr } }) => {
      // The link's target may also be installed, and is then removed first.
      const installed = new Set(trackedDests(entriesOf(config)).map((dest) => throughLinks(before, dest)));
      const isPut = (written: string) => {
        const one = throughLinks(before, written);
        const target = before.get(one)?.what.startsWith('link ') ? targetOf(one, before.get(one)!) : undefined;
        return target !== undefined && (target === one || !before.has(target) || installed.has(target));
      };
      if (isVerdict(what)) {
        const [, error = '', named = ''] = /^(\w+Error): .*'\/(.*)'$/m.exec(stderr) ?? [];
        // The link blocks the image's directory at that path, or a directory that contains the link cannot be copied.
        const isCopied = entriesOf(config).some(({ source }) => `/${named}`.startsWith(`${normalize(source)}/`));
        return code === 2 && isPut(named) && (error === 'FileExistsError' || isCopied);
      }
      if (what === 'tree') return theirs.startsWith('link ') && ours === 'absent' && isPut(path);
      return what === 'line' && isPut(normalize(theirs.replace('INFO Deleting ', '/')).slice(1));
    },
  },
  {
    name: 'the image’s own links are kept as links',
    parts: true,
    explains: (difference, situation) => isAboutKeptLinks(difference, situation),
  },
  {
    name: 'a link that a service could have placed is not followed',
    parts: true,
    explains: ({ what }, { theirs, ours }) =>
      isVerdict(what) && theirs.code === 0 && ours.code === 1 && ours.stderr.includes(' and is not followed: '),
  },
  {
    name: 'recurse stays within the directory',
    parts: true,
    explains: ({ what, path, theirs, ours }, { config, theirs: { tree } }) => {
      if (!JSON.stringify(config).includes('"recurse":true')) return false;
      const links = [...tree].filter(([, seen]) => seen.what.startsWith('link '));
      if (what === 'line')
        return links.some(([link]) => theirs.endsWith(`/${link}`) || theirs.endsWith(`/${link} does not exist`));
      const isTarget = links.some(([link, seen]) =>
        [targetOf(link, seen), `${DEFAULTS}/${targetOf(link, seen)}`].includes(path),
      );
      return what === 'tree' && isTarget && withoutRights(theirs) === withoutRights(ours);
    },
  },
  {
    name: 'with several exclude patterns, a path is logged once',
    parts: false,
    explains: ({ what, theirs, ours }, { ours: { stderr } }) =>
      what === 'line' && ours === '' && theirs.startsWith('INFO Setting permission for /') && stderr.includes(theirs),
  },
];

export function deviationOf(difference: Difference, situation: Situation): Deviation | undefined {
  return DEVIATIONS.find((rule) => rule.explains(difference, situation));
}

function isNear(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

function isCheck(run: Situation['run']): boolean {
  return run.argv?.includes('--check') ?? false;
}

function isVerdict(what: Difference['what']): boolean {
  return what === 'code' || what === 'class';
}

function isDirectory(seen: Seen | undefined): boolean {
  return seen?.what.startsWith('directory') ?? false;
}

/** A state as `file 0:0 644 {...} @time`. */
function stateIn(told: string): string {
  return told.slice(told.indexOf('{'), told.lastIndexOf('}') + 1);
}

type State = Record<string, { source: string; dest: string | null }>;

function stateOf(told: string): State {
  const state = JSON.parse(stateIn(told) || '{}') as State;
  for (const [key, entry] of Object.entries(state))
    if (entry.dest === key) [entry.source, entry.dest] = [entry.dest, entry.source];
  return state;
}

type Dest = string | null | undefined;

/** Whether the two differ in destinations only, and only in those that `may` differ. */
function isSameState(theirs: string, ours: string, may: (key: string, their: Dest, our: Dest) => boolean): boolean {
  const [their, our] = [stateOf(theirs), stateOf(ours)];
  const unlike = Object.keys({ ...their, ...our }).filter((key) => their[key]?.dest !== our[key]?.dest);
  const rights = (told: string) => told.slice(0, told.indexOf('{'));
  return (
    rights(theirs) === rights(ours) &&
    unlike.length > 0 &&
    unlike.every((key) => may(key, their[key]?.dest, our[key]?.dest))
  );
}

function unswapped(told: string): string {
  return JSON.stringify(stateOf(told));
}

function targetOf(link: string, { what }: Seen): string {
  const target = what.slice('link '.length);
  return normalize(target.startsWith('/') ? target : `/${link}/../${target}`).slice(1);
}

/** Resolves a path in which directories may be links. */
function throughLinks(tree: ReadonlyMap<string, Seen>, path: string): string {
  for (const [link, seen] of tree)
    if (seen.what.startsWith('link ') && path.startsWith(`${link}/`))
      return targetOf(link, seen) + path.slice(link.length);
  return path;
}

function withoutRights(told: string): string {
  return told.replace(/^(\w+) \S+ \S+/, '$1').replace(/ @[\d.]+$/, '');
}

/** Saved copies below `defaults`, files restored from them, and their entries in the state. */
function isAboutKeptLinks(
  { what, path, theirs, ours }: Difference,
  { config, theirs: their, ours: our }: Situation,
): boolean {
  const wasLink = (key: string) => our.before.get(key)?.what.startsWith('link ') ?? false;
  const kept = [...our.tree].flatMap(([one, seen]) =>
    // A relative destination is appended without a slash, in Kolla's tool as well.
    one.startsWith(DEFAULTS) && seen.what.startsWith('link ') ? [one] : [],
  );
  const inImage = kept.map((one) => one.slice(DEFAULTS.length).replace(/^\//, ''));
  const near = (one: string) => [...kept, ...inImage].some((link) => `${one}/`.startsWith(`${link}/`));
  if (isVerdict(what)) {
    const stumbled = /in backup_configs|in remove_or_restore_configs/.test(their.stderr);
    const links = [...our.before].flatMap(([one, seen]) => (seen.what.startsWith('link ') ? [one] : []));
    const dests = trackedDests(entriesOf(config));
    const isIn = dests.some((dest) => links.some((link) => isNear(link, dest)));
    return their.code === 2 && our.code !== 2 && stumbled && isIn;
  }
  if (what === 'line') {
    const words = (theirs + ours).match(/\/\S+/g) ?? [];
    return words.some((word) =>
      [...kept, ...inImage].some((link) => isNear(normalize(word).replace(/\/$/, ''), `/${link}`)),
    );
  }
  if (what !== 'tree' || kept.length === 0) return false;
  if (path === STATE) return isSameState(theirs, ours, (key) => wasLink(normalize(key).replace(/^\//, '')));
  return (
    near(path) ||
    (theirs === 'absent' && ours.startsWith('directory') && kept.some((link) => link.startsWith(`${path}/`)))
  );
}
