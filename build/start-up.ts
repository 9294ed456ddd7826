import { spawnSync } from 'node:child_process';

/** Number of measurements per program. The minimum is the program's cost; the rest is other load of the machine. */
const ROUNDS = 12;
/** Number of starts per measurement, because bash has millisecond resolution. */
const STARTS = 4;

/** Start-up cost of a program. */
export interface StartUp {
  readonly what: string;
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** Minimum CPU and wall time of each command line, started in turns under the same conditions. */
export function measureStartUp(programs: readonly { what: string; argv: readonly string[] }[]): StartUp[] {
  const least = programs.map(({ what }) => ({ what, cpuMs: Infinity, wallMs: Infinity }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, { argv }] of programs.entries()) {
      const { cpuMs, wallMs } = cost(argv);
      const row = least[i];
      if (row === undefined) continue;
      row.cpuMs = Math.min(row.cpuMs, cpuMs);
      row.wallMs = Math.min(row.wallMs, wallMs);
    }
  }
  return least;
}

/** Measured by bash, whose `time` reads the child's own usage in milliseconds; Node has no such API. */
function cost(argv: readonly string[]): { cpuMs: number; wallMs: number } {
  const script = `TIMEFORMAT="%3U %3S %3R"; time for ((i = 0; i < ${STARTS}; i++)); do "$@" >&- 2>&- || exit; done`;
  const { status, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...argv], {
    env: {},
    encoding: 'utf8',
    // bash reads ~/.bashrc when its stdin is a socket, such as a pipe of Node's.
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [user = NaN, system = NaN, real = NaN] = stderr.trim().split(' ').map(Number);
  if (status !== 0 || Number.isNaN(real)) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  return { cpuMs: ((user + system) * 1000) / STARTS, wallMs: (real * 1000) / STARTS };
}
