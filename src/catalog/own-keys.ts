import * as v from 'valibot';
import { Argv } from './own-step.ts';
import { AbsolutePath, ListOf, Place, Text } from './own-words.ts';

const NOT_A_NUMBER = 'must be a whole number from 0 to 999999999';
const Figure = v.strictObject({
  place: v.optional(Place),
  usual: v.pipe(
    v.number(NOT_A_NUMBER),
    v.integer(NOT_A_NUMBER),
    v.minValue(0, NOT_A_NUMBER),
    v.maxValue(999_999_999, NOT_A_NUMBER),
  ),
});

/** `keys:` of a service: folders of Fernet keys that its replicas share. */
export const Keys = v.pipe(
  ListOf(
    v.strictObject({
      name: v.pipe(Text, v.regex(/^[a-z][a-z0-9-]{0,47}$/, 'is no name: lower-case letters, digits and -')),
      secret: v.pipe(
        Text,
        v.regex(/^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, 'is no name that Kubernetes has for a Secret'),
      ),
      folder: AbsolutePath,
      folderAt: Place,
      keep: Figure,
      lifetime: v.optional(ListOf(Figure)),
      reencrypt: v.optional(Argv),
    }),
  ),
  v.check((all) => isApart(all.map(({ name }) => name)), 'has two of one name'),
  v.check(
    (all) => isApart(all.map(({ secret }) => secret)),
    'has two in one Secret, which the rotation of either would spoil',
  ),
);

/** The keys of each mapping, by the name that it stands under. */
export const KEYS_KEYS: Readonly<Record<string, readonly string[]>> = {
  keys: ['name', 'secret', 'folder', 'folderAt', 'keep', 'lifetime', 'reencrypt'],
  folderAt: ['section', 'key'],
  keep: ['place', 'usual'],
  lifetime: ['place', 'usual'],
  place: ['section', 'key'],
};

function isApart(words: readonly string[]): boolean {
  return new Set(words).size === words.length;
}
