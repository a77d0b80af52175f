import { formatArea, parseArea } from '#lib/geo/area-parameter.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { parseDecimal } from '#lib/geo/parse-decimal.ts';
import { activeCriteria, NO_FILTER, type TrackFilter, type ValueRange } from './track-filter.ts';

type ValueOf<Name extends keyof TrackFilter> = Exclude<TrackFilter[Name], undefined>;

interface Parameter<T> {
  readonly name: string;
  readonly expected: string;
  readonly parse: (text: string) => T | undefined;
  readonly format: (value: T) => string;
}

/**
 * The unit closes a range: a link that a program cut inside it is not taken for another range. Such programs end links at
 * two dots, as in the ranges of earlier links.
 */
const range = (name: string, unit: string): Parameter<ValueRange> => ({
  name,
  expected: `a range such as 0_1000${unit}, 500_${unit} or _120${unit}, whose end is greater than its start`,
  parse: (text) => {
    const [from, to, ...rest] = text.endsWith(unit) ? text.slice(0, -unit.length).split('_') : text.split('..');
    return from === undefined || to === undefined || rest.length > 0 ? undefined : rangeOf(from, to);
  },
  format: ({ from, to }) => `${[from, to].map((end) => (end === undefined ? '' : plain(end))).join('_')}${unit}`,
});

function oneOf<T extends string>(name: string, choices: readonly T[]): Parameter<T> {
  return {
    name,
    expected: choices.join(' or '),
    parse: (text) => choices.find((choice) => choice === text),
    format: String,
  };
}

/** The parameters in the order of links, in metres, metres per second and seconds, whatever is displayed. */
const PARAMETERS: { readonly [Name in keyof TrackFilter]: Parameter<ValueOf<Name>> } = {
  kind: oneOf('kind', ['drone', 'aircraft']),
  altitudeM: range('alt', 'm'),
  heightAglM: range('agl', 'm'),
  speedMps: range('speed', 'mps'),
  ageS: range('age', 's'),
  confidence: {
    name: 'conf',
    expected: 'one or more labels, separated by commas',
    parse: parseLabels,
    format: (labels) => labels.join(','),
  },
  receiverCount: range('rx', 'rx'),
  simulated: oneOf('sim', ['hide', 'only']),
  testBroadcast: oneOf('test', ['hide', 'only']),
  emergency: oneOf('emergency', ['only', 'show']),
  inside: {
    name: 'inside',
    expected:
      'view, west,south,east,north, circle,lon,lat,RADIUSm, polygon,lon,lat,… with the first corner again at its end, or corridor,lon,lat,…,WIDTHm',
    parse: (text) => {
      if (text === 'view') return 'view';
      const box = parseBbox(text);
      return box.ok ? box.bbox : parseArea(text);
    },
    format: (inside) => {
      if (inside === 'view') return inside;
      return 'kind' in inside ? formatArea(inside) : formatBbox(inside);
    },
  },
  unknown: oneOf('unknown', ['show', 'hide']),
};

export const FILTER_PARAMETERS: readonly string[] = Object.values(PARAMETERS).map(({ name }) => name);

export interface ParsedFilter {
  readonly filter: TrackFilter;
  readonly problems: readonly { readonly name: string; readonly expected: string }[];
}

/** @param valuesOf none if the parameter is missing */
export function parseFilter(valuesOf: (name: string) => readonly string[]): ParsedFilter {
  const problems: ParsedFilter['problems'][number][] = [];
  const read = <T>({ name, expected, parse }: Parameter<T>) => {
    const [text, ...others] = valuesOf(name);
    if (text === undefined) return undefined;
    const value = others.length === 0 ? parse(text) : undefined;
    if (value === undefined) problems.push({ name, expected });
    return value;
  };
  const filter: TrackFilter = {
    kind: read(PARAMETERS.kind),
    altitudeM: read(PARAMETERS.altitudeM),
    heightAglM: read(PARAMETERS.heightAglM),
    speedMps: read(PARAMETERS.speedMps),
    ageS: read(PARAMETERS.ageS),
    confidence: read(PARAMETERS.confidence),
    receiverCount: read(PARAMETERS.receiverCount),
    simulated: read(PARAMETERS.simulated),
    testBroadcast: read(PARAMETERS.testBroadcast),
    emergency: read(PARAMETERS.emergency),
    inside: read(PARAMETERS.inside),
    unknown: read(PARAMETERS.unknown) ?? NO_FILTER.unknown,
  };
  return { filter, problems };
}

/** The list is empty for a filter that shows everything. */
export function formatFilter(filter: TrackFilter): readonly string[] {
  const criteria: readonly (keyof TrackFilter)[] = activeCriteria(filter);
  const names = filter.unknown === NO_FILTER.unknown ? criteria : [...criteria, 'unknown' as const];
  return (Object.keys(PARAMETERS) as (keyof TrackFilter)[])
    .filter((key) => names.includes(key))
    .map((key) => formatParameter(key, filter));
}

function formatParameter<Name extends keyof TrackFilter>(key: Name, filter: TrackFilter): string {
  const { name, format } = PARAMETERS[key] as Parameter<ValueOf<Name>>;
  return `${name}=${encodeURIComponent(format(filter[key] as ValueOf<Name>)).replaceAll('%2C', ',')}`;
}

function rangeOf(from: string, to: string): ValueRange | undefined {
  const [low, high] = [from, to].map((end) => (end === '' ? undefined : parseDecimal(end)));
  if ((from !== '' && low === undefined) || (to !== '' && high === undefined)) return undefined;
  if (low === undefined && high === undefined) return undefined;
  if (low !== undefined && high !== undefined && high <= low) return undefined;
  return { from: low, to: high };
}

/** Rounds to a millimetre, so that other units convert back unchanged. */
function plain(value: number): string {
  return String(Number(value.toFixed(3)) + 0);
}

const MAX_LABELS = 20;
/** The form of labels: any of the service that does not break a link. */
const label = /^[^\s,&=#%]{1,64}$/;

function parseLabels(text: string): readonly string[] | undefined {
  const labels = [...new Set(text.split(','))];
  return labels.length <= MAX_LABELS && labels.every((each) => label.test(each)) ? labels : undefined;
}
