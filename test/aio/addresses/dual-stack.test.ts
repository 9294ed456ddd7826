import { chartsWith } from './charts.ts';

await chartsWith('dual-stack');
