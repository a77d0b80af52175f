import { type Camera, parseAddress, type ReplayAddress } from '#lib/api/address-state.ts';
import type { SignedInOperator } from '#lib/api/people/session-messages.ts';
import { incompleteEnd, mendedLink } from '#lib/api/received-link.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import { LAYERS } from '#lib/model/position.ts';
import { selectionOf } from '#lib/model/selection.ts';
import { AlarmSound } from '../alarms/alarm-sound.ts';
import { Drawing } from '../area/drawing-state.ts';
import { localStore, sessionStore } from '../browser/storage.ts';
import { Display } from '../display/display.ts';
import type { IncidentTask } from '../incidents/incident-proposal.ts';
import { ageWithoutAnswers, LiveFeed } from '../live/live-feed.ts';
import { browserNow } from '../live/server-clock.ts';
import { Measuring } from '../measuring/measuring.ts';
import type { CoverageChoice } from '../overview/coverage-choice.ts';
import { playReplay, ReplayEngine } from '../replay/replay-engine.ts';
import { storeLoad, storeSpeed } from '../replay/stored-replay.ts';
import { storeTtl } from '../replay/time-to-live.ts';
import { TRAILS_OFF, type TrailsState } from '../trails/trails-loading.ts';
import { ValueStore } from '../value-store.ts';
import { ZoneDesk } from '../zones/zone-desk.ts';
import { MyPositionWatch } from './my-position.ts';
import { oneToolAtATime } from './one-tool.ts';
import { type MapAbsence, MapCommands, PageFilter, PlaceMark, ShownLayers, type ViewState } from './page-map.ts';
import { type Preferences, StoredPreferences } from './preferences.ts';
import { NO_REGION_MAP, type RegionMapState } from './region-map.ts';
import { Selecting } from './selecting.ts';

/**
 * Everything that the parts of the map's page share. They read what they need of it, and never hold a copy. A value that
 * has a class of its own is written by that class alone.
 */
export interface Lookout {
  readonly feed: LiveFeed;
  readonly display: Display;
  readonly replay: ReplayEngine;

  /** Parts of a link, besides the selection, the view and the replay. */
  readonly layersOn: ShownLayers;
  readonly filter: PageFilter;
  readonly colouring: ValueStore<Colouring>;
  readonly link: OpenedLink;

  /** The map: where it is, what is wrong with it, and what only it and its panels share. */
  readonly mapCommands: MapCommands;
  readonly mapView: ValueStore<ViewState>;
  readonly mapShown: ValueStore<boolean>;
  /** `undefined` while there is a map, or one comes. */
  readonly mapAbsence: ValueStore<MapAbsence | undefined>;
  readonly regionMap: ValueStore<RegionMapState>;
  readonly liveTrails: ValueStore<TrailsState>;
  /** `undefined` while coverage is switched off. */
  readonly coverage: ValueStore<CoverageChoice | undefined>;
  readonly printedTheme: ValueStore<'light' | undefined>;

  /** Places that the map can go to or mark. */
  readonly markedPlace: PlaceMark;
  readonly myPosition: MyPositionWatch;
  /** Target of the `home` command: the operator's start view, or the configured home. */
  readonly home: ValueStore<Camera>;

  readonly selecting: Selecting;
  readonly measuring: Measuring;
  readonly drawing: Drawing;
  readonly zones: ZoneDesk;
  /** The work of the operator on incidents, while its dialog is open. */
  readonly incidents: ValueStore<IncidentTask | undefined>;

  readonly preferences: StoredPreferences;
  /** `undefined` if no sign-in is required. */
  readonly operator: SignedInOperator | undefined;
  readonly server: ServerFacts;
}

/** The address that the page was opened with. */
interface OpenedLink {
  /** `undefined` if the address was live. */
  readonly replay: ReplayAddress | undefined;
  /** Names of parameters that were ignored. */
  readonly ignored: readonly string[];
  /** The last parameter, if a program cut it. */
  readonly cutAt: string | undefined;
}

/** Facts about the server that rendered the page. They do not change while the page is open. */
export interface ServerFacts {
  /** The configured home view. */
  readonly home: Camera;
  readonly mapStyleUrl: string | undefined;
  readonly maps: readonly string[];
  readonly mapFetchCommand: string;
  readonly hasReceivers: boolean;
  /** Whether loads of the past use up an allowance. */
  readonly hasAllowance: boolean;
  /** Whether "live" is a recording that is played. */
  readonly isRecording: boolean;
  readonly version: string;
}

export interface LookoutOptions {
  /** Query of the page's address. */
  readonly address: string;
  /** Query of the operator's start view; empty without one. */
  readonly start: string;
  readonly operator: SignedInOperator | undefined;
  readonly server: ServerFacts;
  /** Preferences of this page alone; nothing is stored then. */
  readonly held?: Partial<Preferences> | undefined;
}

const PREFERENCES_STORES = { local: localStore, session: sessionStore };

export function makeLookout({ address, start, operator, server, held }: LookoutOptions): Lookout {
  const link = mendedLink(address);
  const { state, ignored } = parseAddress(link);
  const layersOn = state.layers ?? new Set(LAYERS);
  const monotonicMs = () => performance.now();
  const feed = new LiveFeed({ monotonicMs, wallNow: browserNow });
  const display = new Display(feed, monotonicMs);
  feed.setLayersOn(layersOn);
  display.setFilter(state.filter);
  display.setColouring(state.colouring);
  display.setSelection(selectionOf(state.selectedRefs));
  return {
    feed,
    display,
    replay: new ReplayEngine(async () => {
      const { openSessions } = await import('../replay/replay-session.ts');
      return openSessions((asOf, delayMs) => feed.syncClock(asOf, delayMs));
    }),
    layersOn: new ShownLayers(layersOn),
    filter: new PageFilter(state.filter),
    colouring: new ValueStore(state.colouring),
    link: { replay: state.replay, ignored, cutAt: incompleteEnd(link) },
    mapCommands: new MapCommands(),
    mapView: new ValueStore<ViewState>({ ...(state.view ?? server.home), visible: undefined }),
    mapShown: new ValueStore(false),
    mapAbsence: new ValueStore<MapAbsence | undefined>(undefined),
    regionMap: new ValueStore<RegionMapState>(NO_REGION_MAP),
    liveTrails: new ValueStore<TrailsState>(TRAILS_OFF),
    coverage: new ValueStore<CoverageChoice | undefined>(undefined),
    printedTheme: new ValueStore<'light' | undefined>(undefined),
    markedPlace: new PlaceMark(),
    myPosition: new MyPositionWatch(window),
    home: new ValueStore(parseAddress(start).state.view ?? server.home),
    selecting: new Selecting(display),
    measuring: new Measuring(display),
    drawing: new Drawing(),
    zones: new ZoneDesk(new AlarmSound(window)),
    incidents: new ValueStore<IncidentTask | undefined>(undefined),
    preferences: new StoredPreferences(PREFERENCES_STORES, operator?.id, held),
    operator,
    server,
  };
}

/** Joins the parts while the page is open: what one of them changes reaches the others, and the browser's storage. */
export function connectLookout(lookout: Lookout): () => void {
  const { feed, display, replay, layersOn, filter, colouring, mapView, preferences } = lookout;
  const stops = [
    preferences.store(window),
    ageWithoutAnswers(feed),
    layersOn.subscribe(() => {
      feed.setLayersOn(layersOn.get());
      replay.session?.setLayers(layersOn.get());
    }),
    mapView.subscribe(() => display.setVisible(mapView.get().visible)),
    filter.subscribe(() => display.setFilter(filter.get())),
    colouring.subscribe(() => display.setColouring(colouring.get())),
    oneToolAtATime(lookout),
    playReplay(display, replay),
    storeSpeed(replay, preferences),
    storeLoad(replay, sessionStore),
    storeTtl(feed, localStore),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
