'use client';

import { useQuery } from '@tanstack/react-query';
import { MapPin, PlaneTakeoff } from 'lucide-react';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { FoundPlace, PlacesAnswer } from '#lib/api/places-answer.ts';
import { useListedTracks, useLookout } from '#lib/client/page/lookout-context.tsx';
import { isPlaceText, placesQuery } from '#lib/client/page/places-query.ts';
import type { LookoutRequestFailure } from '#lib/client/request/fetch-lookout.ts';
import { NO_ANSWER } from '#lib/client/request/refusal-message.ts';
import { useRested } from '#lib/client/request/use-rested.ts';
import { decimalText } from '#lib/geo/coordinate-text.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { type CoordinateReading, parseCoordinates } from '#lib/geo/parse-coordinates.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { listSlots } from '#lib/picture/list-tracks.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { classNames } from '../ui/class-names.ts';
import { Dialog } from '../ui/dialog.tsx';

const TRACKS_MAX = 8;

const REST_MS = 120;

export interface EarlyKeys {
  readonly text: string;
  /** Whether Enter was the last key. */
  readonly isEntered: boolean;
}

/** Safari reports the key that ends a composition of an input method by this code alone. */
const OF_INPUT_METHOD = 229;

interface FindDialogProps {
  readonly typedEarly: () => EarlyKeys;
  readonly onClose: () => void;
}

/** Finds a reference, a place, an airport or coordinates: Enter selects and centres a track, or moves the map to a place. */
export function FindDialog({ typedEarly, onClose }: FindDialogProps) {
  const { display, mapCommands } = useLookout();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const { entries, stateText, isSearching } = useFound(text);

  const choose = (entry: FindEntry) => {
    onClose();
    if (entry.kind === 'place') {
      mapCommands.run({ kind: 'go-to', ...entry.at, zoom: entry.zoom, name: entry.title });
      return;
    }
    const slot = display.tracks.slotOf(entry.ref);
    display.select(entry.ref);
    if (slot === undefined) return;
    const { lon, lat } = display.tracks.positionAt(slot);
    mapCommands.run({ kind: 'centre', lon, lat });
  };

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Find"
      description="Searches this page and Lookout’s own list of places, and no other service."
      initialFocus={field}
    >
      <Combobox
        field={field}
        text={text}
        onText={setText}
        entries={entries}
        isSearching={isSearching}
        typedEarly={typedEarly}
        onChoose={choose}
      />
      <p role="status" data-testid="find-state" className="min-h-[18px] pt-3 text-dim">
        {stateText}
      </p>
    </Dialog>
  );
}

interface ComboboxProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly entries: readonly FindEntry[];
  readonly isSearching: boolean;
  readonly typedEarly: () => EarlyKeys;
  readonly onChoose: (entry: FindEntry) => void;
}

/** ARIA combobox pattern: the focus stays in the field, which names the active option. */
function Combobox({ field, text, onText, entries, isSearching, typedEarly, onChoose }: ComboboxProps) {
  const id = useId();
  const [activeId, setActiveId] = useState<string>();
  const [isWaiting, setIsWaiting] = useState(false);
  const found = entries.findIndex((entry) => entry.id === activeId);
  const active = found < 0 ? 0 : found;
  const list = useRef<HTMLDivElement>(null);

  // The field takes over in the same commit as the early field's removal: a key in between would be a shortcut.
  const takeOver = useEffectEvent(() => {
    field.current?.focus();
    const early = typedEarly();
    onText(early.text);
    setIsWaiting(early.isEntered);
  });
  useLayoutEffect(() => takeOver(), []);

  const chooseFirst = useEffectEvent(() => {
    setIsWaiting(false);
    const [entry] = entries;
    if (entry) onChoose(entry);
  });
  useEffect(() => {
    if (isWaiting && !isSearching) chooseFirst();
  }, [isWaiting, isSearching]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      const next = (active + step + entries.length) % entries.length;
      setActiveId(entries[next]?.id);
      list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing && event.keyCode !== OF_INPUT_METHOD) {
      event.preventDefault();
      const entry = entries[active];
      // Without an explicit choice, wait for a better match.
      if (entry && (found >= 0 || !isSearching)) onChoose(entry);
      else setIsWaiting(isSearching);
    }
  };

  return (
    <>
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label="Find a reference, a place, an airport or coordinates"
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={entries.length > 0 ? `${id}-${active}` : undefined}
        placeholder="1F2BC · Zürich · LSZH · 47.458, 8.548"
        value={text}
        maxLength={100}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        onChange={(event) => {
          onText(event.target.value);
          setActiveId(undefined);
          setIsWaiting(false);
        }}
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(text.length, text.length)}
        onKeyDown={onKeyDown}
        className="h-9 w-full rounded-control border border-edge bg-background px-3 text-body placeholder:text-dim phone:h-11"
      />
      <div id={`${id}-list`} ref={list} role="listbox" aria-label="Found" className="flex flex-col pt-2">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
          <div
            key={entry.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => onChoose(entry)}
            onMouseDown={(event) => event.preventDefault()}
            className={classNames(
              'flex min-h-9 cursor-pointer items-center gap-3 rounded-control px-3 py-1 phone:min-h-11',
              index === active ? 'bg-raised' : 'hover:bg-raised',
            )}
          >
            {entry.kind === 'track' ? (
              <PlaneTakeoff aria-hidden size={14} className="shrink-0 text-dim" />
            ) : (
              <MapPin aria-hidden size={14} className="shrink-0 text-dim" />
            )}
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{entry.title}</span>
              <span className="block truncate text-caption text-dim">{entry.detail}</span>
            </span>
          </div>
        ))}
      </div>
    </>
  );
}

interface Found {
  readonly entries: readonly FindEntry[];
  readonly stateText: string;
  readonly isSearching: boolean;
}

function useFound(text: string): Found {
  const moment = useListedTracks();
  const wanted = text.trim();
  const places = usePlaces(wanted);
  const coordinates = useMemo(() => parseCoordinates(wanted), [wanted]);
  const tracks = useMemo(() => (wanted === '' ? [] : matchingTracks(moment, wanted)), [moment, wanted]);
  const trackCount = useMemo(() => matchingSlots(moment, '').length, [moment]);
  const results = places.state === 'searched' ? places.answer.results : [];
  const entries = foundEntries({ text: wanted, coordinates, tracks, places: results });
  const coordinateProblem = coordinates?.ok === false ? coordinates.problem : undefined;
  const state = { text: wanted, entryCount: entries.length, coordinateProblem, trackCount, places };
  return { entries, stateText: findStateText(state), isSearching: places.state === 'searching' };
}

type Places = FindState['places'] &
  (
    | { readonly state: 'searched'; readonly answer: PlacesAnswer }
    | { readonly state: 'too-short' | 'searching' | 'failed' }
  );

function usePlaces(wanted: string): Places {
  const isSearched = isPlaceText(wanted);
  const isRested = useRested(wanted, REST_MS) === wanted;
  const { data, error } = useQuery({ ...placesQuery(wanted), enabled: isSearched && isRested });
  if (!isSearched) return { state: 'too-short' };
  if (data) return { state: 'searched', answer: data };
  return error && isRested ? { state: 'failed', failure: error.kind } : { state: 'searching' };
}

function matchingTracks(moment: TrackMoment, text: string): FoundTrack[] {
  return Array.from(matchingSlots(moment, text).subarray(0, TRACKS_MAX), (slot) => ({
    ref: moment.refAt(slot),
    isDrone: ((moment.columns.style[slot] as number) & FLAG_DRONE) !== 0,
  }));
}

/** The slots of matching references, also of filtered tracks: a searched reference means exactly that track. */
function matchingSlots(moment: TrackMoment, text: string): Int32Array {
  return listSlots(moment, { text, order: [{ column: 'ref', descending: false }] });
}

interface FoundTrack {
  readonly ref: string;
  readonly isDrone: boolean;
}

interface EntryText {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
}

type FindEntry = EntryText &
  (
    | { readonly kind: 'track'; readonly ref: string }
    | { readonly kind: 'place'; readonly at: LonLat; readonly zoom: number }
  );

interface FindMatches {
  readonly text: string;
  readonly coordinates: CoordinateReading | undefined;
  readonly tracks: readonly FoundTrack[];
  readonly places: readonly FoundPlace[];
}

export function foundEntries({ text, coordinates, tracks, places }: FindMatches): FindEntry[] {
  const wanted = text.trim().toUpperCase();
  const isNamed = ({ ref }: FoundTrack) =>
    ref.toUpperCase().startsWith(wanted) || shortReference(ref).toUpperCase().startsWith(wanted);
  return [
    ...(coordinates?.ok ? [coordinatesEntry(coordinates.place)] : []),
    ...tracks.filter(isNamed).map(trackEntry),
    ...places.map(placeEntry),
    ...tracks.filter((track) => !isNamed(track)).map(trackEntry),
  ];
}

const COORDINATES_ZOOM = 14;

function coordinatesEntry(at: LonLat): FindEntry {
  return {
    kind: 'place',
    id: 'coordinates',
    title: decimalText(at),
    detail: 'Coordinates',
    at,
    zoom: COORDINATES_ZOOM,
  };
}

function trackEntry({ ref, isDrone }: FoundTrack): FindEntry {
  const detail = `${isDrone ? 'Drone' : 'Aircraft'} on this page · ${ref}`;
  return { kind: 'track', id: `track ${ref}`, title: shortReference(ref), detail, ref };
}

const KIND_TEXT: Readonly<Record<FoundPlace['kind'], string>> = {
  place: 'Place',
  airport: 'Airport',
  heliport: 'Heliport',
  seaplane_base: 'Seaplane base',
  balloonport: 'Balloon port',
};

function placeEntry(place: FoundPlace): FindEntry {
  const { kind, name, codes, city, country, population, closed, lat, lon } = place;
  const parts = [
    closed ? `Closed ${KIND_TEXT[kind].toLowerCase()}` : KIND_TEXT[kind],
    codes.join(' / '),
    [city !== null && city !== name ? city : '', countryName(country)].filter(Boolean).join(', '),
    population === null ? '' : `${groupedNumber(population)} inhabitants`,
  ];
  const title = codes.length > 0 ? `${codes.join(' / ')} ${name}` : name;
  const detail = parts.filter((part, index) => part !== '' && index !== 1).join(' · ');
  return { kind: 'place', id: `${kind} ${name} ${lat} ${lon}`, title, detail, at: { lon, lat }, zoom: zoomOf(place) };
}

function zoomOf({ kind, population, major }: FoundPlace): number {
  if (kind === 'place') return (population ?? 0) >= 1_000_000 ? 10 : (population ?? 0) >= 100_000 ? 11 : 12;
  return major ? 12.5 : 14;
}

function countryName(code: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

export interface FindState {
  readonly text: string;
  readonly entryCount: number;
  readonly coordinateProblem: string | undefined;
  readonly trackCount: number;
  readonly places:
    | { readonly state: 'too-short' | 'searching' }
    | { readonly state: 'failed'; readonly failure: LookoutRequestFailure }
    | { readonly state: 'searched'; readonly answer: Pick<PlacesAnswer, 'more' | 'searched'> };
}

const FAILURE_TEXT: Readonly<Record<LookoutRequestFailure, string>> = {
  unreachable: NO_ANSWER,
  'signed-out': 'the session has ended, sign in again',
  refused: 'Lookout’s server could not search',
  unreadable: 'this page could not read the answer',
};

export function findStateText({ text, entryCount, coordinateProblem, trackCount, places }: FindState): string {
  if (text.trim() === '') return 'Searches current tracks and the built-in place list.';
  const sentences: string[] = [];
  if (coordinateProblem !== undefined) sentences.push(`Not read as coordinates: ${coordinateProblem}`);
  if (places.state === 'failed')
    sentences.push(`Places and airports were not searched: ${FAILURE_TEXT[places.failure]}.`);
  if (places.state === 'searching') sentences.push('Searching places and airports…');
  else if (entryCount === 0) sentences.push(`Nothing found. Searched: ${searchedText(trackCount, places)}.`);
  if (entryCount > 0 && places.state !== 'searching') sentences.push(`${entryCount} found.`);
  if (places.state === 'searched' && places.answer.more) sentences.push('More places match: type more of the name.');
  if (places.state === 'too-short') sentences.push('Places and airports are searched from two letters or digits.');
  return sentences.join(' ');
}

function searchedText(trackCount: number, places: FindState['places']): string {
  const tracks = `the ${groupedNumber(trackCount)} ${trackCount === 1 ? 'reference' : 'references'} on this page`;
  const coordinates = 'coordinates in decimal degrees, DMS and MGRS';
  if (places.state !== 'searched') return `${tracks} and ${coordinates}`;
  const { searched } = places.answer;
  return `${tracks}, ${groupedNumber(searched.places)} places, ${groupedNumber(searched.airports)} airports and heliports, and ${coordinates}`;
}
