/** The name of this binary; for kolla-core see src/engine/binary-name.ts. */
export const BINARY_NAME: string = 'kolla-pod';
