import { epochMs, parseInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Fix, Parsed, Parser, ParserSettings, RefusalCause } from '../fix.ts';
import {
  type AircraftPolicy,
  aircraftName,
  directionDeg,
  metresOfFeet,
  mpsOfKnots,
  readEmergency,
  readLonLat,
} from './aircraft-value.ts';
import { FieldNotes, messageText } from './parsed-message.ts';

export interface SbsSettings extends ParserSettings {
  readonly policy?: AircraftPolicy;
  /** readsb writes UTC, dump1090-fa local time, and lines don't tell which. Default `arrival`. */
  readonly times?: 'arrival' | 'utc' | undefined;
}

/** The speed and direction of a separate line count for so long. */
const VELOCITY_MS = 10 * SECOND_MS;
/** A squawk is valid for so long, as in readsb. */
const SQUAWK_MS = MINUTE_MS;
/** Aircraft remembered: several times what one receiver hears. */
const AIRCRAFT_MAX = 10_000;
const FIELDS_MIN = 16;
const FIELDS_MAX = 22;

interface Reported {
  readonly velocity:
    | { readonly speedMps: number | null; readonly headingDeg: number | null; readonly atMs: number }
    | undefined;
  readonly squawk: { readonly code: string; readonly atMs: number } | undefined;
}

/**
 * SBS-1 (BaseStation), port 30003: each line has one fact, so the speed of MSG,4 joins the position of MSG,3. Only
 * mlat-client marks MLAT, for MSG. Ignores alert and emergency flags, which readsb fills with MLAT's receiver count
 * and error.
 */
export function makeSbs({ feed, keyOf, policy = {}, times = 'arrival' }: SbsSettings): Parser {
  const reportedOf = new Map<string, Reported>();

  function remember(name: string, reported: Reported): void {
    reportedOf.delete(name);
    reportedOf.set(name, reported);
    if (reportedOf.size <= AIRCRAFT_MAX) return;
    const oldest = reportedOf.keys().next();
    if (!oldest.done) reportedOf.delete(oldest.value);
  }

  function join(name: string, { speedMps, headingDeg, squawk }: Line, atMs: number): Reported {
    const before = reportedOf.get(name);
    const hasVelocity = speedMps !== null || headingDeg !== null;
    const reported: Reported = {
      velocity: hasVelocity ? { speedMps, headingDeg, atMs } : ifRecent(before?.velocity, atMs, VELOCITY_MS),
      squawk: squawk === '' ? ifRecent(before?.squawk, atMs, SQUAWK_MS) : { code: squawk, atMs },
    };
    remember(name, reported);
    return reported;
  }

  return {
    parse(message, receivedAt): Parsed {
      const notes = new FieldNotes();
      const line = readLine(messageText(message), notes);
      if (typeof line === 'string') return refuse(line);
      const named = aircraftName(line.hex, true, feed);
      if (typeof named === 'string') return refuse(named);
      const position = readLonLat(line.lon, line.lat);
      const clock = times === 'utc' ? { feedTimeMs: line.receivedMs, feedClockMs: line.sentMs } : ARRIVAL;
      const reported = join(named.name, line, epochMs(receivedAt));
      if (typeof position === 'string') {
        if (position !== 'no_position' || line.hasPlace) return refuse(position, clock.feedClockMs);
        const isReporting = line.speedMps !== null || line.headingDeg !== null || line.squawk !== '';
        return {
          fixes: [],
          refused: isReporting ? [] : ['not_positions'],
          feedClockMs: clock.feedClockMs,
          fields: notes.counts(),
        };
      }
      const fix: Fix = {
        layer: 'adsb',
        trackKey: keyOf('adsb', named.name),
        feedTimeMs: clock.feedTimeMs,
        trackTimeMs: undefined,
        ...position,
        altitudeM: line.onGround ? null : line.altitudeM,
        heightAglM: null,
        speedMps: reported.velocity?.speedMps ?? null,
        headingDeg: reported.velocity?.headingDeg ?? null,
        onGround: line.onGround,
        origin: line.isMlat ? 'mlat' : 'unknown',
        accuracyM: null,
        emergencyState: readEmergency(undefined, reported.squawk?.code, policy, notes),
        testBroadcast: false,
      };
      return { fixes: [fix], refused: [], feedClockMs: clock.feedClockMs, fields: notes.counts() };
    },
  };
}

const ARRIVAL = { feedTimeMs: undefined, feedClockMs: undefined };

function refuse(cause: RefusalCause, feedClockMs?: number): Parsed {
  return { fixes: [], refused: [cause], feedClockMs };
}

/** A future fact is void: the clock was set back. */
function ifRecent<Fact extends { readonly atMs: number }>(fact: Fact | undefined, nowMs: number, ms: number) {
  return fact !== undefined && nowMs >= fact.atMs && nowMs - fact.atMs <= ms ? fact : undefined;
}

interface Line {
  readonly isMlat: boolean;
  /** True for lines that contain a known position. */
  readonly hasPlace: boolean;
  readonly hex: string;
  readonly receivedMs: number | undefined;
  readonly sentMs: number | undefined;
  readonly altitudeM: number | null;
  readonly speedMps: number | null;
  readonly headingDeg: number | null;
  /** A number, or the text if it is none. */
  readonly lat: unknown;
  readonly lon: unknown;
  readonly squawk: string;
  readonly onGround: boolean;
}

/** Lines about BaseStation itself: names, status, clicks. */
const OTHER_LINES = /^(SEL|ID|AIR|STA|CLK)$/;

function readLine(text: string, notes: FieldNotes): Line | RefusalCause {
  // Some programs pad fields, or end lines with a comma.
  const fields = text.split(',', FIELDS_MAX + 2).map((field) => field.trim());
  if (fields.length > FIELDS_MIN && fields.at(-1) === '') fields.pop();
  const [type = '', kind = ''] = fields;
  if (OTHER_LINES.test(type)) return 'not_positions';
  if (type !== 'MSG' && type !== 'MLAT') return 'unreadable';
  if (!/^[1-8]$/.test(kind) || fields.length < FIELDS_MIN || fields.length > FIELDS_MAX) return 'unreadable';
  const field = (number: number) => fields[number - 1] ?? '';
  const value = (name: string, text: string, read: (value: unknown) => number | null) =>
    notes.read({ [name]: numberOf(text) }, [name], read);
  const squawk = field(18);
  if (squawk !== '' && !SQUAWK.test(squawk)) notes.unusable('squawk');
  return {
    isMlat: type === 'MLAT',
    hasPlace: kind === '2' || kind === '3',
    hex: field(5),
    receivedMs: utcMs(field(7), field(8)),
    sentMs: utcMs(field(9), field(10)),
    // H marks a geometric altitude.
    altitudeM: value('altitude', field(12).replace(/H$/, ''), metresOfFeet),
    speedMps: value('speed', field(13), mpsOfKnots),
    headingDeg: value('track', field(14), directionDeg),
    // Two whole numbers are one with a decimal comma.
    ...(isWhole(field(15)) && isWhole(field(16))
      ? { lat: field(15), lon: field(16) }
      : { lat: numberOf(field(15)), lon: numberOf(field(16)) }),
    squawk: SQUAWK.test(squawk) ? squawk : '',
    onGround: kind === '2' || field(22) === '-1' || field(22) === '1',
  };
}

const SQUAWK = /^[0-7]{4}$/;

/** Whether it is a whole number other than 0, which is an empty record. */
function isWhole(field: string): boolean {
  return /^[-+]?\d+$/.test(field) && Number(field) !== 0;
}

/** `undefined` for an empty field, text if it is no decimal number. */
function numberOf(field: string): number | string | undefined {
  if (field === '') return undefined;
  return /^[-+]?(\d{1,9}(\.\d{0,15})?|\.\d{1,15})$/.test(field) ? Number(field) : field;
}

function utcMs(date: string, time: string): number | undefined {
  const at = parseInstant(`${date.replaceAll('/', '-')}T${time}Z`);
  return at === undefined ? undefined : epochMs(at);
}
