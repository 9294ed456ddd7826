import { SERVER_FAULTS } from './index.ts';
import { judgeEach } from './judged.ts';
import { SAMPLE } from './sample.ts';

judgeEach('what a server does wrong', SERVER_FAULTS, SAMPLE);
