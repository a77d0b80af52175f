/**
 * How a confidence label shows on a mark's outline. A label says something of the projection's quality and nothing of
 * safety; any label that is not known here, and none at all, is drawn neutrally and shown as it came.
 */
export type ConfidenceClass = 'several' | 'single' | 'inconsistent' | 'stale' | 'neutral';

export const CONFIDENCE_CLASSES = ['several', 'single', 'inconsistent', 'stale', 'neutral'] as const;

/** The examples that the contract names (Position: confidence); its full list is not published. */
const classOfLabel: ReadonlyMap<string, ConfidenceClass> = new Map([
  ['multi_station', 'several'],
  ['single', 'single'],
  ['inconsistent', 'inconsistent'],
  ['stale', 'stale'],
]);

export function confidenceClass(label: string | undefined): ConfidenceClass {
  return (label === undefined ? undefined : classOfLabel.get(label)) ?? 'neutral';
}
