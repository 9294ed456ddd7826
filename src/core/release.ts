/** Year and half of an OpenStack release, in its name or in that of a tag: `2026.1-ubuntu-noble`. */
const RELEASE = /^(?<year>\d{4})\.(?<half>\d{1,2})(?:-|$)/;

/**
 * Compares by the numbers in the names, not by a list: after a rollback, the older release's kolla-pod compares with a
 * release that it does not know.
 * @returns false if one of them is not named like a release of OpenStack
 */
export function isOlderRelease(release: string | undefined, than: string | undefined): boolean {
  const [own, other] = [positionOf(release), positionOf(than)];
  return own !== undefined && other !== undefined && own < other;
}

/** Whether it can be compared with others. */
export function isReleaseName(text: string | undefined): boolean {
  return positionOf(text) !== undefined;
}

function positionOf(text: string = ''): number | undefined {
  const { year, half } = RELEASE.exec(text)?.groups ?? {};
  return year === undefined ? undefined : Number(year) * 100 + Number(half);
}
