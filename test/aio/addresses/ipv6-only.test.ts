import { chartsWith } from './charts.ts';

await chartsWith('IPv6-only');
