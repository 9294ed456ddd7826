import type { Check } from '../check.ts';
import { http } from './http.ts';
import { tcp } from './tcp.ts';

/** Every check, in the order in which help and docs list them. */
export const CHECKS: readonly Check[] = [http, tcp];
