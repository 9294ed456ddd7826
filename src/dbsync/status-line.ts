export { statusLine } from '../cli/status-line.ts';
