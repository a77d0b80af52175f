'use client';

import { useId } from 'react';
import { FIRST_COVERAGE, overviewAddress } from '#lib/client/overview/coverage-choice.ts';
import { useMapCoverage } from '#lib/client/overview/use-map-coverage.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { LinkButton } from '../ui/button.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { CoverageFields } from './coverage-fields.tsx';
import { CoverageLegend } from './coverage-legend.tsx';
import { OVERVIEW_NOTICE } from './overview-text.ts';

/** The switch and the choices for coverage on the live map, with its legend. */
export function CoverageSection() {
  const { coverage, mapView } = useLookout();
  const { visible } = useValue(mapView);
  const [{ units, theme }] = usePreferences();
  const isLight = useMediaQuery('(prefers-color-scheme: light)');
  const id = useId();
  const { choice, data, error } = useMapCoverage();
  const place = visible ? ({ kind: 'view', bbox: visible } as const) : ({ kind: 'everything' } as const);
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2 border-line border-b pb-4">
      <div className="flex items-center justify-between gap-2">
        <h3 id={id} className="font-semibold">
          Coverage
        </h3>
        <LinkButton href={overviewAddress({ ...(choice ?? FIRST_COVERAGE), place })}>Overview, hour by day</LinkButton>
      </div>
      <SwitchRow
        label="Coverage on the map"
        note="Received positions per hour watched."
        checked={choice !== undefined}
        onChange={(isOn) => coverage.set(isOn ? FIRST_COVERAGE : undefined)}
      />
      {choice && (
        <>
          <CoverageFields choice={choice} units={units} onChange={(change) => coverage.set({ ...choice, ...change })} />
          {error && (
            <p role="alert" className="text-bad">
              The coverage could not be read. {failureMessage(error)}
            </p>
          )}
          {data && (
            <CoverageLegend
              answer={data}
              counted={choice.counted}
              theme={theme === 'system' ? (isLight ? 'light' : 'dark') : theme}
              onCounted={(counted) => coverage.set({ ...choice, counted })}
            />
          )}
          <p className="text-caption text-dim">{OVERVIEW_NOTICE}</p>
        </>
      )}
    </section>
  );
}
