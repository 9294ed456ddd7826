import { normalize } from 'node:path';
import * as v from 'valibot';
import { documented } from '../../core/documented.ts';
import { suggestion } from '../../core/nearest.ts';
import { parseNetwork } from '../../net/network.ts';
import { DEFAULT_ALLOWED } from './overlay.ts';

const Text = v.string((issue) => `must be a string, but is ${issue.received}`);
const File = v.pipe(
  Text,
  v.check((text) => text.startsWith('/') && !text.endsWith('/'), 'must be the absolute path of a file'),
  v.transform(normalize),
  v.metadata({ pattern: '^/.*[^/]$' }),
);
const Dest = documented(File, 'path, as in dest in config.json', { examples: ['/etc/nova/nova.conf'] });
const Name = v.pipe(Text, v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable'));
const Network = v.pipe(
  Text,
  v.check(isNetwork, 'must be a network, as 192.0.2.0/24 or fd00::/64'),
  v.examples(['192.0.2.0/24']),
);
const Section = v.pipe(
  Text,
  v.regex(/^[^\s[\]](?:[^\n\r[\]]*[^\s[\]])?$/, 'must be the name of a section, without brackets'),
);
const Key = v.pipe(
  Text,
  v.regex(/^[^\s[#;=:](?:[^\n\r=:]*[^\s=:])?$/, 'must be the name of an option, without = and :'),
  v.examples(['my_ip']),
);
const Value = v.pipe(
  v.union([v.string(), v.number(), v.boolean()], (issue) => `must be a word, but is ${issue.received}`),
  v.transform(String),
  v.metadata({ description: 'value; $(NAME) stands for an environment variable', examples: ['$(POD_IP)'] }),
);

const Ini = v.strictObject({ file: Dest, section: v.optional(Section, 'DEFAULT'), key: Key, value: Value });
const InText = v.strictObject({ file: Dest });
const Password = v.strictObject({
  file: Dest,
  name: v.pipe(
    Text,
    v.regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, 'must be a name of letters, digits, _, . and -'),
    v.examples(['nova_database_password']),
  ),
  source: documented(File, 'where it is mounted', {
    examples: ['/var/lib/kolla/config_files/.passwords/nova_database_password'],
  }),
  secret: v.optional(documented(Text, 'name of its Secret, for messages')),
  key: v.optional(documented(Text, 'its key there, for messages')),
});
/** The section `overlays:`. */
export const OverlaysSection = documented(
  v.strictObject({
    allow: v.optional(documented(v.array(Name, 'must be a list of names'), 'environment variables that may be used'), [
      ...DEFAULT_ALLOWED,
    ]),
    addresses: v.optional(
      documented(
        v.record(Name, Network, 'must be a mapping'),
        'names for the address that this Pod, or with hostNetwork its node, has in a network',
      ),
      {},
    ),
    ini: v.optional(documented(v.array(Ini, 'must be a list'), 'options to set in files for oslo.config'), []),
    text: v.optional(documented(v.array(InText, 'must be a list'), 'files in which $(NAME) is replaced'), []),
    passwords: v.optional(
      documented(
        v.array(Password, 'must be a list'),
        'passwords in separate files, for $(password:NAME) in other files',
      ),
      [],
    ),
  }),
  "Per-Pod values from the container's environment, and passwords, in files shared by all Pods.",
);

export type OverlaySection = v.InferOutput<typeof OverlaysSection>;

/** The typed section, or all its problems with their locations: `overlays.ini[0].key: is missing`. */
export function parseOverlays(section: unknown): OverlaySection | { readonly problems: string[] } {
  const result = v.safeParse(OverlaysSection, section);
  if (!result.success) return { problems: result.issues.map(describe) };
  const { ini, text, passwords } = result.output;
  const named = passwords.map(({ file, name }) => ({ file, key: name }));
  const problems = [...twice('ini', ini), ...twice('text', text), ...twice('passwords', named)];
  return problems.length > 0 ? { problems } : result.output;
}

function isNetwork(text: string): boolean {
  try {
    parseNetwork(text);
    return true;
  } catch {
    return false;
  }
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

const ITEMS: Readonly<Record<string, { readonly entries: object }>> = { ini: Ini, text: InText, passwords: Password };

function describe(issue: v.BaseIssue<unknown>): string {
  const path = issue.path ?? [];
  const place = `overlays${path.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${key as string}`)).join('')}`;
  if (!issue.type.endsWith('_object')) return `${place}: ${issue.message}`;
  if (issue.expected === 'never') {
    const { entries } = (path.length > 1 && ITEMS[path[0]?.key as string]) || OverlaysSection;
    return `${place}: there is no such key${suggestion(String(path.at(-1)?.key), Object.keys(entries))}`;
  }
  if (issue.received === 'undefined') return `${place}: is missing`;
  return `${place}: must be a mapping, but is ${issue.received}`;
}
