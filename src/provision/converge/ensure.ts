import { titleOf, type Change, type Part, type Planned } from './change.ts';

/** A difference, and the request that removes it. */
export interface Difference<Server> extends Change {
  /** @param doing the request's name in messages: `create user glance` */
  readonly make: (server: Server, doing: string) => Promise<void>;
}

/** How to read the state of a part of a server, and how to compare it with the desired state. */
interface Ensured<Server, State> extends Pick<Part, 'name' | 'planRemoval'> {
  readonly server: Server;
  read(): Promise<State>;
  /**
   * The changes in the order in which they can be applied. Each adds the object that it creates to the state, where
   * later changes find it.
   */
  differences(state: State): readonly Difference<Server>[];
}

/** A part that applies each difference with its own request. */
export function ensuredPart<Server, State>(ensured: Ensured<Server, State>): Part {
  return {
    name: ensured.name,
    async plan() {
      const differences = ensured.differences(await ensured.read());
      return differences.map(({ make, ...change }) => ({
        ...change,
        apply: () => make(ensured.server, `${change.action} ${titleOf(change)}`),
      }));
    },
    planRemoval: () => ensured.planRemoval(),
  };
}

interface Removing {
  remove(path: string, doing: string): Promise<void>;
}

/** A removal with DELETE. */
export function removal(server: Removing, kind: string, name: string, path: string): Planned {
  const apply = () => server.remove(path, `delete ${kind} ${name}`);
  return { action: 'delete', kind, name, fields: [], apply };
}
