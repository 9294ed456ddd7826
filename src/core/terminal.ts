import type { WriteStream } from 'node:tty';

/** Capabilities of the output terminal, if there is one. */
export interface Terminal {
  readonly isTerminal: boolean;
  readonly color: boolean;
  /** Width in columns; 80 if it is unknown. */
  readonly width: number;
}

/** Terminal capabilities from the stream and the environment (NO_COLOR, FORCE_COLOR, TERM, COLUMNS). */
export function terminalOf(stream: Partial<WriteStream>, env: NodeJS.ProcessEnv): Terminal {
  const isTerminal = stream.isTTY === true;
  const forced = (env['FORCE_COLOR'] ?? '') !== '' && env['FORCE_COLOR'] !== '0';
  const refused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return {
    isTerminal,
    color: !refused && (forced || isTerminal),
    width: stream.columns || Number(env['COLUMNS']) || 80,
  };
}

const SGR = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

/** The text in that style; unchanged if colours are disabled. */
export function paint(terminal: Terminal, style: keyof typeof SGR, text: string): string {
  return terminal.color ? `\u001B[${SGR[style]}m${text}\u001B[0m` : text;
}

/** Width on screen, which excludes escape sequences. */
export function visibleLength(text: string): number {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/\u001B\[[0-9;]*m/g, '').length;
}
