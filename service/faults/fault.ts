import { z } from 'zod';
import { OPERATION_IDS } from '#lib/contract/operation.ts';
import { DAY_MS } from '#lib/time/time-units.ts';

/** Printable ASCII, which is safe in a header value. */
const headerText = z
  .string()
  .regex(/^[\x20-\x7e]{0,200}$/, { error: 'must be at most 200 printable ASCII characters' });

/** Which requests a fault affects. */
const reach = {
  /** null: all four operations. */
  operation: z.enum(OPERATION_IDS).nullable().default(null),
  /** How many requests it affects before it ends; null: all of them until it is cleared. */
  times: z.int().positive().nullable().default(null),
};

const retryAfter = headerText.nullable().default(null);
const delayMs = z.int().min(1).max(600_000);

/**
 * Failures that a client must survive. Those that replace the service's answer (status, edge, html, redirect, huge, silent,
 * and fail_after_page's later pages) act as the network edge would: they check no key and consume no allowance. All
 * others change the service's own answer.
 */
export const faultSchema = z.discriminatedUnion('kind', [
  /** Any error status. `as: html` sends it as an edge would, without the error body and without a request id. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    retry_after: retryAfter,
    as: z.enum(['json', 'html']).default('json'),
    ...reach,
  }),
  /** Any answer of another program: a proxy, a portal, another API. `body` is sent as it is, or as gzip. */
  z.strictObject({
    kind: z.literal('edge'),
    status: z.int().min(200).max(599),
    headers: z.record(z.string().regex(/^[a-z-]{1,40}$/), headerText).default({}),
    body: z.string().max(1_000_000).default(''),
    is_gzip: z.boolean().default(false),
    ...reach,
  }),
  /** 200 with a page of HTML. */
  z.strictObject({ kind: z.literal('html'), ...reach }),
  /** A complete answer whose JSON ends in the middle. */
  z.strictObject({ kind: z.literal('cut_json'), ...reach }),
  /** The first `count` records of the page break the contract (null: all); the others are valid. */
  z.strictObject({ kind: z.literal('bad_record'), count: z.int().positive().nullable().default(1), ...reach }),
  /** `data` is `row`, that many times, whatever `limit` was requested. */
  z.strictObject({
    kind: z.literal('rows'),
    count: z.int().min(0).max(100_000_000),
    row: z.string().max(10_000).default('{}'),
    ...reach,
  }),
  /** Every live page has a new cursor, without end. */
  z.strictObject({ kind: z.literal('endless_cursor'), ...reach }),
  /** Every live page has the same cursor. */
  z.strictObject({ kind: z.literal('repeat_cursor'), ...reach }),
  /** Any cursor is refused with 400. */
  z.strictObject({ kind: z.literal('cursor_refused'), ...reach }),
  /** The answer begins late. */
  z.strictObject({ kind: z.literal('slow'), delay_ms: delayMs, ...reach }),
  /** The body comes one byte at a time. */
  z.strictObject({ kind: z.literal('drip'), interval_ms: delayMs.default(200), ...reach }),
  /** The request is accepted and never answered. */
  z.strictObject({ kind: z.literal('silent'), ...reach }),
  /** The connection is reset in the middle of the body. */
  z.strictObject({ kind: z.literal('reset'), ...reach }),
  /** 302 to `location`. */
  z.strictObject({ kind: z.literal('redirect'), location: headerText, ...reach }),
  /** 200 with this many bytes of valid JSON and no Content-Length. */
  z.strictObject({ kind: z.literal('huge'), bytes: z.int().min(64).max(1_000_000_000), ...reach }),
  /** The allowance headers have these values instead of the account's; null leaves the account's. */
  z.strictObject({
    kind: z.literal('allowance'),
    per_minute: headerText.nullable().default(null),
    per_day: headerText.nullable().default(null),
    ...reach,
  }),
  /** The two allowance headers are missing. */
  z.strictObject({ kind: z.literal('no_headers'), ...reach }),
  /** The envelope names the other layer. */
  z.strictObject({ kind: z.literal('wrong_layer'), ...reach }),
  /** The first page is valid; every request with a cursor is answered 503. */
  z.strictObject({ kind: z.literal('fail_after_page'), retry_after: retryAfter, ...reach }),
  /** Shifts the service's clock: generated_at, observed_at, stale_after, and what counts as the future. */
  z.strictObject({
    kind: z.literal('clock_offset_ms'),
    offset_ms: z
      .int()
      .min(-DAY_MS * 400)
      .max(DAY_MS * 400),
    ...reach,
  }),
]);

export type Fault = z.output<typeof faultSchema>;

/** A fault as a test sets it; fields with a default may be left out. */
export type FaultSetting = z.input<typeof faultSchema>;
