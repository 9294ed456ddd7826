/** Exceeds a limit or leaves a rejection unhandled: test/engine/core.test.ts checks the exit. */
const ALL: Readonly<Record<string, () => unknown>> = {
  rejection() {
    void Promise.reject(new Error('a bug'));
  },
  async 'rejection, handled later'() {
    const late = Promise.reject(new Error('no bug'));
    await Promise.resolve();
    await late.catch(() => {});
  },
  memory() {
    const all: string[][] = [];
    for (;;) all.push(Array.from({ length: 10_000 }, () => 'x'));
  },
  stack() {
    const deeper = (): number => 1 + deeper();
    return deeper();
  },
};

export async function main([which = '']: readonly string[]): Promise<number> {
  await ALL[which]!();
  return 0;
}
