import { element } from './dom.ts';
import { linePath, PLOT_HEIGHT, PLOT_WIDTH } from './format.ts';

/** A small plot with its name, its current value, and the maximum of the period shown. */
export class Plot {
  readonly figure: HTMLElement = element('figure', '');
  readonly #caption = element('span', '');
  readonly #most = element('span', 'quiet');
  readonly #svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  readonly #area = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  readonly #line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
    const caption = element('figcaption', '');
    caption.append(this.#caption, this.#most);
    this.#svg.setAttribute('viewBox', `0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`);
    this.#svg.setAttribute('preserveAspectRatio', 'none');
    this.#svg.setAttribute('role', 'img');
    this.#area.setAttribute('class', 'area');
    this.#line.setAttribute('class', 'line');
    this.#svg.append(this.#area, this.#line);
    this.figure.append(caption, this.#svg);
  }

  /**
   * @param text formats a value
   */
  show(values: readonly number[], text: (value: number) => string): void {
    const now = text(values.at(-1) ?? 0);
    const most = text(Math.max(0, ...values));
    this.#caption.textContent = `${this.#name} ${now}`;
    this.#most.textContent = `at most ${most} in 5 min`;
    this.#svg.setAttribute('aria-label', `${this.#name}: ${now} now, at most ${most} in five minutes`);
    const line = linePath(values);
    this.#line.setAttribute('d', line);
    this.#area.setAttribute(
      'd',
      line === ''
        ? ''
        : `${line}V${PLOT_HEIGHT}H${(PLOT_WIDTH - ((values.length - 1) * PLOT_WIDTH) / (PLOT_WIDTH - 1)).toFixed(1)}Z`,
    );
  }
}
