/**
 * How a confidence label is drawn on a mark's outline. A label describes the quality of a position, not safety. Unknown and
 * missing labels are drawn neutrally; the text of a label is always shown as received.
 */
export type ConfidenceClass = 'several' | 'single' | 'inconsistent' | 'stale' | 'neutral';

export const CONFIDENCE_CLASSES = ['several', 'single', 'inconsistent', 'stale', 'neutral'] as const;

/** The examples given by the contract (Position: confidence). The full list is not published. */
const classOfLabel: ReadonlyMap<string, ConfidenceClass> = new Map([
  ['multi_station', 'several'],
  ['single', 'single'],
  ['inconsistent', 'inconsistent'],
  ['stale', 'stale'],
]);

/** The labels that the contract lists as examples. */
export const CONFIDENCE_LABELS: readonly string[] = [...classOfLabel.keys()];

export function confidenceClass(label: string | undefined): ConfidenceClass {
  return (label === undefined ? undefined : classOfLabel.get(label)) ?? 'neutral';
}
