import * as z from 'zod/mini';
import { formatAddress, parseAddress } from './address-state.ts';
import { shortName } from './short-name.ts';

/** Saved views of one operator. */
export const VIEWS_MAX = 100;
const QUERY_MAX_LENGTH = 2048;

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
  name: shortName,
  query: linkQuery,
  shared: z._default(z.boolean(), false),
});
export type NewView = z.infer<typeof newViewSchema>;

/** Body of `PATCH /api/views/ID`. */
export const viewChangeSchema = z
  .strictObject({ name: z.optional(shortName), query: z.optional(linkQuery), shared: z.optional(z.boolean()) })
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
