import { READ_SCOPES, type ReadScope, type ReadToken } from '#lib/api/outputs/read-token.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { momentText } from '../account/account-text.ts';

const SCOPE_TEXT: Readonly<Record<ReadScope, string>> = { aircraft: 'aircraft.json', features: 'OGC features' };

export const SCOPE_CHOICES = [
  ...READ_SCOPES.map((scope) => ({ value: scope, label: SCOPE_TEXT[scope] })),
  { value: 'both' as const, label: 'Both' },
];

export const ALTITUDE_CHOICES = [
  { value: 'none' as const, label: 'Left out' },
  { value: 'alt_baro' as const, label: 'alt_baro' },
  { value: 'alt_geom' as const, label: 'alt_geom' },
];

/** Of the wall clock at the time of making. */
export const LASTS_CHOICES = [
  { value: '1', label: '1 day' },
  { value: '30', label: '30 days' },
  { value: '365', label: '1 year' },
  { value: 'open', label: 'Until revoked' },
] as const;

export function opensText({ scopes, area, altitude_as }: ReadToken): string {
  const outputs = scopes.map((scope) => SCOPE_TEXT[scope]).join(' and ');
  const place = area === null ? 'everywhere that is watched' : `within ${formatBbox(boxFromCorners(area))}`;
  return `${outputs}, ${place}${altitude_as === null ? '' : `, altitude as ${altitude_as}`}`;
}

export function tokenHasEnded({ ends_at }: ReadToken, now: UpstreamInstant | undefined): boolean {
  const end = ends_at === null ? undefined : parseInstant(ends_at);
  return end !== undefined && now !== undefined && end <= now;
}

export function usedText({ made_at, made_by, ends_at, used_at }: ReadToken, zone: ClockZone): string {
  const made = `Made ${momentText(made_at, zone)}${made_by === '' ? '' : ` by ${made_by}`}`;
  const used = used_at === null ? 'never used' : `last used ${momentText(used_at, zone)}`;
  return `${made}; ${used}; ${ends_at === null ? 'ends when revoked' : `ends ${momentText(ends_at, zone)}`}`;
}

/** Addresses for the programs that read with it. */
export function addressesOf(
  { scopes }: ReadToken,
  secret: string,
  origin: string,
): readonly (readonly [string, string])[] {
  return scopes.map((scope) =>
    scope === 'aircraft'
      ? ['tar1090, graphs1090, dump1090-exporter', `${origin}/api/feeds/${secret}/data/aircraft.json`]
      : ['QGIS and ogr2ogr, with the token in the Authorization header', `${origin}/api/features`],
  );
}
