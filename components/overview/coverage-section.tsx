'use client';

import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { FIRST_COVERAGE } from '#lib/client/overview/coverage-choice.ts';
import { coverageQuery } from '#lib/client/overview/overview-query.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { epochMs } from '#lib/time/instant.ts';
import { SwitchRow } from '../ui/switch-row.tsx';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { CoverageFields } from './coverage-fields.tsx';
import { CoverageLegend } from './coverage-legend.tsx';
import { OVERVIEW_NOTICE } from './overview-text.ts';

/** Coverage on the live map. */
export function CoverageSection() {
  const { coverage, feed } = useLookout();
  const [{ units, theme }] = usePreferences();
  const choice = useValue(coverage);
  const isLight = useMediaQuery('(prefers-color-scheme: light)');
  const id = useId();
  const { data, error } = useQuery({
    ...coverageQuery(choice ?? FIRST_COVERAGE, () => epochMs(feed.presumedNow())),
    enabled: choice !== undefined,
  });
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2 border-line border-b pb-4">
      <div className="flex items-center justify-between gap-2">
        <h3 id={id} className="font-semibold">
          Coverage
        </h3>
        <a href="/overview" className="text-focus underline">
          Overview page
        </a>
      </div>
      <SwitchRow
        label="Coverage on the map"
        note="What was received, per hour watched."
        checked={choice !== undefined}
        onChange={(isOn) => coverage.set(isOn ? FIRST_COVERAGE : undefined)}
      />
      {choice && (
        <>
          <CoverageFields choice={choice} units={units} onChange={coverage.set} />
          {error && (
            <p role="alert" className="text-bad">
              The coverage could not be read: no answer from Lookout’s own server.
            </p>
          )}
          {data && (
            <CoverageLegend
              answer={data}
              counted={choice.counted}
              theme={theme === 'system' ? (isLight ? 'light' : 'dark') : theme}
            />
          )}
          <p className="text-caption text-dim">{OVERVIEW_NOTICE}</p>
        </>
      )}
    </section>
  );
}
