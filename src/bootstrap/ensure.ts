import { titleOf, type Change, type Part, type Planned } from './change.ts';

/** A difference, and the request that applies it. */
export interface Difference<Server> extends Change {
  /**
   * @param doing its name in messages: `create user glance`
   */
  readonly make: (server: Server, doing: string) => Promise<void>;
}

/** A part of a server: how to read its state, and how to compare it with the desired one. */
interface Ensured<Server, State> extends Pick<Part, 'name' | 'planRemoval'> {
  readonly server: Server;
  read(): Promise<State>;
  /** In the order in which they can be applied. Created objects are added to the state for later ones. */
  differences(state: State): readonly Difference<Server>[];
}

/** A part whose differences are applied by requests, one by one. */
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

/** A removal by DELETE. */
export function removal(server: Removing, kind: string, name: string, path: string): Planned {
  const apply = () => server.remove(path, `delete ${kind} ${name}`);
  return { action: 'delete', kind, name, fields: [], apply };
}
