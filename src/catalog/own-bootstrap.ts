import * as v from 'valibot';
import { ListOf, Mapping, Place, Text } from './own-words.ts';
import { INTERFACES, type Interface } from './service.ts';

const Grant = v.pipe(
  v.strictObject({
    role: Text,
    project: v.optional(Text),
    domain: v.optional(Text),
    system: v.optional(v.literal('all', "is either 'all' or left out")),
  }),
  v.check(
    ({ project, domain, system }) => [project, domain, system].filter((target) => target !== undefined).length === 1,
    'names one of project, domain and system',
  ),
);
const User = v.strictObject({
  name: Text,
  domain: v.optional(Text),
  grants: ListOf(Grant),
  places: v.optional(
    v.strictObject({
      name: v.optional(Place),
      password: Place,
      domain: v.optional(Place),
      project: v.optional(Place),
      projectDomain: v.optional(Place),
    }),
  ),
});
const NOT_A_PORT = 'must be a port from 1 to 65535';
const Endpoint = v.strictObject({
  port: v.pipe(v.number(NOT_A_PORT), v.integer(NOT_A_PORT), v.minValue(1, NOT_A_PORT), v.maxValue(65_535, NOT_A_PORT)),
  path: v.pipe(
    v.string('must be a string'),
    v.check((path) => path === '' || path.startsWith('/'), 'is empty or begins with /'),
  ),
});
const Endpoints = v.strictObject(
  Object.fromEntries(INTERFACES.map((name) => [name, v.optional(Endpoint)])) as Record<
    Interface,
    v.OptionalSchema<typeof Endpoint, undefined>
  >,
);

/** `identity:` of a service: what it needs in Keystone. */
export const Identity = v.strictObject({
  domains: v.optional(ListOf(Text)),
  roles: v.optional(ListOf(Text)),
  users: v.optional(ListOf(User)),
  services: v.optional(
    ListOf(v.strictObject({ name: Text, type: Text, description: Text, endpoints: v.pipe(Mapping, Endpoints) })),
  ),
});

/** `queue:` of a service: what it needs in RabbitMQ. */
export const Queue = v.strictObject({
  vhost: Text,
  user: Text,
  url: ListOf(Place),
  optional: v.optional(v.literal(true, 'is either true or left out')),
});
