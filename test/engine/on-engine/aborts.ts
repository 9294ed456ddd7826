/** AbortSignal as waits use it, and whether a long-lived signal retains finished waits. */

/** What was observed, by title and in order. */
export function results(): Readonly<Record<string, readonly unknown[]>> {
  return {
    'either ends both once': either(),
    'one that had ended': ended(),
    'nested, read without listeners': nested(),
    'a listener that was taken away': removed(),
  };
}

function either(): unknown[] {
  const seen: unknown[] = [];
  const [one, other] = [new AbortController(), new AbortController()];
  const both = AbortSignal.any([one.signal, other.signal]);
  both.addEventListener('abort', () => seen.push('both', both.reason), { once: true });
  seen.push(both.aborted);
  other.abort('other');
  one.abort('one');
  both.addEventListener('abort', () => seen.push('never'), { once: true });
  return [...seen, both.aborted, both.reason];
}

function ended(): unknown[] {
  const controller = new AbortController();
  controller.abort('before');
  controller.abort('again');
  const both = AbortSignal.any([new AbortController().signal, controller.signal]);
  both.addEventListener('abort', () => {
    throw new Error('never');
  });
  return [both.aborted, both.reason, AbortSignal.abort('at once').reason];
}

function nested(): unknown[] {
  const controller = new AbortController();
  const inner = AbortSignal.any([controller.signal]);
  const outer = AbortSignal.any([inner, new AbortController().signal]);
  const before = outer.aborted;
  controller.abort('deep');
  return [before, outer.aborted, outer.reason, thrownBy(() => outer.throwIfAborted())];
}

function removed(): unknown[] {
  const seen: unknown[] = [];
  const controller = new AbortController();
  const both = AbortSignal.any([controller.signal]);
  const listener = () => seen.push('removed');
  both.addEventListener('abort', listener);
  both.removeEventListener('abort', listener);
  both.addEventListener('abort', () => seen.push('kept'));
  controller.abort();
  return [...seen, (both.reason as Error).name];
}

function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** The total memory of all waits exceeds kolla-core's limit per process (256 MiB). */
const [WAITS, HELD_BYTES] = [4000, 128 * 1024];

export function main(): Promise<number> {
  const forever = new AbortController();
  for (let i = 0; i < WAITS; i++) {
    const deadline = new AbortController();
    const bounded = AbortSignal.any([forever.signal, deadline.signal]);
    const held = new Uint8Array(HELD_BYTES);
    bounded.addEventListener('abort', () => held.fill(1, 0, 1), { once: true });
    deadline.abort();
    // A composite signal that nothing references.
    Object.assign(AbortSignal.any([forever.signal]), { held: new Uint8Array(HELD_BYTES) });
  }
  process.stdout.write(JSON.stringify(results()));
  return Promise.resolve(0);
}
