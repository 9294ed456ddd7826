import { oursWithin } from './ours.ts';
import { testRefused } from './refused.ts';

await testRefused(oursWithin);
