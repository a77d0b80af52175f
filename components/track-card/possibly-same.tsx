'use client';

import { useDisplay, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { distanceText } from '#lib/model/distance-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import type { Position } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';

export function PossiblySame({ position }: { readonly position: Position }) {
  const { display } = useLookout();
  // Renders with every answer.
  useDisplay((shown) => shown.shownAt);
  const [{ units }] = usePreferences();
  const guess = display.possiblySame(position);
  if (!guess) return null;
  const { ref, distanceM, gapMs } = guess;
  return (
    <p data-testid="possibly-same">
      Possibly the same:{' '}
      <button
        type="button"
        title="A guess by place, time and kind: references rotate. Select this track."
        onClick={() => display.select(ref)}
        className="inline-flex min-h-6 items-center font-mono font-semibold underline phone:min-h-11"
      >
        {shortReference(ref)}
      </button>
      , {distanceText(units, distanceM)} away
      <span className="text-dim"> · first received {durationText(gapMs)} later</span>
    </p>
  );
}
