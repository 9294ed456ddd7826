/** Replaces a package's own types, which import Node's; for build/core/check.ts, which does not check its importers. */
export const decode: never;
export const encode: never;
export const RECURSION_DESIRED: never;
export type DecodedPacket = never;
