'use client';

import { ToggleGroup } from 'radix-ui';
import { useId, useMemo } from 'react';
import { useListedTracks } from '#lib/client/page/lookout-context.tsx';
import { CONFIDENCE_LABELS } from '#lib/model/confidence.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';

export interface ConfidenceChoiceProps {
  readonly chosen: readonly string[] | undefined;
  readonly onChange: (chosen: readonly string[] | undefined) => void;
}

/** None chosen shows all; undocumented labels appear as received. */
export function ConfidenceChoice({ chosen = [], onChange }: ConfidenceChoiceProps) {
  const id = useId();
  const tracks = useListedTracks();
  const received = useMemo(() => labelsOf(tracks), [tracks]);
  const labels = [...new Set([...CONFIDENCE_LABELS, ...received, ...chosen])];
  return (
    <div>
      <div id={id} className="mb-1 font-medium">
        Confidence
      </div>
      <ToggleGroup.Root
        type="multiple"
        aria-labelledby={id}
        value={[...chosen]}
        onValueChange={(next) => onChange(next.length === 0 ? undefined : labels.filter((each) => next.includes(each)))}
        className="flex flex-wrap gap-1.5"
      >
        {labels.map((label) => (
          <ToggleGroup.Item
            key={label}
            value={label}
            className="min-h-7 rounded-control border border-line bg-raised px-2 text-dim text-table hover:border-edge data-[state=on]:border-text data-[state=on]:font-semibold data-[state=on]:text-text phone:min-h-11"
          >
            {label}
          </ToggleGroup.Item>
        ))}
      </ToggleGroup.Root>
      <p className="mt-1 text-caption text-dim">A label of quality as the service gives it; none chosen shows all.</p>
    </div>
  );
}

function labelsOf({ columns, labelAt }: TrackMoment): readonly string[] {
  const labels = new Set<string>();
  for (let slot = 0; slot < columns.end; slot++) {
    if (columns.used[slot] === 0) continue;
    const confidence = labelAt(slot, 'confidence');
    if (confidence !== undefined) labels.add(confidence);
  }
  return [...labels].sort();
}
