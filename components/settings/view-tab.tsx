'use client';

import { CircleQuestionMark, LogOut } from 'lucide-react';
import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import {
  useIsReplaying,
  useLayersOn,
  useLookout,
  useMay,
  useMayLoad,
  usePreferences,
  useValue,
} from '#lib/client/page/lookout-context.tsx';
import {
  AUTO_LOAD_CHOICES,
  AUTO_LOAD_DEFAULT,
  MAP_DIMMINGS,
  SPOKEN_EVERY_S,
  VECTOR_MINUTES,
} from '#lib/client/page/preferences.ts';
import { BUILT_IN_MAP, chosenMap, type RegionMapState, regionMapProblem } from '#lib/client/page/region-map.ts';
import { autoLoadText } from '#lib/client/replay/replay-price.ts';
import { COLOURINGS, type Colouring } from '#lib/model/mark-colour.ts';
import { HomeAreaSection } from '../home-area/home-area.tsx';
import { useSignOut } from '../sign-in/account-menu.tsx';
import { InstallStreetMap } from '../street-map/street-map.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { StorageNote } from '../ui/storage-note.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { TrailChoice } from './trail-choice.tsx';

const SIZES = [
  { value: 'small', label: 'Small' },
  { value: 'normal', label: 'Normal' },
  { value: 'large', label: 'Large' },
] as const;

/** The settings of an operator: what map and panels show, in which units, and what screen readers announce. */
export function ViewTab({ narrow, onHelp }: { readonly narrow: boolean; readonly onHelp: () => void }) {
  const { operator, server } = useLookout();
  const mayAdminister = useMay('administer');
  const [layersOn, setLayerOn] = useLayersOn();
  const [preferences, change] = usePreferences();
  return (
    <div className="flex flex-col gap-4 p-4">
      <StorageNote />
      {LAYER_DISPLAY_ORDER.map((layer) => (
        <SwitchRow
          key={layer}
          label={`${LAYER_NAME[layer]} layer`}
          note="Off: not read."
          checked={layersOn.has(layer)}
          onChange={(on) => setLayerOn(layer, on)}
        />
      ))}
      <ColouringChoice />
      <ChoiceRow
        label="Labels on the map"
        value={preferences.labels}
        choices={[
          { value: 'off', label: 'Off' },
          { value: 'reference', label: 'Reference' },
          { value: 'full', label: 'Full' },
        ]}
        onChange={(labels) => change({ labels })}
      />
      <ChoiceRow
        label="Size of labels"
        value={preferences.labelSize}
        choices={SIZES}
        onChange={(labelSize) => change({ labelSize })}
      />
      <ChoiceRow
        label="Size of marks"
        note="They also grow with the zoom; seen from afar they are dots."
        value={preferences.markSize}
        choices={SIZES}
        onChange={(markSize) => change({ markSize })}
      />
      <TrailChoice />
      <SpeedVectorChoice />
      <ChoiceRow
        label="Units"
        value={preferences.units}
        choices={[
          { value: 'metric', label: 'Metric' },
          { value: 'aviation', label: 'Aviation' },
          { value: 'imperial', label: 'Imperial' },
        ]}
        onChange={(units) => change({ units })}
      />
      <ChoiceRow
        label="Clock"
        value={preferences.zone}
        choices={[
          { value: 'utc', label: 'UTC' },
          { value: 'local', label: 'Local' },
        ]}
        onChange={(zone) => change({ zone })}
      />
      <ChoiceRow
        label="Theme"
        value={preferences.theme}
        choices={[
          { value: 'system', label: 'System' },
          { value: 'dark', label: 'Dark' },
          { value: 'light', label: 'Light' },
        ]}
        onChange={(theme) => change({ theme })}
      />
      <HomeAreaSection />
      <MapChoice />
      <ChoiceRow
        label="Coordinates"
        value={preferences.coordinates}
        choices={[
          { value: 'decimal', label: 'Decimal' },
          { value: 'dms', label: 'DMS' },
          { value: 'mgrs', label: 'MGRS' },
        ]}
        onChange={(coordinates) => change({ coordinates })}
      />
      <ReplayLoadChoice />
      <SwitchRow
        label="Graticule"
        note="Lines of latitude and longitude on the built-in map."
        checked={preferences.graticule}
        onChange={(graticule) => change({ graticule })}
      />
      <SwitchRow
        label="What fields mean"
        note="A line under each value of the selected track."
        checked={preferences.fieldNotes}
        onChange={(fieldNotes) => change({ fieldNotes })}
      />
      <SpokenSummaryChoice />
      <SwitchRow
        label="Call simulated emergencies"
        note="For screen readers, and tests too. Real ones are always called; the count in the bar has all of them."
        checked={preferences.callsUnreal}
        onChange={(callsUnreal) => change({ callsUnreal })}
      />
      <SwitchRow
        label="Single-letter keys"
        note="Esc works either way."
        checked={preferences.singleKeys}
        onChange={(singleKeys) => change({ singleKeys })}
      />
      {mayAdminister && (
        <div className="flex flex-wrap gap-2">
          {server.hasReceivers && <LinkButton href="/admin/receivers">Receivers</LinkButton>}
          <LinkButton href="/admin/outputs">Outputs</LinkButton>
          <LinkButton href="/admin/doctor">Health</LinkButton>
        </div>
      )}
      {narrow && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={onHelp}>
            <CircleQuestionMark aria-hidden size={16} />
            Help
          </Button>
          {operator !== undefined && <LinkButton href="/account">Your account</LinkButton>}
          {operator !== undefined && <SignOutButton operator={operator.name} />}
        </div>
      )}
    </div>
  );
}

const SPOKEN_CHOICES = SPOKEN_EVERY_S.map((seconds) => ({
  value: String(seconds),
  label: seconds === 0 ? 'Off' : `${seconds} s`,
}));

function SpokenSummaryChoice() {
  const [{ spokenEveryS }, change] = usePreferences();
  return (
    <ChoiceRow
      label="Changes read out"
      note="For screen readers: counts, layers and the selected track, at most this often. Emergencies are called at once."
      value={String(spokenEveryS)}
      choices={SPOKEN_CHOICES}
      onChange={(value) => change({ spokenEveryS: SPOKEN_EVERY_S.find((seconds) => String(seconds) === value) ?? 0 })}
    />
  );
}

const AUTO_LOAD = AUTO_LOAD_CHOICES.map((upTo) => ({
  value: String(upTo),
  label: upTo === 0 ? 'Ask first' : `Up to ${upTo}`,
}));

/** Without an allowance no number of requests matters. */
const AUTO_LOAD_FREE = [
  { value: '0', label: 'Ask first' },
  { value: String(AUTO_LOAD_DEFAULT), label: 'At once' },
];

function ReplayLoadChoice() {
  const [{ replayAutoLoadMax }, change] = usePreferences();
  const mayLoad = useMayLoad();
  const { server } = useLookout();
  const note = autoLoadText(replayAutoLoadMax, mayLoad, server.hasAllowance);
  if (!mayLoad)
    return (
      <div>
        <p className="font-medium">Replays</p>
        <p className="mt-1 text-caption text-dim">{note}</p>
      </div>
    );
  return (
    <ChoiceRow
      label="Replays load by themselves"
      note={note}
      value={String(server.hasAllowance || replayAutoLoadMax === 0 ? replayAutoLoadMax : AUTO_LOAD_DEFAULT)}
      choices={server.hasAllowance ? AUTO_LOAD : AUTO_LOAD_FREE}
      onChange={(chosen) => {
        const upTo = AUTO_LOAD_CHOICES.find((choice) => String(choice) === chosen);
        if (upTo !== undefined) change({ replayAutoLoadMax: upTo });
      }}
    />
  );
}

const VECTOR_CHOICES = VECTOR_MINUTES.map((minutes) => ({
  value: String(minutes),
  label: minutes === 0 ? 'Off' : `${minutes} min`,
}));

function SpeedVectorChoice() {
  const [{ vectorMinutes }, change] = usePreferences();
  return (
    <ChoiceRow
      label="Speed vectors"
      note={
        vectorMinutes === 0
          ? 'No lines ahead of the marks are drawn.'
          : `A dashed line from each mark to where its reported speed and heading would lead in ${vectorMinutes} min. A projection: nothing was received there. None for expired positions or unknown speed or heading.`
      }
      value={String(vectorMinutes)}
      choices={VECTOR_CHOICES}
      onChange={(value) => change({ vectorMinutes: VECTOR_MINUTES.find((minutes) => String(minutes) === value) ?? 0 })}
    />
  );
}

function SignOutButton({ operator }: { readonly operator: string }) {
  const { isLeaving, isFailed, leave } = useSignOut();
  return (
    <>
      <Button onClick={() => leave()}>
        <LogOut aria-hidden size={16} />
        {isLeaving ? 'Signing out…' : `Sign out ${operator}`}
      </Button>
      {isFailed && (
        <p role="alert" className="text-bad">
          Could not sign out. Try again.
        </p>
      )}
    </>
  );
}

const COLOURING_LABEL: Readonly<Record<Colouring, string>> = {
  altitude: 'Altitude',
  height: 'Height',
  speed: 'Speed',
  age: 'Age',
  confidence: 'Confidence',
  kind: 'Kind',
};
const COLOURING_CHOICES = COLOURINGS.map((value) => ({ value, label: COLOURING_LABEL[value] }));

const COLOURING_NOTE: Readonly<Record<Colouring, string>> = {
  altitude: 'Aircraft by altitude, drones by height above ground.',
  height: 'Both by height above ground, which aircraft rarely report.',
  speed: 'By reported speed: drones have a scale of their own.',
  age: 'By the age of the last position; it says nothing of when it expires.',
  confidence: 'By the label that the service gives, also named on hover and in the card.',
  kind: 'Aircraft or drone.',
};

/** The server keeps no such values with a trail. */
const NOT_KEPT: ReadonlySet<Colouring> = new Set(['speed', 'confidence']);

function ColouringChoice() {
  const { colouring } = useLookout();
  const value = useValue(colouring);
  const isReplaying = useIsReplaying();
  const isGrey = !isReplaying && NOT_KEPT.has(value);
  return (
    <ChoiceRow
      label="Colour by"
      note={
        isGrey
          ? `${COLOURING_NOTE[value]} Trails are grey where they were received before this page saw them.`
          : COLOURING_NOTE[value]
      }
      value={value}
      choices={COLOURING_CHOICES}
      inThrees
      onChange={colouring.set}
    />
  );
}

const DIMMING_LABEL = { none: 'None', half: 'Half', strong: 'Strong' } as const;
/** The words for pictures, which are always dimmed. */
const PICTURE_DIMMING_LABEL = { none: 'Least', half: 'More', strong: 'Most' } as const;

function MapChoice() {
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
            <InstallStreetMap />
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
