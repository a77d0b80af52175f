'use client';

import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { EXPORT_FORMATS, type ExportFormat } from '#lib/api/export-format.ts';
import { exportAddress } from '#lib/client/page/export-address.ts';
import { useDisplay, useFilter, useLayersOn, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { historyCostQuery, replayPriceOf } from '#lib/client/replay/replay-price.ts';
import { historyQuery } from '#lib/client/replay/replay-request.ts';
import { SwitchRow } from '../ui/switch-row.tsx';
import { exportSentence } from './export-sentence.ts';

const FORMAT_NAME: Readonly<Record<ExportFormat, string>> = {
  csv: 'CSV, for a spreadsheet',
  geojson: 'GeoJSON, for a map',
  kml: 'KML, for Google Earth',
};

export function ExportChoices() {
  const { mapView, replay } = useLookout();
  const { filtered } = useDisplay();
  const { filter } = useFilter();
  const [layers] = useLayersOn();
  const { visible, lon, lat } = useValue(mapView);
  const [trails, setTrails] = useState(true);
  const session = replay.session;
  const loaded = session?.loadedArea && { area: session.loadedArea, window: session.playback.window };
  const query = loaded ? String(historyQuery({ ...loaded, layers })) : '';
  const cost = useQuery({ ...historyCostQuery(query), staleTime: 0 });
  if (!visible) return null;
  const quoted = cost.data?.tiles ?? cost.data?.middle;
  const price = quoted && replayPriceOf(quoted);
  const past = loaded && price && { ...loaded, maxRequests: price.maxRequests, isWide: cost.data?.wide ?? false };
  const isReady = layers.size > 0 && (session === undefined || past !== undefined);
  return (
    <section aria-label="Export" className="flex flex-col gap-2 border-line border-t pt-3">
      <h3 className="font-semibold">Export positions</h3>
      <p className="text-dim" data-testid="export-sentence">
        {exportSentence({
          isPast: session !== undefined,
          hasLayers: layers.size > 0,
          isLoaded: loaded !== undefined,
          price,
          hasFailed: cost.isError,
          shown: filtered.shown,
          filtersAge: filter.ageS !== undefined,
        })}
      </p>
      {isReady && session === undefined && (
        <SwitchRow
          label="With the trails of the last 15 minutes"
          note="As far as this area was read. Requests nothing."
          checked={trails}
          onChange={setTrails}
        />
      )}
      {isReady && (
        <ul className="flex flex-col gap-1">
          {EXPORT_FORMATS.map((format) => (
            <li key={format}>
              <a
                download
                href={exportAddress(format, { visible, centre: { lon, lat }, layers, filter, trails, past })}
                className="inline-flex min-h-8 items-center gap-2 font-medium text-focus underline phone:min-h-11"
              >
                <Download aria-hidden size={14} />
                {FORMAT_NAME[format]}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
