/** Of the binary that this is part of; of kolla-core: src/engine/binary-name.ts. */
export const BINARY_NAME: string = 'kolla-pod';
