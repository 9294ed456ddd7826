/** Exits with 41 on an error thrown by a timer, if the argument is `listen`. */
export function main([how]: string[]): Promise<number> {
  const end = (error: unknown) => {
    process.stdout.write(`caught ${(error as Error).message}`);
    // eslint-disable-next-line unicorn/no-process-exit -- what a listener of run.ts does
    process.exit(41);
  };
  process.on('uncaughtException', end);
  if (how !== 'listen') process.off('uncaughtException', end);
  setTimeout(() => {
    throw new Error('a bug');
  }, 1);
  return new Promise(() => {});
}
