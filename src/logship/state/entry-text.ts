import type { Identity } from '../position/generation.ts';
import type { Saved } from './saved.ts';

/** The text of an entry in the checkpoint: written again and again, and a tenth of the entry's size in memory. */
export interface EntryText {
  readonly text: string;
  /** Up to which the generation is acknowledged. */
  readonly offset: number;
  /** The entry. */
  readonly saved: Saved;
}

export function textOfEntry({ generation, ...entry }: Saved): string {
  return JSON.stringify({ generation: plain(generation), ...entry });
}

/** The entry of a text by textOfEntry. */
export function entryOf(text: string): Saved {
  return JSON.parse(text, (key, value: unknown) =>
    key === 'head' ? Buffer.from(value as string, 'base64') : value,
  ) as Saved;
}

/** A generation as it is written. */
export function plain({ path, dev, ino, firstSeenMs, head, rivals, digestFrom }: Identity) {
  return {
    path,
    dev,
    ino,
    firstSeenMs,
    digestFrom,
    head: head.toString('base64'),
    rivals: rivals.map((rival) => ({ ...rival, head: rival.head.toString('base64') })),
  };
}
