import type { RefusalCause } from '../fix.ts';

/** A kind's words, completing "the feed is connected, but …". */
export interface FeedWords {
  /** Completes "it answers with a web page, not with …". */
  readonly expected: string;
  /** Of JSON that the kind cannot read. */
  readonly json: (text: string) => string;
  /** Of SBS lines. */
  readonly sbs: string;
  /** Why messages gave no position; `nothing` if none was refused. */
  readonly without: Readonly<Partial<Record<RefusalCause | 'nothing', string>>>;
}

const SBS_ELSEWHERE = 'it sends SBS lines: write sbs:// before its address';

const COMMON = {
  impossible_value: 'its latitudes and longitudes are outside the Earth, or not numbers',
  too_long: 'its messages are too long to be read',
  flood: 'it sends more than is read',
  unreadable: 'its messages cannot be read',
};

const AIRCRAFT = {
  ...COMMON,
  no_position: 'its aircraft give no position',
  no_age: 'its aircraft have no usable "seen_pos": the age of their positions is not known, so they are not served',
  no_identity: 'its aircraft have no address that can be read',
  drone_as_aircraft: 'it passes on drones as aircraft (FF0000 to FFFFFF): connect the drone receiver itself',
  obstacle: 'it hears fixed obstacles only',
  withheld: 'all that it hears is withheld by "pia_and_ladd"',
};

const DRONES = {
  ...COMMON,
  no_position: 'its drones give no position, or 0,0 as without a GNSS fix',
  no_identity: 'its drones have no serial number or address that can be read',
  other_layer: 'it sends aircraft, and this is a feed of drones',
};

export const AIRCRAFT_JSON_WORDS: FeedWords = {
  expected: 'aircraft.json',
  json(text) {
    if (/^\s*\[/.test(text)) {
      return /"hex"\s*:/.test(text)
        ? 'it answers with a list of an old dump1090 that cannot be read'
        : 'it answers with a JSON list without aircraft';
    }
    if (/"drones"\s*:/.test(text)) return 'it answers with drones: write dragonsync+http:// before its address';
    if (/"(aircraft|ac)"\s*:/.test(text)) {
      return /"now"\s*:/.test(text)
        ? 'its answer is damaged or cut: JSON that cannot be read'
        : 'its answer does not say when it was written: "now" is missing';
    }
    if (/"hex"\s*:/.test(text)) return 'it sends aircraft as JSON, in a form that is not read here';
    return 'it answers with JSON about something else: it has no "aircraft"';
  },
  sbs: SBS_ELSEWHERE,
  without: AIRCRAFT,
};

export const JSON_PORT_WORDS: FeedWords = {
  expected: 'JSON lines',
  json: (text) =>
    /"hex"\s*:/.test(text) && !/"now"\s*:/.test(text)
      ? 'its aircraft do not say when they were received: "now" is missing'
      : "its JSON is not that of readsb's --net-json-port",
  sbs: SBS_ELSEWHERE,
  without: AIRCRAFT,
};

const NO_SBS_POSITION = 'its lines give no position: none is MSG,2 or MSG,3';

export const SBS_WORDS: FeedWords = {
  expected: 'SBS lines',
  json: () => 'it sends JSON: write jsonport:// or uat:// before its address',
  sbs: 'its SBS lines have another number of fields: damaged, or with decimal commas',
  without: {
    ...AIRCRAFT,
    no_position: 'its MSG,2 and MSG,3 lines have no latitude and longitude, or 0,0',
    impossible_value: 'its latitudes and longitudes are outside the Earth, or not decimal numbers with a point',
    not_positions: NO_SBS_POSITION,
    nothing: NO_SBS_POSITION,
  },
};

export const UAT_WORDS: FeedWords = {
  expected: 'JSON lines',
  json: () => "its JSON is not that of dump978's --json-port",
  sbs: SBS_ELSEWHERE,
  without: {
    ...AIRCRAFT,
    no_identity: 'its messages are of no aircraft: they have no address, or another kind of it',
    obstacle: 'it hears fixed beacons and obstacles only',
  },
};

export const DRONESCOUT_WORDS: FeedWords = {
  expected: 'messages of DroneScout',
  json: () => 'its JSON is not that of DroneScout (protocol 1.0)',
  sbs: SBS_ELSEWHERE,
  without: {
    ...DRONES,
    not_positions: 'it sends states of the sensor, and no Remote ID',
    compressed: 'it sends compressed messages (LZMA): switch compression off',
  },
};

export const DRAGONSYNC_WORDS: FeedWords = {
  expected: 'a list of drones',
  json: () => 'its JSON is damaged or cut',
  sbs: SBS_ELSEWHERE,
  without: {
    ...DRONES,
    not_positions: 'its JSON is not about drones: states of the kit, or an error',
    station_as_drone: 'it hears drones that it cannot decode, and reports its own place (drone-alert)',
  },
};

const NO_MESH_LINE = 'its lines have no "drone_lat": it hears no drone, or has another firmware';

export const MESH_MAPPER_WORDS: FeedWords = {
  expected: 'lines of drone-mesh-mapper',
  json: () => 'its JSON is not that of drone-mesh-mapper',
  sbs: SBS_ELSEWHERE,
  without: { ...DRONES, not_positions: NO_MESH_LINE },
};

export const PUSH_WORDS: FeedWords = {
  expected: 'JSON with "observations"',
  json: (text) =>
    /"(observations|longitude)"\s*:/.test(text)
      ? 'its rows cannot be read: "observed_at" is missing or no time, or "layer" is neither rid nor adsb'
      : 'it sends JSON without "observations"',
  sbs: SBS_ELSEWHERE,
  without: {
    ...DRONES,
    no_position: 'its rows have no longitude and latitude, or 0,0',
    no_identity: 'its rows name no drone or aircraft: serial_number, registration_id, mac_address or icao',
    drone_as_aircraft: AIRCRAFT.drone_as_aircraft,
  },
};
