import type { JsonObject } from './json.ts';

/** One thing at the server that is read, compared and written as a whole. */
export interface Resource {
  readonly what: 'index template' | 'ILM policy' | 'ISM policy';
  readonly name: string;
  readonly path: string;
  readonly body: JsonObject;
  /** What of the reply to a GET is its body, as it would be written. Undefined for an empty reply. */
  readonly current: (reply: unknown) => JsonObject | undefined;
  /** Whether we made it. */
  readonly isOurs: (current: JsonObject) => boolean;
  /** Whether there is nothing to change. */
  readonly isRight: (current: JsonObject) => boolean;
  /** What a write over what is there must say: `?if_seq_no=...`. */
  readonly overwrite?: (reply: unknown) => string;
  /** What a server lacks that has no such thing; undefined for what every server has. */
  readonly needs?: string;
}
