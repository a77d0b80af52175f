import * as z from 'zod/mini';
import { formatAddress, parseAddress } from './address-state.ts';

/** In Unicode characters. */
export const VIEW_NAME_MAX_LENGTH = 80;
/** Saved views of one operator. */
export const VIEWS_MAX = 100;
const QUERY_MAX_LENGTH = 2048;

/** Control characters, halves of characters, and those that change the direction of the text around them. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** A name as it is kept: composed, without spaces around it, and one space where there were several. */
const viewName = z.pipe(
  z.string().check(z.maxLength(8 * VIEW_NAME_MAX_LENGTH, { error: 'is too long' })),
  z.transform((text, context) => {
    const name = text
      .normalize('NFC')
      .trim()
      .replace(/\p{Zs}+/gu, ' ');
    const { length } = [...name];
    if (length === 0) return refuse(context, 'must not be empty');
    if (length > VIEW_NAME_MAX_LENGTH) return refuse(context, `must be at most ${VIEW_NAME_MAX_LENGTH} characters`);
    if (unprintable.test(name)) return refuse(context, 'must be plain text on one line');
    return name;
  }),
);

/** The query of a link, as the address bar would have it: never an address, and nothing that would be ignored. */
const linkQuery = z.pipe(
  z.string().check(z.maxLength(QUERY_MAX_LENGTH, { error: `must be at most ${QUERY_MAX_LENGTH} characters` })),
  z.transform((text, context) => {
    const { state, ignored } = parseAddress(text);
    if (ignored.length > 0) return refuse(context, `has unknown or invalid parameters: ${ignored.join(', ')}`);
    const query = formatAddress(state);
    return query === '' ? refuse(context, 'must be the query of a link to a view') : query;
  }),
);

function refuse({ issues, value }: z.core.ParsePayload, message: string): never {
  issues.push({ code: 'custom', message, input: value });
  return z.NEVER;
}

const viewId = z.uuid({ error: 'must be the id of a view' });

/** Body of `POST /api/views`. */
export const newViewSchema = z.strictObject({
  name: viewName,
  query: linkQuery,
  shared: z._default(z.boolean(), false),
});
export type NewView = z.infer<typeof newViewSchema>;

/** Body of `PATCH /api/views/ID`. */
export const viewChangeSchema = z
  .strictObject({ name: z.optional(viewName), query: z.optional(linkQuery), shared: z.optional(z.boolean()) })
  .check(
    z.refine((change) => Object.values(change).some((value) => value !== undefined), { error: 'changes nothing' }),
  );
export type ViewChange = z.infer<typeof viewChangeSchema>;

/** Body of `PUT /api/views/start`; null: none. */
export const startViewSchema = z.strictObject({ id: z.nullable(viewId) });

const savedViewSchema = z.object({
  id: viewId,
  name: z.string(),
  /** Starts with a question mark. */
  query: z.string().check(z.startsWith('?')),
  shared: z.boolean(),
  mine: z.boolean(),
  /** null: the operator of a Lookout that needs no sign-in. */
  owner: z.nullable(z.string()),
});
export type SavedView = z.infer<typeof savedViewSchema>;

/** `GET /api/views`: one's own, then those that others share. */
export const savedViewsSchema = z.object({ views: z.array(savedViewSchema), start: z.nullable(viewId) });
export type SavedViewsAnswer = z.infer<typeof savedViewsSchema>;
