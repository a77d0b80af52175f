import { expect } from '@playwright/test';
import type { RunningEngine } from '../running/running-engine.ts';

const WITHIN = { timeout: 60_000 };
const FIELDS = 'input, textarea, select';

/** A page in a {@link RunningEngine}, used with pointer and keys. Every step waits for what it needs. */
export class EnginePage {
  readonly #engine: RunningEngine;

  constructor(engine: RunningEngine) {
    this.#engine = engine;
  }

  open(url: string): Promise<void> {
    return this.#engine.open(url);
  }

  /** @param read runs in the page: it sees its arguments only */
  async read<Arguments extends readonly unknown[], Result>(
    read: (...given: Arguments) => Result,
    ...given: Arguments
  ): Promise<Result> {
    const call = `(${read})(...${JSON.stringify(given)})`;
    const [result] = JSON.parse(await this.#engine.evaluate(`JSON.stringify([${call}])`));
    return result as Result;
  }

  /** Of the first element; empty without one. */
  text(selector: string): Promise<string> {
    return this.read((each) => document.querySelector<HTMLElement>(each)?.innerText ?? '', selector);
  }

  /** Of the first element with the text. */
  attribute(selector: string, name: string, text = ''): Promise<string | null> {
    const read = (each: string, name: string, text: string) =>
      [...document.querySelectorAll(each)].find(({ textContent }) => textContent.includes(text))?.getAttribute(name) ??
      null;
    return this.read(read, selector, name, text);
  }

  /** @param name the beginning of its accessible name */
  async click(name: string): Promise<void> {
    await expect(() => this.#clickAt('button, a, [role=tab], [role=radio], [role=switch]', name)).toPass(WITHIN);
  }

  /** Replaces what a field has. */
  async fill(label: string, text: string): Promise<void> {
    await expect(async () => {
      await this.#clickAt(FIELDS, label);
      // The page may have moved under the pointer.
      const { hasFocus } = await this.read(findInPage, FIELDS, label);
      if (!hasFocus) throw new Error(`the field “${label}” has no focus`);
    }).toPass(WITHIN);
    await this.read(() => (document.activeElement as HTMLInputElement).select());
    await this.type(text);
  }

  /** Into what has the focus. */
  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#engine.perform([{ type: 'key', id: 'keys', actions }]);
  }

  async #clickAt(selector: string, name: string): Promise<void> {
    const { place } = await this.read(findInPage, selector, name);
    if (!place) throw new Error(`nothing that is called “${name}” can be clicked`);
    const actions = [
      { type: 'pointerMove', ...place },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.#engine.perform([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]);
  }
}

interface Found {
  /** Its middle, CSS pixels. */
  readonly place?: { readonly x: number; readonly y: number };
  readonly hasFocus?: boolean;
}

/** The first that nothing covers. */
function findInPage(selector: string, name: string): Found {
  for (const element of document.querySelectorAll<HTMLElement>(selector)) {
    const { ariaLabel, labels, disabled } = element as Partial<HTMLInputElement>;
    const called = ariaLabel ?? labels?.[0]?.innerText ?? element.innerText;
    if (!called.trim().startsWith(name) || disabled) continue;
    element.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = element.getBoundingClientRect();
    const place = { x: Math.round(left + width / 2), y: Math.round(top + height / 2) };
    if (width === 0 || !element.contains(document.elementFromPoint(place.x, place.y))) continue;
    return { place, hasFocus: element === document.activeElement };
  }
  return {};
}
