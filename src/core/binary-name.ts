/** The name of this binary. kolla-core replaces this file by src/engine/binary-name.ts. */
export const BINARY_NAME: string = 'kolla-pod';
