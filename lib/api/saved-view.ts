import { z } from 'zod';
import { formatAddress, parseAddress } from './address-state.ts';

/** In Unicode characters. */
export const VIEW_NAME_MAX_LENGTH = 80;
/** Saved views of one operator. */
export const VIEWS_MAX = 100;
const QUERY_MAX_LENGTH = 2048;

/** Control characters, halves of characters, and those that change the direction of the text around them. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** A name as it is kept: composed, without spaces around it, and one space where there were several. */
const viewName = z
  .string()
  .max(8 * VIEW_NAME_MAX_LENGTH, { error: 'is too long' })
  .transform((text, context) => {
    const name = text
      .normalize('NFC')
      .trim()
      .replace(/\p{Zs}+/gu, ' ');
    const { length } = [...name];
    if (length === 0) return refuse(context, 'must not be empty');
    if (length > VIEW_NAME_MAX_LENGTH) return refuse(context, `must be at most ${VIEW_NAME_MAX_LENGTH} characters`);
    if (unprintable.test(name)) return refuse(context, 'must be plain text on one line');
    return name;
  });

/** The query of a link, as the address bar would have it: never an address, and nothing that would be ignored. */
const linkQuery = z
  .string()
  .max(QUERY_MAX_LENGTH, { error: `must be at most ${QUERY_MAX_LENGTH} characters` })
  .transform((text, context) => {
    const { state, ignored } = parseAddress(text);
    if (ignored.length > 0) return refuse(context, `has unknown or invalid parameters: ${ignored.join(', ')}`);
    const query = formatAddress(state);
    return query === '' ? refuse(context, 'must be the query of a link to a view') : query;
  });

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message, path: [] });
  return z.NEVER;
}

const viewId = z.uuid({ error: 'must be the id of a view' });

/** Body of `POST /api/views`. */
export const newViewSchema = z.strictObject({ name: viewName, query: linkQuery, shared: z.boolean().default(false) });
export type NewView = z.infer<typeof newViewSchema>;

/** Body of `PATCH /api/views/ID`. */
export const viewChangeSchema = z
  .strictObject({ name: viewName.optional(), query: linkQuery.optional(), shared: z.boolean().optional() })
  .refine((change) => Object.values(change).some((value) => value !== undefined), { error: 'changes nothing' });
export type ViewChange = z.infer<typeof viewChangeSchema>;

/** Body of `PUT /api/views/start`; null: none. */
export const startViewSchema = z.strictObject({ id: viewId.nullable() });

const savedViewSchema = z.object({
  id: viewId,
  name: z.string(),
  /** Starts with a question mark. */
  query: z.string().startsWith('?'),
  shared: z.boolean(),
  mine: z.boolean(),
  /** null: the operator of a Lookout that needs no sign-in. */
  owner: z.string().nullable(),
});
export type SavedView = z.infer<typeof savedViewSchema>;

/** `GET /api/views`: one's own, then those that others share. */
export const savedViewsSchema = z.object({ views: z.array(savedViewSchema), start: viewId.nullable() });
export type SavedViewsAnswer = z.infer<typeof savedViewsSchema>;
