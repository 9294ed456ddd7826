import { Place } from '../parse/format.ts';
import type { Frame, Line } from './frame.ts';
import type { OpenEvent, Touched } from './open-event.ts';

/**
 * An event may begin in a file that was rotated away, and end in its successor. One can: what the successor's very first
 * lines go on with. That they do is a decision of this run, as the old file may grow while the new one is read; so it is a
 * Cut of the old generation, and a later run does what it says.
 * @returns whether the line joined, with a cut that is new in `decided`, or that what was carried has ended
 */
export function carry(frame: Frame, line: Line, touched: Touched): 'joined' | 'decided' | 'ended' {
  const { carried } = frame;
  if (carried === undefined) return begin(frame, line, touched);
  const isPlanned = frame.carriedTo !== undefined;
  if (isPlanned ? line.offset >= frame.carriedTo! : !continues(frame, carried, line.text)) return 'ended';
  carried.join(line.text, markOf(frame, line), touched);
  if (!isPlanned) carried.onto!.to = line.next;
  return 'joined';
}

/**
 * A line came that does not belong to what was carried, or it was cut.
 * @param at no line from here on belongs to it
 * @returns whether that is new, so that the checkpoint must hold it
 */
export function endCarry(frame: Frame, at: number): boolean {
  const { carried, carriedTo } = frame;
  frame.before = undefined;
  frame.carried = undefined;
  if (carried === undefined || carriedTo !== undefined) return false;
  carried.onto!.to = at;
  return true;
}

function begin(frame: Frame, line: Line, touched: Touched): 'joined' | 'decided' | 'ended' {
  const before = frame.before!;
  const { id } = frame.content.generation;
  const planned = before.held().find(({ onto }) => onto?.generation === id);
  if (planned !== undefined && line.offset >= planned.onto!.to) return 'ended';
  const event = planned ?? openFor(frame, before, line.text);
  if (event === undefined) return 'ended';
  before.release(event);
  frame.carried = event;
  event.goOn(line.text, frame.content.progress.begin(line.offset, markOf(frame, line)), touched);
  if (planned !== undefined) {
    frame.carriedTo = planned.onto!.to;
    return 'joined';
  }
  event.onto = { generation: id, to: line.next };
  before.content.cuts.push({ start: event.offset, at: before.next, onto: event.onto });
  return 'decided';
}

/** What an earlier run has decided stays so: what it ended, and lines that it may have sent by themselves. */
function openFor(frame: Frame, before: Frame, text: string): OpenEvent | undefined {
  const { isNew, parser } = frame.content;
  if (!isNew) return undefined;
  const { format } = parser;
  const place = format.place(text, before.last?.text);
  const event = place === Place.follows ? before.last : before.open.get(format.pid);
  const isFree = event !== undefined && event.limit === Infinity && event.content === before.content;
  return isFree && continues(frame, event, text) ? event : undefined;
}

function continues(frame: Frame, event: OpenEvent, text: string): boolean {
  const { format } = frame.content.parser;
  const place = format.place(text, event.text);
  if (!event.hasRoomFor(text)) return false;
  return (
    place === Place.follows || (place === Place.resumes && format.pid === event.pid && format.resumes(event.text, text))
  );
}

function markOf(frame: Frame, { next, skipping }: Line) {
  return { offset: next, skipping, timeMs: frame.content.timeMs };
}
