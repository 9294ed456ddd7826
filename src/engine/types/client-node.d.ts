/** In the place of a package's own types, which bring Node's; for build/core/check.ts, which does not judge who imports it. */
export const KubeConfig: never;
export type KubeConfig = never;
