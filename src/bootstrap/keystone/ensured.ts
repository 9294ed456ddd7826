import type { Field } from '../change.ts';
import type { Difference } from '../ensure.ts';
import type { Entity, Keystone } from './keystone.ts';

/** One thing of Keystone's, by its name. */
interface Wanted {
  readonly kind: 'domain' | 'project' | 'role' | 'service' | 'user';
  /** For people. */
  readonly name: string;
  /** What there is of this kind; what is made is put in here. */
  readonly among: Map<string, Entity>;
  /** Its key among those. */
  readonly key: string;
  /** What is shown where it is made. */
  readonly fields?: readonly Field[];
  readonly create: (keystone: Keystone, doing: string) => Promise<Entity>;
}

/** The one difference, if any: made where it is not there, enabled again where it was disabled. */
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

/** What differs of a disabled one. */
export function enabledAgain({ enabled }: Pick<Entity, 'enabled'>): Field[] {
  return enabled === false ? [{ name: 'enabled', before: 'false', after: 'true' }] : [];
}
