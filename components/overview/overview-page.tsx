'use client';

import './overview.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type OverviewChoice,
  type OverviewPlace,
  overviewAddress,
  overviewChoiceOf,
} from '#lib/client/overview/coverage-choice.ts';
import { useOverview } from '#lib/client/overview/overview-query.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { Choices } from './choices.tsx';
import { CoverageFields } from './coverage-fields.tsx';
import { CoveragePicture, type CoveragePictureProps } from './coverage-picture.tsx';
import { HoursSection } from './hours-section.tsx';
import { OVERVIEW_NOTICE } from './overview-text.ts';

export interface OverviewPageProps extends Pick<CoveragePictureProps, 'zone' | 'theme' | 'drawMap'> {
  readonly units: UnitSystem;
}

const nowMs = () => Date.now();
const EVERYTHING = { value: 'everything', label: 'everything watched' };
const VIEW = { value: 'view', label: 'the view on the map' };

/** Its choices are in the address. */
export function OverviewPage({ zone, units, theme, drawMap }: OverviewPageProps) {
  const [first] = useState(() => overviewChoiceOf(window.location.search));
  const [choice, setChoice] = useState(first);
  const overview = useOverview(choice, nowMs);
  const { data: zones } = useQuery(zonesQuery());
  const change = (changed: Partial<OverviewChoice>) => {
    const chosen = { ...choice, ...changed };
    setChoice(chosen);
    window.history.replaceState(null, '', overviewAddress(chosen));
  };
  const places = [
    EVERYTHING,
    ...(first.place.kind === 'view' ? [VIEW] : []),
    ...(zones?.zones ?? []).map(({ zone: { id, name } }) => ({ value: id, label: name })),
  ];
  const { place } = choice;
  const value = place.kind === 'zone' ? place.id : place.kind;
  const placeName = places.find((each) => each.value === value)?.label ?? 'a zone';
  const shared = {
    choice,
    zone,
    overview,
    placeName,
    onCounted: (counted: OverviewChoice['counted']) => change({ counted }),
  };
  return (
    <>
      <p className="text-dim">{OVERVIEW_NOTICE}</p>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(190px,1fr))] items-end gap-3 phone:grid-cols-1 print:hidden">
        <Choices
          label="Place"
          value={value}
          choices={places.map((each) => ({ ...each, label: capitalised(each.label) }))}
          onChange={(chosen) => change({ place: placeOf(chosen, first.place) })}
        />
        <CoverageFields choice={choice} units={units} onChange={change} />
      </div>
      <div className="overview grid grid-cols-1 gap-6 min-[1600px]:grid-cols-2 print:grid-cols-1">
        <CoveragePicture {...shared} theme={theme} drawMap={drawMap} />
        <HoursSection {...shared} />
      </div>
    </>
  );
}

function placeOf(chosen: string, first: OverviewPlace): OverviewPlace {
  if (chosen === EVERYTHING.value) return { kind: 'everything' };
  return chosen === VIEW.value ? first : { kind: 'zone', id: chosen };
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
