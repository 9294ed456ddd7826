/** A package at a version, as apt has it: `rabbitmq-server=4.3.6-1`. */
export function pinOf(wanted: string): { readonly name: string; readonly version: string | undefined } {
  const [name = wanted, version] = wanted.split('=');
  return { name, version };
}

/**
 * The version to fetch for a pin: the pinned one, or else the newest of the same minor, because sid drops a version
 * as soon as it has the next one.
 * @param offered versions that the suite has, newest first
 */
export function versionFor(wanted: string, offered: readonly string[], suite: string): string {
  const { name, version = '' } = pinOf(wanted);
  const same = offered.includes(version) ? version : offered.find((each) => minorOf(each) === minorOf(version));
  if (same !== undefined) return same;
  const has = offered.length === 0 ? `no ${name}` : `${name} ${offered.join(', ')}`;
  throw new Error(`${suite} has ${has}, and no ${minorOf(version)} any more: the pin ${wanted} needs a new minor`);
}

/** `11.8` of `1:11.8.9+ds-4`. */
function minorOf(version: string): string {
  return /^(?:\d+:)?(?<minor>\d+\.\d+)/.exec(version)?.groups?.['minor'] ?? version;
}
