import { SERVER_FAULTS } from './index.ts';
import { judgeEach } from './judged.ts';
import { SAMPLE } from './sample.ts';

judgeEach('server faults', SERVER_FAULTS, SAMPLE);
