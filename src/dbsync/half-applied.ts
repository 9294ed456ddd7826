import type { ServerError } from './last-lines.ts';

/** Table exists, duplicate column, duplicate key: what the step wants to make is there already. */
const IN_THE_WAY = new Set([1050, 1060, 1061]);

/**
 * What a server's error means for whoever has to go on, or undefined where it says all itself. A schema that is half
 * applied is never run over again: what stands there may be another table than the one that was to be made.
 */
export function meaningOf(error: ServerError | undefined): string | undefined {
  if (error === undefined) return undefined;
  const said = `error ${error.errno} of the server: ${error.text}`;
  if (!IN_THE_WAY.has(error.errno)) return said;
  return (
    `${said}. The schema is half applied: a migration was cut off there, or another tool made it. ` +
    'Nothing was undone, and running it again does not help: restore the backup, or finish that revision by hand ' +
    "and stamp it with the service's tool"
  );
}
