import type { Part, Planned } from '../change.ts';
import { ringOfFolder } from './folder.ts';
import { newRing, type Ring } from './ring.ts';
import { ringText } from './secret.ts';
import type { KeyStore } from './store.ts';

/** For messages, and as the user types it. */
const KEYS_FROM = '--keys-from';

/**
 * The part `keys`: a Secret with keys for each repository that has none. Keys that are there are never changed by it, nor
 * are they ever removed: without them nobody reads what they have encrypted.
 * @param folders by a repository's name: whose keys to take instead of new ones
 */
export function keysPart(stores: readonly KeyStore[], folders: ReadonlyMap<string, string>): Part {
  return {
    name: 'keys',
    async plan() {
      const planned: Planned[] = [];
      for (const store of stores) planned.push(...(await planStore(store, folders.get(store.repository.name))));
      return planned;
    },
    planRemoval: () => Promise.resolve([]),
  };
}

async function planStore(store: KeyStore, folder: string | undefined): Promise<Planned[]> {
  const found = await store.read();
  if (found !== undefined && found.ring.keys.size > 0) return [];
  const made: Ring | undefined = folder === undefined ? undefined : await ringOfFolder(folder, KEYS_FROM, Date.now());
  const ring = made ?? newRing(Date.now());
  const [name = ''] = (await store.place()).split(' ').slice(1);
  return [
    {
      action: found === undefined ? 'create' : 'update',
      kind: 'secret',
      name,
      fields: [
        {
          name: 'keys',
          ...(found === undefined ? {} : { before: 'none' }),
          after: `${ringText(ring)}${folder === undefined ? '' : ` of ${folder}`}`,
        },
      ],
      apply: () => store.write(found, ring),
    },
  ];
}
