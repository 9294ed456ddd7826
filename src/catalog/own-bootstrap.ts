import * as v from 'valibot';
import { AbsolutePath, Argv, ListOf, Mapping, ConfigOption, Text } from './own-words.ts';
import { INTERFACES, type Interface } from './service.ts';

const Grant = v.pipe(
  v.strictObject({
    role: Text,
    project: v.optional(Text),
    domain: v.optional(Text),
    system: v.optional(v.literal('all', "must be 'all' or omitted")),
  }),
  v.check(
    ({ project, domain, system }) => [project, domain, system].filter((target) => target !== undefined).length === 1,
    'must name one of project, domain and system',
  ),
);
const User = v.strictObject({
  name: Text,
  domain: v.optional(Text),
  grants: ListOf(Grant),
  places: v.optional(
    v.strictObject({
      name: v.optional(ConfigOption),
      password: ConfigOption,
      domain: v.optional(ConfigOption),
      project: v.optional(ConfigOption),
      projectDomain: v.optional(ConfigOption),
    }),
  ),
});
const NOT_A_PORT = 'must be a port from 1 to 65535';
const Endpoint = v.strictObject({
  port: v.pipe(v.number(NOT_A_PORT), v.integer(NOT_A_PORT), v.minValue(1, NOT_A_PORT), v.maxValue(65_535, NOT_A_PORT)),
  path: v.pipe(
    v.string('must be a string'),
    v.check((path) => path === '' || path.startsWith('/'), 'must be empty or start with /'),
  ),
});
const Endpoints = v.strictObject(
  Object.fromEntries(INTERFACES.map((name) => [name, v.optional(Endpoint)])) as Record<
    Interface,
    v.OptionalSchema<typeof Endpoint, undefined>
  >,
);

/** `identity:` of a service: its objects in Keystone. */
export const Identity = v.strictObject({
  domains: v.optional(ListOf(Text)),
  roles: v.optional(ListOf(Text)),
  users: v.optional(ListOf(User)),
  services: v.optional(
    v.pipe(
      ListOf(v.strictObject({ name: Text, type: Text, description: Text, endpoints: v.pipe(Mapping, Endpoints) })),
      v.check((all) => isApart(all.map(({ name }) => name)), 'has two entries of one name'),
      v.check((all) => isApart(all.map(({ type }) => type)), 'has two entries of one type'),
    ),
  ),
});

/** `queue:` of a service: its objects in RabbitMQ. */
export const Queue = v.strictObject({
  vhost: Text,
  user: Text,
  url: ListOf(ConfigOption),
  optional: v.optional(v.literal(true, 'must be true or omitted')),
});

const NOT_A_NUMBER = 'must be a whole number from 0 to 999999999';
const Figure = v.strictObject({
  place: v.optional(ConfigOption),
  usual: v.pipe(
    v.number(NOT_A_NUMBER),
    v.integer(NOT_A_NUMBER),
    v.minValue(0, NOT_A_NUMBER),
    v.maxValue(999_999_999, NOT_A_NUMBER),
  ),
});

/** `keys:` of a service: Fernet key directories shared by its replicas. */
export const Keys = v.pipe(
  ListOf(
    v.strictObject({
      name: v.pipe(Text, v.regex(/^[a-z][a-z0-9-]{0,47}$/, 'is not a name of lower-case letters, digits and -')),
      secret: v.pipe(
        Text,
        v.regex(/^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, 'is not a valid name of a Secret'),
      ),
      directory: AbsolutePath,
      directoryAt: ConfigOption,
      keep: Figure,
      lifetime: v.optional(ListOf(Figure)),
      reencrypt: v.optional(Argv),
    }),
  ),
  v.check((all) => isApart(all.map(({ name }) => name)), 'has two entries of one name'),
  v.check(
    (all) => isApart(all.map(({ secret }) => secret)),
    'has two in one Secret, which a rotation of either would corrupt',
  ),
);

function isApart(words: readonly string[]): boolean {
  return new Set(words).size === words.length;
}
