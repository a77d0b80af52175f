'use client';

import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { MAP_DIMMINGS } from '#lib/client/page/preferences.ts';
import { BUILT_IN_MAP, chosenMap, type RegionMapState, regionMapProblem } from '#lib/client/page/region-map.ts';
import { useMay } from '#lib/client/page/use-may.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { StreetMapCommand } from '../ui/street-map-command.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';

const DIMMING_LABEL = { none: 'None', half: 'Half', strong: 'Strong' } as const;
/** Pictures are always dimmed. */
const PICTURE_DIMMING_LABEL = { none: 'Least', half: 'More', strong: 'Most' } as const;

export function MapChoice() {
  const { regionMap, server } = useLookout();
  const { maps, mapStyleUrl } = server;
  const state = useValue(regionMap);
  const mayInstall = useMay('administer');
  const [{ map: preferred, mapDimming, namesOverPictures }, change] = usePreferences();
  const chosen = chosenMap(maps, preferred) ?? BUILT_IN_MAP;
  const isPicture = state.kind === 'shown' && state.isPicture;
  const labels = isPicture ? PICTURE_DIMMING_LABEL : DIMMING_LABEL;
  const below = mapStyleUrl === undefined ? 'Built-in' : 'Map style';
  return (
    <>
      {maps.length === 0 && mapStyleUrl === undefined && mayInstall && (
        <details>
          <summary className="font-medium">No street map installed</summary>
          <div className="pt-2">
            <StreetMapCommand />
          </div>
        </details>
      )}
      {maps.length > 0 && (
        <ChoiceRow
          label="Map"
          note={mapNote(state)}
          value={chosen}
          choices={[...maps.map((name) => ({ value: name, label: name })), { value: BUILT_IN_MAP, label: below }]}
          onChange={(name) => change({ map: name === BUILT_IN_MAP ? null : name })}
        />
      )}
      {(mapStyleUrl === undefined || chosen !== BUILT_IN_MAP) && (
        <ChoiceRow
          label="Dimming of the map"
          {...(maps.length > 0 && { note: 'Remembered for each map.' })}
          value={mapDimming[chosen] ?? 'none'}
          choices={MAP_DIMMINGS.map((value) => ({ value, label: labels[value] }))}
          onChange={(dimming) => change({ mapDimming: { ...mapDimming, [chosen]: dimming } })}
        />
      )}
      {isPicture && mapStyleUrl === undefined && (
        <SwitchRow
          label="Place names over pictures"
          note="Off for pictures that have names themselves."
          checked={namesOverPictures}
          onChange={(on) => change({ namesOverPictures: on })}
        />
      )}
    </>
  );
}

function mapNote(state: RegionMapState): string {
  switch (state.kind) {
    case 'off':
      return 'No map of your own is drawn.';
    case 'opening':
      return 'Opening…';
    case 'shown':
      return state.isPicture
        ? 'Pictures, always dimmed. The map below shows where the file has none.'
        : 'The map below shows where the file has nothing.';
    case 'failed':
      return regionMapProblem(state);
  }
}
