import * as v from 'valibot';
import { documented } from '../core/documented.ts';
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
  v.metadata({ oneOf: ['project', 'domain', 'system'].map((target) => ({ required: [target] })) }),
);
const User = v.strictObject({
  name: Text,
  domain: v.optional(documented(Text, 'default: Default')),
  grants: ListOf(Grant),
  places: v.optional(
    documented(
      v.strictObject({
        name: v.optional(ConfigOption),
        password: ConfigOption,
        domain: v.optional(ConfigOption),
        project: v.optional(ConfigOption),
        projectDomain: v.optional(ConfigOption),
      }),
      "options of configFile with the service's Keystone account",
    ),
  ),
});
const NOT_A_PORT = 'must be a port from 1 to 65535';
const Endpoint = v.strictObject({
  port: v.pipe(v.number(NOT_A_PORT), v.integer(NOT_A_PORT), v.minValue(1, NOT_A_PORT), v.maxValue(65_535, NOT_A_PORT)),
  path: v.pipe(
    v.string('must be a string'),
    v.check((path) => path === '' || path.startsWith('/'), 'must be empty or start with /'),
    v.metadata({ pattern: '^(/.*)?$', examples: ['', '/v3/%(project_id)s'] }),
  ),
});
const Endpoints = v.strictObject(
  Object.fromEntries(INTERFACES.map((name) => [name, v.optional(Endpoint)])) as Record<
    Interface,
    v.OptionalSchema<typeof Endpoint, undefined>
  >,
);

const IdentityObjects = v.strictObject({
  domains: v.optional(documented(ListOf(Text), 'in addition to Default')),
  roles: v.optional(documented(ListOf(Text), 'required by its policies')),
  users: v.optional(ListOf(User)),
  services: v.optional(
    v.pipe(
      ListOf(v.strictObject({ name: Text, type: Text, description: Text, endpoints: v.pipe(Mapping, Endpoints) })),
      v.check((all) => isApart(all.map(({ name }) => name)), 'has two entries of one name'),
      v.check((all) => isApart(all.map(({ type }) => type)), 'has two entries of one type'),
    ),
  ),
});

/** `identity:` of a service: its objects in Keystone. */
export const Identity = documented(v.pipe(Mapping, IdentityObjects), 'objects required in Keystone');

/** `queue:` of a service: its objects in RabbitMQ. */
export const Queue = documented(
  v.strictObject({
    vhost: Text,
    user: Text,
    url: documented(ListOf(ConfigOption), 'options of configFile with its transport URL'),
    optional: v.optional(documented(v.literal(true, 'must be true or omitted'), 'absent if no URL is set')),
  }),
  'objects required in RabbitMQ',
);

const NOT_A_NUMBER = 'must be a whole number from 0 to 999999999';
const Figure = v.strictObject({
  place: v.optional(ConfigOption),
  usual: v.pipe(
    v.number(NOT_A_NUMBER),
    v.integer(NOT_A_NUMBER),
    v.minValue(0, NOT_A_NUMBER),
    v.maxValue(999_999_999, NOT_A_NUMBER),
    v.description('if configFile has none'),
  ),
});

/** `keys:` of a service: Fernet key directories shared by its replicas. */
export const Keys = v.pipe(
  ListOf(
    v.strictObject({
      name: v.pipe(
        Text,
        v.regex(/^[a-z][a-z0-9-]{0,47}$/, 'is not a name of lower-case letters, digits and -'),
        v.examples(['fernet']),
      ),
      secret: v.pipe(
        Text,
        v.regex(/^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, 'is not a valid name of a Secret'),
        v.examples(['keystone-fernet-keys']),
      ),
      directory: documented(AbsolutePath, 'directory read by the service'),
      directoryAt: documented(ConfigOption, 'option that sets it'),
      keep: documented(Figure, 'number of keys kept by a rotation'),
      lifetime: v.optional(
        documented(
          ListOf(Figure),
          'seconds that data encrypted with a key may remain in use: their sum; none: forever',
        ),
      ),
      reencrypt: v.optional(
        documented(Argv, 're-encrypts data of other keys with the primary; {config} and {overlay} are files'),
      ),
    }),
  ),
  v.check((all) => isApart(all.map(({ name }) => name)), 'has two entries of one name'),
  v.check(
    (all) => isApart(all.map(({ secret }) => secret)),
    'has two in one Secret, which a rotation of either would corrupt',
  ),
  v.description('Fernet key directories shared by its replicas, each kept in a Secret'),
);

function isApart(words: readonly string[]): boolean {
  return new Set(words).size === words.length;
}
