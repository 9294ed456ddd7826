import { part, setText } from './dom.ts';
import { count, lasted, many } from './format.ts';
import { applyDelta, emptyModel } from './model.ts';
import { Rows, type RowText } from './rows.ts';
import { present, showConfig, showMigration, showPlace, showProbes, showShipping, titled } from './sections.ts';
import { follow, type LinkState } from './stream.ts';
import { checkText, fileText, ranked, refusalText, componentText, waitText, verdictOf } from './texts.ts';

const model = emptyModel();
const filter = part('#filter') as HTMLInputElement;
const onlyProblems = part('#problems') as HTMLInputElement;
const lists = {
  components: new Rows(part('#components ul'), componentText),
  checks: new Rows(part('#checks ul'), checkText),
  waits: new Rows(part('#waits ul'), waitText, true),
  refusals: new Rows(part('#refusals'), refusalText),
  files: new Rows(part('#files'), fileText, true),
};
let isQueued = false;

/** Draws once per frame, even if many changes arrive. */
function drawSoon(): void {
  if (isQueued) return;
  isQueued = true;
  requestAnimationFrame(() => {
    isQueued = false;
    draw();
  });
}

function draw(): void {
  const { about, config, migration, shipping, checks, waits, files, components } = model;
  setText(part('#verdict'), verdictOf(model));
  if (about !== null) {
    showPlace(about);
    showProbes(about);
  }
  drawLists();
  present('checks', checks.size > 0);
  present('waits', waits.size > 0);
  present('migration', migration !== null);
  present('shipping', shipping !== null);
  present('config', config !== null);
  titled('components', 'Components', count(components.size));
  titled('checks', 'Checks', many(checks.size, 'check', 'checks'));
  titled('waits', 'Waits', `${[...waits.values()].filter(({ isMet }) => isMet).length} of ${waits.size} met`);
  titled('config', 'Configuration', many(files.size, 'file', 'files'));
  if (config !== null) showConfig(config);
  if (migration !== null) showMigration(migration);
  if (shipping !== null) showShipping(shipping);
  tick();
}

function drawLists(): void {
  const words = filter.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const isWanted = ({ tone, name, word, what }: RowText): boolean => {
    if (onlyProblems.checked && tone !== 'bad' && tone !== 'wait') return false;
    const text = `${name} ${word} ${what}`.toLowerCase();
    return words.every((each) => text.includes(each));
  };
  const chosen = <T>(items: Map<string, T>, text: (item: T) => RowText): T[] =>
    ranked(items.values(), text).filter((item) => isWanted(text(item)));
  const shown = {
    checks: chosen(model.checks, checkText),
    waits: chosen(model.waits, waitText),
    files: chosen(model.files, fileText),
  };
  lists.components.show(ranked(model.components.values(), componentText));
  lists.checks.show(shown.checks);
  lists.waits.show(shown.waits);
  lists.refusals.show([...model.refusals.values()]);
  lists.files.show(shown.files);
  const isFiltered = words.length > 0 || onlyProblems.checked;
  const all = model.checks.size + model.waits.size + model.files.size;
  const found = shown.checks.length + shown.waits.length + shown.files.length;
  setText(part('#found'), isFiltered ? `${count(found)} of ${count(all)}` : '');
}

/** Updates relative times. */
function tick(): void {
  const now = Date.now();
  for (const time of document.querySelectorAll<HTMLElement>('time[data-since]'))
    setText(time, lasted(now - Number(time.dataset['since'])));
}

const LINK_WORDS: Record<LinkState, string> = {
  connecting: 'connecting',
  live: 'live',
  asking: 'polling every 5 s',
  lost: 'no response; retrying',
};

filter.addEventListener('input', drawLists);
onlyProblems.addEventListener('change', drawLists);
part('#find').addEventListener('submit', (event) => event.preventDefault());
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement && event.target.type === 'search';
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    filter.focus();
  }
  if (event.key === 'Escape' && isTyping) {
    filter.value = '';
    drawLists();
  }
});
setInterval(tick, 1000);
follow(
  (delta) => {
    applyDelta(model, delta);
    drawSoon();
  },
  (state) => setText(part('#link'), LINK_WORDS[state]),
);
