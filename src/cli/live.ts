import { paint, visibleLength, type Terminal } from '../core/terminal.ts';

/** A part of a terminal that changes in place, below the lines of the log. */
export interface Live {
  /** Draws the result of `lines`, and redraws it when the terminal is resized. */
  show(lines: (room: Room) => readonly LiveLine[]): void;
  /** Keeps the last frame on screen and stops drawing. */
  leave(): void;
}

export interface Room {
  readonly columns: number;
  readonly lines: number;
}

export interface LiveLine {
  /** The line without escape sequences. It is truncated to the terminal's width. */
  readonly text: string;
  readonly style?: Parameters<typeof paint>[1] | undefined;
}

/** The methods used of a stream; process.stderr on a terminal. */
interface Screen {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

const ESC = '\u001B[';
/** Synchronized output: the terminal shows the enclosed text at once; terminals without support ignore it. */
const [BEGIN_FRAME, END_FRAME] = [`${ESC}?2026h`, `${ESC}?2026l`];
const [TO_LINE_END, TO_SCREEN_END] = [`${ESC}K`, `${ESC}J`];

/**
 * Keeps a few lines at the end of a terminal, below the log. Each update is one write that overwrites, so nothing
 * flickers. The cursor is never hidden and rests below the lines, so that the terminal stays usable however the process
 * ends (Ctrl-C, SIGKILL).
 */
export class LiveRegion implements Live {
  readonly #screen: Screen;
  readonly #terminal: Terminal;
  #lines: ((room: Room) => readonly LiveLine[]) | undefined;
  /** Widths of the lines currently on screen. */
  #drawn: readonly number[] = [];
  #frame = '';
  readonly #redraw = (): void => this.#draw('', true);

  constructor(screen: Screen, terminal: Terminal) {
    this.#screen = screen;
    this.#terminal = terminal;
  }

  show(lines: (room: Room) => readonly LiveLine[]): void {
    if (this.#lines === undefined) this.#screen.on('resize', this.#redraw);
    this.#lines = lines;
    this.#draw('', false);
  }

  leave(): void {
    if (this.#lines !== undefined) this.#screen.off('resize', this.#redraw);
    this.#lines = undefined;
    this.#drawn = [];
    this.#frame = '';
  }

  /** Writes whole lines above the region. */
  write(text: string): void {
    if (this.#lines === undefined) this.#screen.write(text);
    else this.#draw(text, true);
  }

  #draw(above: string, mustDraw: boolean): void {
    if (this.#lines === undefined) return;
    // A pseudoterminal whose size no client has set reports 0, as that of `docker run --tty` in a script.
    const [columns, rows] = [this.#screen.columns || this.#terminal.width, this.#screen.rows || 24];
    const room = { columns: columns - 1, lines: Math.max(1, rows - 2) };
    const lines = this.#lines(room).map(({ text, style }) => ({ text: cut(text, room.columns), style }));
    const painted = lines.map(({ text, style }) => (style === undefined ? text : paint(this.#terminal, style, text)));
    const frame = painted.map((line) => line + TO_LINE_END + '\n').join('');
    if (!mustDraw && frame === this.#frame) return;
    // After the terminal was narrowed, a line may take more than one row.
    const height = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    const up = height === 0 ? '' : `${ESC}${height}A`;
    const text = above.replaceAll('\n', `${TO_LINE_END}\n`);
    this.#screen.write(`${BEGIN_FRAME}\r${up}${text}${frame}${TO_SCREEN_END}${END_FRAME}`);
    this.#drawn = lines.map((line) => visibleLength(line.text));
    this.#frame = frame;
  }
}

/** Truncates a line. Replaces control characters, so that text from other programs cannot control the terminal. */
function cut(text: string, columns: number): string {
  const plain = text.replaceAll(/\p{Cc}+/gu, ' ');
  return plain.length <= columns ? plain : `${plain.slice(0, Math.max(0, columns - 3))}...`;
}
