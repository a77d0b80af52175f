'use client';

import { X } from 'lucide-react';
import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-text.ts';
import { useDisplay, useFilter, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { activeCriteria } from '#lib/filter/track-filter.ts';
import { useLayerText } from '../layers/use-layer-text.ts';
import { classNames } from '../ui/class-names.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import { criterionText, hiddenEmergenciesText, shownCountText, unknownTexts } from './filter-text.ts';

/**
 * The count of tracks and, for as long as it filters, the filter. It has its own place in the strip, where nothing hides it:
 * criteria become narrower, then scroll sideways.
 */
export function FilterLine() {
  const { filtered } = useDisplay();
  const { filter, change, clear } = useFilter();
  const [{ units }] = usePreferences();
  const { shown, received, hiddenEmergencies } = filtered;
  const criteria = activeCriteria(filter);
  // Where no layer is known, 0 would read as an empty sky.
  const isKnown = LAYER_DISPLAY_ORDER.map(useLayerText).some(({ showsCount }) => showsCount);
  return (
    <div data-testid="filter-line" data-filters={criteria.length > 0} translate="no" className="strip-filter">
      <span
        data-testid="filter-count"
        data-shown={shown}
        data-received={received}
        className={classNames('shrink-0', criteria.length > 0 && 'font-semibold')}
      >
        {isKnown && shownCountText(shown, received)}
      </span>
      {hiddenEmergencies > 0 && (
        // Where it is narrow, the bar alone says so.
        <p
          data-testid="hidden-emergencies"
          className="flex shrink-0 items-center gap-2 font-medium text-bad dock-narrow:sr-only"
        >
          <ToneMark tone="bad" />
          {hiddenEmergenciesText(hiddenEmergencies)}
        </p>
      )}
      {criteria.length > 0 && (
        <>
          <div className="strip-criteria">
            {criteria.map((criterion) => {
              const text = criterionText(filter, criterion, units);
              return (
                <button
                  key={criterion}
                  type="button"
                  title={text}
                  aria-label={`Remove from the filter: ${text}`}
                  onClick={() => change({ [criterion]: undefined })}
                  className="flex items-center gap-1 rounded-control border border-line bg-raised px-2 font-medium hover:border-edge"
                >
                  <span className="truncate">{text}</span>
                  <X aria-hidden size={11} className="shrink-0" />
                </button>
              );
            })}
          </div>
          <button
            type="button"
            aria-label="Clear the filter"
            onClick={clear}
            className="shrink-0 px-1 font-semibold underline"
          >
            Clear
          </button>
        </>
      )}
    </div>
  );
}

/** Tracks whose filtered value is unknown, among the notices. */
export function FilterNotes() {
  const { filtered } = useDisplay();
  return unknownTexts(filtered).map((text) => (
    <p key={text} data-testid="filter-note" translate="no" className="strip-line text-caption text-dim">
      {text}
    </p>
  ));
}
