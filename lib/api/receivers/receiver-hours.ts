import * as z from 'zod/mini';
import { instantText } from '../../time/instant-schema.ts';
import { unreadSchema } from './receivers-answer.ts';

/** Hours of the spans that the page offers: a day, a week, thirty days. */
export const HOUR_SPANS = ['24', '168', '720'] as const;
export type HourSpan = (typeof HOUR_SPANS)[number];

export const hoursQuerySchema = z.strictObject({
  /** The last hours, up to and including the present one: 24, 168 or 720. */
  hours: z.enum(HOUR_SPANS, { error: `hours must be one of ${HOUR_SPANS.join(', ')}` }),
});

/** One entry for each hour; null: not recorded. */
const counts = z.array(z.nullable(z.int().check(z.nonnegative())));

const stationHoursSchema = z.object({
  id: z.string(),
  /** Seconds of the hour that were recorded; the rest is not known. */
  recorded_s: counts,
  /** How many of these seconds had no connection. */
  not_connected_s: counts,
  /** Seconds with a connection, more than 10 s after the last message. */
  silent_s: counts,
  /** Received positions, each once, also those that were not served. */
  positions: counts,
  /** Served positions of tracks that no other feed had reported for 10 s. */
  alone: counts,
  /** How far the receiver's clock is ahead: median of the minutes; null also if not known. */
  clock_error_ms: z.array(z.nullable(z.int())),
  /** The greatest spread of the minutes. */
  clock_spread_ms: counts,
  /** The feed was set to simulated. */
  simulated: z.array(z.nullable(z.boolean())),
});

/** The report that the service's socket answers. */
export const hoursReportSchema = z.object({
  at: instantText,
  /** Start of the first hour. */
  first_hour_at: instantText,
  hours: z.int(),
  /** Why the last minutes are only in memory. */
  problem: z.nullable(z.enum(['disk_full', 'disk_failed'])),
  /** Every feed that was recorded in these hours, also removed ones. */
  stations: z.array(stationHoursSchema),
});

/** `GET /api/admin/receivers/hours` */
export const hoursAnswerSchema = z.object({
  /** The server's time. */
  as_of: instantText,
  report: z.nullable(hoursReportSchema),
  /** Why `report` could not be read. */
  failure: z.nullable(unreadSchema),
});

export type StationHours = z.infer<typeof stationHoursSchema>;
export type HoursReport = z.infer<typeof hoursReportSchema>;
export type HoursAnswer = z.infer<typeof hoursAnswerSchema>;
