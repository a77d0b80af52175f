'use client';

import { X } from 'lucide-react';
import { useDisplay, useFilter, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { activeCriteria } from '#lib/filter/track-filter.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import { criterionText, hiddenEmergenciesText, shownCountText, unknownTexts } from './filter-text.ts';

export function FilterLine() {
  const { filtered } = useDisplay();
  const { filter, change, clear } = useFilter();
  const [{ units }] = usePreferences();
  const { shown, received, hiddenEmergencies } = filtered;
  const criteria = activeCriteria(filter);
  return (
    <div data-testid="filter-line" translate="no" className="strip-line flex-wrap text-caption">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span data-testid="filter-count" data-shown={shown} data-received={received}>
          {shownCountText(shown, received)}
        </span>
        {criteria.map((criterion) => (
          <button
            key={criterion}
            type="button"
            aria-label={`Remove from the filter: ${criterionText(filter, criterion, units)}`}
            onClick={() => change({ [criterion]: undefined })}
            className="inline-flex min-h-6 items-center gap-1 rounded-control border border-line bg-raised px-2 font-medium hover:border-edge phone:min-h-11"
          >
            {criterionText(filter, criterion, units)}
            <X aria-hidden size={11} />
          </button>
        ))}
        {criteria.length > 0 && (
          <button type="button" onClick={clear} className="min-h-6 font-medium underline phone:min-h-11">
            Clear the filter
          </button>
        )}
      </div>
      {hiddenEmergencies > 0 && (
        <p data-testid="hidden-emergencies" className="flex items-baseline gap-2 font-medium text-bad">
          <ToneMark tone="bad" />
          {hiddenEmergenciesText(hiddenEmergencies)}
        </p>
      )}
      {unknownTexts(filtered).map((text) => (
        <p key={text} className="text-dim">
          {text}
        </p>
      ))}
    </div>
  );
}
