import { readFileSync } from 'node:fs';
import type { Component } from './component.ts';

/** One kube-apiserver of a control plane, with fault injection. */
export interface ApiServer extends AsyncDisposable {
  /** Address: `https://127.0.0.1:PORT`. */
  readonly server: string;
  readonly port: number;
  /** Sends SIGKILL, and resolves when it has exited. */
  kill(): Promise<void>;
  /** Restarts it at its address, and resolves when it is ready. */
  start(): Promise<void>;
  /** Sends SIGSTOP: the kernel keeps its connections and accepts new ones, but nothing responds. */
  freeze(): void;
  thaw(): void;
  /** User and system time that its process has used so far. */
  cpuSeconds(): number;
}

/** USER_HZ, the duration of a clock tick on every architecture of Node for Linux. */
const TICKS_PER_SECOND = 100;

/** A program that a test may stop and restart. */
export interface Program {
  /** Undefined before it is started. */
  current?: Component;
}

/** Kills it immediately, frozen or not, because an API server that shuts down gracefully waits for its clients. */
export async function end(program: Program): Promise<void> {
  signal(program, 'SIGKILL');
  await program.current?.running.ended;
}

/**
 * @param effects `run` starts its program; `ready` resolves when that responds
 */
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

/** User and system time of a process so far, including its threads. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name may contain spaces and parentheses; after it, utime and stime are the 12th and 13th fields.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
