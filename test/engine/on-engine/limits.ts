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
  // In large pieces, so that enough is left for the error.
  memory() {
    const all: ArrayBuffer[] = [];
    for (;;) all.push(new ArrayBuffer(1024 * 1024));
  },
  'memory, to the last byte'() {
    let all: object | undefined;
    for (;;) all = { all };
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
