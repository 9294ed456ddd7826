/** A temporary this old belongs to a run that is dead; and so does one that is older than this process. */
const STALE_MS = 60_000;

/** What a file is called until it takes its place: hidden, without its suffix, and never the same twice. */
export function temporaryName(name: string): string {
  // Not by node:crypto, which costs more to load than a file to write.
  const suffix = Math.floor(Math.random() * 2 ** 24)
    .toString(16)
    .padStart(6, '0');
  return `${prefixOf(name)}${suffix}`;
}

/**
 * What was made before is a dead run's. The kernel's clock for files is a tick behind, so it may be a living one's that
 * began with us: that one writes it again. A run may begin within that tick of another's death.
 */
export function staleBefore(): number {
  return Math.max(Date.now() - STALE_MS, performance.timeOrigin);
}

/** Of all temporaries of a name. */
export function prefixOf(name: string): string {
  // A name may be 255 bytes long, and so may the temporary's. None of so few characters is longer than 200.
  const whole = name.length <= 66 ? name : Buffer.from(name).subarray(0, 200).toString();
  return `.${whole}.kolla-`;
}
