import { chartsWith } from './charts.ts';

await chartsWith('IPv4');
