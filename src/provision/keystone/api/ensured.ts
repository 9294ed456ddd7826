import type { Field } from '../../converge/change.ts';
import type { Difference } from '../../converge/ensure.ts';
import type { Entity, Keystone } from './keystone.ts';

/** One named object in Keystone. */
interface Wanted {
  readonly kind: 'domain' | 'project' | 'role' | 'service' | 'user';
  /** The object's name in messages. */
  readonly name: string;
  /** The existing objects of this kind. Created objects are added. */
  readonly among: Map<string, Entity>;
  /** The object's key in that map. */
  readonly key: string;
  /** Fields to show if the object is created. */
  readonly fields?: readonly Field[];
  readonly create: (keystone: Keystone, doing: string) => Promise<Entity>;
}

/** The change, if any: create the object if it is missing, enable it if it is disabled. */
export function ensured({ kind, name, among, key, fields = [], create }: Wanted): Difference<Keystone>[] {
  const found = among.get(key);
  const shown = found === undefined ? fields : enabledAgain(found);
  if (found !== undefined && shown.length === 0) return [];
  return [
    {
      action: found === undefined ? 'create' : 'update',
      kind,
      name,
      fields: shown,
      make: async (keystone, doing) => {
        const there = among.get(key);
        if (there !== undefined) return await keystone.update(`/${kind}s/${there.id}`, kind, { enabled: true }, doing);
        among.set(key, await create(keystone, doing));
      },
    },
  ];
}

/** The change that enables a disabled object. */
export function enabledAgain({ enabled }: Pick<Entity, 'enabled'>): Field[] {
  return enabled === false ? [{ name: 'enabled', before: 'false', after: 'true' }] : [];
}
