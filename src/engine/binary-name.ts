/** Replaces src/core/binary-name.ts in kolla-core. */
export const BINARY_NAME: string = 'kolla-core';
