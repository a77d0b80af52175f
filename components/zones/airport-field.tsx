'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FoundPlace, FoundRunway } from '#lib/api/places-answer.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { isPlaceText, placesQuery } from '#lib/client/page/places-query.ts';
import { useRested } from '#lib/client/request/use-rested.ts';
import { withShape } from '#lib/client/zones/zone-draft.ts';
import { Button } from '../ui/button.tsx';
import { FIELD } from './form-parts.tsx';

const RESTED_MS = 200;
const SHOWN_MAX = 6;

/** A runway becomes the line of a corridor. */
export function AirportField() {
  const { zones, mapCommands } = useLookout();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState('');
  const wanted = useRested(text.trim(), RESTED_MS);
  const { data, error } = useQuery({ ...placesQuery(wanted), enabled: isPlaceText(wanted) });
  const airports = (data?.results ?? []).filter(({ runways }) => runways.length > 0).slice(0, SHOWN_MAX);
  const choose = ({ name, codes, lat, lon }: FoundPlace, runway: FoundRunway) => {
    const airport = codes[0] ?? name;
    setChosen(`${airport} ${runway.name}`);
    mapCommands.run({ kind: 'centre', lon, lat, zoom: 12 });
    zones.change((draft) => ({
      ...withShape(draft, { type: 'Corridor', line: [...runway.ends], half_width_m: draft.halfWidthM }),
      name: draft.name === '' ? `${airport} ${runway.name}` : draft.name,
    }));
  };
  return (
    <>
      <label className="flex flex-col gap-1">
        Airport, by name or code
        <input
          type="search"
          value={text}
          placeholder="LSZH"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
          className={FIELD}
        />
      </label>
      {error && (
        <p role="alert" className="text-bad">
          The airports could not be read. Try again.
        </p>
      )}
      {data && airports.length === 0 && (
        <p role="status" className="text-dim">
          No airport of this name with a known runway.
        </p>
      )}
      {airports.map((airport) => (
        <div key={`${airport.codes.join()} ${airport.name}`} className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 basis-full">
            <span className="font-medium">{airport.codes.join(' / ')}</span> {airport.name}
          </span>
          {airport.runways.map((runway) => (
            <Button
              key={runway.name}
              aria-pressed={chosen === `${airport.codes[0] ?? airport.name} ${runway.name}`}
              aria-label={`Runway ${runway.name} of ${airport.name}`}
              onClick={() => choose(airport, runway)}
            >
              {runway.name}
            </Button>
          ))}
        </div>
      ))}
    </>
  );
}
