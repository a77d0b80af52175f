import { MINUTE_LABEL, MINUTE_STATES } from './minute-text.ts';

/** What the patterns of the completeness band mean. */
export function BandLegend() {
  return (
    <ul aria-label="Completeness" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-caption text-dim">
      {MINUTE_STATES.map((state) => (
        <li key={state} className="flex items-center gap-1.5">
          <span aria-hidden className="band inline-block h-2 w-4" data-state={state} />
          {MINUTE_LABEL[state]}
        </li>
      ))}
    </ul>
  );
}
