/** In the place of a package's own types, which bring Node's; for build/core/check.ts, which does not judge who imports it. */
export const decode: never;
export const encode: never;
export const RECURSION_DESIRED: never;
export type DecodedPacket = never;
