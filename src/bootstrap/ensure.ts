import { titleOf, type Change, type Part, type Planned } from './change.ts';

/** A difference, and how a server is made to end it. */
export interface Difference<Server> extends Change {
  /** @param doing what to call it in messages: `create user glance` */
  readonly make: (server: Server, doing: string) => Promise<void>;
}

/** What makes a part of a server: what is read of it, and how that is compared with what is wanted. */
interface Ensured<Server, State> extends Pick<Part, 'name' | 'planRemoval'> {
  readonly server: Server;
  read(): Promise<State>;
  /** In the order in which they can be ended. What one makes is put into the state, where those after it find it. */
  differences(state: State): readonly Difference<Server>[];
}

/** The part whose differences the server ends, one by one. */
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

/** What is removed by a DELETE at its path. */
export function removal(server: Removing, kind: string, name: string, path: string): Planned {
  const apply = () => server.remove(path, `delete ${kind} ${name}`);
  return { action: 'delete', kind, name, fields: [], apply };
}
