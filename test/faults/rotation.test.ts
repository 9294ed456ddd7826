import { ROTATION_FAULTS } from './index.ts';
import { judgeEach } from './judged.ts';
import { SAMPLE } from './sample.ts';

judgeEach('rotations under full load', ROTATION_FAULTS, { ...SAMPLE, kills: 4 });
