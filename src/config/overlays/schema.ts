import * as v from 'valibot';
import { suggestion } from '../../core/nearest.ts';
import { DEFAULT_ALLOWED, normalPath } from './overlay.ts';

const Text = v.string((issue) => `must be a string, but is ${issue.received}`);
const File = v.pipe(
  Text,
  v.check((text) => text.startsWith('/') && !text.endsWith('/'), 'must be the absolute path of a file'),
  v.transform(normalPath),
);
const Name = v.pipe(Text, v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable'));
const Section = v.pipe(
  Text,
  v.regex(/^[^\s[\]](?:[^\n\r[\]]*[^\s[\]])?$/, 'must be the name of a section, without brackets'),
);
const Key = v.pipe(
  Text,
  v.regex(/^[^\s[#;=:](?:[^\n\r=:]*[^\s=:])?$/, 'must be the name of an option, without = and :'),
);
const Value = v.pipe(
  v.union([v.string(), v.number(), v.boolean()], (issue) => `must be a word, but is ${issue.received}`),
  v.transform(String),
);

const Ini = v.strictObject({ file: File, section: v.optional(Section, 'DEFAULT'), key: Key, value: Value });
const InText = v.strictObject({ file: File });
const Password = v.strictObject({
  file: File,
  name: v.pipe(Text, v.regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, 'must be a name of letters, digits, _, . and -')),
  source: File,
  secret: v.optional(Text),
  key: v.optional(Text),
});
const Overlays = v.strictObject({
  allow: v.optional(v.array(Name, 'must be a list of names'), [...DEFAULT_ALLOWED]),
  ini: v.optional(v.array(Ini, 'must be a list'), []),
  text: v.optional(v.array(InText, 'must be a list'), []),
  passwords: v.optional(v.array(Password, 'must be a list'), []),
});

export type OverlaySection = v.InferOutput<typeof Overlays>;

/** The typed section, or all its problems with their locations: `overlays.ini[0].key: is missing`. */
export function parseOverlays(section: unknown): OverlaySection | { readonly problems: string[] } {
  const result = v.safeParse(Overlays, section);
  if (!result.success) return { problems: result.issues.map(describe) };
  const { ini, text, passwords } = result.output;
  const named = passwords.map(({ file, name }) => ({ file, key: name }));
  const problems = [...twice('ini', ini), ...twice('text', text), ...twice('passwords', named)];
  return problems.length > 0 ? { problems } : result.output;
}

function twice(list: string, items: readonly Readonly<Record<string, string>>[]): string[] {
  const identity = ({ file, section = '', key = '' }: Readonly<Record<string, string>>) =>
    JSON.stringify([file, section === 'DEFAULT' ? section : section.toLowerCase(), key]);
  const all = items.map(identity);
  return all.flatMap((one, i) =>
    all.indexOf(one) === i
      ? []
      : [`overlays.${list}[${i}]: duplicates overlays.${list}[${all.indexOf(one)}]; keep one`],
  );
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  ini: ['file', 'section', 'key', 'value'],
  text: ['file'],
  passwords: ['file', 'name', 'source', 'secret', 'key'],
  overlays: ['allow', 'ini', 'text', 'passwords'],
};

function describe(issue: v.BaseIssue<unknown>): string {
  const path = issue.path ?? [];
  const place = `overlays${path.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${key as string}`)).join('')}`;
  if (!issue.type.endsWith('_object')) return `${place}: ${issue.message}`;
  if (issue.expected === 'never') {
    const valid = KEYS[path.length === 1 ? 'overlays' : (path[0]?.key as string)] ?? [];
    return `${place}: there is no such key${suggestion(String(path.at(-1)?.key), valid)}`;
  }
  if (issue.received === 'undefined') return `${place}: is missing`;
  return `${place}: must be a mapping, but is ${issue.received}`;
}
