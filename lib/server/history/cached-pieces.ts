import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowContains } from '#lib/time/window.ts';
import type { WholePart } from './parts/history-part.ts';

export interface CachedPiece {
  readonly part: WholePart;
  readonly window: Window;
}

/** As few as possible, so that few parts are cut. @param parts each over the whole area, in any order */
export function cachedPieces(window: Window, parts: readonly WholePart[]): readonly CachedPiece[] {
  const pieces: CachedPiece[] = [];
  for (let at = window.start; at < window.end; ) {
    const longest = latestEnd(parts.filter((part) => windowContains(part.window, at)));
    if (longest) {
      const end = longest.window.end < window.end ? longest.window.end : window.end;
      pieces.push({ part: longest, window: { start: at, end } });
      at = end;
    } else at = earliestAfter(at, parts, window.end);
  }
  return pieces;
}

function latestEnd(parts: readonly WholePart[]): WholePart | undefined {
  return parts.reduce<WholePart | undefined>(
    (latest, part) => (latest === undefined || part.window.end > latest.window.end ? part : latest),
    undefined,
  );
}

function earliestAfter(at: UpstreamInstant, parts: readonly WholePart[], end: UpstreamInstant): UpstreamInstant {
  return parts.reduce((earliest, { window: { start } }) => (start > at && start < earliest ? start : earliest), end);
}
