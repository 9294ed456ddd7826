import { paint, type Terminal } from '../src/core/terminal.ts';
import type { Kind, Span } from './timeline.ts';

const ACTOR_WIDTH = 16;
const BAR_WIDTH = 24;

/** Prints events as they happen, and records them for the final picture. */
export class Story {
  readonly spans: Span[] = [];
  readonly #began = performance.now();
  readonly #terminal: Terminal;

  readonly #signal: AbortSignal;

  /** @param signal once aborted, every further step throws its reason */
  constructor(terminal: Terminal, signal: AbortSignal) {
    this.#terminal = terminal;
    this.#signal = signal;
  }

  /** Milliseconds since the story began. */
  now(): number {
    return performance.now() - this.#began;
  }

  scene(title: string): void {
    this.#signal.throwIfAborted();
    console.log(`\n${paint(this.#terminal, 'bold', title)}`);
  }

  /** Paths below these directories are printed relative to them. */
  readonly shorten: string[] = [];

  say(actor: string, said: string): void {
    const text = this.shorten.reduce((rest, directory) => rest.replaceAll(directory, ''), said);
    const time = `${(this.now() / 1000).toFixed(2).padStart(7)} s`;
    console.log(
      `${paint(this.#terminal, 'dim', time)}  ${paint(this.#terminal, 'cyan', actor.padEnd(ACTOR_WIDTH))} ${text}`,
    );
  }

  /** Opens a span; the returned function closes it and prints a bar of its duration. */
  begin(actor: string, label: string, kind: Kind): (outcome?: string) => void {
    this.#signal.throwIfAborted();
    const start = this.now();
    return (outcome) => {
      const end = this.now();
      this.spans.push({ actor, label, start, end, kind });
      if (outcome !== undefined) this.say(actor, `${outcome}  ${this.#bar(end - start)}`);
    };
  }

  #bar(ms: number): string {
    const blocks = Math.max(1, Math.min(BAR_WIDTH, Math.round(ms / 250)));
    return `${paint(this.#terminal, 'blue', '▇'.repeat(blocks))} ${(ms / 1000).toFixed(2)} s`;
  }
}
