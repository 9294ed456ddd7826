/** Executes a program while a signal is queued. */
export function main(): Promise<number> {
  process.on('SIGTERM', () => {});
  process.kill(process.pid, 'SIGTERM');
  return process.execve!('/bin/sh', ['sh', '-c', 'echo executed'], {});
}
