'use client';

import { useIsReplaying, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { COLOURINGS, type Colouring } from '#lib/model/mark-colour.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';

const LABEL: Readonly<Record<Colouring, string>> = {
  altitude: 'Altitude',
  height: 'Height',
  speed: 'Speed',
  age: 'Age',
  confidence: 'Confidence',
  kind: 'Kind',
};
const CHOICES = COLOURINGS.map((value) => ({ value, label: LABEL[value] }));

const NOTE: Readonly<Record<Colouring, string>> = {
  altitude: 'Aircraft by altitude, drones by height above ground.',
  height: 'Both by height above ground, which aircraft rarely report.',
  speed: 'By reported speed: drones have a scale of their own.',
  age: 'By the age of the last position; it says nothing of when it expires.',
  confidence: 'By the label that the service gives, also named on hover and in the card.',
  kind: 'Aircraft or drone.',
};

/** Values that the server does not keep with a trail. */
const NOT_KEPT: ReadonlySet<Colouring> = new Set(['speed', 'confidence']);

export function ColouringChoice() {
  const { colouring } = useLookout();
  const value = useValue(colouring);
  const isReplaying = useIsReplaying();
  const isGrey = !isReplaying && NOT_KEPT.has(value);
  return (
    <ChoiceRow
      label="Colour by"
      note={isGrey ? `${NOTE[value]} Trails are grey where they were received before this page saw them.` : NOTE[value]}
      value={value}
      choices={CHOICES}
      inThrees
      onChange={colouring.set}
    />
  );
}
