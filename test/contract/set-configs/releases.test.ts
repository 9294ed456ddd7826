import { byUs } from './ours.ts';
import { canRunReference } from './reference.ts';
import { releaseTests } from './releases.ts';

releaseTests(byUs, { skip: (await canRunReference()) ?? false });
