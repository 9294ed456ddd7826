import { fileURLToPath } from 'node:url';

/** The built one, as an image has it. */
export const DB_SYNC = fileURLToPath(new URL('../dist/bin/kolla-db-sync', import.meta.url));
