import * as v from 'valibot';
import { suggestion } from '../../core/nearest.ts';
import { parseOctal } from '../tree/access.ts';
import { hasMagic } from '../tree/glob.ts';
import { isMapping, isTrue } from '../python/values.ts';
import { slipsIn, whyMisplaced } from './slips.ts';

/** Python's truth values. */
const Flag = v.pipe(v.unknown(), v.transform(isTrue));

const Text = v.string((issue) => `must be a string, but is ${issue.received}`);
const Path = v.pipe(
  Text,
  v.check(
    (text) => text.startsWith('/'),
    ({ input }) => (input === '' ? 'is empty' : `must be an absolute path, but is ${JSON.stringify(input)}`),
  ),
  v.check((text) => !text.includes('\0'), 'has a NUL byte'),
);
/** Maximum length of a created name; the system would reject a longer one halfway through. */
const NAME_MAX_BYTES = 255;
const Destination = v.pipe(
  Path,
  v.check(
    (text) => text.split('/').every((name) => Buffer.byteLength(name) <= NAME_MAX_BYTES),
    `has a name of more than ${NAME_MAX_BYTES} bytes, which no file can have`,
  ),
);
const Mode = v.pipe(
  v.string((issue) => `must be octal digits in quotes, such as "0600", but is ${issue.received}`),
  v.check(
    (text) => text === '' || parseOctal(text) !== undefined,
    ({ input }) => `must be three or four octal digits, such as "0600", but is ${JSON.stringify(input)}`,
  ),
  // An empty mode, like null, keeps the source's mode.
  v.transform((text) => parseOctal(text) ?? null),
);
const OptionalMode = v.pipe(
  v.nullish(Mode),
  v.transform((mode) => mode ?? undefined),
);

const FileEntry = v.pipe(
  v.strictObject({
    source: Path,
    dest: Destination,
    owner: v.optional(Text),
    perm: v.optional(v.nullable(Mode)),
    optional: v.optional(Flag, false),
    preserve_properties: v.optional(Flag, false),
    merge: v.optional(Flag, false),
  }),
  v.check(
    (entry) => entry.preserve_properties || (entry.owner !== undefined && entry.perm !== undefined),
    'needs owner and perm (or preserve_properties)',
  ),
);

const Recursion = { recurse: v.optional(Flag, false), exclude: v.optional(v.unknown()) };
const PlainPath = v.pipe(
  Destination,
  v.check((path) => !hasMagic(path), 'must be a path and no pattern'),
);
const DirectoryEntry = v.strictObject({
  path: PlainPath,
  owner: Text,
  perm: v.pipe(
    Mode,
    v.transform((mode) => mode ?? undefined),
  ),
  ...Recursion,
});
// Kolla ignores unknown keys of a permission.
const PermissionEntry = v.looseObject({ path: Path, owner: Text, perm: OptionalMode, ...Recursion });

/** config.json as read by Kolla. Unknown keys are kept, for a warning. */
const Document = v.looseObject({
  command: Text,
  config_files: v.optional(v.array(FileEntry, 'must be a list'), []),
  files: v.optional(v.array(DirectoryEntry, 'must be a list'), []),
  directories: v.optional(v.array(DirectoryEntry, 'must be a list'), []),
  permissions: v.optional(v.array(PermissionEntry, 'must be a list'), []),
});

export type Document = v.InferOutput<typeof Document>;
export type DirectoryEntry = v.InferOutput<typeof DirectoryEntry>;
export type FileEntry = v.InferOutput<typeof FileEntry>;
export type PermissionEntry = v.InferOutput<typeof PermissionEntry>;

/** The typed document, or all its problems with their locations: `config_files[0].perm: must be ...`. */
export function parseDocument(value: unknown): Document | { readonly problems: string[] } {
  const result = v.safeParse(Document, value);
  const problems = [...(isMapping(value) ? slipsIn(value) : []), ...new Set((result.issues ?? []).map(describe))];
  return result.success && problems.length === 0 ? result.output : { problems };
}

function describe(issue: v.BaseIssue<unknown>): string {
  const path = issue.path ?? [];
  const keys = path.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${key as string}`));
  const place = keys.join('');
  const where = place.replace(/^\./, '') || 'the document';
  const misplaced = path.length > 2 ? whyMisplaced(path[2]?.input) : undefined;
  if (misplaced !== undefined && path[0]?.key !== 'config_files') return `${where.replace(/\.\w+$/, '')}: ${misplaced}`;
  if (!issue.type.endsWith('_object')) return `${where}: ${issue.message}`;
  if (issue.expected === 'never') {
    const { entries } = where.startsWith('config_files') ? FileEntry : DirectoryEntry;
    return `${where}: there is no such key${suggestion(keys.at(-1)?.slice(1) ?? '', Object.keys(entries))}`;
  }
  if (issue.received === 'undefined') return `${where}: is missing`;
  return `${where}: must be a mapping, but is ${issue.received}`;
}
