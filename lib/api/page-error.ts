import * as z from 'zod/mini';
import { CODE_PLACE, ERROR_TEXT_MAX_LENGTH } from './stripped-error.ts';

export const PAGE_ERROR_KINDS = [
  /** An answer that the page could not read. */
  'answer',
  /** A worker that stopped or did not load. */
  'worker',
  /** A part of the page that failed while the rest went on. */
  'part',
  /** The page as a whole. */
  'page',
  /** An error that no code expected. */
  'uncaught',
] as const;
export type PageErrorKind = (typeof PAGE_ERROR_KINDS)[number];

/** `POST /api/page-errors` */
export const pageErrorSchema = z.strictObject({
  /** The failed part. */
  kind: z.enum(PAGE_ERROR_KINDS),
  /** Of the error, without addresses, quoted text and numbers. */
  message: z.string().check(z.maxLength(ERROR_TEXT_MAX_LENGTH)),
  /** `FILE.js:LINE:COLUMN` in Lookout’s own code; null if unknown. */
  at: z.nullable(z.string().check(z.regex(CODE_PLACE, { error: 'must be FILE.js:LINE:COLUMN or null' }))),
});
export type PageError = z.infer<typeof pageErrorSchema>;
