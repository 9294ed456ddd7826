import { testAsKolla } from './as-kolla.ts';
import { byUs } from './ours.ts';

await testAsKolla(byUs);
