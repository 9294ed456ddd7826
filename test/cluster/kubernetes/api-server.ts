import { readFileSync } from 'node:fs';
import type { Component } from './component.ts';

/** One kube-apiserver of a control plane, to which a test does what happens to them. */
export interface ApiServer extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  readonly port: number;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again at its address; resolves when it is ready. */
  start(): Promise<void>;
  /** SIGSTOP: the kernel keeps its connections and takes new ones, and nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** User and system time of its process so far. */
  cpuSeconds(): number;
}

/** What a clock tick is on Linux, wherever Node runs: USER_HZ. */
const TICKS_PER_SECOND = 100;

/** A program that a test may end and start again. */
export interface Program {
  /** Undefined: it was not started yet. */
  current?: Component;
}

/** Ends what runs of it, frozen or not, and at once: in good order an API server waits for its clients. */
export async function end(program: Program): Promise<void> {
  signal(program, 'SIGKILL');
  await program.current?.running.ended;
}

/** @param effects `run` starts its program; `ready` resolves when that answers */
export function apiServer(
  port: number,
  program: Program,
  { run, ready }: { readonly run: () => Promise<Component>; readonly ready: (component: Component) => Promise<void> },
): ApiServer {
  return {
    server: `https://127.0.0.1:${port}`,
    port,
    kill: async () => {
      signal(program, 'SIGKILL');
      await program.current?.running.ended;
    },
    start: async () => {
      program.current = await run();
      await ready(program.current);
    },
    freeze: () => signal(program, 'SIGSTOP'),
    thaw: () => signal(program, 'SIGCONT'),
    cpuSeconds: () => (program.current === undefined ? 0 : cpuSecondsOf(program.current.running.pid)),
    [Symbol.asyncDispose]: () => end(program),
  };
}

function signal({ current }: Program, name: NodeJS.Signals): void {
  const { child } = current?.running ?? {};
  if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(child.pid, name);
}

/** User and system time of a process so far, its threads' included. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name may hold spaces and brackets; behind it, utime and stime are the 12th and 13th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
