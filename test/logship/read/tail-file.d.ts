/** Types for the parts that are used of an untyped package. */
declare module 'tail-file' {
  import { EventEmitter } from 'node:events';

  export default class TailFile extends EventEmitter {
    constructor(filename: string, options: { readonly startPos: 'start'; readonly force: boolean });
    start(): void;
    stop(): Promise<boolean>;
  }
}
