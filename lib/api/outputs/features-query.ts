import * as z from 'zod/mini';
import type { Bbox } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';

export const FEATURES_MAX = 10_000;
const FEATURES_DEFAULT = 1000;

/** Both ends are inclusive; one that is `undefined` is open. */
export interface Interval {
  readonly start: UpstreamInstant | undefined;
  readonly end: UpstreamInstant | undefined;
}

const asJson = z.optional(z.enum(['json'], { error: 'must be json' }));

export const featureDocumentQuerySchema = z.strictObject({
  /** `json` is the only form. */
  f: asJson,
});

export const featuresQuerySchema = z.strictObject({
  f: asJson,
  /** At least 1; at most 10,000 are answered. Default: 1000. */
  limit: z._default(
    z.pipe(
      z.string().check(z.regex(/^0*[1-9]\d*$/, { error: 'limit must be a whole number from 1' })),
      z.transform((text: string) => Math.min(FEATURES_MAX, Number(text))),
    ),
    FEATURES_DEFAULT,
  ),
  /** The value comes from the `next` link of the page before. */
  next: z.optional(z.string().check(z.maxLength(100))),
  /** `W,S,E,N` in degrees; W > E crosses 180°. Heights, as in `W,S,LOW,E,N,HIGH`, are not compared. */
  bbox: z.optional(z.pipe(z.string(), z.transform(readBbox))),
  /** A time, or `START/END`, each RFC 3339 or `..`. Of positions `observed_at`, of alarms `opened_at`. */
  datetime: z.optional(z.pipe(z.string(), z.transform(readInterval))),
});
export type FeaturesQuery = z.infer<typeof featuresQuerySchema>;

function readBbox(text: string, { issues, value }: z.core.ParsePayload): Bbox {
  const parts = text.split(',');
  const flat = parts.length === 6 ? parts.filter((_, index) => index !== 2 && index !== 5).join(',') : text;
  const parsed = parseBbox(flat);
  if (parsed.ok) return parsed.bbox;
  issues.push({ code: 'custom', message: parsed.message, input: value });
  return z.NEVER;
}

function readInterval(text: string, { issues, value }: z.core.ParsePayload): Interval {
  const parts = text.split('/');
  const ends = parts.map((part) =>
    parts.length === 2 && (part === '' || part === '..') ? undefined : parseInstant(part),
  );
  const isRead = ends.every(
    (end, index) => end !== undefined || (parts.length === 2 && /^(\.\.)?$/.test(parts[index] ?? '')),
  );
  const [start, end] = parts.length === 1 ? [ends[0], ends[0]] : ends;
  if (isRead && parts.length <= 2 && !(start !== undefined && end !== undefined && start > end)) return { start, end };
  issues.push({
    code: 'custom',
    message: 'datetime must be an RFC 3339 time, or START/END with .. for an open end',
    input: value,
  });
  return z.NEVER;
}
