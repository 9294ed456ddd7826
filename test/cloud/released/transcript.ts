/** A command as it was typed, with its output on both streams. */
interface Typed {
  readonly command: string;
  readonly output: string;
  readonly seconds: number;
}

/** Runs a command to its end; the output has both streams in the order of their lines. */
export type Execute = (command: string) => Promise<{ readonly code: number; readonly output: string }>;

const HIDDEN = '(withheld)';

/** What was typed and what it printed, without the secrets. */
export class Transcript {
  readonly #typed: Typed[] = [];
  #secrets: readonly string[] = [];

  /** From now on these are not printed. */
  withhold(secrets: readonly string[]): void {
    this.#secrets = secrets;
  }

  /** Runs a command that must succeed. @returns its output */
  async type(command: string, execute: Execute): Promise<string> {
    const start = performance.now();
    const { code, output } = await execute(command);
    const typed = { command, output, seconds: (performance.now() - start) / 1000 };
    this.#typed.push(typed);
    console.log(this.#hide(textOf(typed)));
    if (code !== 0) throw new Error(`exit code ${code}: ${this.#hide(command)}`);
    return output;
  }

  /** All of it as Markdown, each command in a block. @param lines more lines of one output are counted, not printed */
  markdown(lines: number): string {
    return this.#hide(this.#typed.map((typed) => blockOf(typed, lines)).join('\n'));
  }

  #hide(text: string): string {
    return this.#secrets.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
  }
}

function blockOf(typed: Typed, lines: number): string {
  const output = typed.output.trimEnd().split('\n');
  const rest = output.length - lines;
  const shown = rest > 1 ? [...output.slice(0, lines), `(${rest} more lines)`] : output;
  return `\`\`\`console\n${textOf({ ...typed, output: shown.join('\n') })}\n\`\`\`\n\n${typed.seconds.toFixed(1)} s\n`;
}

function textOf({ command, output }: Typed): string {
  return `$ ${command.trimEnd()}\n${output.trimEnd()}`.trimEnd();
}
