import type { GuestWorld } from './world.ts';

/** An operation of a user whose effect a guest shows. Removes what it created. */
export interface GuestOperation {
  readonly title: string;
  /** @returns the observations, for the timeline */
  run(world: GuestWorld): Promise<string>;
}
