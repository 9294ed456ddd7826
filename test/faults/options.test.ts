import { OPTION_FAULTS } from './index.ts';
import { judgeEach } from './judged.ts';
import { SAMPLE } from './sample.ts';

judgeEach('options', OPTION_FAULTS, { ...SAMPLE, kills: 3 });
