import * as z from 'zod/mini';
import { formatAddress, parseAddress } from './address-state.ts';
import { shortName } from './short-name.ts';

/** How many views an operator may have. */
export const VIEWS_MAX = 100;
const QUERY_MAX_LENGTH = 2048;

/** As in the address bar: never an address, and nothing that would be ignored. */
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

/** `POST /api/views` */
export const newViewSchema = z.strictObject({
  /** 1 to 80 characters, unique for its operator. */
  name: shortName,
  /** Query of a link to a view. */
  query: linkQuery,
  /** Every operator sees the view; default: false. */
  shared: z._default(z.boolean(), false),
});
export type NewView = z.infer<typeof newViewSchema>;

/** `PATCH /api/views/ID` */
export const viewChangeSchema = z
  .strictObject({ name: z.optional(shortName), query: z.optional(linkQuery), shared: z.optional(z.boolean()) })
  .check(
    z.refine((change) => Object.values(change).some((value) => value !== undefined), { error: 'changes nothing' }),
  );
export type ViewChange = z.infer<typeof viewChangeSchema>;

/** `PUT /api/views/start` */
export const startViewSchema = z.strictObject({
  /** null removes the start view. */
  id: z.nullable(viewId),
});

export const savedViewSchema = z.object({
  id: viewId,
  name: z.string(),
  /** Query of a link, with its question mark. */
  query: z.string().check(z.startsWith('?')),
  shared: z.boolean(),
  /** The view belongs to this operator. */
  mine: z.boolean(),
  /** Name of its operator; null where no sign-in is needed. */
  owner: z.nullable(z.string()),
});
export type SavedView = z.infer<typeof savedViewSchema>;

/** `GET /api/views` */
export const savedViewsSchema = z.object({
  /** The operator's own views are first. */
  views: z.array(savedViewSchema),
  /** Id of the view that the operator's page opens with. */
  start: z.nullable(viewId),
});
export type SavedViewsAnswer = z.infer<typeof savedViewsSchema>;
