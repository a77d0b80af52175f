import 'server-only';
import type { Window } from '#lib/time/window.ts';

export interface Span<T> {
  readonly window: Window;
  readonly value: T;
}

/** Spans never overlap, and their union is always the window. */
export class TimeSlices<T> {
  readonly #spans: Span<T>[];

  constructor(window: Window, value: T) {
    this.#spans = [{ window, value }];
  }

  get spans(): readonly Span<T>[] {
    return this.#spans;
  }

  /** Neighbours with the same value become one span. */
  set(window: Window, value: T): void {
    const spans = this.#spans;
    const first = spans.findIndex((span) => span.window.end > window.start);
    const after = spans.findIndex((span) => span.window.start >= window.end);
    const last = (after === -1 ? spans.length : after) - 1;
    const [before, behind] = [spans[first], spans[last]];
    if (first === -1 || before === undefined || behind === undefined) return;
    const pieces: Span<T>[] = [];
    const add = (span: Span<T>) => {
      if (span.window.end <= span.window.start) return;
      const previous = pieces.at(-1);
      if (previous?.value === span.value) {
        pieces[pieces.length - 1] = { ...span, window: { start: previous.window.start, end: span.window.end } };
      } else pieces.push(span);
    };
    const from = Math.max(0, first - 1);
    const to = Math.min(spans.length - 1, last + 1);
    if (from < first) add(spans[from] as Span<T>);
    add({ window: { start: before.window.start, end: window.start }, value: before.value });
    add({ window, value });
    add({ window: { start: window.end, end: behind.window.end }, value: behind.value });
    if (to > last) add(spans[to] as Span<T>);
    spans.splice(from, to - from + 1, ...pieces);
  }
}
