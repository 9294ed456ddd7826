import { normalize } from 'node:path/posix';
import { hasMagic } from '../../../../src/config/tree/glob.ts';
import type { Outcome } from '../play.ts';

/** An entry of config_files, with the fields that rules read. */
export interface Entry {
  readonly source: string;
  readonly dest: string;
  readonly perm: unknown;
  readonly merge: unknown;
  readonly preserve: unknown;
}

/** The entries of a valid configuration in JSON; none if it is YAML. */
export function entriesOf(config: unknown): Entry[] {
  const { config_files: entries } = (config ?? {}) as { config_files?: unknown };
  if (!Array.isArray(entries)) return [];
  return (entries as Record<string, unknown>[]).map((entry) => ({
    source: String(entry['source']),
    dest: String(entry['dest']),
    perm: entry['perm'],
    merge: entry['merge'],
    preserve: entry['preserve_properties'],
  }));
}

/** Destinations of the entries as the tool tracks them, without the leading slash. */
export function trackedDests(entries: readonly Entry[]): string[] {
  return entries.map(({ source, dest }) =>
    plain(dest.endsWith('/') ? dest + source.slice(source.lastIndexOf('/') + 1) : dest),
  );
}

function plain(path: string): string {
  return normalize(`/${path}`).replace(/\/$/, '').slice(1);
}

/**
 * Whether a report of Kolla's check is false according to docs/reference/kolla-contract.md: each reported source has a
 * mode that it cannot compare, keeps its properties, is a directory with subdirectories, or has a destination within
 * another entry's.
 */
export function isNoisy(theirs: Outcome, ours: Outcome, config: unknown): boolean {
  const entries = entriesOf(config);
  // Kolla's check opens destinations that are links, or that a later entry has replaced by a directory.
  if (theirs.code === 2)
    return entries.some(
      (entry) =>
        overlaps(entry, entries) || leadsElsewhere(entry, ours) || (isTrue(entry.merge) && isTrue(entry.preserve)),
    );
  const sources = namedIn(theirs);
  return (
    sources.length > 0 &&
    sources.every((source) =>
      entries.some((entry) => {
        if (entry.source !== source && !hasMagic(entry.source)) return false;
        const unlike = typeof entry.perm !== 'string' || !/^[0-7]{4}$/.test(entry.perm);
        const shared = overlaps(entry, entries) || entries.some((one) => leadsElsewhere(one, ours));
        return unlike || isTrue(entry.preserve) || hasDirectories(ours, source) || shared;
      }),
    )
  );
}

/** Whether our check reports a missing directory without files, which Kolla's check ignores. */
export function isEmptyDirectoryGone(ours: Outcome, config: unknown): boolean {
  const named = namedIn(ours);
  return named.length > 0 && named.every((source) => hasEmptyDirectoryGone(ours, config, source));
}

function hasEmptyDirectoryGone(ours: Outcome, config: unknown, source: string): boolean {
  const top = directoryOf(ours, plain(source));
  const places = trackedDests(entriesOf(config).filter((entry) => entry.source === source));
  return [...ours.tree].some(([path, { what }]) => {
    if (!what.startsWith('directory') || !`${path}/`.startsWith(`${top}/`)) return false;
    const isEmpty = ![...ours.tree].some(
      ([one, seen]) => one.startsWith(`${path}/`) && !seen.what.startsWith('directory'),
    );
    return (
      isEmpty && places.some((place) => !ours.tree.get(place + path.slice(top.length))?.what.startsWith('directory'))
    );
  });
}

/** The target of a link to a directory next to it. */
function directoryOf({ tree }: Outcome, path: string): string {
  const [, target] = /^link (\w+)$/.exec(tree.get(path)?.what ?? '') ?? [];
  return target === undefined ? path : plain(`${path}/../${target}`);
}

/** The sources that a check reports. */
function namedIn({ stderr }: Outcome): string[] {
  const list = /Following files are in bad state: \[(.*)\]/.exec(stderr)?.[1] ?? '';
  return [...list.matchAll(/'([^']*)'/g)].map(([, source]) => source!);
}

function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function hasDirectories({ tree }: Outcome, source: string): boolean {
  const top = plain(source);
  const seen = tree.get(top)?.what;
  // The directory of a link is not resolved; it may be any directory in the tree.
  if (seen?.startsWith('link ')) return true;
  return [...tree].some(([path, { what }]) => path.startsWith(`${top}/`) && /^(?:directory|link) /.test(what));
}

function overlaps(entry: Entry, entries: readonly Entry[]): boolean {
  // If a pattern matches several files for one destination, the last one is installed.
  if (hasMagic(entry.source) && !entry.dest.endsWith('/')) return true;
  const own = placeOf(entry);
  return entries.some((other) => {
    const dest = placeOf(other);
    const passes = entry.dest.startsWith(`${other.dest}/`);
    return other !== entry && (passes || `${own}/`.startsWith(`${dest}/`) || `${dest}/`.startsWith(`${own}/`));
  });
}

/** The destination of an entry as the tool tracks it, or the directory into which a pattern's matches are copied. */
function placeOf({ source, dest }: Entry): string {
  const [tracked = ''] = trackedDests([{ source, dest, perm: '', merge: false, preserve: false }]);
  return hasMagic(source) && dest.endsWith('/') ? plain(dest) : tracked;
}

/** Whether the destination is below a link, which may lead to the destination of another entry. */
function leadsElsewhere(entry: Entry, { before }: Outcome): boolean {
  return [...before].some(
    ([path, { what }]) => what.startsWith('link ') && `${placeOf(entry)}/`.startsWith(`${path}/`),
  );
}
