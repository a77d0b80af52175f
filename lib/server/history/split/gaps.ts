import 'server-only';
import type { Window } from '#lib/time/window.ts';
import type { Span } from './time-slices.ts';

/** A run of open spans. An end beside a loading part is busy: what that part leaves over joins the gap. */
export interface Gap {
  readonly window: Window;
  readonly isStartFree: boolean;
  readonly isEndFree: boolean;
}

export function gapsOf<T>(
  spans: readonly Span<T>[],
  isOpen: (value: T) => boolean,
  isLoading: (value: T) => boolean,
): readonly Gap[] {
  const gaps: Gap[] = [];
  for (let index = 0; index < spans.length; index += 1) {
    const first = spans[index];
    if (!first || !isOpen(first.value)) continue;
    const before = spans[index - 1];
    let last = first;
    for (let next = spans[index + 1]; next && isOpen(next.value); next = spans[index + 1]) {
      last = next;
      index += 1;
    }
    const after = spans[index + 1];
    gaps.push({
      window: { start: first.window.start, end: last.window.end },
      isStartFree: !before || !isLoading(before.value),
      isEndFree: !after || !isLoading(after.value),
    });
  }
  return gaps;
}
