import { byUs } from './ours.ts';
import { testWords } from './words.ts';

testWords(byUs);
