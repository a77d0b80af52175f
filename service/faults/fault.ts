import { z } from 'zod';
import { OPERATION_IDS, type OperationId } from '#lib/contract/operation.ts';
import { DAY_MS } from '#lib/time/time-units.ts';

/** A text that is safe in the value of a header. */
const headerText = z
  .string()
  .regex(/^[\x20-\x7e]{0,200}$/, { error: 'must be at most 200 printable ASCII characters' });

const reach = {
  /** The operation that fails; null: all four. */
  operation: z.enum(OPERATION_IDS).nullable().default(null),
  /** Requests until the fault ends; null: until it is cleared. */
  times: z.int().positive().nullable().default(null),
};

const retryAfter = headerText.nullable().default(null);
const delayMs = z.int().min(1).max(600_000);

/** Faults that replace the answer act as the network edge would: they check no key and consume no allowance. */
export const faultSchema = z.discriminatedUnion('kind', [
  /** `as: html` has no error body and no request id, as from an edge. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    retry_after: retryAfter,
    as: z.enum(['json', 'html']).default('json'),
    ...reach,
  }),
  /** An answer of another program; `body` is sent unchanged, or as gzip. */
  z.strictObject({
    kind: z.literal('edge'),
    status: z.int().min(200).max(599),
    headers: z.record(z.string().regex(/^[a-z-]{1,40}$/), headerText).default({}),
    body: z.string().max(1_000_000).default(''),
    is_gzip: z.boolean().default(false),
    ...reach,
  }),
  z.strictObject({ kind: z.literal('html'), ...reach }),
  z.strictObject({ kind: z.literal('cut_json'), ...reach }),
  /** The first `count` records of the page break the contract (null: all); the others are valid. */
  z.strictObject({ kind: z.literal('bad_record'), count: z.int().positive().nullable().default(1), ...reach }),
  /** `data` is `row`, `count` times, whatever `limit` was requested. */
  z.strictObject({
    kind: z.literal('rows'),
    count: z.int().min(0).max(100_000_000),
    row: z.string().max(10_000).default('{}'),
    ...reach,
  }),
  z.strictObject({ kind: z.literal('endless_cursor'), ...reach }),
  z.strictObject({ kind: z.literal('repeat_cursor'), ...reach }),
  z.strictObject({ kind: z.literal('cursor_refused'), ...reach }),
  z.strictObject({ kind: z.literal('slow'), delay_ms: delayMs, ...reach }),
  /** Answers wait until the fault is cleared or replaced, also by another `hold`. */
  z.strictObject({ kind: z.literal('hold'), ...reach }),
  z.strictObject({ kind: z.literal('drip'), interval_ms: delayMs.default(200), ...reach }),
  z.strictObject({ kind: z.literal('silent'), ...reach }),
  z.strictObject({ kind: z.literal('reset'), ...reach }),
  z.strictObject({ kind: z.literal('redirect'), location: headerText, ...reach }),
  /** 200 with this many bytes of valid JSON and no Content-Length. */
  z.strictObject({ kind: z.literal('huge'), bytes: z.int().min(64).max(1_000_000_000), ...reach }),
  /** Replaces the allowance headers; null leaves the account's. */
  z.strictObject({
    kind: z.literal('allowance'),
    per_minute: headerText.nullable().default(null),
    per_day: headerText.nullable().default(null),
    ...reach,
  }),
  z.strictObject({ kind: z.literal('no_headers'), ...reach }),
  z.strictObject({ kind: z.literal('wrong_layer'), ...reach }),
  /** Every request with a cursor is answered 503. */
  z.strictObject({ kind: z.literal('fail_after_page'), retry_after: retryAfter, ...reach }),
  /** It shifts generated_at, observed_at, stale_after, and the start of the future. */
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

export type FaultSetting = z.input<typeof faultSchema>;

export interface TakenFault {
  readonly fault: Fault;
  /** Aborts when the fault is cleared or replaced. */
  readonly over: AbortSignal;
}

export interface FaultSwitch {
  /** Throws a ZodError if the setting is invalid. */
  set(setting: FaultSetting): void;
  clear(): void;
  take(operation: OperationId): TakenFault | undefined;
}

/** One fault at a time: setting another ends it. */
export function makeFaultSwitch(): FaultSwitch {
  let current: Fault | undefined;
  let taken = 0;
  let ending = new AbortController();
  const replace = (fault: Fault | undefined) => {
    current = fault;
    taken = 0;
    ending.abort();
    ending = new AbortController();
  };
  return {
    set(setting) {
      replace(faultSchema.parse(setting));
    },
    clear() {
      replace(undefined);
    },
    take(operation) {
      if (current === undefined || (current.operation !== null && current.operation !== operation)) return undefined;
      if (current.times !== null && taken >= current.times) return undefined;
      taken += 1;
      return { fault: current, over: ending.signal };
    },
  };
}
