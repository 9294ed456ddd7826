/** Replaces a package's own types, which import Node's; for build/core/check.ts, which does not check its importers. */
export const KubeConfig: never;
export type KubeConfig = never;
